"""Verdicts in the words of others: a SWE-bench report, an OpenTelemetry event."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, Optional

from ..rewards import Reward
from .trajectory import Json, Trajectory

#: Of the event and its attributes, in the semantic conventions for generative AI.
EVENT = "gen_ai.evaluation.result"


def swe_bench_report(
    rewards: Mapping[str, Reward], predictions: Iterable[Trajectory] = (), instances: Optional[Iterable[str]] = None
) -> Json:
    """A run's report (schema 2) of rewards by instance.

    Resolved is what passed and may be learned from: a cheat is not. What could not be graded is an error and, where the
    platform or the task is at fault, an infrastructure failure; nothing of that kind is "unresolved".
    """
    predicted = list(predictions)
    empty = {one.id for one in predicted if one.patch is None}
    submitted = {*rewards, *empty, *(one.id for one in predicted)}
    whole = submitted if instances is None else set(instances)
    graded = {name: one for name, one in rewards.items() if name not in empty}
    sets: Dict[str, List[str]] = {
        "completed_ids": [name for name, one in graded.items() if one.outcome in ("passed", "failed")],
        "incomplete_ids": [name for name in whole if name not in submitted],
        "empty_patch_ids": list(empty),
        "submitted_ids": list(submitted),
        "resolved_ids": [name for name, one in graded.items() if one.outcome == "passed" and one.usable],
        "unresolved_ids": [
            name
            for name, one in graded.items()
            if one.outcome == "failed" or (one.outcome == "passed" and not one.usable)
        ],
        "infra_failure_ids": [
            name for name, one in graded.items() if _is_ungraded(one) and one.fault in ("platform", "task")
        ],
        "ambiguous_failure_ids": [],
        "error_ids": [name for name, one in graded.items() if _is_ungraded(one)],
    }
    reasons = {name: graded[name].failure_kind for name in sets["infra_failure_ids"]}
    counts = {
        "total_instances": len(whole),
        **{name.replace("_ids", "_instances"): len(ids) for name, ids in sets.items()},
    }
    counts.pop("incomplete_instances")
    lists = {name: sorted(ids) for name, ids in sets.items()}
    return {**counts, **lists, "failure_reasons": dict(sorted(reasons.items())), "schema_version": 2}


def evaluation_event(reward: Reward, *, name: str = "proctor", response_id: Optional[str] = None) -> Json:
    """An event with its attributes, to hand to a logger of OpenTelemetry.

    There is no score where there is nothing to go by: an outage is `error.type`, and no zero.
    """
    attributes: Dict[str, Any] = {"gen_ai.evaluation.name": name}
    if reward.usable or reward.status == "quarantined":
        label = reward.outcome if reward.usable else "quarantined"
        attributes["gen_ai.evaluation.score.value"] = reward.score
        attributes["gen_ai.evaluation.score.label"] = label
    else:
        attributes["error.type"] = reward.failure_kind or reward.status
    if reward.failure_reason:
        attributes["gen_ai.evaluation.explanation"] = reward.failure_reason
    if response_id is not None:
        attributes["gen_ai.response.id"] = response_id
    attributes["proctor.verdict.id"] = reward.verdict_id
    attributes["proctor.integrity"] = reward.integrity
    attributes["proctor.train_weight"] = reward.weight
    return {"event_name": EVENT, "attributes": attributes}


def _is_ungraded(reward: Reward) -> bool:
    return reward.outcome not in ("passed", "failed")
