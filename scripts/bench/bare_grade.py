"""The bare baseline of `bench grade`: draws the same cases, calls or runs the same code and compares, in one process.

    python3 -I -B bare_grade.py GRADERS TESTS ARTIFACT function MODULE FUNCTION PARAMETERS_JSON SEED
    python3 -I -B bare_grade.py GRADERS TESTS ARTIFACT stdio COMMAND_JSON - PARAMETERS_JSON SEED

No sandbox, no record; whatever the candidate does here it does to the judge as well.
"""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile

graders, tests, artifact, grader, target, function_name, parameters, seed = sys.argv[1:]
sys.path[:0] = [os.path.join(graders, "examiner"), os.path.join(graders, "wire"), artifact]

import values  # noqa: E402
from oracle_cases import draw_cases  # noqa: E402


def call(request):
    function = getattr(__import__(target), request["function"] or function_name)
    args, kwargs = values.decode(request["args"]), values.decode(request["kwargs"])
    try:
        kind, said = "value", values.encode(function(*args, **kwargs))
    except Exception as error:
        kind, said = "raised", {"classes": [values._class_name(base) for base in type(error).__mro__], "message": str(error)}
    return {"kind": kind}, json.dumps(said).encode()


def run(request):
    for name, content in request["files"].items():
        with open(os.path.join(artifact, name), "wb") as file:
            file.write(base64.b64decode(content))
    command = json.loads(target) + request["args"]
    done = subprocess.run(command, input=base64.b64decode(request["stdin"]), capture_output=True, cwd=artifact)
    return {"exitCode": done.returncode, "hasOutput": True}, done.stdout


if grader == "stdio":  # several run at once, and cases bring files
    scratch = tempfile.TemporaryDirectory()
    artifact = shutil.copytree(artifact, os.path.join(scratch.name, "work"))
request = {"grader": grader, "what": "cases", "prefix": "case", "parameters": json.loads(parameters), "seed": seed, "maxCases": 100}
for case in draw_cases(tests, request):
    passed, note = case.judge(*{"function": call, "stdio": run}[grader](case.request))
    if not passed:
        sys.exit("%s: %s" % (case.id, note))
