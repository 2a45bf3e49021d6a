"""References: what this side has shown of its own objects, and the stand-ins that it holds for the other side's."""

import types
import weakref

from . import failures, values
from .describe import describe_class, describe_function
from .entries import Entry
from .mirror import SLOT, Handle
from .ref import KEY, Ref, class_info
from .refused import Refused
from .remote import RemoteFunction, RemoteModule, ref_of
from .shown import Shown
from .their_classes import TheirClasses

MOST_STAND_INS = 200_000
MOST_KEPT = 4_096
_CALLABLES = (
    *(types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.MethodWrapperType),
    *(types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType),
)
_AWAITABLE_NAMES = ("async_generator_asend", "async_generator_athrow", "async_generator_aclose", "anext_awaitable")
_NOT_CARRIED = (types.FrameType, types.CodeType)


class Refs(Shown, TheirClasses):
    """Both tables: what this side has shown, and the stand-ins that it holds."""

    def __init__(self, peer):
        Shown.__init__(self)
        TheirClasses.__init__(self)
        self.peer = peer
        self.codec = None
        self._modules = weakref.WeakValueDictionary()
        self._known = weakref.WeakValueDictionary()
        self._kept = {}
        self._coroutines = weakref.WeakKeyDictionary()

    # what this side shows

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
        return ["C", number, describe_class(cls, self.codec.encode)] if self.describes(number) else ["C", number]

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
        vars(value)[KEY] = Ref(self.peer, number)
        self._hold(number, value)

    def decode(self, form):
        """The stand-in, or the object of this side, that a form names."""
        return _READERS[form[0]](self, *form[1:])

    def forget_theirs(self):
        """The other side is a new process: nothing that it had is there."""
        self._classes.clear()
        self._known.clear()
        self._kept.clear()
        self.forget()

    def _hold(self, number, value):
        """Keeps a stand-in for as long as anybody here has it; what has no weak references, while it is among the last."""
        try:
            self._known[number] = value
        except TypeError:
            self._kept[number] = value
            if len(self._kept) > MOST_KEPT:
                del self._kept[next(iter(self._kept))]

    def _received(self, number):
        """The stand-in that is here already for what comes once more, or None."""
        value = self.known(number)
        if value is not None:
            ref_of(value).count += 1
        return value

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

    def _handle(self, number, cls_form, hashed=None):
        cls = self.codec.decode(cls_form)
        value = self._received(number)
        if value is not None:
            return value
        if not issubclass(cls, Handle) or len(self._known) > MOST_STAND_INS:
            raise ValueError("not a class of handles")
        value = object.__new__(cls)
        ref = self._new_ref(number)
        ref.hash = None if hashed is None else int(hashed, 16)
        SLOT.__set__(value, ref)
        self._known[number] = value
        return value

    def _value(self, number, cls_form, plain_form):
        cls = self.codec.decode(cls_form)
        plain = self.codec.decode(plain_form)
        value = self._received(number)
        if value is not None:
            return value
        base = values.base_of(cls)
        if base is None or type(plain) is not base:
            raise ValueError("a value of another class")
        value = values.make(base, cls, plain)
        object.__getattribute__(value, "__dict__")[KEY] = self._new_ref(number)
        self._hold(number, value)
        return value

    def _function(self, number, told):
        value = self._received(number)
        if value is not None:
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
        value = self._received(number)
        if value is not None:
            return value
        value = self._modules.get(name)
        if value is not None and value.__dict__[KEY].epoch != self.peer.epoch:
            value.__dict__[KEY].bind(number)
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
        return Ref(self.peer, number)


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
