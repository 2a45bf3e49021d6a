"""Where the candidate would decide whether a test is right: comparisons of its objects with the test's values.

The examiner believes such an answer only as far as something else supports it, and counts each belief (`Words`). On the
candidate's side, where nothing is judged, the answer is taken as it is.
"""

import itertools
from collections import Counter, OrderedDict, defaultdict, deque

_CONTAINERS = (list, tuple, dict, set, frozenset, deque, OrderedDict, Counter, defaultdict)
MOST_MEMBERS = 100_000
MOST_SHOWN = 1_000


def decide_equal(peer, mine, other, ask):
    """What `mine == other` is, `mine` being an object of the other side's."""
    words = peer.words
    if words is None:
        return ask()
    kind = type(other)
    if peer.is_theirs(other):
        words.heard("==", mine, other)
        return ask()
    if kind in _CONTAINERS:
        answer = ask()
        if answer is NotImplemented or not answer or _same_members(mine, other):
            return answer
        return answer if words.may_take("==", mine, other) else False
    if peer.is_plain(other):
        return ask() if words.may_take("==", mine, other) else False
    return NotImplemented


def decide_order(peer, name, operands, ask):
    """What a comparison of order is."""
    words = peer.words
    if words is not None:
        (words.heard if peer.is_theirs(operands[1]) else words.took)("<", *operands)
    return ask()


def decide_contains(peer, mine, item, ask):
    """What `item in mine` is: the owner's yes counts when reading its members shows the item too."""
    answer = ask()
    if peer.words is None or not answer:
        return answer
    if not peer.is_plain(item) or not _shows(mine, item):
        peer.words.took("in", mine, item)
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
        if len(members) != len(other) and not isinstance(other, Counter):
            return False
        return all(key in other and mine[key] == other[key] for key in members)
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

    def may_take(self, operation, mine, other):
        """Whether an answer that nothing supports may be asked for at all; counts it when so."""
        key = "%s %s %s" % (operation, _name(mine), _name(other))
        if not self.recording and self.taken.get(key, 0) >= (self.allowed or {}).get(key, 0):
            return False
        self.taken[key] = self.taken.get(key, 0) + 1
        return True


def _name(value):
    cls = type(value)
    return cls.__name__ if cls.__module__ == "builtins" else "%s.%s" % (cls.__module__, cls.__qualname__)
