"""Containers that both sides hold: passed once, then kept in step, so that aliasing survives the link.

The most recent ones only: each message first looks whether one of them changed since the last (by identity of its
members, which runs no foreign `__eq__`) and carries the changes. Both sides register and forget in the order of the
messages, so they always agree on what is shared.
"""

import operator
from collections import Counter, OrderedDict, defaultdict, deque

KEPT_CONTAINERS = 16
KEPT_MEMBERS = 20_000

_SEQUENCES = (list, deque)
_MAPPINGS = (dict, OrderedDict, Counter, defaultdict)
KINDS = {list: "l", dict: "d", set: "S", bytearray: "B", OrderedDict: "od", Counter: "ct", defaultdict: "dd", deque: "dq"}


class _Entry:
    __slots__ = ("value", "number", "seen", "kind", "round")

    def __init__(self, value, number):
        self.value = value
        self.number = number
        self.kind = type(value)
        self.seen = None
        self.round = 0


class SharedContainers:
    """The table of one side. `first` and step 2 keep the two sides' numbers apart."""

    def __init__(self, first):
        self._next = first
        self._entries = OrderedDict()
        self._by_identity = {}
        self._round = 0

    def number_of(self, value):
        """The number of a container that the other side has in its present state, or None."""
        entry = self._by_identity.get(id(value))
        return None if entry is None else entry.number

    def register(self, value, number=None):
        """Shares a container; its members are read at the end of the message (`settle`). Gives its number."""
        if number is None:
            number = self._next
            self._next += 2
        entry = _Entry(value, number)
        entry.round = self._round
        self._entries[number] = entry
        self._by_identity[id(value)] = entry
        return number

    def find(self, number):
        """The container with a number; raises KeyError."""
        return self._entries[number].value

    def changed(self):
        """Entries whose container was changed on this side since the last message; they count as carried by this one."""
        changed = [entry for entry in self._entries.values() if entry.seen is None or not _same(entry)]
        for entry in changed:
            entry.seen = None
        return changed

    def undo(self):
        """The message was not sent: what it would have shared is not shared, what it would have told is still to be told."""
        for number in [number for number, entry in self._entries.items() if entry.round == self._round and entry.seen is None]:
            entry = self._entries.pop(number)
            if self._by_identity.get(id(entry.value)) is entry:
                del self._by_identity[id(entry.value)]

    def touch(self, number):
        """Its members were replaced by the other side's."""
        self._entries[number].seen = None

    def settle(self):
        """Ends a message: remembers the members of what it carried, and forgets the oldest."""
        total = 0
        for entry in self._entries.values():
            if entry.seen is None:
                entry.seen = _members(entry)
            total += len(entry.seen)
        entries = self._entries
        while entries and (len(entries) > KEPT_CONTAINERS or total > KEPT_MEMBERS):
            number, oldest = next(iter(entries.items()))
            if oldest.round == self._round:
                break
            del entries[number]
            if self._by_identity.get(id(oldest.value)) is oldest:
                del self._by_identity[id(oldest.value)]
            total -= len(oldest.seen)
        self._round += 1

    def clear(self):
        """Forgets everything; only when the other side does the same."""
        self._entries.clear()
        self._by_identity.clear()

    def __bool__(self):
        return bool(self._entries)


def _members(entry):
    value, kind = entry.value, entry.kind
    if kind is bytearray:
        return bytes(value)
    if kind in _MAPPINGS:
        members = list(dict.keys(value))
        members.extend(dict.values(value))
        return members
    return list(value)


def _same(entry):
    value, seen, kind = entry.value, entry.seen, entry.kind
    if kind is bytearray:
        return value == seen
    if kind in _MAPPINGS:
        count = len(value)
        if count * 2 != len(seen):
            return False
        return all(map(operator.is_, dict.keys(value), seen)) and all(
            map(operator.is_, dict.values(value), seen[count:] if count else ())
        )
    return len(value) == len(seen) and all(map(operator.is_, value, seen))


def replace_members(value, members):
    """Gives a container new members, in place: a flat list of keys and values for a mapping."""
    kind = type(value)
    if kind is bytearray:
        value[:] = members
    elif kind in _MAPPINGS:
        dict.clear(value) if kind is not OrderedDict else OrderedDict.clear(value)
        for key, member in zip(members[::2], members[1::2]):
            kind.__setitem__(value, key, member)
    elif kind is set:
        set.clear(value)
        for member in members:
            set.add(value, member)
    elif kind is deque:
        deque.clear(value)
        value.extend(members)
    else:
        value[:] = members
