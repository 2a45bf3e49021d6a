"""verl: its SandboxFusion client, from a completion and test cases to a score."""

from kit import asked, bare_package, case, through

bare_package("verl", "verl.utils", "verl.utils.reward_score")
from verl.utils.reward_score.sandbox_fusion import compute_score  # noqa: E402

CASES = {"inputs": ["2\n", "5\n"], "outputs": ["4\n", "10\n"]}
PATH = "sandbox-fusion/run_code"


def score(url, program, timeout=10):
    value, details = compute_score(url, None, 256, f"```python\n{program}```", CASES, timeout=timeout)
    return value, sorted({one["status"] for one in details})


GOOD = "print(2 * int(input()))\n"
plain = through("pass", "v-plain", PATH)
case("right work", (1.0, ["success"]), lambda: score(plain, GOOD))
case("half right", 0.5, lambda: score(plain, "print(4)\n")[0])
case("work that raises", (0.0, ["runtime_error"]), lambda: score(plain, "raise ValueError\n"))
case("slow work is stopped at its time limit", (0.0, ["timeout"]), lambda: score(plain, "while True: pass\n", timeout=1))
case("504 once: right at the next try", (1.0, 3), lambda: (
    score(through("once504", "v-504", PATH), GOOD)[0], asked("v-504")))
case("504 for ever: three tries, then its own zero", (0.0, ["api_error"], 6), lambda: (
    *score(through("s504", "v-busy", PATH), GOOD), asked("v-busy")))
for status in (429, 503):
    name = f"v-{status}"
    case(f"{status}: no second try, its own zero", (0.0, ["api_error"], 2), lambda: (
        *score(through(f"s{status}", name, PATH), GOOD), asked(name)))
case("outage: no second try, its own zero", (0.0, ["api_error"]), lambda: score(through("drop", "v-drop", PATH), GOOD))
