"""Where a test's expectations are, and how each is made wrong.

Only expectations that are surely looked at count: those in the straight line of a test that has no way out of it. A site
is a function that changes its own tree when it is called with a source of randomness; it gives the index of the row that it
made wrong where the expectation is a row of parameters. Sites where a value is changed come first: such a twin cannot be
told from its original, one with an operator or an exception turned round might.
"""

import ast

from wrong_values import is_expectation, make_wrong, wrong_row

#: Exceptions that hardly any library raises, and none of them a base of a common one.
UNLIKELY = ["BufferError", "EOFError", "FloatingPointError", "ReferenceError", "StopAsyncIteration"]
#: Operators that swap their meaning; where a side is written out, the value is changed instead.
OPPOSITE = {ast.Eq: ast.NotEq, ast.Lt: ast.GtE, ast.Gt: ast.LtE, ast.Is: ast.IsNot, ast.In: ast.NotIn}
OPPOSITE.update({wrong: right for right, wrong in list(OPPOSITE.items())})
HARMLESS_MARKS = {"parametrize", "usefixtures", "filterwarnings"}
WAYS_OUT = (ast.Return, ast.Yield, ast.YieldFrom, ast.Await, ast.Try, ast.Global, ast.Nonlocal)


def eligible(function):
    """Whether each statement of the test's own line is run whenever the test passes."""
    if any(mark_of(decorator) not in HARMLESS_MARKS for decorator in function.decorator_list):
        return False
    for node in ast.walk(function):
        if isinstance(node, WAYS_OUT):
            return False
        if isinstance(node, ast.Attribute) and node.attr in ("skip", "xfail", "skipTest", "exit", "importorskip"):
            return False
    return True


def mark_of(decorator):
    """NAME of `@pytest.mark.NAME(...)`, or None."""
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    inner = target.value if isinstance(target, ast.Attribute) else None
    return target.attr if isinstance(inner, ast.Attribute) and inner.attr == "mark" else None


def sites_of(function):
    """The sites of a test: those of values, or where there are none the others, in the order of its lines."""
    rows = rows_of(function)
    values, others = [], []
    for statement in function.body:
        if isinstance(statement, ast.Assert):
            values += in_equality(statement.test, function, rows)
            others += in_condition(statement)
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            values += in_unittest_equality(statement.value)
            others += in_unittest_call(statement.value)
        elif isinstance(statement, ast.With) and len(statement.items) == 1:
            others += in_raises(statement.items[0].context_expr)
    return values or others


def in_equality(test, function, rows):
    """`assert ... == VALUE`, or a name for the value."""
    if not is_single_comparison(test) or not isinstance(test.ops[0], ast.Eq):
        return []
    sides = [("left", test.left), (0, test.comparators[0])]
    written = [(place, side) for place, side in sides if is_expectation(side)]
    if len(written) == 2:
        return []  # nothing of the candidate's is in it
    for place, side in written:
        return [lambda drawn: put(test, place, make_wrong(side, drawn))]
    named = [expectation_named(side, function, rows) for _, side in sides]
    return [site for site in named if site is not None][:1]


def is_single_comparison(test):
    return isinstance(test, ast.Compare) and len(test.ops) == 1


def in_condition(statement):
    """Any other condition: it is turned round."""
    test = statement.test
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return [lambda drawn: setattr(statement, "test", test.operand)]
    if isinstance(test, ast.Call):
        return [lambda drawn: setattr(statement, "test", ast.UnaryOp(op=ast.Not(), operand=test))]
    if not is_single_comparison(test) or (is_expectation(test.left) and is_expectation(test.comparators[0])):
        return []
    opposite = OPPOSITE.get(type(test.ops[0]))
    return [] if opposite is None else [lambda drawn: test.ops.__setitem__(0, opposite())]


def put(compare, place, value):
    if place == "left":
        compare.left = value
    else:
        compare.comparators[place] = value


def expectation_named(side, function, rows):
    """The site of a name that holds what is expected: a local that is used nowhere else, or a parameter's rows."""
    if not isinstance(side, ast.Name):
        return None
    uses = [node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id == side.id]
    if side.id in rows and len(uses) == 1:
        table, column = rows[side.id]
        return lambda drawn: wrong_row(table, column, drawn)
    assigned = [
        statement
        for statement in function.body
        if isinstance(statement, ast.Assign)
        and [target for target in statement.targets if isinstance(target, ast.Name) and target.id == side.id]
    ]
    if len(assigned) == 1 and len(uses) == 2 and is_expectation(assigned[0].value):
        return lambda drawn: setattr(assigned[0], "value", make_wrong(assigned[0].value, drawn))
    return None


def rows_of(function):
    """Names of parameters that are written out in a table, with the table and their column (None: the row itself)."""
    if len(function.decorator_list) != 1 or mark_of(function.decorator_list[0]) != "parametrize":
        return {}
    call = function.decorator_list[0]
    if not isinstance(call, ast.Call) or len(call.args) != 2 or call.keywords:
        return {}
    names, table = call.args
    if not isinstance(table, (ast.List, ast.Tuple)) or not isinstance(names, ast.Constant) or not table.elts:
        return {}
    listed = [name.strip() for name in str(names.value).split(",")]
    if len(listed) == 1:
        return {listed[0]: (table, None)} if all(is_expectation(row) for row in table.elts) else {}
    if not all(isinstance(row, (ast.Tuple, ast.List)) and len(row.elts) == len(listed) for row in table.elts):
        return {}
    columns = {name: (table, index) for index, name in enumerate(listed)}
    return {
        name: (table, index)
        for name, (_, index) in columns.items()
        if all(is_expectation(row.elts[index]) for row in table.elts)
    }


SWAPPED = {"assertTrue": "assertFalse", "assertIn": "assertNotIn", "assertIs": "assertIsNot"}
SWAPPED.update({wrong: right for right, wrong in list(SWAPPED.items())})
EQUALITIES = ("assertEqual", "assertListEqual", "assertDictEqual", "assertTupleEqual", "assertSetEqual")


def unittest_method(call):
    """NAME of `self.NAME(...)`, or None."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    return call.func.attr if isinstance(owner, ast.Name) and owner.id == "self" and call.args else None


def in_unittest_equality(call):
    """`self.assertEqual(..., VALUE)` and its like."""
    written = [index for index, side in enumerate(call.args[:2]) if is_expectation(side)]
    if unittest_method(call) not in EQUALITIES or len(written) != 1:
        return []
    return [lambda drawn: call.args.__setitem__(written[0], make_wrong(call.args[written[0]], drawn))]


def in_unittest_call(call):
    """`self.assertTrue(...)` and its like."""
    method = unittest_method(call)
    return [lambda drawn: setattr(call.func, "attr", SWAPPED[method])] if method in SWAPPED else []


def in_raises(context):
    """`with pytest.raises(Name):`"""
    name = context.func.attr if isinstance(context, ast.Call) and isinstance(context.func, ast.Attribute) else None
    if name not in ("raises", "assertRaises") or len(context.args) != 1:
        return []
    if not isinstance(context.args[0], (ast.Name, ast.Attribute)):
        return []
    spelled = ast.unparse(context.args[0]).rsplit(".", 1)[-1]
    if spelled in ("Exception", "BaseException", *UNLIKELY):
        return []
    return [lambda drawn: context.args.__setitem__(0, ast.Name(id=drawn.choice(UNLIKELY), ctx=ast.Load()))]
