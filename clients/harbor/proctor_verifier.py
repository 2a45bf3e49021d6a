"""A Harbor verifier that has Proctor grade what the agent left, instead of a test script inside the agent's container.

    harbor run … --verifier proctor_verifier:ProctorVerifier \
        --verifier-kwarg base_url=http://127.0.0.1:8787 --verifier-kwarg workdir=/app

One file; Python 3.12 or newer, as Harbor needs it; beside Harbor only the standard library. The key is read from
`PROCTOR_KEY` of Harbor's own process (a `harness` key) and never enters the container. The workspace is downloaded, handed
in for a new instance of the task (or of `instance_id`), and the reward is waited for.

`reward.json` gets flat finite numbers, for a sample that may be learnt from and for no other. Everything that Proctor says
of it is in `reward-details.json`, always. What gave no reward raises: `ProctorUnavailableError` when another try may help,
`ProctorWithheldError` when none will.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import math
import os
import stat
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from harbor.models.verifier.result import VerifierResult
from harbor.verifier.base import BaseVerifier

__all__ = ["ProctorUnavailableError", "ProctorVerifier", "ProctorWithheldError"]

Json = dict[str, Any]

#: Of one answer; shorter than what proxies usually cut off.
SLICE_SEC = 30.0
ANSWER_SEC = 30.0
PAUSE_SEC = 1.0
PASSING_STATUSES = frozenset({429, 500, 502, 503, 504})
MOST_FILES = 5_000
MOST_BYTES = 20 * 1024 * 1024


class ProctorUnavailableError(Exception):
    """The platform could not grade: no measurement of the agent. Harbor knows no such name, so `--max-retries` tries again."""


class ProctorWithheldError(Exception):
    """Graded or refused, and not for learning: there is no reward, and another try gives none. Exclude it from retries."""


class ProctorVerifier(BaseVerifier):
    """Grades through Proctor. `task_name` and `instance_id` name what is graded; without either, Harbor's task name does."""

    def __init__(
        self,
        *,
        base_url: str | None = None,
        workdir: str = "/app",
        task_name: str | None = None,
        instance_id: str | None = None,
        run_id: str | None = None,
        timeout_sec: float = 600.0,
        **given: Any,
    ) -> None:
        super().__init__(**given)
        self._base_url = (base_url or os.environ.get("PROCTOR_URL", "http://127.0.0.1:8787")).rstrip("/")
        self._workdir = workdir
        self._task_name = task_name
        self._instance_id = instance_id
        self._run_id = run_id
        self._deadline_sec = float(timeout_sec)

    async def verify(self) -> VerifierResult:
        with tempfile.TemporaryDirectory(prefix="proctor-") as folder:
            try:
                await self.environment.download_dir(source_dir=self._workdir, target_dir=folder)
            except Exception as error:
                raise ProctorUnavailableError(f"{self._workdir} could not be downloaded: {error}") from error
            files, left_out = await asyncio.to_thread(_files_beneath, Path(folder))
        item = await asyncio.to_thread(self._graded, files)
        return self._result({**item, "left_out": left_out})

    def _graded(self, files: list[Json]) -> Json:
        until = time.monotonic() + self._deadline_sec
        instance_id = self._instance_id or self._new_instance(until)
        item = {"id": "1", "instance_id": instance_id, "artifact": {"files": files}}
        # the same files for the same instance join the work that is under way
        digest = hashlib.sha256(json.dumps(item, sort_keys=True).encode()).hexdigest()
        body: Json = {"request_id": f"harbor/{digest}", "items": [item]}
        if self._run_id is not None:
            body["run_id"] = self._run_id
        while True:
            left = until - time.monotonic()
            if left <= 0:
                raise ProctorUnavailableError(f"not graded within {self._deadline_sec:g} seconds")
            slice_sec = min(SLICE_SEC, left)
            answer = self._call("/v1/rewards", {**body, "deadline_ms": int(slice_sec * 1000)}, until)
            found = answer["items"][0]
            if found["status"] != "pending":
                return found

    def _new_instance(self, until: float) -> str:
        name = self._task_name or self.task.name
        return self._call("/v1/instances", {"task": name}, until)["instance_id"]

    def _call(self, path: str, body: Json, until: float) -> Json:
        """One answer; passing faults are asked again until `until` (`time.monotonic()`)."""
        key = os.environ.get("PROCTOR_KEY", "")
        headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
        data = json.dumps(body).encode()
        while True:
            request = urllib.request.Request(self._base_url + path, data=data, headers=headers)
            try:
                with urllib.request.urlopen(request, timeout=SLICE_SEC + ANSWER_SEC) as reply:
                    return json.loads(reply.read())
            except urllib.error.HTTPError as error:
                said = error.read().decode("utf-8", "replace")[:500]
                if error.code not in PASSING_STATUSES:
                    raise ProctorWithheldError(f"{path} answered {error.code}: {said}") from error
                fault = f"{path} answered {error.code}: {said}"
            except (OSError, ValueError) as error:
                fault = f"{path} did not answer: {error}"
            if time.monotonic() + PAUSE_SEC >= until:
                raise ProctorUnavailableError(fault)
            time.sleep(PAUSE_SEC)

    def _result(self, item: Json) -> VerifierResult:
        folder = self.trial_paths.verifier_dir
        folder.mkdir(parents=True, exist_ok=True)
        # a reward that the agent's container wrote there is not ours
        for stale in (self.trial_paths.reward_text_path, self.trial_paths.reward_json_path):
            stale.unlink(missing_ok=True)
        (folder / "reward-details.json").write_text(json.dumps(item, indent=2, sort_keys=True), encoding="utf-8")
        if item["mask_sample"] or item["status"] != "scored":
            kind = f"{item['failure_kind']}: {item['failure_reason']}"
            raise ProctorUnavailableError(kind) if item["fault"] == "platform" else ProctorWithheldError(kind)
        rewards = _rewards_of(item)
        self.trial_paths.reward_json_path.write_text(json.dumps(rewards), encoding="utf-8")
        return VerifierResult(rewards=rewards)


def _rewards_of(item: Json) -> dict[str, float | int]:
    named = {
        "reward": item["reward"],
        "score": item["score"],
        "train_weight": item["train_weight"],
        "cases_passed": item["metrics"]["cases_passed"],
        "cases_total": item["metrics"]["cases_total"],
    }
    for name, value in named.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise ProctorUnavailableError(f"{name} is not a finite number: {value!r}")
    return named


def _files_beneath(folder: Path) -> tuple[list[Json], int]:
    """
    Regular files, and how many did not fit. Links are left out: they would name files of Harbor's own machine. The smallest come
    first, so that an agent cannot bury its work, and so its grade, under one large file.
    """
    sized: list[tuple[int, Path]] = []
    for parent, _, names in os.walk(folder, followlinks=False):
        for path in (Path(parent, name) for name in names):
            status = path.lstat()
            if stat.S_ISREG(status.st_mode):
                sized.append((status.st_size, path))
    found: list[Json] = []
    total = 0
    for size, path in sorted(sized):
        total += size
        if len(found) >= MOST_FILES or total > MOST_BYTES:
            break
        found.append(
            {
                "path": path.relative_to(folder).as_posix(),
                "content_base64": base64.b64encode(path.read_bytes()).decode(),
                "executable": bool(path.lstat().st_mode & stat.S_IXUSR),
            }
        )
    return found, len(sized) - len(found)
