"""Derives must-fail twins from pytest files. Runs in the examiner's sandbox, where no code of the candidate's ever is.

    python3 -I -B make_twins.py < {"seed": text, "files": {path: source}, "without": {path: [test, ...]}}
    > {"files": {path: {"source": ..., "tests": {name in this run: name},
                       "twins": {name in this run: {"of": name, "row": index of the wrong row of parameters, or null}}}}}

A twin is a copy of a test in which one expectation is wrong. Which expectation is drawn from the seed, so that a grade can
be repeated; names and places are drawn anew for each run. Names are `function` or `Class::function`. Whatever cannot be
understood is left as it is and gets no twin.
"""

import ast
import copy
import json
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from twin_sites import eligible, sites_of  # noqa: E402

WORDS = (
    "early late small large plain mixed first last single double empty whole short long usual rare given stored sorted "
    "nested exact quick upper lower inner outer left right fresh basic common repeated simple typical default custom "
    "initial final direct shared local remote known found kept added again apart"
).split()


class Names:
    """Draws names like an author's that are free in a file."""

    def __init__(self, tree):
        self.random = random.SystemRandom()
        self.taken = {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}

    def like(self, name):
        while True:
            drawn = name + "_" + "_".join(self.random.sample(WORDS, 2))
            if drawn not in self.taken:
                self.taken.add(drawn)
                return drawn


def twinned(path, source, seed, without):
    """The file with twins among its tests."""
    tree = ast.parse(source)
    made = {"tests": {}, "twins": {}}
    names = Names(tree)
    for prefix, body in bodies(tree):
        tests = [node for node in body if is_test(node)]
        for node in tests:
            plain = prefix + node.name
            sites = sites_of(node) if eligible(node) and plain not in without else []
            if not sites:
                made["tests"][plain] = plain
                continue
            drawn = random.Random("%s/%s/%s" % (seed, path, plain))
            twin = copy.deepcopy(node)
            row = sites_of(twin)[drawn.randrange(len(sites))](drawn)
            node.name, twin.name = names.like(node.name), names.like(node.name)
            made["tests"][prefix + node.name] = plain
            made["twins"][prefix + twin.name] = {"of": plain, "row": row}
            place(names.random, body, node, twin)
    made["source"] = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    return made


def bodies(tree):
    """Where tests stand: the module, and the classes in it."""
    yield "", tree.body
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name + "::", node.body


def is_test(node):
    return isinstance(node, ast.FunctionDef) and node.name.startswith("test")


def place(drawn, body, node, twin):
    """Puts the twin at a drawn place: beside its original where it is decorated, since names may be defined between."""
    at = body.index(node)
    if node.decorator_list:
        body.insert(at + drawn.randrange(2), twin)
        return
    first = min(index for index, other in enumerate(body) if isinstance(other, ast.FunctionDef))
    body.insert(drawn.randrange(first, len(body) + 1), twin)


def main():
    request = json.load(sys.stdin)
    files = {}
    for path, source in request["files"].items():
        try:
            files[path] = twinned(path, source, request["seed"], request["without"].get(path, []))
        except (SyntaxError, ValueError, RecursionError) as error:
            sys.stderr.write("%s: %s\n" % (path, error))
    json.dump({"files": files}, sys.stdout)


if __name__ == "__main__":
    main()
