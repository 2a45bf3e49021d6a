"""SWE-agent's `.traj`, Inspect's logs, Harbor's trial folders, SWE-bench's predictions."""

from __future__ import annotations

import json
import zipfile
import zlib
from pathlib import Path
from typing import Any, Iterator, List, Mapping

from . import atif
from .chat import read_chat
from .trajectory import MAX_BYTES, Json, Trajectory, UnknownFormat, mapping, sequence


def is_swe_agent(raw: Any) -> bool:
    """Whether it is an object with a `trajectory` of actions and observations."""
    listed = sequence(mapping(raw).get("trajectory"))
    return isinstance(raw, Mapping) and "trajectory" in raw and all("action" in mapping(one) for one in listed)


def read_swe_agent(raw: Mapping[str, Any]) -> Trajectory:
    """A `.traj`: each entry has an action, an observation, a thought; `info.submission` is the patch."""
    info = mapping(raw.get("info"))
    made = Trajectory("swe-agent", version=str(info.get("swe_agent_version") or ""), claimed=info)
    made.model = str(mapping(info.get("model_stats")).get("model_name") or "")
    for entry in map(mapping, sequence(raw.get("trajectory"))):
        thought = entry.get("thought") or None
        made.tool("shell", {"command": entry.get("action")}, entry.get("observation"), says=thought)
    patch = info.get("submission")
    made.patch = patch if isinstance(patch, str) and patch.strip() else None
    return made


def is_inspect(raw: Any) -> bool:
    """Whether it is a log with an `eval` and a version."""
    return isinstance(raw, Mapping) and "eval" in raw and "version" in raw


def read_inspect(raw: Mapping[str, Any]) -> Iterator[Trajectory]:
    """A trajectory for each sample of a log."""
    for sample in sequence(raw.get("samples")):
        yield _inspect_sample(mapping(sample), mapping(raw.get("eval")), raw.get("version"))


def read_inspect_archive(path: Path) -> Iterator[Trajectory]:
    """The same for a `.eval` file, which is an archive with a file for each sample."""
    try:
        with zipfile.ZipFile(path) as archive:
            sizes = {one.filename: one.file_size for one in archive.infolist()}
            start = next((name for name in ("header.json", "_journal/start.json") if name in sizes), None)
            head = mapping(_member(archive, start)) if start else {}
            for name in sorted(one for one in sizes if one.startswith("samples/") and one.endswith(".json")):
                yield _inspect_sample(mapping(_member(archive, name)), mapping(head.get("eval")), head.get("version"))
    except NotImplementedError as error:
        message = f"this Python does not read the compression of {path.name}: use `inspect log convert`"
        raise UnknownFormat(message) from error
    except (zipfile.BadZipFile, ValueError, RecursionError, RuntimeError, EOFError, zlib.error) as error:
        raise UnknownFormat(f"{path.name} is not an Inspect log: {error}") from error


def read_harbor(folder: Path) -> Iterator[Trajectory]:
    """A trial's folder: the agent's trajectories, and what its verifier said."""
    result = mapping(_json_of(folder / "result.json"))
    claimed: Json = {"verifier_result": result.get("verifier_result"), "exception_info": result.get("exception_info")}
    rewards = _json_of(folder / "verifier" / "reward.json")
    if rewards is not None:
        claimed["rewards"] = rewards
    elif (folder / "verifier" / "reward.txt").is_file():
        claimed["rewards"] = (folder / "verifier" / "reward.txt").read_text(errors="replace").strip()
    found = sorted([*folder.glob("agent/trajectory*.json"), *folder.glob("steps/*/agent/trajectory*.json")])
    for path in found:
        raw = _json_of(path)
        if not atif.is_atif(raw):
            continue
        made = atif.read(mapping(raw))
        made.format, made.claimed = "harbor", {**claimed, "atif": made.claimed}
        made.id = made.id or str(result.get("trial_name") or folder.name)
        yield made


def is_predictions(raw: Any) -> bool:
    """Whether it is a list of predictions, or an object of them by instance."""
    listed = list(raw.values()) if isinstance(raw, Mapping) else sequence(raw)
    return bool(listed) and all("model_patch" in mapping(one) for one in listed)


def read_predictions(raw: Any) -> List[Trajectory]:
    """A trajectory without steps for each prediction: its patch, and the instance as its id."""
    named = raw.items() if isinstance(raw, Mapping) else ((None, one) for one in sequence(raw))
    made: List[Trajectory] = []
    for name, one in named:
        told = mapping(one)
        patch = told.get("model_patch")
        instance = str(told.get("instance_id") or name or "")
        model = str(told.get("model_name_or_path") or "")
        made.append(
            Trajectory("swe-bench", id=instance, model=model, patch=patch if isinstance(patch, str) and patch else None)
        )
    return made


def _inspect_sample(sample: Json, head: Json, version: Any) -> Trajectory:
    name = f"{sample.get('id')}_epoch_{sample.get('epoch', 1)}"
    made = Trajectory("inspect", version=str(version), id=name, model=str(head.get("model") or ""))
    made.claimed = {"scores": sample.get("scores"), "error": sample.get("error"), "limit": sample.get("limit")}
    return read_chat(sequence(sample.get("messages")), made)


def _member(archive: zipfile.ZipFile, name: str) -> Any:
    if archive.getinfo(name).file_size > MAX_BYTES:
        raise UnknownFormat(f"{name} is larger than {MAX_BYTES} bytes")
    return json.loads(archive.read(name))


def _json_of(path: Path) -> Any:
    try:
        if path.stat().st_size > MAX_BYTES:
            return None
        return json.loads(path.read_text(encoding="utf-8", errors="replace"))
    except (OSError, ValueError, RecursionError):
        return None
