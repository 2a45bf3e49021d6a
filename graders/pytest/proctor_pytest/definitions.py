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
    "contextlib.contextmanager dataclasses.dataclass pytest.fixture staticmethod classmethod abc.abstractmethod functools.cache".split()
)
# of the standard library's state, what is the same in every process of one interpreter
_OF_SYS = frozenset("sys.%s" % name for name in "version_info platform maxsize byteorder float_info implementation hexversion".split())
# functions of these names are run when a class is made, or when somebody looks at what a file or a class holds
_RUN_WHEN_READ = frozenset(
    "__init_subclass__ __set_name__ __class_getitem__ __mro_entries__ __getattr__ __getattribute__ __dir__ __class__ __get__".split()
)
# pytest calls what it is given for these while it collects
_CALLED_AT_ONCE = 2  # of the arguments by place, from this one on
_NOT_CALLED = frozenset(("argnames", "argvalues"))
_PARTS = (ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Starred)
_PARTS += (ast.Subscript, ast.Slice, ast.JoinedStr, ast.FormattedValue, ast.keyword, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context)
OWN = "own"  # a value of the suite's
CODE = "code"  # what may be a function or a class of the suite's
THEIRS = "theirs"


def only_defines(text, theirs, beside):
    """`text` is the file as it is, in bytes; `theirs` are the top-level names that the artifact provides, `beside` those of the suite's own files."""
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
        elif not (kind is ast.Pass or (kind is ast.Expr and type(node.value) is ast.Constant) or self._is_not_run(node)):
            raise _Runs

    def _import(self, node):
        if type(node) is ast.Import:
            for alias in node.names:
                what = self._module(alias.name)
                self._define(alias.asname or alias.name.split(".")[0], what if alias.asname is None or what in (CODE, THEIRS) else alias.name)
            return
        if node.module == "__future__":
            self._annotated = self._annotated and all(alias.name != "annotations" for alias in node.names)
            return
        what = CODE if node.level else self._module(node.module)
        for alias in node.names:
            if alias.name == "*":
                raise _Runs
            self._define(alias.asname or alias.name, what if what in (CODE, THEIRS) else "%s.%s" % (node.module, alias.name))

    def _module(self, name):
        top = name.split(".")[0]
        if top in self._theirs:
            return THEIRS
        if top in self._beside:
            return CODE
        if top == "pytest" or top in sys.stdlib_module_names:
            return top
        raise _Runs

    def _define(self, name, what=OWN):
        """pytest reads some names of a file, and the interpreter others."""
        if name.startswith(("pytest_", "__")) and name not in ("__test__", "__all__") or (what == THEIRS and _is_read_by_pytest(name)):
            raise _Runs
        self._names[name] = what

    def _function(self, node):
        if node.name in _RUN_WHEN_READ:
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
            self._define(node.name, CODE)

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
        self._define(node.name, CODE)

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
        is_code = any(type(part) is ast.Name and self._names.get(part.id) == CODE for part in ast.walk(node.value or node.target))
        if type(node) is ast.AnnAssign and self._annotated:
            self._value(node.annotation)
        for target in node.targets if type(node) is ast.Assign else [node.target]:
            for name in target.elts if type(target) is ast.Tuple else [target]:
                if type(name) is not ast.Name:
                    raise _Runs
                self._define(name.id, CODE if is_code else OWN)

    def _is_not_run(self, node):
        """`if __name__ == "__main__":` or `if TYPE_CHECKING:`, of which nothing runs."""
        if type(node) is not ast.If or node.orelse:
            return False
        if type(node.test) in (ast.Name, ast.Attribute):
            return self._dotted(node.test) == "typing.TYPE_CHECKING"
        return ast.unparse(node.test) == "__name__ == '__main__'"

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
            if not _may_be_read(self._dotted(node)):
                raise _Runs
        elif kind is ast.Name:
            known = self._names.get(node.id)
            if known is None and node.id not in _BUILTINS | _ERRORS:
                raise _Runs
            if known == THEIRS or (known not in (None, OWN, CODE) and not _may_be_read(known)):
                raise _Runs
        elif isinstance(node, _PARTS):
            for child in ast.iter_child_nodes(node):
                self._value(child)
        else:
            raise _Runs

    def _given(self, call):
        for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
            self._value(argument)
        called = [*call.args[_CALLED_AT_ONCE:], *(keyword.value for keyword in call.keywords if keyword.arg not in _NOT_CALLED)]
        if any(type(argument) in (ast.Name, ast.Starred) and self._is_code(argument) for argument in called):
            raise _Runs

    def _is_code(self, node):
        return type(node) is ast.Starred or self._names.get(node.id) == CODE

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
        if known in (None, OWN, CODE, THEIRS):
            raise _Runs
        return ".".join([known, *reversed(rest)])


def _may_be_read(dotted):
    root = dotted.split(".")[0]
    return root in _ROOTS and (root != "sys" or ".".join(dotted.split(".")[:2]) in _OF_SYS)


def _is_read_by_pytest(name):
    return name.lower().startswith(("pytest", "setup", "teardown", "load_tests"))
