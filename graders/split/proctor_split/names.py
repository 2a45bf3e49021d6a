"""What may be named across the link: special methods, attributes, and things of the standard library."""

import builtins
import importlib

# special methods that a mirror class forwards to the owner of the object
FORWARDED = frozenset(
    "__%s__" % name
    for name in (
        "abs add aenter aexit aiter and anext await bool bytes call ceil complex contains copy deepcopy delitem divmod enter "
        "eq exit float floor floordiv format fspath ge getitem gt hash iadd iand ifloordiv ilshift imatmul imod imul index "
        "int invert ior ipow irshift isub iter itruediv ixor le len length_hint lshift lt matmul missing mod mul ne neg "
        "next or pos pow radd rand rdivmod repr reversed rfloordiv rlshift rmatmul rmod rmul ror round rpow rrshift rshift "
        "rsub rtruediv rxor setitem sizeof str sub truediv trunc xor class_getitem dir get set delete set_name"
    ).split()
)

# of an immutable built-in's subclass the built-in itself decides these, not the candidate
DECIDED_BY_VALUE = frozenset("__%s__" % name for name in "eq ne lt le gt ge hash bool len iter getitem reversed".split())

# and these of its other methods, which tell whether a text or number is what a test expects
DECIDED_BY_BASE = frozenset("startswith endswith count index find rindex rfind issubset issuperset isdisjoint is_integer".split())

# attributes of objects that may be asked for although they look special
PLAIN_SPECIALS = frozenset(
    "__%s__" % name
    for name in (
        "all annotations args attrs_attrs author copyright dataclass_fields dataclass_params dict doc fields members kwdefaults "
        "license match_args module name notes origin parameters path qualname slots text_signature title version wrapped "
        "version_info all_attrs total file package build date credits status email maintainer isabstractmethod"
    ).split()
)

# names that tools in the examiner look for on everything; answering for the candidate would steer the tools
NEVER_ASKED = frozenset(["pytestmark", "pytest_plugins", "load_tests", "_pytestfixturefunction", "setUpClass", "__test__"])


def may_ask(name):
    """Whether the examiner asks the candidate for an attribute of this name."""
    if name in NEVER_ASKED or name.startswith("_pytest") or name.startswith("pytest_"):
        return False
    return not is_special(name) or name in PLAIN_SPECIALS


def is_special(name):
    """Whether a name is of the form __name__."""
    return len(name) > 4 and name.startswith("__") and name.endswith("__")


# standard-library classes and functions that travel by name; none of them runs code given as text or opens anything
_GLOBALS = {
    "builtins": (
        "abs all any ascii bin bool bytearray bytes callable chr classmethod complex dict divmod enumerate filter float "
        "format frozenset hash hex id int isinstance issubclass iter len list map max memoryview min next object oct ord "
        "pow property range repr reversed round set slice sorted staticmethod str sum tuple type zip Ellipsis NotImplemented"
    ),
    "collections": "ChainMap Counter OrderedDict UserDict UserList UserString defaultdict deque",
    "collections.abc": (
        "AsyncGenerator AsyncIterable AsyncIterator Awaitable Callable Collection Container Coroutine Generator Hashable "
        "ItemsView Iterable Iterator KeysView Mapping MappingView MutableMapping MutableSequence MutableSet Reversible "
        "Sequence Set Sized ValuesView"
    ),
    "datetime": "date datetime time timedelta timezone tzinfo",
    "decimal": "Context Decimal",
    "enum": "Enum Flag IntEnum IntFlag auto",
    "fractions": "Fraction",
    "functools": "partial reduce cmp_to_key",
    "io": "BytesIO StringIO TextIOBase RawIOBase BufferedIOBase IOBase",
    "ipaddress": "IPv4Address IPv6Address IPv4Network IPv6Network",
    "itertools": "chain count cycle islice repeat starmap takewhile dropwhile product permutations combinations",
    "logging": "Handler Logger LogRecord Formatter Filter",
    "math": (
        "ceil floor sqrt exp log log10 log2 sin cos tan pow fabs factorial gcd hypot isclose isnan isinf trunc prod fsum"
    ),
    "numbers": "Complex Integral Number Rational Real",
    "operator": (
        "add and_ concat contains countOf eq floordiv ge getitem gt iadd index inv invert is_ is_not le lshift lt matmul mod "
        "mul ne neg not_ or_ pos pow rshift sub truediv truth xor"
    ),
    "os": "PathLike",
    "pathlib": "Path PosixPath PurePath PurePosixPath PureWindowsPath",
    "re": "Match Pattern RegexFlag",
    "string": "Template Formatter",
    "subprocess": "CompletedProcess",
    "threading": "Thread",
    "types": (
        "BuiltinFunctionType CodeType CoroutineType FunctionType GeneratorType LambdaType MappingProxyType MethodType "
        "ModuleType SimpleNamespace TracebackType"
    ),
    "typing": "Any Generic Hashable Sized",
    "uuid": "UUID",
    "argparse": "ArgumentParser Namespace",
    "contextlib": "AbstractContextManager ExitStack",
}

# modules whose exception classes travel by name
_EXCEPTION_MODULES = frozenset(
    "argparse ast asyncio asyncio.exceptions binascii calendar codecs concurrent.futures configparser contextlib copy csv "
    "dataclasses decimal email.errors getopt graphlib gzip html http.client http.cookies inspect io ipaddress json "
    "json.decoder locale lzma netrc pickle plistlib queue re shelve shlex shutil socket sqlite3 ssl statistics string struct "
    "subprocess tarfile tokenize tomllib unicodedata urllib.error uuid weakref xml.etree.ElementTree xml.parsers.expat zipfile "
    "zlib zoneinfo zoneinfo._common concurrent.futures._base _queue _csv re._constants sre_constants threading warnings".split()
)
_NEVER_EXCEPTIONS = frozenset(["KeyboardInterrupt", "BaseExceptionGroup"])

_BY_NAME = {}
_BY_IDENTITY = {}


def _fill():
    for module_name, listed in _GLOBALS.items():
        module = importlib.import_module(module_name)
        for name in listed.split():
            value = getattr(module, name, None)
            if value is not None:
                _BY_NAME[module_name, name] = value
                _BY_IDENTITY.setdefault(id(value), (module_name, name))
    for name in ("NoneType", "EllipsisType", "NotImplementedType"):
        value = type({"NoneType": None, "EllipsisType": Ellipsis, "NotImplementedType": NotImplemented}[name])
        _BY_NAME["types", name] = value
        _BY_IDENTITY[id(value)] = ("types", name)
    for name, value in vars(builtins).items():
        if isinstance(value, type) and issubclass(value, BaseException) and name not in _NEVER_EXCEPTIONS:
            _BY_NAME["builtins", name] = value
            _BY_IDENTITY.setdefault(id(value), ("builtins", name))


_fill()


def global_name(value):
    """(module, name) of a thing of the standard library that travels by name, or None."""
    found = _BY_IDENTITY.get(id(value))
    if found is not None:
        return found
    if isinstance(value, type) and issubclass(value, BaseException):
        module = type.__dict__["__module__"].__get__(value) if type(value) is type else None
        name = value.__name__
        if module in _EXCEPTION_MODULES and _exception(module, name) is value:
            return (module, name)
    return None


def find_global(module, name):
    """The thing of the standard library with this name, or None when it may not travel."""
    found = _BY_NAME.get((module, name))
    if found is None and module in _EXCEPTION_MODULES and type(name) is str:
        found = _exception(module, name)
    return found


def _exception(module, name):
    try:
        value = getattr(importlib.import_module(module), name, None)
    except ImportError:
        return None
    if isinstance(value, type) and issubclass(value, Exception) and isinstance(value.__module__, str):
        top = value.__module__.split(".")[0]
        return None if top in ("unittest", "pytest", "_pytest", "pdb", "bdb") else value
    return None
