import asyncio
import inspect
import unittest
from types import SimpleNamespace

from proctor_client import AsyncClient, Client, Outage, Reward, Withheld
from proctor_client.rewards import reward_of
from proctor_client.trainers import (
    areal,
    art,
    nemo_rl,
    openrlhf,
    rllm,
    samples,
    skyrl,
    slime,
    tinker,
    trl,
    verifiers,
    verl,
)
from tests.fake_service import FakeService, pending
from tests.verdicts import OUT, by_submission, made, quarantine


class Trl(unittest.TestCase):
    def test_gives_none_for_what_is_quarantined_pending_or_an_outage_and_logs_shares(self):
        logged, extra = {}, {}
        columns = {"submission_id": ["sub_1", "sub_q", "sub_0", "sub_o", "sub_p"], "answer": [1, 2, 3, 4, 5]}
        with FakeService(by_submission) as service:
            call = trl.reward_function(Client(service.url, "k"), run_id="r", timeout=0.2)
            values = call(
                prompts=["p"] * 5,
                completions=[[{"role": "assistant", "content": "c"}]] * 5,
                completion_ids=[[1]] * 5,
                trainer_state=SimpleNamespace(global_step=7),
                log_metric=logged.__setitem__,
                log_extra=extra.__setitem__,
                **columns,
            )
            body = service.asked[0].body
        self.assertEqual(values, [1.0, None, 0.0, None, None])
        self.assertEqual(
            (logged["proctor/usable"], logged["proctor/quarantined"], logged["proctor/pending"]), (0.4, 0.2, 0.2)
        )
        self.assertEqual(extra["proctor_status"], ["scored", "quarantined", "scored", "unscored", "pending"])
        self.assertEqual((body["run_id"], body["step"], len({item["group_id"] for item in body["items"]})), ("r", 7, 1))

    def test_an_outage_of_the_service_raises(self):
        with FakeService(by_submission) as service:
            url = service.url
        with self.assertRaises(Outage):
            trl.reward_function(Client(url, "k"), timeout=0)(["p"], ["c"], submission_id=["sub_1"])

    def test_another_reward_function_is_none_where_proctor_was(self):
        self.assertEqual(trl.only_where([1.0, None, 0.0], [5.0, 6.0, None]), [5.0, None, None])


class Verl(unittest.TestCase):
    def test_scores_with_the_same_keys_always_and_a_neutral_reward_for_a_quarantine(self):
        async def ask(url):
            async with AsyncClient(url, "k") as client:
                call = {"data_source": "d", "solution_str": "s", "ground_truth": "sub_0", "client": client}
                told = [{"submission_id": "sub_1", "uid": 3}, {"submission_id": "sub_q"}, {}]
                return [await verl.compute_score(**call, extra_info=one, reward_router_address=None) for one in told]

        self.assertTrue(inspect.iscoroutinefunction(verl.compute_score))
        with FakeService(by_submission) as service:
            first, second, third = asyncio.run(ask(service.url))
            self.assertEqual(service.asked[0].body["items"][0]["group_id"], "3")
        self.assertEqual([one["score"] for one in (first, second, third)], [1.0, 0.25, 0.0])
        self.assertEqual([one["proctor_mask"] for one in (first, second, third)], [0.0, 1.0, 0.0])
        self.assertEqual(set(first), set(second))

    def test_raises_where_there_is_nothing_neutral_and_for_an_outage(self):
        for reward, how in (
            (quarantine(group={}), "neutral"),
            (quarantine(), "raise"),
            (OUT, "neutral"),
            (reward_of(pending("1")), "neutral"),
        ):
            with self.assertRaises(Withheld):
                verl.score_of(reward, how)

    def test_an_agent_loop_returns_nothing_to_drop_a_sample(self):
        output = SimpleNamespace(reward_score=None, extra_fields={})
        self.assertEqual([verl.kept([output], one) for one in (quarantine(), OUT)], [[], []])
        self.assertEqual((verl.kept([output], made(0.5)), output.reward_score), ([output], 0.5))


class Openrlhf(unittest.TestCase):
    def test_gives_finite_numbers_of_equal_length_and_raises_for_an_outage(self):
        with FakeService(by_submission) as service:
            client = Client(service.url, "k")
            told = openrlhf.reward_func(["pa", "pb"], ["p", "p"], ["sub_1", "sub_q"], client)
            with self.assertRaises(Withheld):
                openrlhf.reward_func(["pa"], ["p"], ["sub_o"], client)
        self.assertEqual((list(told["rewards"]), list(told["extra_logs"]["proctor_mask"])), ([1.0, 0.25], [0.0, 1.0]))
        self.assertEqual(list(openrlhf.answer_of([quarantine(group={})])["rewards"]), [openrlhf.UNKNOWN_NEUTRAL])
        self.assertEqual(openrlhf.reward_func([], [], [])["scores"], [])

    def test_is_a_file_that_can_be_loaded_by_its_path(self):
        import importlib.util

        spec = importlib.util.spec_from_file_location("reward_func", openrlhf.__file__)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self.assertEqual(list(inspect.signature(module.reward_func).parameters)[:3], ["queries", "prompts", "labels"])


class Others(unittest.TestCase):
    def ask(self, work):
        async def inside(url):
            async with AsyncClient(url, "k") as client:
                return await work(client)

        with FakeService(by_submission) as service:
            return asyncio.run(inside(service.url))

    def test_verifiers_raises_and_weighs_tokens(self):
        trace = SimpleNamespace(info={"submission_id": "sub_1"}, task=None)
        self.assertEqual(self.ask(lambda client: verifiers.reward(trace, client=client)), 1.0)
        by_task = SimpleNamespace(info={}, task=SimpleNamespace(data={"proctor": {"submission_id": "sub_q"}}))
        with self.assertRaises(Withheld):
            self.ask(lambda client: verifiers.reward(by_task, client=client))
        nodes = [
            SimpleNamespace(token_ids=[1, 2], loss_weights=None),
            SimpleNamespace(token_ids=[3], loss_weights={"rl": [0.5], "ce": [1.0]}),
        ]
        verifiers.weigh(nodes, 0.5)
        self.assertEqual([node.loss_weights for node in nodes], [{"rl": [0.5, 0.5]}, {"rl": [0.25], "ce": [1.0]}])

    def test_nemo_echoes_the_request_with_a_mask_and_a_neutral_reward(self):
        body = {
            "responses_create_params": {"input": []},
            "verifier_metadata": {"submission_id": "sub_q"},
            "instance_config": {"a": 1},
        }
        told = self.ask(lambda client: nemo_rl.verify(body, client=client))
        self.assertEqual(
            (told["reward"], told["mask_sample"], told["instance_config"]), (0.25, True, {"a": 1, "mask_sample": True})
        )
        self.assertEqual(told["responses_create_params"], {"input": []})
        self.assertEqual(nemo_rl.response_of({}, made(0.5))["mask_sample"], False)
        for lost in (OUT, reward_of(pending("1"))):
            with self.assertRaises(Withheld):
                nemo_rl.response_of({}, lost)

    def test_art_raises_or_leaves_out(self):
        def trajectory():
            return SimpleNamespace(reward=0.0, metrics={}, metadata={})

        self.assertEqual(self.ask(lambda client: art.scored(trajectory(), "sub_1", client=client)).reward, 1.0)
        with self.assertRaises(Withheld) as raised:
            self.ask(lambda client: art.scored(trajectory(), "sub_q", client=client))
        self.assertEqual(raised.exception.reward.status, "quarantined")
        left = art.kept([trajectory(), trajectory(), trajectory()], [made(1.0), quarantine(), made(0.0)])
        self.assertEqual([one.reward for one in left], [1.0, 0.0])
        self.assertEqual(art.kept([trajectory(), trajectory()], [made(1.0), OUT]), [])

    def test_rllm_ends_an_episode_with_an_error(self):
        episode = SimpleNamespace(
            trajectories=[SimpleNamespace(reward=None)], termination_reason="env_done", info=None, is_correct=None
        )
        rllm.marked(episode, quarantine())
        self.assertEqual((episode.termination_reason, episode.is_correct), (rllm.ERROR, False))
        self.assertEqual(episode.info["error"]["error_message"], "reads the tests")
        good = SimpleNamespace(
            trajectories=[SimpleNamespace(reward=None)], termination_reason="env_done", info={}, is_correct=None
        )
        self.assertEqual(
            (rllm.marked(good, made(1.0)).trajectories[0].reward, good.is_correct, good.termination_reason),
            (1.0, True, "env_done"),
        )
        rllm.check_settings({"enable": True, "mask_error": True})
        with self.assertRaises(ValueError):
            rllm.check_settings({"enable": True, "mask_error": False})

    def test_areal_rejects_an_episode(self):
        class Workflow:
            async def arun_episode(self, engine, data):
                return {"reward": await tinker.reward(data, client=engine)}

        self.assertEqual(
            self.ask(lambda client: areal.Rejecting(Workflow()).arun_episode(client, {"submission_id": "sub_1"})),
            {"reward": 1.0},
        )
        for told in ("sub_q", "sub_o"):
            self.assertIsNone(
                self.ask(lambda client, told=told: areal.Rejecting(Workflow()).arun_episode(client, told))
            )
            self.assertIsNone(self.ask(lambda client, told=told: areal.value(told, client=client)))
        with FakeService(by_submission) as service:
            client = Client(service.url, "k")
            self.assertEqual(areal.reward_fn("p", "c", [1], [2], client=client, submission_id="sub_1", answer="4"), 1.0)
            with self.assertRaises(Withheld):
                areal.reward_fn("p", "c", [1], [2], client=client, submission_id="sub_q")
        self.assertLess(areal.PATIENCE_SEC, 15)

    def test_tinker_wants_a_strategy_that_survives_an_exception(self):
        tinker.check_strategy(SimpleNamespace(catches_group_errors=True))
        with self.assertRaises(ValueError):
            tinker.check_strategy(SimpleNamespace(catches_group_errors=False))


class EveryTrainer(unittest.TestCase):
    def test_says_how_quarantine_and_weight_travel_and_what_cannot_be_expressed(self):
        for module in (areal, art, nemo_rl, openrlhf, rllm, skyrl, slime, tinker, trl, verifiers, verl):
            for word in ("Quarantine:", "Weight:", "Not expressible:", "Read in", "utage"):
                self.assertIn(word, module.__doc__, module.__name__)

    def test_exceptions_say_why_and_travel_between_processes(self):
        import pickle

        error = pickle.loads(pickle.dumps(samples.withheld(quarantine())))
        self.assertEqual(
            (error.code, error.message, error.reward.status), ("proctor:quarantined", "reads the tests", "quarantined")
        )
        self.assertIsInstance(Reward("1", "scored").value, type(None))


if __name__ == "__main__":
    unittest.main()
