"""A scripted service and rewards for the trainers' tests."""

from proctor_client import Outage
from proctor_client.rewards import masked, reward_of
from tests.fake_service import pending, quarantined, scored

OUT = masked("1", Outage("unreachable", "nothing listens"))


def made(reward=1.0, **more):
    return reward_of(scored("1", reward, **more))


def quarantine(**more):
    return reward_of(quarantined("1", 1.0, failure_reason="reads the tests", **more))


def by_submission(_, asked):
    """sub_q is quarantined, sub_o an outage, sub_p pending, sub_<number> is scored with that."""
    return 200, {"items": [_one(item) for item in asked.body["items"]]}


def _one(item):
    name = item.get("submission_id", "sub_1")[4:]
    group = {"n_valid": 2, "advice": "keep", "neutral_reward": 0.25}
    if name == "q":
        return quarantined(item["id"], 1.0, group=group)
    if name == "p":
        return pending(item["id"])
    if name == "o":
        told = {"status": "unscored", "train_weight": 0.0, "mask_sample": True, "fault": "platform"}
        return scored(item["id"], 0.0, failure_kind="proctor:sandbox-failed", **told)
    return scored(item["id"], float(name), group=group)
