import json
import unittest

from proctor_client import Outage
from proctor_client.formats import atif
from proctor_client.formats.trajectory import Trajectory
from proctor_client.formats.verdicts import EVENT, evaluation_event, swe_bench_report
from proctor_client.rewards import masked, reward_of
from tests.fake_service import quarantined, scored
from tests.test_real_trainers import module_of
from tests.trajectories import ATIF, CHAT, INSPECT, RESPONSES, SWE_AGENT, steps_of

HARBOR = module_of("harbor.models.trajectories.trajectory", "harbor")


def failed(name):
    return reward_of(scored(name, 0.0, outcome="failed"))


class Atif(unittest.TestCase):
    def test_has_the_verdict_and_nothing_that_the_format_does_not_know(self):
        steps = steps_of(CHAT)
        made = atif.written(steps, reward_of(scored("1", 1.0)), agent="a", model="m", session_id="sess_1")
        self.assertEqual(set(made), {"schema_version", "agent", "session_id", "steps", "final_metrics", "extra"})
        self.assertEqual(made["schema_version"], "ATIF-v1.7")
        self.assertEqual([step["step_id"] for step in made["steps"]], [1, 2, 3, 4])
        self.assertEqual([step["source"] for step in made["steps"]], ["system", "user", "agent", "agent"])
        verdict = made["extra"]["proctor"]
        self.assertEqual((verdict["reward"], verdict["integrity"], verdict["mask_sample"]), (1.0, "clean", False))
        for step in made["steps"]:
            calls = {call["tool_call_id"] for call in step.get("tool_calls", [])}
            results = step.get("observation", {}).get("results", [])
            self.assertTrue(all(result.get("source_call_id") in {None, *calls} for result in results))

    def test_of_a_quarantine_has_no_reward_and_of_no_steps_is_refused(self):
        made = atif.written(steps_of(CHAT), reward_of(quarantined("1", 1.0)))
        self.assertIsNone(made["extra"]["proctor"]["reward"])
        with self.assertRaises(ValueError):
            atif.written([])

    @unittest.skipIf(HARBOR is None, "harbor is not installed")
    def test_is_taken_by_harbors_own_model(self):
        HARBOR.Trajectory.model_validate(ATIF)
        for raw in (CHAT, RESPONSES, SWE_AGENT, INSPECT):
            made = atif.written(steps_of(raw), reward_of(scored("1", 1.0)), model="m")
            self.assertEqual(HARBOR.Trajectory.model_validate(made).to_json_dict(), json.loads(json.dumps(made)))


class SweBench(unittest.TestCase):
    def test_report_counts_a_cheat_as_unresolved_and_an_outage_as_an_infrastructure_failure(self):
        rewards = {
            "a": reward_of(scored("a", 1.0)),
            "b": failed("b"),
            "c": reward_of(quarantined("c", 1.0)),
            "d": masked("d", Outage("sandbox-failed", "m")),
        }
        predictions = (Trajectory("swe-bench", id=name, patch=patch) for name, patch in (("a", "diff"), ("e", None)))
        made = swe_bench_report(rewards, predictions, ["a", "b", "c", "d", "e", "f"])
        self.assertEqual((made["resolved_ids"], made["unresolved_ids"]), (["a"], ["b", "c"]))
        self.assertEqual(
            (made["error_ids"], made["infra_failure_ids"], made["failure_reasons"]),
            (["d"], ["d"], {"d": "proctor:sandbox-failed"}),
        )
        self.assertEqual(
            (made["empty_patch_ids"], made["incomplete_ids"], made["completed_ids"]), (["e"], ["f"], ["a", "b", "c"])
        )
        counts = (
            "total",
            "submitted",
            "completed",
            "resolved",
            "unresolved",
            "infra_failure",
            "ambiguous_failure",
            "empty_patch",
            "error",
        )
        self.assertEqual([made[f"{name}_instances"] for name in counts], [6, 5, 3, 1, 2, 1, 0, 1, 1])
        self.assertEqual((made["schema_version"], len(made)), (2, 20))


class OpenTelemetry(unittest.TestCase):
    def test_event_has_a_score_where_there_is_one_and_an_error_where_there_is_none(self):
        good = evaluation_event(reward_of(scored("1", 0.5, outcome="failed")), response_id="resp_1")
        self.assertEqual(good["event_name"], EVENT)
        told = {
            name: good["attributes"][f"gen_ai.evaluation.{name}"] for name in ("name", "score.value", "score.label")
        }
        self.assertEqual(told, {"name": "proctor", "score.value": 0.5, "score.label": "failed"})
        self.assertEqual(good["attributes"]["gen_ai.response.id"], "resp_1")
        lost = evaluation_event(masked("1", Outage("disk-full", "no space")))["attributes"]
        self.assertEqual((lost["error.type"], lost["gen_ai.evaluation.explanation"]), ("proctor:disk-full", "no space"))
        self.assertNotIn("gen_ai.evaluation.score.value", lost)
        cheat = evaluation_event(reward_of(quarantined("1", 1.0)))["attributes"]
        self.assertEqual(cheat["gen_ai.evaluation.score.label"], "quarantined")


if __name__ == "__main__":
    unittest.main()
