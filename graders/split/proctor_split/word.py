"""Where the candidate would decide whether a test is right: comparisons of its objects with the test's values.

The examiner believes such an answer only as far as something else supports it, and counts each belief (`Words`). On the
candidate's side, where nothing is judged, the answer is taken as it is.
"""

import itertools
from collections import Counter, OrderedDict, defaultdict, deque

_CONTAINERS = (list, tuple, dict, set, frozenset, deque, OrderedDict, Counter, defaultdict)
MOST_MEMBERS = 100_000
MOST_SHOWN = 1_000


# arithmetic with a value of the test's shows it to the candidate, whose answer the test then judges
BINARY = frozenset(
    "__%s%s__" % (side, name)
    for side in ("", "r", "i")
    for name in "add sub mul matmul truediv floordiv mod divmod pow and or xor lshift rshift".split()
)
# methods that decide about what they are given
_PREDICATES = frozenset(
    "issubset issuperset isdisjoint startswith endswith is_equal equals same_as matches match contains has_key almost_equal".split()
)


def decide_equal(peer, mine, other, ask):
    """What `mine == other` is, `mine` being an object of the other side's. Members are read before the owner sees `other`."""
    words = peer.words
    if words is None:
        return ask()
    kind = type(other)
    if peer.is_theirs(other):
        words.heard("==", mine, other)
        return ask()
    if kind in _CONTAINERS and _same_members(mine, other):
        return ask()
    if kind not in _CONTAINERS and not peer.is_plain(other):
        return NotImplemented
    if not words.may_take("==", mine, other):
        return False
    answer = ask()
    if answer is not NotImplemented and answer:
        words.took("==", mine, other)
    return answer


def decide_order(peer, name, operands, ask):
    """What a comparison of order is."""
    words = peer.words
    if words is not None:
        (words.heard if peer.is_theirs(operands[1]) else words.took)("<", *operands)
    return ask()


def decide_by_number(peer, name, operands, ask):
    """What arithmetic gives."""
    mine, others = operands
    if peer.words is not None and others and not peer.is_theirs(others[0]):
        peer.words.took("arithmetic", mine, others[0])
    return ask()


def decide_contains(peer, mine, item, ask):
    """What `item in mine` is: a yes counts by itself when reading the members, before the owner sees `item`, shows it."""
    words = peer.words
    if words is None or peer.is_theirs(item):
        return ask()
    shown = peer.is_plain(item) and _shows(mine, item)
    answer = ask()
    if answer and not shown:
        words.took("in", mine, item)
    return answer


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


class Words:
    """Counts, for one test after the other, how often the candidate's word was taken, by operation and classes.

    `allowed` are the counts of the reference run for this test, or None where there are none; `recording` is true while the
    reference itself is run.
    """

    def __init__(self):
        self.taken = {}
        self.allowed = None
        self.recording = False
        self.over = None

    def begin(self, allowed, recording):
        """Starts a test."""
        self.taken = {}
        self.allowed = allowed
        self.recording = recording
        self.over = None

    def heard(self, operation, mine, other):
        """Counts an answer about two objects of the candidate's own: it could have given two plain values as well."""
        key = "%s %s %s" % (operation, _name(mine), _name(other))
        self.taken[key] = self.taken.get(key, 0) + 1

    def took(self, operation, mine, other):
        """Counts one answer; more than the reference needed is noted in `over`."""
        key = "%s %s %s" % (operation, _name(mine), _name(other))
        self.taken[key] = self.taken.get(key, 0) + 1
        if self.allowed is not None and self.taken[key] > self.allowed.get(key, 0):
            self.over = key

    def called(self, mine, name):
        """Notes a call of a method that decides about its arguments, on an object where the reference may have given a value."""
        if name in _PREDICATES:
            self.took("." + name, mine, None)

    def may_take(self, operation, mine, other):
        """Whether an answer that nothing supports may be asked for at all; a yes is then to be counted."""
        key = "%s %s %s" % (operation, _name(mine), _name(other))
        return self.recording or self.taken.get(key, 0) < (self.allowed or {}).get(key, 0)


def _name(value):
    cls = type(value)
    return cls.__name__ if cls.__module__ == "builtins" else "%s.%s" % (cls.__module__, cls.__qualname__)
