"""A file or a folder of whatever kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, List, Union

from . import agents, atif, chat
from .trajectory import MAX_BYTES, Trajectory, UnknownFormat, mapping


def read(source: Union[str, Path, Any]) -> List[Trajectory]:
    """The trajectories in a file (`.json`, `.jsonl`, `.traj`, `.eval`), a trial's folder, or an object that was parsed.

    Raises `UnknownFormat`, also for what is not JSON, and OSError for what cannot be opened.
    """
    if isinstance(source, (str, Path)):
        return _read_path(Path(source))
    return read_object(source)


def read_object(raw: Any) -> List[Trajectory]:
    """The trajectories in what a file's JSON says."""
    if atif.is_atif(raw):
        return [atif.read(raw)]
    if agents.is_inspect(raw):
        return list(agents.read_inspect(raw))
    if agents.is_swe_agent(raw):
        return [agents.read_swe_agent(raw)]
    if agents.is_predictions(raw):
        return agents.read_predictions(raw)
    is_listed = any(isinstance(mapping(raw).get(name), (list, str)) for name in ("messages", "output", "choices"))
    if is_listed or chat.is_chat(raw) or chat.is_responses(raw):
        return [chat.read(raw)]
    raise UnknownFormat("neither ATIF, OpenAI messages or items, SWE-agent, Inspect nor SWE-bench predictions")


def _read_path(path: Path) -> List[Trajectory]:
    if path.is_dir():
        found = list(agents.read_harbor(path))
        if not found:
            raise UnknownFormat(f"{path.name} has no agent/trajectory.json of a Harbor trial")
        return found
    if path.stat().st_size > MAX_BYTES:
        raise UnknownFormat(f"{path.name} is larger than {MAX_BYTES} bytes")
    if path.suffix == ".eval":
        return list(agents.read_inspect_archive(path))
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        return read_object(json.loads(text))
    except UnknownFormat:
        raise
    except (ValueError, RecursionError) as error:
        return _read_lines(text, path, error)


def _read_lines(text: str, path: Path, fault: BaseException) -> List[Trajectory]:
    """JSON Lines: predictions one a line, or messages one a line, or a trajectory each."""
    try:
        listed = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        raise UnknownFormat(f"{path.name} is not JSON: {fault}") from fault
    if not listed:
        raise UnknownFormat(f"{path.name} is empty")
    if agents.is_predictions(listed):
        return agents.read_predictions(listed)
    if chat.is_chat(listed) or chat.is_responses(listed):
        return [chat.read(listed)]
    return [one for raw in listed for one in read_object(raw)]
