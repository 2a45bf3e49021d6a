import asyncio
import time
import unittest
from unittest import mock

from proctor_client import BadRequest, Client, Outage, calls
from proctor_client import rewards as batch_calls
from tests.both_clients import by_both, items_of, streamed_by_both
from tests.fake_service import FakeService, all_scored, pending, refusal, scored


def setUpModule():
    # pauses as in earnest would make these tests slow, and no less true
    for module, name, seconds in (
        (calls, "FIRST_PAUSE_SEC", 0.02), (batch_calls, "LOOK_SEC", 0.02), (batch_calls, "LEAST_ANSWER_SEC", 0.5),
    ):
        patched = mock.patch.object(module, name, seconds)
        patched.start()
        unittest.addModuleCleanup(patched.stop)


class ABatch(unittest.TestCase):
    def test_is_split_above_1024_items_with_groups_together_and_put_together_in_order(self):
        items = [{**item, "group_id": place % 700} for place, item in enumerate(items_of(2_500))]
        with FakeService(all_scored) as service:
            for rewards in by_both(service.url, "rewards", items, run_id="run", step=3):
                self.assertEqual([one.id for one in rewards], [item["id"] for item in items])
                self.assertEqual({one.n_valid for one in rewards}, {3, 4})
            sizes = [len(asked.body["items"]) for asked in service.asked]
            self.assertEqual((max(sizes) <= 1024, sum(sizes)), (True, 5_000))
            for asked in service.asked:
                self.assertEqual((asked.body["run_id"], asked.body["step"]), ("run", 3))
                groups = [item["group_id"] for item in asked.body["items"]]
                self.assertTrue(all(groups.count(group) in (3, 4) for group in set(groups)))

    def test_of_nothing_is_nothing_and_names_must_differ(self):
        with FakeService(all_scored) as service:
            self.assertEqual(list(by_both(service.url, "rewards", [])), [[], []])
            for error in by_both(service.url, "rewards", [{"id": 1}, {"id": "1"}]):
                self.assertIsInstance(error, BadRequest)

    def test_tells_its_progress(self):
        told = []
        with FakeService(all_scored) as service:
            Client(service.url, "k").rewards(items_of(2_000), progress=lambda done, all_: told.append((done, all_)))
        self.assertEqual(told, [(1_024, 2_000), (2_000, 2_000)])

    def test_asks_again_for_what_is_pending_under_the_same_request_id_until_all_is_there(self):
        def answer(nth, asked):
            ids = [item["id"] for item in asked.body["items"]]
            return 200, {"items": [pending(one) if nth % 2 == 1 and one == "i1" else scored(one) for one in ids]}

        with FakeService(answer) as service:
            for rewards in by_both(service.url, "rewards", items_of(3, group_id="g")):
                self.assertEqual([one.status for one in rewards], ["scored"] * 3)
                self.assertEqual({one.n_valid for one in rewards}, {3})
            first, second = service.asked[:2]
            self.assertEqual([item["id"] for item in second.body["items"]], ["i1"])
            self.assertEqual(first.body["request_id"], second.body["request_id"])

    def test_gives_what_is_not_graded_in_time_as_pending_and_never_as_a_zero_to_learn_from(self):
        with FakeService(
            lambda _, asked: (200, {"items": [pending(one["id"]) for one in asked.body["items"]]})
        ) as service:
            for rewards in by_both(service.url, "rewards", items_of(2), timeout=0.2):
                self.assertEqual(
                    [(one.status, one.usable, one.value, one.weight) for one in rewards],
                    [("pending", False, None, 0.0)] * 2,
                )


class ATry(unittest.TestCase):
    def test_is_made_again_after_passing_faults_and_lost_answers_and_joins(self):
        faults = [
            (503, refusal("database-unavailable")),
            None,
            (502, {}),
            (429, refusal("queue-full"), {"retry-after": "0"}),
        ]
        with FakeService(lambda nth, asked: [*faults, all_scored(nth, asked)][(nth - 1) % 5]) as service:
            for outcome in by_both(service.url, "rewards", items_of(1)):
                self.assertEqual([one.value for one in outcome], [1.0])
            names = [asked.body["request_id"] for asked in service.asked]
            self.assertEqual((len(names), len(set(names[:5])), len(set(names[5:]))), (10, 1, 1))

    def test_waits_as_long_as_the_service_says(self):
        def answer(nth, asked):
            return (429, refusal("queue-full"), {"retry-after": "1"}) if nth == 1 else all_scored(nth, asked)

        with FakeService(answer) as service:
            began = time.monotonic()
            Client(service.url, "k").rewards(items_of(1))
            self.assertGreaterEqual(time.monotonic() - began, 1.0)

    def test_is_not_made_again_for_what_the_caller_must_mend(self):
        for status, code in ((400, "bad-request"), (401, "unauthenticated"), (409, "conflict"), (413, "too-large")):
            with FakeService(lambda *_: (status, refusal(code, "caller"))) as service:
                for error in by_both(service.url, "rewards", items_of(1), on_outage="mask"):
                    self.assertEqual((type(error), error.code), (BadRequest, code))
                self.assertEqual(len(service.asked), 2)

    def test_ends_at_the_deadline_with_an_outage_or_masked_items(self):
        with FakeService(lambda *_: (503, refusal("sandbox-failed"))) as service:
            for error in by_both(service.url, "rewards", items_of(1), timeout=0.3):
                self.assertEqual((type(error), error.code), (Outage, "sandbox-failed"))
            for rewards in by_both(service.url, "rewards", items_of(2), timeout=0.0, on_outage="mask"):
                kinds = [(one.status, one.usable, one.value, one.failure_kind, one.fault) for one in rewards]
                self.assertEqual(kinds, [("unscored", False, None, "proctor:sandbox-failed", "platform")] * 2)

    def test_ends_in_time_when_the_service_says_nothing_or_never_comes_to_an_end(self):
        async def silent(*_):
            await asyncio.sleep(600)

        with FakeService(silent) as service:
            began = time.monotonic()
            for error in by_both(service.url, "rewards", items_of(1), timeout=0.3):
                self.assertEqual((type(error), error.code), (Outage, "no-answer"))
            for error in streamed_by_both(service.url, items_of(1), timeout=0.3):
                self.assertEqual((type(error), error.code), (Outage, "no-answer"))
            self.assertLess(time.monotonic() - began, 6)
            self.assertLessEqual(service.asked[0].body["deadline_ms"], 240)
        with FakeService(lambda *_: ("endless", {"beat": 1})) as service:
            blocking, awaited = streamed_by_both(service.url, items_of(2), timeout=0.3)
            self.assertEqual([(one.status, one.usable) for one in blocking], [("pending", False)] * 2)
            self.assertIsInstance(awaited, Outage)

    def test_finds_nobody(self):
        with FakeService(all_scored) as service:
            url = service.url
        for error in by_both(url, "rewards", items_of(1), timeout=0.0):
            self.assertEqual((type(error), error.code), (Outage, "unreachable"))

    def test_that_waits_longer_than_is_left_is_not_waited_for(self):
        with FakeService(lambda *_: (503, refusal("disk-full"), {"retry-after": "3600"})) as service:
            began = time.monotonic()
            for error in by_both(service.url, "rewards", items_of(1), timeout=60):
                self.assertIsInstance(error, Outage)
            self.assertLess(time.monotonic() - began, 10)

    def test_an_answer_that_is_not_one_is_an_outage(self):
        odd = [
            (200, []),
            (200, {}),
            (200, {"items": []}),
            (200, {"items": ["x"]}),
            (200, {"items": {"a": 1}}),
            (404, "x"),
        ]
        for said in odd:
            with FakeService(lambda *_: said) as service:
                for error in by_both(service.url, "rewards", items_of(1)):
                    self.assertEqual((type(error), error.code), (Outage, "bad-reply"), said)
                for rewards in by_both(service.url, "rewards", items_of(1), on_outage="mask"):
                    self.assertEqual([one.usable for one in rewards], [False])


class AStream(unittest.TestCase):
    def test_gives_each_item_once_as_it_comes(self):
        def answer(_, asked):
            ids = [item["id"] for item in asked.body["items"]]
            return [{"index": 0, **scored(one)} for one in reversed(ids)] + [{"n": 3}]

        with FakeService(answer) as service:
            for rewards in streamed_by_both(service.url, items_of(3)):
                self.assertEqual([one.id for one in rewards], ["i2", "i1", "i0"])
            self.assertIn("application/x-ndjson", service.asked[0].headers["accept"])

    def test_goes_on_after_it_was_cut_and_asks_for_the_rest_only(self):
        def answer(nth, asked):
            ids = [item["id"] for item in asked.body["items"]]
            return [scored(ids[0]), None] if nth % 2 == 1 else [scored(one) for one in ids]

        with FakeService(answer) as service:
            for rewards in streamed_by_both(service.url, items_of(3)):
                self.assertEqual([one.id for one in rewards], ["i0", "i1", "i2"])
            self.assertEqual([item["id"] for item in service.asked[1].body["items"]], ["i1", "i2"])

    def test_reads_the_whole_answer_of_a_service_that_does_not_stream(self):
        with FakeService(all_scored) as service:
            for rewards in streamed_by_both(service.url, items_of(1_500)):
                self.assertEqual(sorted(one.id for one in rewards), sorted(item["id"] for item in items_of(1_500)))

    def test_gives_up_at_the_deadline_and_says_so(self):
        with FakeService(lambda _, asked: [pending(one["id"]) for one in asked.body["items"]]) as service:
            for rewards in streamed_by_both(service.url, items_of(2), timeout=0.1):
                self.assertEqual([(one.status, one.usable) for one in rewards], [("pending", False)] * 2)
        with FakeService(lambda *_: (401, refusal("unauthenticated", "caller"))) as service:
            for error in streamed_by_both(service.url, items_of(2_000), on_outage="mask"):
                self.assertIsInstance(error, BadRequest)


if __name__ == "__main__":
    unittest.main()
