"""Exceptions across the link: real exceptions on both sides, with the classes that the owner's have."""

from .mirror import ExceptionHandle, MirrorMeta, reference
from .names import global_name
from .ref import KEY
from .refused import Refused

MESSAGE_LENGTH = 100_000
CHAIN = 3
_ATTRIBUTES = 30
TEXT = "\0text"
_ARGS = BaseException.args  # a stand-in's own __setattr__ would ask the owner


def prepare(error, chain=CHAIN):
    """Reads an exception's text while its own code may run freely, before it is carried."""
    while error is not None and chain >= 0:
        if KEY not in vars(error):
            vars(error)[TEXT] = text_of(error)
        error, chain = error.__cause__, chain - 1


def told_as(error, value):
    """What is told when a value or an exception could not be carried."""
    if isinstance(value, BaseException):
        return RuntimeError("%s: %s" % (type(value).__name__, error))
    return Refused(str(error))


def encode(refs, error, chain=CHAIN):
    """The form of an exception of this side."""
    keep, refs.codec.keep = refs.codec.keep, False
    try:
        return _encode(refs, error, chain)
    finally:
        refs.codec.keep = keep


def _encode(refs, error, chain):
    encoder = refs.codec.encode
    cls = type(error)
    named = global_name(cls)
    if named is None and not issubclass(cls, Exception) and not issubclass(cls, (SystemExit, GeneratorExit)):
        named, cls = ("builtins", "RuntimeError"), RuntimeError
    cause = error.__cause__
    text = vars(error).get(TEXT)
    return [
        "e",
        refs.export(error),
        ["g", *named] if named is not None else encoder(cls),
        [_safely(refs, argument) for argument in error.args],
        text if text is not None else text_of(error),
        None if cause is None or chain == 0 else _encode_cause(refs, cause, chain),
        bool(error.__suppress_context__),
        _plain_attributes(refs, error) if named is not None else [],
    ]


def _encode_cause(refs, cause, chain):
    ref = reference(cause) if isinstance(type(cause), MirrorMeta) else None
    return ["r", ref.number] if ref is not None else encode(refs, cause, chain - 1)


def decode(refs, form):
    """The exception of a form, the same object for the same exception; raises ValueError and the like on a bad form."""
    _, number, cls_form, arguments, text, cause, suppress, attributes = form
    cls = refs.codec.decode(cls_form)
    if not isinstance(cls, type) or not issubclass(cls, BaseException) or type(text) is not str:
        raise ValueError("not an exception")
    args = tuple([refs.codec.decode(argument) for argument in arguments])
    error = refs.known(number)
    if error is None or type(error) is not cls:
        error = _make(cls, args)
        refs.adopt(error, number)
    else:
        _ARGS.__set__(error, args)
        vars(error)[KEY].count += 1
    vars(error)[KEY].extra = text
    for name, value in attributes[:_ATTRIBUTES]:
        if type(name) is str and not name.startswith("__"):
            _set(error, name, refs.codec.decode(value))
    error.__cause__ = None if cause is None else refs.codec.decode(cause)
    error.__suppress_context__ = suppress is True
    return error


def text_of(error):
    """str() of an exception, whatever its __str__ does."""
    try:
        text = str(error)
    except Exception:
        return ""
    return text[:MESSAGE_LENGTH] if type(text) is str else ""


def _make(cls, args):
    try:
        if issubclass(cls, ExceptionHandle):
            return _built_in(cls).__new__(cls, *args)
        return cls(*args)
    except Exception:
        error = _built_in(cls).__new__(cls)
        _ARGS.__set__(error, args)
        return error


def _built_in(cls):
    """The exception of Python's own that makes the objects of a class: OSError's are not made by BaseException."""
    return next(base for base in cls.__mro__ if not isinstance(base, MirrorMeta))


def _set(error, name, value):
    try:
        object.__setattr__(error, name, value)
    except (AttributeError, TypeError):
        pass


def _plain_attributes(refs, error):
    """What a built-in or standard exception holds beside its arguments: a file name, the place of a syntax error."""
    names = [name for name in vars(error) if name not in (KEY, TEXT)]
    names += [name for name in ("filename", "filename2", "name", "path", "msg", "lineno", "offset", "text", "code") if
              hasattr(type(error), name)]
    return [[name, _safely(refs, getattr(error, name, None))] for name in names[:_ATTRIBUTES]]


def _safely(refs, value):
    described = refs.described_so_far()
    try:
        return refs.codec.encode(value)
    except TypeError:
        refs.undo(described)
        return repr(type(value))
