"""References: what this side has shown of its own objects, and the stand-ins that it holds for the other side's."""

import types
import weakref

from . import failures, values
from .refused import Refused
from .describe import OPEN_BASES, describe_class, describe_function
from .mirror import (
    INFO,
    KEY,
    ClassInfo,
    Entry,
    ExceptionHandle,
    Handle,
    MirrorMeta,
    Ref,
    RemoteFunction,
    RemoteModule,
    _SLOT,
    class_info,
    make_class,
    ref_of,
)
from .names import find_global, global_name

MOST_CLASSES = 5_000
MOST_STAND_INS = 200_000
MOST_ENTRIES = 400_000
_CALLABLES = (
    *(types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.MethodWrapperType),
    *(types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType),
)
_AWAITABLE_NAMES = ("async_generator_asend", "async_generator_athrow", "async_generator_aclose", "anext_awaitable")
_NOT_CARRIED = (types.FrameType, types.CodeType)


class Refs:
    """Both tables. Numbers name objects of the side that shows them, and are used once."""

    def __init__(self, peer):
        self.peer = peer
        self.codec = None
        self._next = 1
        self.handing = True
        self._entries_made = 0
        self._shown = {}
        self._numbers = {}
        self._described = set()
        self._describing = []
        self._classes = {}
        self._by_origin = {}
        self._modules = weakref.WeakValueDictionary()
        self._known = weakref.WeakValueDictionary()
        self._kept = {}
        self._coroutines = weakref.WeakKeyDictionary()

    # what this side shows

    def export(self, value):
        """The number of an object of this side; it is kept until the other side lets go of it."""
        known = self._numbers.get(id(value))
        if known is None:
            known = self._next
            self._next += 1
            self._numbers[id(value)] = known
            self._shown[known] = [value, 0, False]
        entry = self._shown[known]
        entry[1] += 1
        entry[2] = entry[2] or self.handing
        return known

    def is_handed(self, value):
        """Whether an object of this side was handed over by the tests themselves: in a question, or by what their code answered."""
        entry = self._shown.get(self._numbers.get(id(value)))
        return entry is not None and entry[0] is value and entry[2]

    def shown(self, number):
        """The object of this side with a number; raises KeyError for one that was never shown."""
        return self._shown[number][0]

    def release(self, number, count):
        """The other side needs it no longer, having received it so many times."""
        entry = self._shown.get(number)
        if entry is None:
            return
        entry[1] -= count
        if entry[1] <= 0:
            del self._shown[number]
            self._numbers.pop(id(entry[0]), None)
            self._described.discard(number)

    def settle(self):
        """The message that described classes was sent."""
        self._describing.clear()

    def described_so_far(self):
        """How many classes this message has described, for `undo`."""
        return len(self._describing)

    def undo(self, since=0):
        """It was not, or not this part of it: the classes are still to be described."""
        self._described.difference_update(self._describing[since:])
        del self._describing[since:]

    def encode(self, value):
        """The form of something that does not travel by value."""
        ref = ref_of(value)
        if ref is None and type(value) is types.CoroutineType:
            ref = self._coroutines.get(value)
        if ref is not None:
            return self._encode_theirs(ref)
        if isinstance(value, type):
            return self._encode_class(value)
        if isinstance(value, Entry):
            if value.raw is not None:
                return self._encode_theirs(value.raw)
            return ["cm", self._encode_theirs(value.info.ref)[1], value.name]
        if isinstance(value, Ref):
            return self._encode_theirs(value)
        if isinstance(value, BaseException):
            ref = vars(value).get(KEY)
            return ["r", ref.number] if ref is not None and ref.epoch == self.peer.epoch else failures.encode(self, value)
        if isinstance(value, types.TracebackType):
            return None
        if isinstance(value, _NOT_CARRIED):
            raise Refused("a %s is not carried" % type(value).__name__)
        if isinstance(value, types.ModuleType):
            return self._encode_module(value)
        if type(value) is types.MethodType and ref_of(value.__self__) is not None and isinstance(value.__func__, Entry):
            return ["bm", self.encode(value.__self__), value.__func__.name]
        if isinstance(value, _CALLABLES):
            return ["F", self.export(value), describe_function(value)]
        if isinstance(value, types.CoroutineType) or type(value).__name__ in _AWAITABLE_NAMES:
            return ["co", self.export(value), type(value).__name__]
        return self._encode_instance(value)

    def _encode_theirs(self, ref):
        if ref.epoch != self.peer.epoch:
            self.peer.find_again(ref)
        ahead = ref.ahead
        if ahead is not None and (ahead.items or ahead.ended):
            items, ahead.items, ahead.ended = ahead.items[::-1], [], False
            return ["ru", ref.number, [self.codec.encode(item) for item in items]]
        return ["r", ref.number]

    def _encode_class(self, cls):
        info = class_info(cls)
        if info is not None:
            form = self._encode_theirs(info.ref)
            self._classes[info.ref.number] = cls
            return form
        number = self.export(cls)
        if number in self._described:
            return ["C", number]
        self._described.add(number)
        self._describing.append(number)
        return ["C", number, describe_class(cls, self.codec.encode)]

    def _encode_module(self, module):
        if self.peer.owns_module(module.__name__):
            return ["M", self.export(module), module.__name__]
        raise Refused("the module %s is not carried" % module.__name__)

    def _encode_instance(self, value):
        cls = type(value)
        base = values.base_of(cls)
        if base is None:
            return ["h", self.export(value), self._encode_class(cls)]
        return ["v", self.export(value), self._encode_class(cls), self.codec.encode(values.plain(base, value))]

    # what the other side shows

    def known(self, number):
        """The stand-in for a number, if there is one."""
        found = self._known.get(number)
        return found if found is not None else self._kept.get(number)

    def adopt(self, value, number):
        """Makes an exception the stand-in for a number."""
        ref = Ref(self.peer, number)
        ref.count = 1
        vars(value)[KEY] = ref
        try:
            self._known[number] = value
        except TypeError:
            self._keep(number, value)

    def decode(self, form):
        """The stand-in, or the object of this side, that a form names."""
        return _READERS[form[0]](self, *form[1:])

    def bind_class(self, info, number, cls):
        """A class derived here has been made by the other side too, under this number."""
        info.ref.number, info.ref.count, info.ref.epoch = number, 1, self.peer.epoch
        self._classes[number] = cls

    def forget_theirs(self):
        """The other side is a new process: nothing that it had is there."""
        self._classes.clear()
        self._known.clear()
        self._kept.clear()
        self._shown.clear()
        self._numbers.clear()
        self._described.clear()

    def _keep(self, number, value):
        self._kept[number] = value
        if len(self._kept) > 4_096:
            del self._kept[next(iter(self._kept))]

    def _own(self, number):
        return self.shown(number)

    def _unread(self, number, items):
        return self.peer.put_back(number, [self.codec.decode(item) for item in items])

    def _class_entry(self, number, name):
        if self.peer.tests is not None:
            raise ValueError("an entry of a class of the tests")
        return getattr(self.shown(number), name)

    def _bound(self, form, name):
        if self.peer.tests is None:
            return getattr(self.codec.decode(form), name)
        if type(form) is not list or form[0] != "r":
            raise ValueError("a method of something that was not shown")
        try:
            return self.peer.bound_method(self.shown(form[1]), name)
        except AttributeError as error:
            raise Refused(str(error)) from None

    def _class(self, number, told=None):
        cls = self._classes.get(number)
        if cls is None:
            if len(self._classes) > MOST_CLASSES:
                raise ValueError("too many classes")
            cls = self._make_class(number, _checked(told))
        elif class_info(cls) is not None:
            class_info(cls).ref.count += 1
        return cls

    def _make_class(self, number, told):
        origin = (told["m"], told["q"], told["k"])
        bases = tuple(dict.fromkeys(self.codec.decode(base) for base in told["b"]))
        if not all(isinstance(base, type) for base in bases):
            raise ValueError("a base that is no class")
        if self.peer.tests is not None:  # a class of the tests, or one that does things, would lend its methods
            bases = tuple(base for base in bases if isinstance(base, MirrorMeta) or _may_be_base(base))
        bases = tuple(base for base in bases if not any(base in other.__mro__[1:] for other in bases))
        known = self._by_origin.get(origin)
        if known is not None and class_info(known).ref.epoch != self.peer.epoch and class_info(known).kind == told["k"]:
            ref = class_info(known).ref
            ref.number, ref.count, ref.epoch = number, 1, self.peer.epoch
            self._classes[number] = known
            return known
        ref = Ref(self.peer, number, origin[:2])
        ref.count = 1
        ref.extra = self._claimed(told)
        self._entries_made += len(told["e"])
        if self._entries_made > MOST_ENTRIES:
            raise ValueError("too many entries of classes")
        cls = make_class(ClassInfo(ref, told, told["k"]), bases)
        self._classes[number] = cls
        self._by_origin[origin] = cls
        for mixin in map(self.codec.decode, told["r"]):
            if isinstance(mixin, MirrorMeta):
                mixin.register(cls)
        return cls

    def _claimed(self, told):
        base = find_global(*told["c"]) if told["c"] else None
        if not isinstance(base, type):
            return None
        if told["n"] == base.__name__ or type(base) is not type:
            return base
        try:
            return type(told["n"], (base,), {"__module__": told["m"]})
        except TypeError:
            return base

    def _handle(self, number, cls_form, hashed=None):
        value = self.known(number)
        if value is not None:
            _SLOT.__get__(value).count += 1
            self.codec.decode(cls_form)
            return value
        cls = self.codec.decode(cls_form)
        if not issubclass(cls, Handle) or len(self._known) > MOST_STAND_INS:
            raise ValueError("not a class of handles")
        value = object.__new__(cls)
        ref = self._new_ref(number)
        ref.hash = None if hashed is None else int(hashed, 16)
        _SLOT.__set__(value, ref)
        self._known[number] = value
        return value

    def _value(self, number, cls_form, plain_form):
        cls = self.codec.decode(cls_form)
        plain = self.codec.decode(plain_form)
        value = self.known(number)
        if value is not None:
            ref_of(value).count += 1
            return value
        base = values.base_of(cls)
        if base is None or type(plain) is not base:
            raise ValueError("a value of another class")
        value = values.make(base, cls, plain)
        object.__getattribute__(value, "__dict__")[KEY] = self._new_ref(number)
        try:
            self._known[number] = value
        except TypeError:
            self._keep(number, value)
        return value

    def _function(self, number, told):
        value = self.known(number)
        if value is not None:
            ref_of(value).count += 1
            return value
        if len(told) != 5 or not all(part is None or type(part) is str for part in told):
            raise ValueError("not a function")
        ref = self._new_ref(number)
        if told[1] and told[2] and "<" not in told[1]:
            ref.origin = (told[2], told[1])
        value = RemoteFunction(ref, told)
        self._known[number] = value
        return value

    def _module(self, number, name):
        value = self.known(number)
        if value is not None:
            ref_of(value).count += 1
            return value
        value = self._modules.get(name)
        if value is not None and value.__dict__[KEY].epoch != self.peer.epoch:
            ref = value.__dict__[KEY]
            ref.number, ref.count, ref.epoch = number, 1, self.peer.epoch
            self._known[number] = value
            return value
        value = self._modules[name] = RemoteModule(name)
        ref = self._new_ref(number)
        ref.origin = (name, "")
        value.__dict__[KEY] = ref
        self._known[number] = value
        return value

    def _coroutine(self, number, name):
        ref = self._new_ref(number)

        async def remote_coroutine():
            return self.peer.request("run", ref)

        coroutine = remote_coroutine()
        self._coroutines[coroutine] = ref
        return coroutine

    def _new_ref(self, number):
        if type(number) is not int:
            raise ValueError("not a number of an object")
        ref = Ref(self.peer, number)
        ref.count = 1
        return ref


def _may_be_base(base):
    return base in OPEN_BASES or base in values.VALUE_BASES or (issubclass(base, BaseException) and global_name(base) is not None)


def _checked(told):
    """A description in which everything is of the right type; raises ValueError."""
    texts = [told["n"], told["q"], told["m"]]
    entries = told["e"]
    right = (
        all(type(text) is str and len(text) < 1_000 for text in texts)
        and told["k"] in ("o", "v", "x")
        and all(type(entry) is list and 2 <= len(entry) <= 3 and type(entry[0]) is str for entry in entries)
        and all(entry[1] != "n" or type(entry[2]) is int for entry in entries)
        and not any(entry[0] in (INFO, KEY, "_ref", "__slots__", "__dict__", "__class__") for entry in entries)
        and all(type(name) is str for name in told["t"])
        and type(told["r"]) is list
        and len(entries) <= 2_000
    )
    if not right:
        raise ValueError("not a description of a class")
    return told


_READERS = {
    "r": Refs._own,
    "ru": Refs._unread,
    "cm": Refs._class_entry,
    "bm": Refs._bound,
    "C": Refs._class,
    "h": Refs._handle,
    "v": Refs._value,
    "F": Refs._function,
    "M": Refs._module,
    "co": Refs._coroutine,
    "e": lambda refs, *form: failures.decode(refs, ["e", *form]),
}
