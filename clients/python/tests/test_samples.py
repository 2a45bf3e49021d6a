import unittest

from proctor_client import BadRequest
from proctor_client.trainers import samples
from tests.verdicts import made


class FromATrainersData(unittest.TestCase):
    def test_an_item_is_made_of_ids_of_json_of_flat_and_of_nested_names(self):
        cases = [
            ("sub_1", {"submission_id": "sub_1"}),
            ("sess_1", {"session_id": "sess_1"}),
            ("inst_1", {"instance_id": "inst_1", "response": "r"}),
            ('{"task": "a/b", "seed": 3}', {"task": "a/b", "seed": 3, "response": "r"}),
            ({"submission_id": "sub_1", "question": "?"}, {"submission_id": "sub_1"}),
            ({"proctor": {"session_id": "sess_1"}, "split": "train"}, {"session_id": "sess_1"}),
            ({"proctor": '{"task": "a/b"}'}, {"task": "a/b", "response": "r"}),
            ({"proctor": "sess_1", "task": None}, {"session_id": "sess_1"}),
            (
                {"submission_id": "sub_1", "task": "math", "seed": 1, "label": 3, "stop": "x"},
                {"submission_id": "sub_1"},
            ),
            ({"proctor": {"task": "a/b", "label": 3}}, {"task": "a/b", "label": 3, "response": "r"}),
        ]
        for told, item in cases:
            self.assertEqual(samples.item_of(told, response="r"), item)

    def test_what_names_nothing_is_the_callers_mistake_and_not_a_zero(self):
        for told in (None, {}, {"question": "?"}, "42", "[1]", "not json", {"submission_id": None}):
            with self.assertRaises(BadRequest):
                samples.item_of(told, response="r")

    def test_the_same_items_have_the_same_request_id_in_every_process(self):
        one = [{"id": "0", "submission_id": "sub_1"}]
        self.assertEqual(samples.request_id(one), samples.request_id([dict(reversed(one[0].items()))]))
        self.assertNotEqual(samples.request_id(one), samples.request_id([{**one[0], "id": "1"}]))

    def test_a_weight_is_thinning_in_the_mean(self):
        kept = [samples.thinned(made(train_weight=0.25, verdict_id=f"ver_{place}"), "run") for place in range(2_000)]
        self.assertAlmostEqual(sum(one is not None for one in kept) / 2_000, 0.25, delta=0.04)
        self.assertEqual(set(kept), {1.0, None})


if __name__ == "__main__":
    unittest.main()
