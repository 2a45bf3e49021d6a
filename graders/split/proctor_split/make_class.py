"""Makes a mirror class out of the description that its owner gave."""

from .entries import MirrorAttribute, MirrorClassMethod, MirrorMethod, MirrorStatic
from .iterate import next_item
from .mirror import ExceptionHandle, Handle, MirrorMeta, ValueHandle, reference
from .names import DECIDED_BY_BASE, DECIDED_BY_VALUE, FORWARDED, is_special
from .ref import INFO, class_info
from .word import BINARY, decide_by_number, decide_contains, decide_equal, decide_order

_ORDER = ("__lt__", "__le__", "__gt__", "__ge__")


def make_class(info, bases):
    """The mirror class of a description that was checked; `bases` are local classes."""
    told, kind = info.told, info.kind
    root = {"o": Handle, "v": ValueHandle, "x": ExceptionHandle}[kind]
    if not any(issubclass(base, root) for base in bases):
        bases = (root, *bases) if kind != "v" else (*[b for b in bases if isinstance(b, MirrorMeta)], root, *[
            b for b in bases if not isinstance(b, MirrorMeta)])
    namespace = {"__module__": told["m"], "__qualname__": told["q"], INFO: info}
    if kind == "o":
        namespace["__slots__"] = ()
    for name, sort, *rest in told["e"]:
        if kind == "v" and name in DECIDED_BY_BASE:
            continue
        if not is_special(name) or (name in FORWARDED and not (kind == "v" and name in DECIDED_BY_VALUE)):
            namespace[name] = _make_entry(info, name, sort, rest)
    namespace["__doc__"] = MirrorAttribute(info, "__doc__")
    for name in ("__init__", "__new__"):
        namespace[name] = _construction(info, name)
    if told["#"] == 0:
        namespace["__hash__"] = None
    elif told["#"] == 2 and kind == "o":
        namespace["__hash__"] = _hash
    elif told["#"] == 1 and kind == "o":
        namespace["__hash__"] = object.__hash__
    if told["c"] == ["builtins", "list"] and "__radd__" not in namespace:
        namespace["__radd__"] = _joined  # a list takes the members of a list only from the inside
    if any(name == "__next__" for name, *_ in told["e"]):
        namespace["__copy__"] = property(_no_copy)  # itertools.tee copies what can be copied, instead of reading it once
    if info.ref.extra is not None:
        namespace["__class__"] = property(lambda self, claimed=info.ref.extra: claimed)
    try:
        return _meta_for(info, bases)(told["n"], bases, namespace, told=told)
    except TypeError:  # bases that do not go together here: those of the other side's own are what matters
        bases = tuple(base for base in bases if isinstance(base, MirrorMeta) or kind != "o")
        return _meta_for(info, bases)(told["n"], bases, namespace, told=told)


def _make_entry(info, name, sort, rest):
    if is_special(name):
        return _special(info, name)
    if sort == "n":
        return property(lambda self, index=rest[0]: tuple.__getitem__(self, index))
    kinds = {"f": MirrorMethod, "c": MirrorClassMethod, "s": MirrorStatic}
    return kinds.get(sort, MirrorAttribute)(info, name)


def _special(info, name):
    peer, cls = info.peer, info.ref

    def forward(*args, **keywords):
        return peer.request("from", cls, name, args, keywords)

    if name == "__class_getitem__":
        return classmethod(lambda owner, item: peer.request("fromclass", cls, name, owner, (item,), {}))
    if name == "__eq__":
        return lambda self, other: decide_equal(peer, self, other, lambda: _by_value(peer, cls, name, self, other))
    if name == "__ne__":
        return lambda self, other: _inverted(type(self).__eq__(self, other))
    if name in _ORDER:
        return lambda self, other: decide_order(peer, other, lambda: _by_value(peer, cls, name, self, other))
    if name == "__contains__":
        return lambda self, item: decide_contains(peer, self, item, lambda: _by_value(peer, cls, name, self, item))
    if name in BINARY:
        return lambda self, *others: decide_by_number(peer, others, lambda: forward(self, *others))
    if name == "__next__":
        return lambda self: next_item(reference(self), lambda count: peer.request("next", self, count))
    if name == "__await__":
        return lambda self: _await(peer, self)
    return forward


def _by_value(peer, cls, name, *args):
    """Operands of a comparison are shown as values, not shared: the owner must not be able to change them afterwards."""
    peer.codec.keep = False
    try:
        return peer.request("from", cls, name, args, {})
    finally:
        peer.codec.keep = True


def _joined(self, other):
    return other + list(self) if type(other) is list else NotImplemented


def _no_copy(self):
    raise AttributeError("__copy__")


def _await(peer, awaited):
    return peer.request("run", awaited)
    yield


def _inverted(result):
    return result if result is NotImplemented else not result


def _hash(self):
    ref = reference(self)
    if ref.hash is None:
        value = ref.peer.request("hash", self)
        if type(value) is not int:
            raise TypeError("__hash__ method should return an integer")
        ref.hash = value
    return ref.hash


def _construction(info, name):
    peer, cls = info.peer, info.ref

    def construct(*args, **keywords):
        return peer.request("from", cls, name, args, keywords)

    return construct


_METAS = {}


def _meta_for(info, bases):
    """The metaclass: one that also forwards what the owner's metaclass gives its classes."""
    names = tuple(name for name in info.told["t"] if name in FORWARDED)
    metas = []
    for base in bases:
        if isinstance(base, MirrorMeta) and type(base) not in metas:
            metas.append(type(base))
    metas = [meta for meta in metas if not any(other is not meta and issubclass(other, meta) for other in metas)] or [MirrorMeta]
    missing = tuple(name for name in names if not any(name in vars(k) for meta in metas for k in meta.__mro__[:-3]))
    if not missing and len(metas) == 1:
        return metas[0]
    key = (tuple(metas), missing)
    if key not in _METAS:
        _METAS[key] = type("MirrorMeta", tuple(metas), {name: _meta_method(name) for name in missing})
        if "__eq__" in missing:
            _METAS[key].__hash__ = type.__hash__
    return _METAS[key]


def _meta_method(name):
    def forward(cls, *args):
        info = class_info(cls)
        if info is None:
            return NotImplemented
        if name == "__eq__" and (args[0] is cls or not isinstance(args[0], MirrorMeta)):
            return args[0] is cls
        return info.peer.request("tm", cls, name, args)

    return forward
