import asyncio
import unittest
from types import SimpleNamespace

from proctor_client import AsyncClient, Withheld
from proctor_client.trainers import skyrl, slime
from tests.fake_service import FakeService
from tests.verdicts import by_submission, made, quarantine


class Slime(unittest.TestCase):
    ARGS = SimpleNamespace(
        advantage_estimator="grpo",
        rewards_normalization=True,
        grpo_std_normalization=False,
        n_samples_per_prompt=4,
        reward_key=None,
    )

    def samples(self, *told, group=0):
        return [
            SimpleNamespace(
                reward=reward,
                group_index=group,
                label=None,
                response="r",
                metadata={slime.KEY: {"usable": usable, "weight": weight}},
            )
            for reward, usable, weight in told
        ]

    def test_asks_and_keeps_what_the_hook_needs(self):
        sample = SimpleNamespace(
            metadata={"submission_id": "sub_q"}, label=None, group_index=5, response="r", reward=None
        )
        other = SimpleNamespace(metadata=None, label="sub_0", group_index=None, response="r", reward=None)

        async def ask(url):
            async with AsyncClient(url, "k") as client:
                lost = SimpleNamespace(metadata=None, label="sub_o", group_index=1, response="r")
                both = await slime.custom_rm(self.ARGS, [sample, other], client=client)
                with self.assertRaises(Withheld):
                    await slime.custom_rm(self.ARGS, lost, client=client)
                return both, await slime.custom_rm(self.ARGS, other, client=client)

        with FakeService(by_submission) as service:
            self.assertEqual(asyncio.run(ask(service.url)), ([1.0, 0.0], 0.0))
        self.assertEqual([one.metadata[slime.KEY]["usable"] for one in (sample, other)], [False, True])

    def test_makes_statistics_without_the_quarantined_and_multiplies_by_the_weight(self):
        group = self.samples((1.0, True, 1.0), (0.0, True, 0.5), (0.0, True, 1.0), (1.0, False, 0.0))
        raw, processed = slime.reward_post_process(self.ARGS, group)
        self.assertEqual(raw, [1.0, 0.0, 0.0, 1.0])
        for one, right in zip(processed, [2 / 3, -1 / 6, -1 / 3, 0.0]):
            self.assertAlmostEqual(one, right)

    def test_never_removes_one_and_gives_a_lone_survivor_nothing(self):
        group = self.samples((1.0, True, 1.0), *[(0.5, False, 0.0)] * 3) + self.samples(
            (1.0, True, 1.0), (0.0, True, 1.0), group=1
        )
        raw, processed = slime.reward_post_process(self.ARGS, [group])
        self.assertEqual((len(raw), processed), (6, [0.0] * 4 + [0.5, -0.5]))

    def test_a_sample_without_a_verdict_is_not_learned_from(self):
        group = self.samples((1.0, True, 1.0), (0.0, True, 1.0))
        group[0].metadata = None
        self.assertEqual(slime.reward_post_process(self.ARGS, group)[1], [0.0, 0.0])

    def test_without_a_group_the_reward_is_weighed_alone(self):
        args = SimpleNamespace(**{**vars(self.ARGS), "advantage_estimator": "ppo"})
        self.assertEqual(
            slime.reward_post_process(args, self.samples((1.0, True, 0.5), (1.0, False, 0.0)))[1], [0.5, 0.0]
        )


class Skyrl(unittest.TestCase):
    OUTPUT = {
        "rewards": [0.0, 0.0, [0.0, 0.0], 0.0],
        "loss_masks": [[1, 1], [1], [1, 1], [1]],
        "stop_reasons": ["stop"] * 4,
    }
    REWARDS = [made(1.0), quarantine(), made(1.0), made(0.0)]

    def test_masks_the_whole_group_of_a_quarantined_one_and_keeps_its_length(self):
        held = skyrl.hold_out(self.OUTPUT, self.REWARDS, ["a", "a", "b", "b"])
        self.assertEqual(
            (held["rewards"], held["loss_masks"]), ([1.0, 1.0, [0.0, 1.0], 0.0], [[0, 0], [0], [1, 1], [1]])
        )
        self.assertEqual(self.OUTPUT["rewards"][2], [0.0, 0.0])

    def test_gives_a_neutral_reward_where_that_is_wanted_and_two_are_left(self):
        held = skyrl.hold_out(self.OUTPUT, self.REWARDS, ["a"] * 4, rule="neutral")
        self.assertAlmostEqual(held["rewards"][1], 2 / 3)
        self.assertEqual(held["loss_masks"], [[1, 1], [0], [1, 1], [1]])
        alone = skyrl.hold_out(self.OUTPUT, self.REWARDS, ["a", "a", "b", "b"], rule="neutral")
        self.assertEqual(alone["loss_masks"][:2], [[0, 0], [0]])
        for wrong in ({"rule": "x"}, {}):
            with self.assertRaises(ValueError):
                skyrl.hold_out(self.OUTPUT, self.REWARDS[:3], ["a"] * 4, **wrong)


if __name__ == "__main__":
    unittest.main()
