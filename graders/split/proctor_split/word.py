"""Where the candidate would decide whether a test is right: comparisons of its objects with the test's values.

The examiner believes such an answer only as far as something else supports it, and counts each belief (`Words`). On the
candidate's side, where nothing is judged, the answer is taken as it is.
"""

import itertools
from collections import Counter, OrderedDict, abc, defaultdict, deque

from .ref import class_info

_CONTAINERS = (list, tuple, dict, set, frozenset, deque, OrderedDict, Counter, defaultdict)
_READ = (*_CONTAINERS, *(getattr(abc, name) for name in abc.__all__ if name not in ("Buffer", "ByteString")))
MOST_MEMBERS = 100_000
MOST_SHOWN = 1_000

# arithmetic with a value of the test's shows it to the candidate, whose answer the test then judges
BINARY = frozenset(
    "__%s%s__" % (side, name)
    for side in ("", "r", "i")
    for name in "add sub mul matmul truediv floordiv mod divmod pow and or xor lshift rshift".split()
)
# methods of containers and texts that decide about what they are given
_PREDICATES = frozenset(["issubset", "issuperset", "isdisjoint", "startswith", "endswith", "__contains__"])
CHANGES = "changes"
FILE_CHANGES = "file changes"


def decide_equal(peer, mine, other, ask):
    """What `mine == other` is, `mine` being an object of the other side's. Members are read before the owner sees `other`."""
    words = peer.words
    if words is None:
        return ask()
    kind = type(other)
    if peer.is_theirs(other):
        words.heard("==", other)
        return ask()
    if kind in _CONTAINERS and _same_members(mine, other):
        return ask()
    if kind not in _CONTAINERS and not peer.is_plain(other):
        return NotImplemented
    if not words.may_take("==", other):
        return False
    answer = ask()
    if answer is not NotImplemented and answer:
        words.took("==", other)
    return answer


def decide_order(peer, other, ask):
    """What a comparison of order with `other` is."""
    words = peer.words
    if words is None:
        return ask()
    if peer.is_theirs(other):
        words.heard("<", other)
        return ask()
    if not words.may_take("<", other):
        return NotImplemented
    words.took("<", other)
    return ask()


def decide_by_number(peer, others, ask):
    """What arithmetic with `others` gives: one operand, and the modulus of a power."""
    words = peer.words
    if words is not None and others and not peer.is_theirs(others[0]):
        if not words.may_take("arithmetic", others[0]):
            return NotImplemented
        words.took("arithmetic", others[0])
    return ask()


def decide_contains(peer, mine, item, ask):
    """What `item in mine` is: the answer counts by itself when reading the members, before the owner sees `item`, shows it."""
    words = peer.words
    if words is None or peer.is_theirs(item):
        return ask()
    shown = peer.is_plain(item) and not hasattr(type(mine), "__next__") and _shows(mine, item)
    if not shown:
        may = words.may_take("in", item)
        words.took("in", item)
        if not may:
            return False
    return ask()


def _shows(mine, item):
    try:
        return hasattr(type(mine), "__iter__") and any(member == item for member in itertools.islice(mine, MOST_SHOWN))
    except Exception:  # whatever reading them raises, they have not been shown
        return False


def _same_members(mine, other):
    """Whether the members of `mine`, read one by one, make up `other`."""
    try:
        return hasattr(type(mine), "__iter__") and _read_same_members(mine, other)
    except Exception:  # whatever reading them raises, they have not been shown
        return False


def _read_same_members(mine, other):
    members = []
    for member in mine:
        members.append(member)
        if len(members) > min(MOST_MEMBERS, 2 * len(other) + 16):
            return False
    if isinstance(other, (set, frozenset)):
        return set(members) == other and len(members) == len(other)
    if isinstance(other, dict):
        read = {key: mine[key] for key in members}
        return (Counter(read) if isinstance(other, Counter) else read) == other
    return members == list(other)


def _reads_members(cls, name):
    """Whether a name is one of the methods by which containers and iterators are read and changed."""
    info = class_info(cls)
    claimed = info.ref.extra if info is not None else None
    bases = (*cls.__mro__, *(claimed.__mro__ if claimed is not None else ()))
    return any(base in _READ and hasattr(base, name) for base in bases)


class Words:
    """Counts, for one test after the other, how often the candidate's word was taken, by operation and type of operand.

    `allowed` are the counts of the reference run for this test, and `uses` the names of attributes that it asked objects for;
    None where there are none. `recording` is true while the reference itself is run.
    """

    def __init__(self):
        self.begin(None, None, False)

    def begin(self, allowed, uses, recording):
        """Starts a test."""
        self.taken = {}
        self.used = set()
        self.given = {}
        self.allowed = allowed
        self.uses = None if uses is None else frozenset(uses)
        self.recording = recording
        self.over = None

    def heard(self, operation, other):
        """Counts an answer about two objects of the candidate's own: it could have given two plain values as well."""
        self._count(_key(operation, other))

    def took(self, operation, other):
        """Counts one answer; more than the reference needed is noted in `over`."""
        key = _key(operation, other)
        self._count(key)
        if self.allowed is not None and self.taken[key] > self._most(key):
            self.over = key

    def _count(self, key):
        self.taken[key] = self.taken.get(key, 0) + 1

    def _most(self, key):
        """How often a word may be taken: as often as the reference's was, and twice as often for lookups, which chance may guide."""
        count = self.allowed.get(key, 0)
        return 2 * count if key.startswith("in ") else count

    def gave(self, shape):
        """Counts a value that the reference gave, by its shape."""
        self.given[shape] = self.given.get(shape, 0) + 1

    def may_use(self, mine, name):
        """Whether a test may use an attribute of this name of one of the candidate's objects.

        The test's code is the same as in the reference run: where that never asked an object for this name, it got a plain
        value, of which nothing needs to be asked.
        """
        if self.recording:
            self.used.add(name)
            return True
        return self.uses is None or name in self.uses or (_reads_members(type(mine), name) and name not in _PREDICATES)

    def may_change(self, what):
        """Whether the candidate may change what the tests hold (CHANGES of containers, FILE_CHANGES): where the reference did so in the same test."""
        if self.recording or self.allowed is None:
            self._count(what)
            return True
        return what in self.allowed

    def may_take(self, operation, other):
        """Whether an answer that nothing supports may be asked for at all; a yes is then to be counted."""
        if self.recording:
            return True
        if self.allowed is None:
            return operation != "=="
        key = _key(operation, other)
        return self.taken.get(key, 0) < self._most(key)


def _key(operation, other):
    """An operation and the type of its operand; what the candidate calls its classes is its own affair."""
    cls = type(other)
    return "%s %s" % (operation, cls.__name__ if cls.__module__ == "builtins" else "object")
