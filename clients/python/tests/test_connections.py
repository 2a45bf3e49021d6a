import asyncio
import multiprocessing
import pickle
import resource
import unittest

from proctor_client import AsyncClient, Client, Outage
from tests.both_clients import items_of
from tests.fake_service import FakeService, all_scored


class Connections(unittest.TestCase):
    def test_are_used_again_and_one_that_was_closed_is_replaced(self):
        with FakeService(all_scored) as service:
            client = Client(service.url, "k")
            for _ in range(5):
                client.rewards(items_of(1))
            self.assertEqual(service.connections, 1)

            async def five():
                async with AsyncClient(service.url, "k") as by:
                    for _ in range(5):
                        await by.rewards(items_of(1))

            asyncio.run(five())
            self.assertEqual(service.connections, 2)
        closing = {"connection": "close"}
        with FakeService(lambda nth, asked: (*all_scored(nth, asked), closing)) as service:
            client = Client(service.url, "k")
            self.assertEqual([client.reward(items_of(1)[0]).value for _ in range(3)], [1.0] * 3)
            self.assertEqual(service.connections, 3)

    def test_hold_1024_calls_in_flight(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4_096)), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        count = 1_024
        events = []

        async def answer(nth, asked):
            if not events:
                events.append(asyncio.Event())  # in the service's loop
            all_here = events[0]
            if nth == count:
                all_here.set()
            await all_here.wait()
            return all_scored(nth, asked)

        async def ask(url):
            async with AsyncClient(url, "k") as client:
                return await asyncio.gather(*(client.reward(item) for item in items_of(count)))

        with FakeService(answer) as service:
            rewards = asyncio.run(ask(service.url))
            self.assertEqual((len(rewards), service.most_in_flight), (count, count))

    def test_are_the_child_s_own_after_a_fork_and_a_client_can_be_pickled(self):
        with FakeService(all_scored) as service:
            client = Client(service.url, "k")
            client.rewards(items_of(1))
            forked = multiprocessing.get_context("fork")
            inbox = forked.Queue()
            child = forked.Process(target=lambda: inbox.put(client.reward(items_of(1)[0]).value))
            child.start()
            self.assertEqual(inbox.get(timeout=20), 1.0)
            child.join()
            self.assertEqual(client.reward(items_of(1)[0]).value, 1.0)
            again = pickle.loads(pickle.dumps(client))
            self.assertEqual(again.reward(items_of(1)[0]).value, 1.0)
        error = pickle.loads(pickle.dumps(Outage("disk-full", "m", status=503, retry_after=3.0)))
        self.assertEqual((type(error), error.code, error.status, error.retry_after), (Outage, "disk-full", 503, 3.0))


if __name__ == "__main__":
    unittest.main()
