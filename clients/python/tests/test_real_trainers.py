"""Through the trainers' own code, where it is installed: `pip install verifiers`, `pip install --no-deps openpipe-art`.

Without them these tests are skipped, and say so.
"""

import asyncio
import importlib
import importlib.util
import sys
import types
import unittest

from proctor_client import AsyncClient, Withheld
from proctor_client.trainers import art, verifiers
from tests.fake_service import FakeService
from tests.verdicts import by_submission


def module_of(name, package=None):
    """A trainer's module, or None; with `package`, without what that package imports besides."""
    try:
        if package is not None and package not in sys.modules:
            parent = types.ModuleType(package)
            parent.__path__ = list(importlib.util.find_spec(package).submodule_search_locations)
            sys.modules[package] = parent
        return importlib.import_module(name)
    except (ImportError, AttributeError):
        sys.modules.pop(package or name, None)
        return None


VERIFIERS = module_of("verifiers.v1")
ART = module_of("art.trajectories", "art")


def ask(work):
    async def inside(url):
        async with AsyncClient(url, "k") as client:
            return await work(client)

    with FakeService(by_submission) as service:
        return asyncio.run(inside(service.url))


@unittest.skipIf(VERIFIERS is None, "verifiers is not installed")
class Verifiers(unittest.TestCase):
    def scored(self, submission):
        async def work(client):
            class Task(VERIFIERS.Task):
                @VERIFIERS.reward
                async def proctor(self, trace):
                    return await verifiers.reward(trace, client=client)

            task = Task(VERIFIERS.TaskData(prompt="p"), VERIFIERS.TaskConfig())
            kinds = sys.modules["verifiers.v1.trace"]
            recorded = kinds.TraceTask(type="Task", data=task.data)
            # what else a trace has says nothing of its scoring
            trace = VERIFIERS.Trace.model_construct(
                task=recorded, info={"submission_id": submission}, rewards={}, metrics={}
            )
            await task.score(trace)
            return trace

        return ask(work)

    def test_a_reward_is_recorded(self):
        self.assertEqual(self.scored("sub_1").reward, 1.0)

    def test_a_quarantine_is_an_error_of_the_task_and_no_reward(self):
        error = sys.modules["verifiers.v1.errors"].TaskError
        for submission in ("sub_q", "sub_o"):
            with self.assertRaises(error) as raised:
                self.scored(submission)
            self.assertIsInstance(raised.exception.__cause__, Withheld)


@unittest.skipIf(ART is None, "openpipe-art is not installed")
class Art(unittest.TestCase):
    def test_a_group_has_the_trajectories_and_the_exceptions(self):
        async def work(client):
            told = ("sub_1", "sub_q", "sub_0", "sub_o")
            rollouts = [art.scored(ART.Trajectory(reward=0.0), one, client=client) for one in told]
            return ART.TrajectoryGroup(await asyncio.gather(*rollouts, return_exceptions=True))

        group = ask(work)
        self.assertEqual([one.reward for one in group], [1.0, 0.0])
        self.assertEqual(["Withheld" in one.type for one in group.exceptions], [True, True])


if __name__ == "__main__":
    unittest.main()
