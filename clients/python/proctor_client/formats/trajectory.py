"""What every format is read into, and how odd values are taken."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Dict, Iterable, List, Mapping, Optional

Json = Dict[str, Any]
#: Steps of one import that the service takes.
MAX_STEPS = 10_000
#: Of one text of a step; what is longer is cut in the middle, and says so.
MAX_TEXT = 64 * 1024
MAX_DEPTH = 20
#: Of a file, which is read whole.
MAX_BYTES = 512 * 1024 * 1024


class UnknownFormat(ValueError):
    """Not a trajectory of a kind that is read."""


@dataclass
class Trajectory:
    """A trajectory of another tool. `steps` are what `Client.import_session` takes."""

    #: `atif`, `openai-chat`, `openai-responses`, `swe-agent`, `inspect`, `harbor` or `swe-bench`.
    format: str
    version: str = ""
    id: str = ""
    model: str = ""
    steps: List[Json] = field(default_factory=list)
    #: A unified diff that the agent handed in, where the format has one.
    patch: Optional[str] = None
    #: What the tool itself says of the outcome. Nothing is graded by it.
    claimed: Json = field(default_factory=dict)
    #: What was left out, and why.
    notes: List[str] = field(default_factory=list)

    def add(
        self, action: Mapping[str, Any], observation: Mapping[str, Any], *, at: Any = None, message_id: Any = None
    ) -> None:
        """Adds a step; what is beyond the service's limit is counted in the notes."""
        if len(self.steps) >= MAX_STEPS:
            if len(self.notes) == 0 or not self.notes[-1].startswith("more than"):
                self.notes.append(f"more than {MAX_STEPS} steps: the rest was left out")
            return
        step: Json = {"action": plain(action), "observation": plain(observation)}
        time = instant(at)
        if time is not None:
            step["at"] = time
        if isinstance(message_id, (str, int)) and 0 < len(str(message_id)) <= 200:
            step["message_id"] = plain_text(str(message_id))
        self.steps.append(step)

    def tool(
        self, name: Any, arguments: Any, output: Any, *, says: Any = None, at: Any = None, message_id: Any = None
    ) -> None:
        """Adds a call of a tool with its output, and what the agent said with it."""
        action: Json = {"tool": str(name), "arguments": arguments_of(arguments)}
        if text_of(says):
            action["text"] = text_of(says)
        observation = {} if output is None else {"output": text_of(output)}
        self.add(action, observation, at=at, message_id=message_id)

    def said(self, role: str, content: Any, *, at: Any = None, message_id: Any = None) -> None:
        """Adds what was said without a tool: by the agent as an action, by others as what the agent saw."""
        text = text_of(content)
        if not text:
            return
        if role in ("assistant", "agent"):
            self.add({"text": text}, {}, at=at, message_id=message_id)
        else:
            self.add({"role": role}, {"text": text}, at=at, message_id=message_id)


def mapping(value: Any) -> Json:
    """The value, when it is an object; else an empty one."""
    return dict(value) if isinstance(value, Mapping) else {}


def sequence(value: Any) -> List[Any]:
    """The value, when it is a list; else an empty one."""
    return list(value) if isinstance(value, (list, tuple)) else []


def text_of(content: Any) -> str:
    """The text of a content: itself, of its parts, or its JSON. Pictures and sounds are only named."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        for name in ("text", "output", "content"):
            if isinstance(content.get(name), str):
                return str(content[name])
        return json.dumps(plain(content))
    if isinstance(content, (list, tuple)):
        return "\n".join(_part(part) for part in content)
    return str(content)


def arguments_of(raw: Any) -> Any:
    """Arguments of a tool call, which many write as a text of JSON."""
    if isinstance(raw, str):
        try:
            parsed = json.loads(raw)
        except (ValueError, RecursionError):
            return {"raw": raw}
        return parsed if isinstance(parsed, dict) else {"raw": raw}
    return raw if isinstance(raw, Mapping) else {} if raw is None else {"raw": raw}


def instant(raw: Any) -> Optional[str]:
    """A time as the service takes it, with its offset; None for what is none."""
    try:
        if isinstance(raw, bool):
            return None
        if isinstance(raw, (int, float)):
            found = datetime.fromtimestamp(raw, timezone.utc)
        else:
            text = re.sub(r"\.(\d+)", lambda found: f".{found[1]:0<6.6}", str(raw)).replace("Z", "+00:00")
            found = datetime.fromisoformat(text)
    except (ValueError, OverflowError, OSError):
        return None
    aware = found if found.tzinfo is not None else found.replace(tzinfo=timezone.utc)
    return aware.isoformat() if 1900 <= aware.year < 2100 else None


def plain(value: Any, depth: int = 0) -> Any:
    """The value as JSON that every reader takes: finite numbers, whole characters, texts and depth within bounds."""
    if isinstance(value, str):
        return plain_text(value)
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if depth >= MAX_DEPTH:
        return "… deeper than is kept"
    if isinstance(value, Mapping):
        return {plain_text(str(name)): plain(one, depth + 1) for name, one in value.items()}
    if isinstance(value, Iterable):
        return [plain(one, depth + 1) for one in value]
    return plain_text(str(value))


def plain_text(text: str) -> str:
    """Without NUL and halves of characters, which databases refuse, and cut in the middle where it is long."""
    whole = text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")
    if len(whole) <= MAX_TEXT:
        return whole
    half = MAX_TEXT // 2
    return f"{whole[:half]}\n… {len(whole) - 2 * half} characters left out …\n{whole[-half:]}"


def _part(part: Any) -> str:
    kind = mapping(part).get("type")
    if isinstance(kind, str) and "text" not in kind and not isinstance(mapping(part).get("text"), str):
        return f"[{kind}]"
    return text_of(part)
