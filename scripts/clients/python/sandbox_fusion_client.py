"""SandboxFusion's own client: run a program, submit an answer."""

from kit import RIGHT, SLOW, WRONG, answer, asked, case, new_instance, raises, through
from sandbox_fusion import RunCodeRequest, SubmitRequest, TestConfig, run_code, submit, submit_safe


def at(fault, name):
    return through(fault, name, "sandbox-fusion")


def ran(endpoint, program, tries=3, **more):
    found = run_code(RunCodeRequest(code=program, language="python", **more), endpoint=endpoint, max_attempts=tries)
    return found.status.value, found.run_result.stdout


def graded(endpoint, label, text, tries=3, send=submit):
    request = SubmitRequest(dataset="proctor", id=label, completion=text, config=TestConfig())
    return send(request, endpoint=endpoint, max_attempts=tries).accepted


plain = at("pass", "f-plain")
label = new_instance()
case("a program runs", ("Success", "4\n"), lambda: ran(plain, "print(2 * int(input()))", stdin="2"))
case("a program fails", "Failed", lambda: ran(plain, "raise ValueError")[0])
case("right work is accepted", True, lambda: graded(plain, label, answer(RIGHT)))
case("wrong work is not", False, lambda: graded(plain, label, answer(WRONG)))
case("slow work is waited for", True, lambda: graded(plain, new_instance(), answer(SLOW)))
for status in (429, 503, 504):
    name = f"f-{status}"
    case(f"{status} once: right at the next try", (True, 2), lambda: (
        graded(at(f"once{status}", name), label, answer(RIGHT)), asked(name)))
case("503 for ever: raises, and is no rejection", "Exception", lambda: raises(
    lambda: graded(at("s503", "f-for-ever"), label, answer(RIGHT), tries=2)))
case("outage: raises, and is no rejection", "ConnectionError", lambda: raises(
    lambda: graded(at("drop", "f-drop"), label, answer(RIGHT), tries=2)))
doubtful = new_instance("test/doubtful")
case("quarantined: raises, and is no rejection", "Exception", lambda: raises(
    lambda: graded(plain, doubtful, answer(WRONG), tries=1)))
case("quarantined by submit_safe: its own rejection", False, lambda: graded(
    plain, doubtful, answer(WRONG), tries=1, send=submit_safe))
