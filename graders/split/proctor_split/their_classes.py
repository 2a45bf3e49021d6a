"""The other side's classes: mirror classes by number, made once, within bounds, out of descriptions that are checked."""

from . import values
from .describe import MAX_ENTRIES, OPEN_BASES
from .make_class import make_class
from .mirror import MirrorMeta
from .names import find_global, global_name
from .ref import INFO, KEY, ClassInfo, Ref, class_info

MOST_CLASSES = 5_000
MOST_ENTRIES = 400_000


class TheirClasses:
    """For Refs: `peer` and `codec` are its own."""

    def __init__(self):
        self._classes = {}
        self._by_origin = {}
        self._entries_made = 0

    def bind_class(self, info, number, cls):
        """A class that is here already is the other side's of this number: derived here, or known from a lost process."""
        info.ref.bind(number)
        self._classes[number] = cls

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
            self.bind_class(class_info(known), number, known)
            return known
        ref = Ref(self.peer, number, origin[:2])
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
        and len(entries) <= MAX_ENTRIES
    )
    if not right:
        raise ValueError("not a description of a class")
    return told
