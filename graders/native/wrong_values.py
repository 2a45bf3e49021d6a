"""Values that are wrong and look right: of the same shape, with one element changed."""

import ast

DISPLAYS = (ast.List, ast.Tuple, ast.Set)


def is_expectation(node):
    """Whether a value is written out such that changing one of its elements surely makes another value."""
    if is_approx(node):
        return is_number(node.args[0]) and all(is_number(argument.value) for argument in node.keywords)
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def make_wrong(node, drawn):
    """A tree of a value that the given one is not."""
    if is_approx(node):
        changed = ast.literal_eval(node.args[0])
        tolerances = [abs(ast.literal_eval(argument.value)) for argument in node.keywords]
        away = (1 + abs(changed)) * (2 + sum(tolerances)) + sum(tolerances)
        return ast.Call(func=node.func, args=[tree_of(changed + away)], keywords=node.keywords)
    value = ast.literal_eval(node)
    changed = wrong(value, drawn)
    while changed == value:  # a changed element of a set may be there already
        changed = wrong(changed, drawn)
    return tree_of(changed)


def wrong_row(table, column, drawn):
    """Puts a wrong value into one row of a table (column None: the row is the value); gives the row's index."""
    index = drawn.randrange(len(table.elts))
    row = table.elts[index]
    if column is None:
        table.elts[index] = make_wrong(row, drawn)
    else:
        row.elts[column] = make_wrong(row.elts[column], drawn)
    return index


def is_approx(node):
    return isinstance(node, ast.Call) and ast.unparse(node.func) in ("pytest.approx", "approx") and len(node.args) == 1


def is_number(node):
    try:
        return type(ast.literal_eval(node)) in (int, float)
    except (ValueError, TypeError, SyntaxError):
        return False


def tree_of(value):
    return ast.parse(repr(value), mode="eval").body


def wrong(value, drawn):
    """Another value of the same shape."""
    if value is None:
        return 0
    if value is True or value is False:
        return not value
    if isinstance(value, int):
        return value + drawn.choice([1, -1, 2])
    if isinstance(value, float):
        return value + drawn.choice([1.0, -1.0, 0.5]) if abs(value) < 1e12 else value / 2
    if isinstance(value, complex):
        return value + 1
    if isinstance(value, str):
        return wrong_text(value, drawn)
    if isinstance(value, bytes):
        return wrong_text(value.decode("latin-1"), drawn).encode("latin-1")
    return wrong_container(value, drawn)


def wrong_text(text, drawn):
    if not text:
        return "x"
    at = drawn.randrange(len(text))
    old = text[at]
    new = chr(ord("a") + (ord(old) + 1) % 26) if old.isalpha() else str((ord(old) + 1) % 10)
    return text[:at] + (new if new != old else "z" if old != "z" else "y") + text[at + 1 :]


def wrong_container(value, drawn):
    if not value:
        return {0: 0} if isinstance(value, dict) else type(value)([0])
    if isinstance(value, dict):
        key = drawn.choice(list(value))
        return {**value, key: wrong(value[key], drawn)}
    elements = list(value)
    at = drawn.randrange(len(elements))
    elements[at] = wrong(elements[at], drawn)
    return type(value)(elements)
