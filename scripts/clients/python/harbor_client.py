"""Harbor: its verifier factory with Proctor's verifier, over an environment that is a folder."""

import asyncio
import json
import shutil
import tempfile
from pathlib import Path
from types import SimpleNamespace

from harbor.models.trial.error_policy import policy_for
from harbor.models.trial.paths import TrialPaths
from harbor.verifier.factory import VerifierFactory

from kit import PROXY, RIGHT, URL, WRONG, asked, case


class Folder:
    """An environment whose files are a folder of this machine."""

    def __init__(self, files):
        self.files = files

    async def download_dir(self, source_dir, target_dir):
        for name, content in self.files.items():
            Path(target_dir, name).write_text(content)
        Path(target_dir, "passwd").symlink_to("/etc/passwd")


def verified(source, task="test/double", url=URL, timeout=60.0):
    """What Harbor's trial would see: rewards, the error's name and whether it would be tried again, and the files."""
    folder = Path(tempfile.mkdtemp(prefix="harbor-"))
    try:
        paths = TrialPaths(trial_dir=folder)
        paths.verifier_dir.mkdir(parents=True)
        paths.reward_json_path.write_text('{"reward": 99}')
        verifier = VerifierFactory.create_verifier_from_import_path(
            "proctor_verifier:ProctorVerifier",
            task=SimpleNamespace(name=task),
            trial_paths=paths,
            environment=Folder({"double.py": source}),
            base_url=url,
            timeout_sec=timeout,
        )
        try:
            rewards = asyncio.run(verifier.verify()).rewards["reward"]
            on_disk = json.loads(paths.reward_json_path.read_text())["reward"]
            return rewards, on_disk, (paths.verifier_dir / "reward-details.json").exists()
        except Exception as error:  # noqa: BLE001
            return type(error).__name__, policy_for(type(error).__name__).should_retry, paths.reward_json_path.exists()
    finally:
        shutil.rmtree(folder)


SLOW = RIGHT.replace("return", "import time; time.sleep(0.3); return")
case("right work; a reward that was there is not believed", (1, 1, True), lambda: verified(RIGHT))
case("wrong work", (0, 0, True), lambda: verified(WRONG))
case("slow work is waited for", (1, 1, True), lambda: verified(SLOW))
case("too slow for its time: an error that is tried again", "ProctorUnavailableError", lambda: verified(
    SLOW.replace("0.3", "0.8"), timeout=1.2)[0])
for status in (429, 503, 504):
    name = f"h-{status}"
    case(f"{status} once: right at the next try", (1, 3), lambda: (
        verified(RIGHT, url=f"{PROXY}/once{status}/{name}")[0], asked(name)))
case("503 for ever: an error that is tried again", ("ProctorUnavailableError", True), lambda: verified(
    RIGHT, url=f"{PROXY}/s503/h-ever", timeout=3)[:2])
case("outage: an error that is tried again", ("ProctorUnavailableError", True), lambda: verified(
    RIGHT, url="http://127.0.0.1:9", timeout=3)[:2])
case("quarantined: an error of another name, and no reward on disk", ("ProctorWithheldError", True, False), lambda: verified(
    WRONG, task="test/doubtful"))
