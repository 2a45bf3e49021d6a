"""What the scripts of this folder share: the service, answers of a model, and how a case is told."""

from __future__ import annotations

import importlib
import json
import os
import sys
import types
import urllib.request
from pathlib import Path
from typing import Any, Callable

URL = os.environ["CLIENTS_URL"]
PROXY = os.environ["CLIENTS_PROXY"]
TRAINER = os.environ["CLIENTS_TRAINER_KEY"]
HARNESS = os.environ["CLIENTS_HARNESS_KEY"]

RIGHT = "def double(x):\n    return x + x\n"
WRONG = "def double(x):\n    return x\n"
#: Slower than one short deadline, quicker than the tries of a client together.
SLOW = "import time\ndef double(x):\n    time.sleep(0.3)\n    return x + x\n"


def answer(source: str, mark: str = "") -> str:
    """A model's answer; a mark makes it another one for the same instance."""
    return f"Here it is.\n```python\n# {mark}\n{source}```\n"


def new_instance(task: str = "test/double") -> str:
    request = urllib.request.Request(
        f"{URL}/v1/instances",
        data=json.dumps({"task": task}).encode(),
        headers={"authorization": f"Bearer {TRAINER}", "content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as reply:
        return json.loads(reply.read())["instance_id"]


def through(fault: str, name: str, path: str) -> str:
    """A URL of the proxy, with a trainer's key in its path."""
    return f"{PROXY}/{fault}/{name}/compat/k/{TRAINER}/{path}"


def asked(name: str) -> int:
    """How many requests came under a name."""
    with urllib.request.urlopen(f"{PROXY}/counts", timeout=30) as reply:
        return json.loads(reply.read()).get(name, 0)


def case(name: str, expected: Any, look: Callable[[], Any]) -> None:
    """Tells one case; what is raised is what was got."""
    try:
        got = look()
    except Exception as error:  # noqa: BLE001
        got = f"raised {type(error).__name__}: {str(error)[:200]}"
    told = {"case": name, "ok": got == expected, "expected": repr(expected), "got": repr(got)[:300]}
    print(json.dumps(told), flush=True)


def raises(look: Callable[[], Any]) -> str:
    """The name of what is raised, or what came instead."""
    try:
        return f"no error: {look()!r}"[:200]
    except Exception as error:  # noqa: BLE001
        return type(error).__name__


def bare_package(*names: str) -> None:
    """
    Packages without their `__init__`, so that one module of theirs can be imported, as it was published, where the rest needs a GPU's
    libraries.
    """
    for name in names:
        package = types.ModuleType(name)
        package.__path__ = [str(Path(os.environ["CLIENTS_BARE"], *name.split(".")))]
        sys.modules[name] = package
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(importlib.import_module(parent), last, package)
