"""The bare baseline of `bench grade`: draws the same cases, calls the same functions and compares, in one process.

    python3 -I -B bare_grade.py GRADERS TESTS ARTIFACT MODULE FUNCTION PARAMETERS_JSON SEED

No sandbox, no second process, no record; whatever the candidate does here it does to the judge as well.
"""

import json
import os
import sys

graders, tests, artifact, module_name, function_name, parameters, seed = sys.argv[1:]
sys.path[:0] = [os.path.join(graders, "examiner"), os.path.join(graders, "wire"), artifact]

import values  # noqa: E402
from oracle_cases import draw_cases  # noqa: E402

request = {"grader": "function", "parameters": json.loads(parameters), "seed": seed, "maxCases": 100}
cases = draw_cases(tests, request)
module = __import__(module_name)
for case in cases:
    function = getattr(module, case.request["function"] or function_name)
    args, kwargs = values.decode(case.request["args"]), values.decode(case.request["kwargs"])
    try:
        kind, said = "value", values.encode(function(*args, **kwargs))
    except Exception as error:
        kind, said = "raised", {"classes": [values._class_name(base) for base in type(error).__mro__], "message": str(error)}
    passed, note = case.judge({"kind": kind}, json.dumps(said).encode())
    if not passed:
        sys.exit("%s: %s" % (case.id, note))
