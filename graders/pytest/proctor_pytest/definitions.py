"""Whether a test file only defines things when it is imported.

Such a file may be imported before there is a candidate: nothing in it runs then, draws, reads a clock or an environment, and
the artifact's names are brought in but not used. The check is of the text and errs on the side of no.
"""

import ast
import sys

# what an expression that runs at import may read of the standard library, and what it may call
_ROOTS = frozenset(
    "abc collections contextlib dataclasses datetime decimal fractions functools math numbers pathlib pytest re string sys types typing unittest".split()
)
_CALLS = frozenset(
    """collections.Counter collections.OrderedDict collections.deque collections.namedtuple datetime.date datetime.datetime datetime.time
    datetime.timedelta datetime.timezone decimal.Decimal fractions.Fraction pathlib.Path pathlib.PurePath pathlib.PurePosixPath pytest.fixture
    pytest.param re.compile typing.TypeVar""".split()
)
_BUILTINS = frozenset("bool bytes bytearray complex dict float frozenset int list object range set str tuple".split())
_ERRORS = frozenset(name for name, value in vars(__import__("builtins")).items() if isinstance(value, type) and issubclass(value, BaseException))
_DECORATORS = frozenset(
    "contextlib.contextmanager dataclasses.dataclass pytest.fixture staticmethod classmethod property abc.abstractmethod functools.cache".split()
)
_RUN_BY_CLASSES = frozenset(("__init_subclass__", "__set_name__", "__class_getitem__", "__mro_entries__"))
_PARTS = (ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Starred)
_PARTS += (ast.Subscript, ast.Slice, ast.JoinedStr, ast.FormattedValue, ast.keyword, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)
OWN = "own"
THEIRS = "theirs"


def only_defines(text, theirs, beside):
    """`theirs` are the top-level names that the artifact provides, `beside` those of the suite's own files."""
    try:
        tree = ast.parse(text)
        _Reader(frozenset(theirs), frozenset(beside)).module(tree)
    except (_Runs, SyntaxError, ValueError, RecursionError):
        return False
    return True


class _Runs(Exception):
    """Something would run."""


class _Reader:
    def __init__(self, theirs, beside):
        self._theirs, self._beside = theirs, beside
        self._names = {}  # what each name of the file stands for: a dotted name of the standard library, OWN or THEIRS
        self._annotated = True

    def module(self, tree):
        for statement in tree.body:
            self._statement(statement, in_class=False)

    def _statement(self, node, in_class):
        kind = type(node)
        if kind in (ast.Import, ast.ImportFrom) and not in_class:
            self._import(node)
        elif kind in (ast.FunctionDef, ast.AsyncFunctionDef):
            self._function(node)
        elif kind is ast.ClassDef:
            self._class(node)
        elif kind in (ast.Assign, ast.AnnAssign):
            self._assignment(node)
        elif not (kind is ast.Pass or (kind is ast.Expr and type(node.value) is ast.Constant) or _is_for_scripts(node)):
            raise _Runs

    def _import(self, node):
        if type(node) is ast.Import:
            for alias in node.names:
                what = self._module(alias.name)
                self._define(alias.asname or alias.name.split(".")[0], what if alias.asname is None or what in (OWN, THEIRS) else alias.name)
            return
        if node.module == "__future__":
            self._annotated = self._annotated and all(alias.name != "annotations" for alias in node.names)
            return
        what = OWN if node.level else self._module(node.module)
        for alias in node.names:
            if alias.name == "*":
                raise _Runs
            self._define(alias.asname or alias.name, what if what in (OWN, THEIRS) else "%s.%s" % (node.module, alias.name))

    def _module(self, name):
        top = name.split(".")[0]
        if top in self._theirs:
            return THEIRS
        if top in self._beside:
            return OWN
        if top == "pytest" or top in sys.stdlib_module_names:
            return top
        raise _Runs

    def _define(self, name, what=OWN):
        """pytest reads some names of a file, and the interpreter others."""
        if name.startswith(("pytest_", "__")) and name not in ("__test__", "__all__") or (what == THEIRS and _is_read_by_pytest(name)):
            raise _Runs
        self._names[name] = what

    def _function(self, node):
        if node.name in _RUN_BY_CLASSES:
            raise _Runs
        self._decorators(node)
        given = node.args
        for value in (*given.defaults, *given.kw_defaults):
            self._value(value)
        if self._annotated:
            for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg):
                self._value(argument and argument.annotation)
            self._value(node.returns)
        if not node.name.startswith("__"):
            self._define(node.name)

    def _class(self, node):
        self._decorators(node)
        for base in node.bases:
            self._value(base)
        if node.keywords or any(type(one) in (ast.Global, ast.Nonlocal) for one in node.body):
            raise _Runs
        outside = dict(self._names)
        for statement in node.body:
            self._statement(statement, in_class=True)
        self._names = outside
        self._define(node.name)

    def _decorators(self, node):
        for decorator in node.decorator_list:
            called = decorator.func if type(decorator) is ast.Call else decorator
            name = self._dotted(called)
            if name not in _DECORATORS and not name.startswith("pytest.mark."):
                raise _Runs
            if type(decorator) is ast.Call:
                self._given(decorator)

    def _assignment(self, node):
        self._value(node.value)
        if type(node) is ast.AnnAssign and self._annotated:
            self._value(node.annotation)
        for target in node.targets if type(node) is ast.Assign else [node.target]:
            for name in target.elts if type(target) is ast.Tuple else [target]:
                if type(name) is not ast.Name:
                    raise _Runs
                self._define(name.id)

    def _value(self, node):
        """An expression that is worked out at import."""
        if node is None:
            return
        kind = type(node)
        if kind is ast.Call:
            name = self._dotted(node.func)
            if name not in _CALLS and name not in _BUILTINS and not name.startswith("pytest.mark."):
                raise _Runs
            self._given(node)
        elif kind is ast.Attribute:
            if self._dotted(node).split(".")[0] not in _ROOTS:
                raise _Runs
        elif kind is ast.Name:
            known = self._names.get(node.id)
            if known == THEIRS or (known is None and node.id not in _BUILTINS | _ERRORS) or (known not in (None, OWN) and known.split(".")[0] not in _ROOTS):
                raise _Runs
        elif kind in _PARTS or isinstance(node, _PARTS):
            for child in ast.iter_child_nodes(node):
                self._value(child)
        else:
            raise _Runs

    def _given(self, call):
        for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
            self._value(argument)

    def _dotted(self, node):
        """What a name of the standard library is called there, in full; nothing else has one."""
        rest = []
        while type(node) is ast.Attribute:
            rest.append(node.attr)
            node = node.value
        if type(node) is not ast.Name:
            raise _Runs
        known = self._names.get(node.id)
        if known is None and not rest and node.id in _BUILTINS | _DECORATORS:
            return node.id
        if known in (None, OWN, THEIRS):
            raise _Runs
        return ".".join([known, *reversed(rest)])


def _is_read_by_pytest(name):
    return name.lower().startswith(("pytest", "setup", "teardown", "load_tests"))


def _is_for_scripts(node):
    """`if __name__ == "__main__":` or `if TYPE_CHECKING:`, of which nothing runs."""
    if type(node) is not ast.If or node.orelse:
        return False
    return ast.unparse(node.test) in ("__name__ == '__main__'", "TYPE_CHECKING", "typing.TYPE_CHECKING")
