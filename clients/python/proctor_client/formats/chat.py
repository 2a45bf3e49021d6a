"""OpenAI's two forms: chat messages with tool calls, and the items of the Responses API."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Sequence

from .trajectory import Trajectory, mapping, sequence, text_of

#: Of an item, what is neither a call's arguments nor its place.
BOOKKEEPING = frozenset({"type", "id", "call_id", "status", "output", "results", "encrypted_content"})


def is_chat(raw: Any) -> bool:
    """Whether it is a list of messages with roles."""
    return (
        bool(raw) and isinstance(raw, (list, tuple)) and all(isinstance(mapping(one).get("role"), str) for one in raw)
    )


def is_responses(raw: Any) -> bool:
    """Whether it is a list of items with types, of which one is a call or its output."""
    if not isinstance(raw, (list, tuple)) or not raw:
        return False
    kinds = [mapping(one).get("type") for one in raw]
    return all(isinstance(kind, str) or "role" in mapping(one) for kind, one in zip(kinds, raw)) and any(
        isinstance(kind, str) and (kind == "reasoning" or "_call" in kind or kind == "message") for kind in kinds
    )


def read_chat(messages: Sequence[Any], made: Trajectory) -> Trajectory:
    """Adds messages: each tool call with the tool's message that answers it."""
    told = [mapping(message) for message in messages]
    outputs: Dict[str, Any] = {}
    unnamed: List[Any] = []
    for message in told:
        if message.get("role") in ("tool", "function"):
            name = message.get("tool_call_id")
            text = _with_error(message)
            if name is None:
                unnamed.append(text)
            else:
                outputs[str(name)] = text
    for message in told:
        role = str(message.get("role"))
        if role in ("tool", "function"):
            continue
        calls = _calls(message)
        for place, call in enumerate(calls):
            function = mapping(call.get("function")) or call
            name = function.get("name") or (call.get("function") if isinstance(call.get("function"), str) else None)
            output = outputs.pop(str(call.get("id")), None)
            if output is None and unnamed and call.get("id") is None:
                output = unnamed.pop(0)
            says = message.get("content") if place == 0 else None
            made.tool(name, function.get("arguments"), output, says=says, message_id=message.get("id"))
        if not calls:
            made.said(role, message.get("content"), message_id=message.get("id"))
    if outputs or unnamed:
        made.notes.append(f"{len(outputs) + len(unnamed)} tool messages answer no call and were left out")
    return made


def read_responses(items: Sequence[Any], made: Trajectory) -> Trajectory:
    """Adds items: each `…_call` with the `…_call_output` of the same `call_id`, or with the output that it carries."""
    told = [mapping(item) for item in items]
    outputs = {
        str(item.get("call_id")): item.get("output") for item in told if str(item.get("type", "")).endswith("_output")
    }
    for item in told:
        kind = str(item.get("type") or "message")
        if kind.endswith("_output"):
            continue
        if kind == "message":
            made.said(str(item.get("role") or "assistant"), item.get("content"), message_id=item.get("id"))
        elif kind == "reasoning":
            made.said("assistant", item.get("summary") or item.get("content"), message_id=item.get("id"))
        elif kind.endswith("_call"):
            rest = {name: value for name, value in item.items() if name not in BOOKKEEPING}
            arguments = item["arguments"] if "arguments" in item else item.get("action", item.get("input", rest))
            output = outputs.pop(str(item.get("call_id")), item.get("output", item.get("results")))
            made.tool(item.get("name") or kind[: -len("_call")], arguments, output, message_id=item.get("id"))
        else:
            made.notes.append(f"an item of the type {kind} was left out")
    return made


def read(raw: Any) -> Trajectory:
    """A list of messages or items, or an object that has one under `messages`, `input` or `output`."""
    if isinstance(raw, Mapping):
        before, after = raw.get("input"), raw.get("output")
        listed = [*sequence(before), *sequence(after)] or sequence(raw.get("messages"))
        model = str(raw.get("model") or "")
        if isinstance(before, str):
            listed = [{"role": "user", "content": before}, *listed]
        for choice in sequence(raw.get("choices")):
            listed.append(mapping(choice).get("message"))
        name = str(raw.get("id") or "")
    else:
        listed, model, name = sequence(raw), "", ""
    if any("_call" in str(mapping(one).get("type", "")) or mapping(one).get("type") == "reasoning" for one in listed):
        return read_responses(listed, Trajectory("openai-responses", id=name, model=model))
    if all(mapping(one).get("type") == "message" for one in listed) and listed:
        return read_responses(listed, Trajectory("openai-responses", id=name, model=model))
    return read_chat(listed, Trajectory("openai-chat", id=name, model=model))


def _calls(message: Mapping[str, Any]) -> List[Dict[str, Any]]:
    calls = [mapping(call) for call in sequence(message.get("tool_calls"))]
    legacy = mapping(message.get("function_call"))
    return [*calls, {"function": legacy}] if legacy else calls


def _with_error(message: Mapping[str, Any]) -> str:
    error = message.get("error")
    text = text_of(message.get("content"))
    return f"{text}\n{text_of(mapping(error).get('message') or error)}".strip() if error else text
