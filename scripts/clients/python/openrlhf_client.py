"""OpenRLHF: a whole rollout by its own executor, with a tokenizer and an engine of four lines."""

import asyncio
from types import SimpleNamespace

from kit import RIGHT, SLOW, WRONG, answer, asked, bare_package, case, new_instance, through

bare_package("openrlhf", "openrlhf.utils")
from openrlhf.utils.agent import SingleTurnAgentExecutor  # noqa: E402

PROMPT = "Write double."


class Tokens(list):
    def tolist(self):
        return list(self)


class Tokenizer:
    """One token is one character."""

    def __call__(self, text, **_):
        return {"input_ids": [Tokens(map(ord, text))]}

    def decode(self, tokens, **_):
        return "".join(map(chr, tokens))


class Engine:
    def __init__(self, text):
        self.text = text

    async def generate(self, *_args, **_named):
        output = SimpleNamespace(token_ids=list(map(ord, self.text)), finish_reason="stop", logprobs=None, text=self.text)
        return SimpleNamespace(outputs=[output])


def rollout(url, label, text):
    executor = SingleTurnAgentExecutor(url)
    params = SimpleNamespace(max_tokens=4000, logprobs=None)
    return asyncio.run(executor.execute(PROMPT, label, params, 8000, Tokenizer(), Engine(text)))


def reward(url, label, text):
    return rollout(url, label, text)["reward"]


PATH = "openrlhf/get_reward"
label = new_instance()
plain = through("pass", "o-plain", PATH)
case("right work", [1], lambda: reward(plain, label, answer(RIGHT)))
case("wrong work", [0], lambda: reward(plain, label, answer(WRONG)))
case("scores and logs come too", ([1], [0]), lambda: (
    (found := rollout(plain, label, answer(RIGHT)))["scores"], found["extra_logs"]["proctor_masked"]))
case("two reward servers", [1], lambda: reward([plain, plain], label, answer(RIGHT)))

slow = through("pass", "o-slow", f"{PATH}?deadline_ms=200")
case("slow: asked again, joined, right", [1], lambda: reward(slow, new_instance(), answer(SLOW)))
case("slow: more than one try", True, lambda: asked("o-slow") > 1)

for status in (429, 503, 504):
    url = through(f"once{status}", f"o-once{status}", PATH)
    case(f"{status} once: right at the next try", ([1], 2), lambda: (reward(url, label, answer(RIGHT)), asked(f"o-once{status}")))
case("cut off once: right at the next try", [1], lambda: reward(through("oncedrop", "o-cut", PATH), label, answer(RIGHT)))
case("503 for ever: no reward, and no zero", (None, 5), lambda: (
    reward(through("s503", "o-503", PATH), label, answer(RIGHT)), asked("o-503")))
case("outage: no reward, and no zero", (None, 5), lambda: (
    reward(through("drop", "o-drop", PATH), label, answer(RIGHT)), asked("o-drop")))

doubtful = new_instance("test/doubtful")
fallback = through("pass", "o-fallback", f"{PATH}?fallback=-7")
case("quarantined, no sibling known: the fallback", [-7], lambda: reward(fallback, doubtful, answer(WRONG)))
case("its sibling is graded", [1], lambda: reward(plain, doubtful, answer(RIGHT)))
case("quarantined: the mean of its siblings, and marked", ([1], [1]), lambda: (
    (found := rollout(fallback, doubtful, answer(WRONG, "again")))["reward"], found["extra_logs"]["proctor_masked"]))
