"""An agent loop for any endpoint that speaks OpenAI's chat completions with tool calls. Standard library only.

    export PROCTOR_URL=… PROCTOR_KEY=… OPENAI_BASE_URL=http://HOST:PORT/v1 OPENAI_API_KEY=… MODEL=…
    python3 clients/python/examples/openai_agent.py proctor/wordtool

The model's key stays in this process: what the model asks for runs in Proctor's workspace, which has no network.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # so that it runs from a checkout as it is

from proctor_client import Client, Observation, ProctorError, Session

Json = Dict[str, Any]
MODEL_TRIES = 4
LONGEST_COMMAND_SEC = 600.0

SYSTEM = (
    "You work in a Linux workspace, in /work, which has no network. Do the task with the tool shell, "
    "look at what your commands wrote, and call finish when all is done. What stands in /work then is graded."
)
TOOLS: List[Json] = [
    {
        "type": "function",
        "function": {
            "name": "shell",
            "description": "Runs a bash command. Folder and variables stay from one command to the next.",
            "parameters": {
                "type": "object",
                "properties": {"command": {"type": "string"}, "timeout_sec": {"type": "number"}},
                "required": ["command"],
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "finish",
            "description": "Hands in what is in /work and ends the session.",
            "parameters": {"type": "object", "properties": {}},
        },
    },
]


def main() -> None:
    parser = argparse.ArgumentParser(description="lets a model work on a task of Proctor")
    parser.add_argument("task", help="name of a registered task")
    parser.add_argument("--steps", type=int, default=50, help="answers of the model, at most")
    options = parser.parse_args()
    with Client().open_session(task=options.task) as session:
        print(f"session {session.id}", flush=True)
        work(session, options.steps)
    reward = session.wait_for_reward()
    print(f"{reward.status}: reward {reward.reward:g}, learn from it: {reward.usable} {reward.failure_reason}")


def work(session: Session, most: int) -> None:
    """Asks the model and does what it says, until it is done, `most` answers were given, or a budget is used up."""
    messages: List[Json] = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": session.instruction},
    ]
    tokens = 0  # used since the last step; they are told with the next
    for _ in range(most):
        reply = ask({"model": os.environ["MODEL"], "messages": messages, "tools": TOOLS})
        tokens += int((reply.get("usage") or {}).get("total_tokens") or 0)
        message = reply["choices"][0]["message"]
        calls = message.get("tool_calls") or []
        said: Json = {"role": "assistant", "content": message.get("content")}
        messages.append({**said, "tool_calls": calls} if calls else said)
        if not calls:
            messages.append({"role": "user", "content": "Call shell to go on, or finish when all is done."})
        for call in calls:
            command, told = read_call(call["function"])
            if command is None and told == "finish":
                return
            if command is not None:
                seen, told = make_step(session, command, message_id=str(reply.get("id") or "") or None, tokens=tokens)
                tokens = 0 if seen is not None else tokens
                if seen is not None and seen.feedback.budget_reached is not None:
                    return
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": told})


def read_call(function: Json) -> Tuple[Optional[Json], str]:
    """What a tool call asks for; None, with a word for the model, when there is nothing to run."""
    if function["name"] == "finish":
        return None, "finish"
    if function["name"] != "shell":
        return None, f"there is no tool {function['name']!r}; there are shell and finish"
    try:
        given = json.loads(function.get("arguments") or "{}")
        command, seconds = given["command"], float(given.get("timeout_sec") or 120)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None, 'the arguments must be JSON like {"command": "ls"}'
    return {"command": command, "timeout_sec": min(max(seconds, 1.0), LONGEST_COMMAND_SEC)}, ""


def make_step(
    session: Session, parameters: Json, *, message_id: Optional[str], tokens: int
) -> Tuple[Optional[Observation], str]:
    """Runs it, and gives what the model is told of it."""
    try:
        seen = session.act("shell", "run", parameters, message_id=message_id, tokens=tokens)
    except ProctorError as error:
        if error.code != "bad-request":
            raise
        return None, error.message  # the model's mistake, such as an empty command
    print(f"step {seen.step}: {seen.status}", flush=True)
    parts = [f"exit code: {seen.exit_code}", f"stdout:\n{seen.stdout}"]
    if seen.stderr:
        parts.append(f"stderr:\n{seen.stderr}")
    if seen.error is not None:
        parts.append(seen.error.message)
    return seen, "\n".join(parts)


def ask(body: Json) -> Json:
    """One chat completion; again, with growing pauses, while the endpoint is busy."""
    headers = {"Content-Type": "application/json"}
    if os.environ.get("OPENAI_API_KEY"):
        headers["Authorization"] = f"Bearer {os.environ['OPENAI_API_KEY']}"
    url = os.environ["OPENAI_BASE_URL"].rstrip("/") + "/chat/completions"
    for tried in range(1, MODEL_TRIES + 1):
        request = urllib.request.Request(url, data=json.dumps(body).encode(), headers=headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=600) as reply:
                answer: Json = json.loads(reply.read())
                return answer
        except urllib.error.HTTPError as error:
            after = error.headers.get("retry-after") or ""
            if error.code not in (429, 500, 502, 503, 504) or tried == MODEL_TRIES:
                raise SystemExit(f"the model's endpoint answered {error.code}: {error.read(2_000)!r}") from None
            time.sleep(min(float(after) if after.isdigit() else 2.0**tried, 60.0))
    raise AssertionError("the last try either returns or raises")


if __name__ == "__main__":
    main()
