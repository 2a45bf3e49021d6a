import io
import json
import random
import tempfile
import unittest
import zipfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from proctor_client.formats import UnknownFormat, __main__ as command, atif, read
from proctor_client.formats.trajectory import MAX_STEPS, instant
from tests.trajectories import ATIF, BASH, CHAT, INSPECT, RESPONSES, SWE_AGENT, steps_of

class Reading(unittest.TestCase):
    def test_atif_pairs_calls_with_results_skips_copies_and_follows_sub_agents(self):
        made = read(ATIF)[0]
        self.assertEqual((made.format, made.version, made.id, made.model), ("atif", "ATIF-v1.7", "s1", "m"))
        self.assertEqual(
            [(step["action"], step["observation"]) for step in made.steps],
            [
                ({"role": "user"}, {"text": "do it"}),
                ({"tool": "bash", "arguments": {"command": "ls"}, "text": "two calls"}, {"output": "a"}),
                ({"tool": "bash", "arguments": {"command": "pwd"}}, {"output": "/w"}),
                ({"text": "done"}, {"output": "free"}),
                ({"text": "sub"}, {}),
            ],
        )
        self.assertEqual(made.steps[0]["at"], "2026-01-02T03:04:05+00:00")
        self.assertEqual([step["message_id"] for step in made.steps], ["1", "2", "2", "4", "t2:1"])
        self.assertEqual(made.notes, ["1 steps copied from another trajectory were left out"])

    def test_atif_of_every_version_one_is_read_and_no_other(self):
        for minor in range(9):
            self.assertEqual(len(steps_of({**ATIF, "schema_version": f"ATIF-v1.{minor}"})), 5)
        for other in ("ATIF-v2.0", "ATIF", "ATIF-v1"):
            with self.assertRaises(UnknownFormat):
                read({**ATIF, "schema_version": other})

    def test_openai_messages_and_items_come_to_the_same_steps(self):
        self.assertEqual(steps_of(CHAT)[2], BASH)
        self.assertEqual(steps_of(CHAT)[1]["observation"], {"text": "do it\n[image_url]"})
        made = read({"model": "m", "output": RESPONSES})[0]
        self.assertEqual((made.format, made.model), ("openai-responses", "m"))
        self.assertEqual(
            [step["action"] for step in made.steps],
            [
                {"role": "user"},
                {"text": "think"},
                BASH["action"],
                {"tool": "local_shell", "arguments": {"command": ["ls"]}},
                {"tool": "web_search", "arguments": {"query": "q"}},
                {"text": "done"},
            ],
        )
        self.assertEqual([step["observation"] for step in made.steps[2:4]], [{"output": "a"}, {"output": "b"}])
        whole = {"model": "m", "messages": CHAT[:2], "choices": [{"message": CHAT[2]}]}
        self.assertEqual(steps_of(whole)[2], {"action": BASH["action"], "observation": {}})

    def test_swe_agent_has_a_patch(self):
        made = read(SWE_AGENT)[0]
        self.assertEqual(
            (made.format, made.patch, made.claimed["exit_status"]), ("swe-agent", "diff --git a b\n", "submitted")
        )
        self.assertEqual(
            made.steps,
            [
                {
                    "action": {"tool": "shell", "arguments": {"command": "ls\n"}, "text": "look"},
                    "observation": {"output": "a"},
                }
            ],
        )

    def test_inspect_logs_have_a_trajectory_for_each_sample_as_json_and_as_an_archive(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "log.eval"
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("header.json", json.dumps({"version": 2, "eval": INSPECT["eval"]}))
                archive.writestr("samples/7_epoch_2.json", json.dumps(INSPECT["samples"][0]))
            packed = read(path)[0]
            path.write_bytes(b"PK not really")
            with self.assertRaises(UnknownFormat):
                read(path)
        made = read(INSPECT)[0]
        self.assertEqual(
            (made.id, made.model, made.claimed["scores"]), ("7_epoch_2", "openai/m", {"match": {"value": "C"}})
        )
        call = {
            "action": {"tool": "bash", "arguments": {"cmd": "ls"}, "text": "[reasoning]\nlook"},
            "observation": {"output": "too slow"},
            "message_id": "a1",
        }
        self.assertEqual(made.steps[1], call)
        self.assertEqual((packed.id, packed.steps), (made.id, made.steps))

    def test_a_harbor_trial_has_its_trajectory_and_what_its_verifier_said(self):
        with tempfile.TemporaryDirectory() as folder:
            trial = Path(folder)
            for name in ("agent", "verifier", "steps/two/agent"):
                (trial / name).mkdir(parents=True)
            (trial / "agent" / "trajectory.json").write_text(json.dumps(ATIF))
            (trial / "steps" / "two" / "agent" / "trajectory.json").write_text(json.dumps(ATIF))
            (trial / "verifier" / "reward.txt").write_text("1.0\n")
            (trial / "result.json").write_text('{"trial_name": "t"')
            made = read(trial)
            self.assertEqual(
                [(one.format, len(one.steps), one.claimed["rewards"]) for one in made], [("harbor", 5, "1.0")] * 2
            )
            with self.assertRaises(UnknownFormat):
                read(trial / "verifier")

    def test_swe_bench_predictions_are_lists_objects_or_lines(self):
        one = {"instance_id": "a__b-1", "model_name_or_path": "m", "model_patch": "diff"}
        none = {**one, "instance_id": "a__b-2", "model_patch": ""}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "predictions.jsonl"
            path.write_text(f"{json.dumps(one)}\n\n{json.dumps(none)}\n")
            told = [read([one, none]), read({"a__b-1": one, "a__b-2": none}), read(path)]
            out, err = io.StringIO(), io.StringIO()
            with redirect_stdout(out), redirect_stderr(err):
                self.assertEqual(command.main([str(path), folder + "/none"]), 1)
        for made in told:
            self.assertEqual(
                [(each.id, each.model, each.patch) for each in made], [("a__b-1", "m", "diff"), ("a__b-2", "m", None)]
            )
        self.assertEqual((json.loads(out.getvalue().splitlines()[0])["id"], "none" in err.getvalue()), ("a__b-1", True))


class WhatIsOdd(unittest.TestCase):
    def test_is_refused_when_it_is_nothing_that_is_known(self):
        for raw in (None, 1, "", [], {}, [1], [{}], {"messages": 3}, {"steps": []}):
            with self.assertRaises((UnknownFormat, OSError)):
                read(raw)
        with tempfile.TemporaryDirectory() as folder:
            for text in ("", "{", "[" * 100_000, '{"a": NaN}\n{"b": 1}'):
                path = Path(folder) / "x.json"
                path.write_text(text)
                with self.assertRaises(UnknownFormat):
                    read(path)

    def test_values_never_break_the_reader_and_always_make_steps_that_can_be_sent(self):
        odd = [
            None,
            1,
            -1.5,
            float("nan"),
            True,
            "x\x00\ud800",
            "é" * 200_000,
            [],
            {},
            [[1]],
            {"a": {"b": [None]}},
            "2026-13-45",
            10**30,
        ]
        dice = random.Random(7)

        def spoiled(value):
            if dice.random() < 0.08:
                return dice.choice(odd)
            if isinstance(value, dict):
                return {name: spoiled(one) for name, one in value.items() if dice.random() > 0.03}
            return [spoiled(one) for one in value] if isinstance(value, list) else value

        read_well = 0
        for _ in range(150):
            for whole in (ATIF, CHAT, RESPONSES, SWE_AGENT, INSPECT):
                raw = spoiled(whole)
                if isinstance(raw, str):
                    continue  # that would be a path
                if isinstance(raw, dict) and whole is ATIF:
                    raw["schema_version"] = "ATIF-v1.0"
                try:
                    trajectories = read(raw)
                except UnknownFormat:
                    continue
                for one in trajectories:
                    read_well += 1
                    text = json.dumps(one.steps, allow_nan=False)
                    self.assertNotIn("\\u0000", text)
                    text.encode("utf-8")
                    self.assertLess(len(text), 4_000_000)
        self.assertGreater(read_well, 200)

    def test_more_steps_than_an_import_takes_are_left_out_and_that_is_said(self):
        made = read([{"role": "assistant", "content": "x"}] * (MAX_STEPS + 5))[0]
        self.assertEqual(
            (len(made.steps), made.notes), (MAX_STEPS, [f"more than {MAX_STEPS} steps: the rest was left out"])
        )

    def test_times_have_an_offset_or_are_none(self):
        told = (
            "2026-01-02T03:04:05",
            1.7e9,
            "2026-01-02T03:04:05.123456789Z",
            "1026-01-02T03:04:05Z",
            "soon",
            None,
            1e30,
            True,
        )
        times = [instant(one) for one in told]
        self.assertEqual(
            times[:3], ["2026-01-02T03:04:05+00:00", "2023-11-14T22:13:20+00:00", "2026-01-02T03:04:05.123456+00:00"]
        )
        self.assertEqual(times[3:], [None] * 5)


class GoingRound(unittest.TestCase):
    def test_steps_written_as_atif_are_read_as_the_same_steps(self):
        for raw in (CHAT, RESPONSES, SWE_AGENT, INSPECT):
            steps = steps_of(raw)
            again = atif.read(json.loads(json.dumps(atif.written(steps)))).steps
            told = [{name: step[name] for name in ("action", "observation")} for step in steps]
            self.assertEqual([{name: step[name] for name in ("action", "observation")} for step in again], told)


if __name__ == "__main__":
    unittest.main()
