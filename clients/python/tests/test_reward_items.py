import unittest

from proctor_client import Outage, Reward
from proctor_client.rewards import masked, regrouped, reward_of, split, with_ids
from tests.fake_service import scored


class AnItem(unittest.TestCase):
    def test_with_a_scored_status_and_no_number_is_not_to_learn_from(self):
        odd = [
            {**scored("1"), "reward": None},
            {**scored("1"), "reward": float("nan")},
            {**scored("1"), "train_weight": "x"},
            {**scored("1"), "mask_sample": None},
            {**scored("1"), "status": "new"},
            {"id": "1"},
            {**scored("1"), "reward": True},
        ]
        for raw in odd:
            made = reward_of(raw)
            self.assertEqual((made.usable, made.value, made.failure_kind), (False, None, "proctor:bad-reply"), raw)

    def test_keeps_what_a_newer_service_tells(self):
        made = reward_of({**scored("1"), "told_by_a_newer_service": 1})
        self.assertEqual((made.usable, made.more), (True, {"told_by_a_newer_service": 1}))

    def test_of_a_group_is_counted_over_all_parts_but_never_below_what_the_service_knows(self):
        items = with_ids([{"group_id": "g"}, {"group_id": "g"}, {"group_id": "g"}, {}])
        rewards = [
            reward_of(scored("0", 1.0)),
            reward_of(scored("1", 0.0)),
            masked("2", Outage("x", "y")),
            masked("3", Outage("x", "y")),
        ]
        made = regrouped(rewards, items)
        self.assertEqual([(one.n_valid, one.neutral_reward) for one in made], [(2, 0.5)] * 3 + [(0, 0.0)])
        self.assertEqual([one.group["advice"] for one in made], ["keep"] * 3 + ["resample"])
        known = Reward("0", "scored", 1.0, group={"n_valid": 9, "advice": "keep", "neutral_reward": 0.25})
        self.assertEqual(regrouped([known], items[:1])[0].group, known.group)

    def test_of_a_group_that_is_larger_than_a_call_is_split_all_the_same(self):
        parts = split(with_ids([{"group_id": "g"}] * 7 + [{}] * 2), most=3)
        self.assertEqual([len(part) for part in parts], [3, 3, 3])


if __name__ == "__main__":
    unittest.main()
