"""ATIF, the Agent Trajectory Interchange Format: 1.0 to 1.8 read, 1.7 written."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, List, Mapping, Optional, Sequence

from ..rewards import Reward
from .trajectory import MAX_DEPTH, Json, Trajectory, UnknownFormat, instant, mapping, sequence, text_of

VERSION = "ATIF-v1.7"


def is_atif(raw: Any) -> bool:
    """Whether it says so."""
    return isinstance(raw, Mapping) and str(raw.get("schema_version", "")).upper().startswith("ATIF")


def read(raw: Mapping[str, Any]) -> Trajectory:
    """A trajectory with those of its sub-agents after it. Steps that were copied from another one are left out."""
    version = str(raw.get("schema_version", ""))
    if not re.fullmatch(r"(?i)ATIF-v1\.\d+", version):
        raise UnknownFormat(f"{version or 'no version'}: ATIF 1 is read")
    agent = mapping(raw.get("agent"))
    name = str(raw.get("session_id") or raw.get("trajectory_id") or "")
    made = Trajectory("atif", version=version, id=name, model=str(agent.get("model_name") or ""))
    made.claimed = {**mapping(raw.get("final_metrics")), "agent": agent.get("name"), "extra": raw.get("extra")}
    _read_steps(made, raw)
    return made


def written(
    steps: Sequence[Mapping[str, Any]],
    reward: Optional[Reward] = None,
    *,
    agent: str = "agent",
    agent_version: str = "0",
    model: Optional[str] = None,
    session_id: Optional[str] = None,
) -> Json:
    """ATIF 1.7 of steps as `import_session` takes them, with the verdict in `extra.proctor`.

    Strict: what is optional is left out where it is not known, step ids count from 1, and only agents have tool calls.
    """
    made: Json = {"schema_version": VERSION, "agent": {"name": agent, "version": agent_version}}
    if model is not None:
        made["agent"]["model_name"] = model
    if session_id is not None:
        made["session_id"] = session_id
    made["steps"] = [_written_step(step, number) for number, step in enumerate(steps, 1)]
    if not made["steps"]:
        raise ValueError("a trajectory in ATIF has at least one step")
    made["final_metrics"] = {"total_steps": len(made["steps"])}
    if reward is not None:
        made["extra"] = {"proctor": verdict_of(reward)}
    return made


def verdict_of(reward: Reward) -> Json:
    """What a verdict says, for the formats that have a place for it."""
    told: Json = {
        "verdict_id": reward.verdict_id,
        "status": reward.status,
        "outcome": reward.outcome,
        "integrity": reward.integrity,
        "assurance": reward.assurance,
        "fault": reward.fault,
        "score": reward.score,
        "reward": reward.value,
        "train_weight": reward.weight,
        "mask_sample": not reward.usable,
        "flags": list(reward.flags),
    }
    if reward.failure_kind:
        told["failure_kind"] = reward.failure_kind
    return told


def _read_steps(made: Trajectory, raw: Mapping[str, Any], who: Optional[str] = None, depth: int = 0) -> None:
    copied = 0
    if depth > MAX_DEPTH:
        made.notes.append("sub-agents nested deeper than is read were left out")
        return
    for step in map(mapping, sequence(raw.get("steps"))):
        if step.get("is_copied_context") is True:
            copied += 1
            continue
        _read_step(made, step, who)
    if copied:
        made.notes.append(f"{copied} steps copied from another trajectory were left out")
    for sub in map(mapping, sequence(raw.get("subagent_trajectories"))):
        name = str(sub.get("trajectory_id") or mapping(sub.get("agent")).get("name") or "sub-agent")
        _read_steps(made, sub, name, depth + 1)


def _read_step(made: Trajectory, step: Mapping[str, Any], who: Optional[str]) -> None:
    at, message_id = step.get("timestamp"), step.get("step_id")
    results = [mapping(result) for result in sequence(mapping(step.get("observation")).get("results"))]
    calls = [mapping(call) for call in sequence(step.get("tool_calls"))]
    outputs = _by_call(results)
    message = step.get("message")
    name = f"{who}:{message_id}" if who is not None else message_id
    for place, call in enumerate(calls):
        found = outputs.pop(str(call.get("tool_call_id")), None)
        says = message if place == 0 else None
        made.tool(call.get("function_name"), call.get("arguments"), found, says=says, at=at, message_id=name)
    rest = "\n".join(outputs.values())
    source = str(step.get("source") or "agent")
    if not calls and rest:
        action: Dict[str, Any] = {"text": text_of(message)} if source == "agent" else {"role": source}
        made.add(action, {"output": rest}, at=at, message_id=name)
    elif not calls:
        made.said(source, message, at=at, message_id=name)
    elif rest and made.steps:
        made.add({"role": "environment"}, {"output": rest}, at=at, message_id=name)


def _by_call(results: Sequence[Json]) -> Dict[str, str]:
    """Outputs by the call that they answer; those that name none come under names of their own."""
    made: Dict[str, List[str]] = {}
    for place, result in enumerate(results):
        name = result.get("source_call_id")
        made.setdefault(str(name) if name is not None else f"\x00{place}", []).append(text_of(result.get("content")))
    return {name: "\n".join(texts) for name, texts in made.items()}


def _written_step(step: Mapping[str, Any], number: int) -> Json:
    action, observation = mapping(step.get("action")), mapping(step.get("observation"))
    role = action.get("role")
    made: Json = {"step_id": number, "source": "agent" if role is None else "user" if role == "user" else "system"}
    time = instant(step.get("at")) if step.get("at") is not None else None
    if time is not None:
        made["timestamp"] = time
    made["message"] = str(action.get("text") or "") if role is None else str(observation.get("text") or "")
    call_id = f"call_{number}"
    if role is None and "tool" in action:
        arguments = action.get("arguments")
        told = arguments if isinstance(arguments, dict) else {"raw": arguments}
        made["tool_calls"] = [{"tool_call_id": call_id, "function_name": str(action["tool"]), "arguments": told}]
    output = observation.get("output")
    if output is None and observation and "text" not in observation:
        output = json.dumps(observation, sort_keys=True)
    if output is not None:
        result: Json = {"content": text_of(output)}
        if "tool_calls" in made:
            result["source_call_id"] = call_id
        made["observation"] = {"results": [result]}
    if step.get("message_id") is not None:
        made["extra"] = {"message_id": str(step["message_id"])}
    return made
