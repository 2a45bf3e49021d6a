import unittest
from pathlib import Path

from proctor_client.groups import BESIDE, EXAMPLE, effects, grpo, rloo, table, thinning


def kinds(group):
    return {(one.estimator, one.way): one for one in effects(group, BESIDE)}


class LeavingASampleOut(unittest.TestCase):
    def test_is_exact_when_it_is_dropped_or_none_and_never_when_it_is_only_masked_or_a_zero(self):
        for one in kinds(EXAMPLE).values():
            if one.way in ("dropped", "None"):
                self.assertEqual((one.kind, one.off < 1e-12), ("exact", True), one)
            if one.way in ("masked only", "taken for a zero"):
                self.assertEqual(one.kind, "wrong", one)

    def test_with_a_neutral_reward_is_exact_for_a_mean_and_rescales_with_a_standard_deviation(self):
        made = kinds(EXAMPLE)
        self.assertEqual(made["Dr.GRPO (mean only)", "neutral reward"].kind, "exact")
        for name, factor in (("GRPO (mean, std)", (7 / 6) ** 0.5), ("RLOO", 48 / 49)):
            self.assertEqual(made[name, "neutral reward"].kind, "rescaled")
            self.assertAlmostEqual(made[name, "neutral reward"].scale, factor, places=5)
        for name in ("RLOO, batch-normalised", "REINFORCE++ baseline"):
            self.assertEqual(made[name, "neutral reward"].kind, "rescaled")
            self.assertLess(abs(made[name, "neutral reward"].scale - 1), 0.05)

    def test_with_a_neutral_reward_is_badly_wrong_for_leave_one_out_by_the_others_spread(self):
        one = kinds(EXAMPLE)["RLOO, std of the others", "neutral reward"]
        # the sibling that solved it: its others are all 0, so it is not scaled, until the neutral reward is among them
        self.assertEqual((one.kind, one.right[0]), ("wrong", 1.0))
        self.assertGreater(one.off, 17)

    def test_masked_only_the_sample_still_moves_its_siblings(self):
        one = kinds((1.0, 0.0, 0.0, 1.0))["Dr.GRPO (mean only)", "masked only"]
        self.assertAlmostEqual(one.off, 1 / 2 - 1 / 3)
        self.assertEqual(one.own, 0.0)

    def test_lone_survivors_keep_their_raw_reward_or_get_nothing(self):
        self.assertAlmostEqual(grpo([[1.0]])[0][0], 1.0, places=5)
        self.assertEqual(rloo([[1.0]]), [[0.0]])
        self.assertEqual((grpo([[1.0, None]]), grpo([[None, None]])), ([[0.0, 0.0]], [[0.0, 0.0]]))

    def test_is_told_in_a_table(self):
        text = table(effects(EXAMPLE, BESIDE))
        self.assertEqual(len(text.splitlines()), 7)
        page = Path(__file__).resolve().parents[3] / "docs" / "python-client.md"
        if page.exists():  # not in an archive of the package alone
            self.assertIn(text, page.read_text(encoding="utf-8"))
        self.assertRegex(text, r"(?m)^Dr\.GRPO \(mean only\) +exact +exact +exact +off by")


class Thinning(unittest.TestCase):
    def test_keeps_with_the_probability_of_the_weight_and_always_the_same(self):
        for weight in (0.1, 0.5, 0.9):
            kept = [thinning("run", f"s{place}", weight) for place in range(4_000)]
            self.assertEqual(kept, [thinning("run", f"s{place}", weight) for place in range(4_000)])
            self.assertAlmostEqual(sum(kept) / 4_000, weight, delta=0.03)
        self.assertNotEqual(
            [thinning("a", str(one), 0.5) for one in range(64)], [thinning("b", str(one), 0.5) for one in range(64)]
        )

    def test_keeps_a_whole_weight_and_drops_none(self):
        self.assertEqual(
            [thinning("r", "s", one) for one in (1.0, 1.5, 0.0, -1.0, float("nan"))], [True, True, False, False, False]
        )

    def test_of_more_weight_keeps_what_less_weight_kept(self):
        for place in range(200):
            if thinning("r", str(place), 0.3):
                self.assertTrue(thinning("r", str(place), 0.7))


if __name__ == "__main__":
    unittest.main()
