"""Values on the wire: JSON texts, truth values, finite floats and small whole numbers as themselves, all else a tagged list.

A value travels by value only when its type is exactly a known one (forms.py); a subclass, and everything else, is a reference
(refs.py). Reading makes plain values and mirrors only. What cannot be read is the sender's breach of the protocol.
"""

import json
import math
import re
import sys
from collections import defaultdict, deque

from . import arrays
from .forms import READERS, WRITERS, fair
from .names import global_name
from .shared import KINDS, replace_members

SMALL = 2**53
_AS_THEMSELVES = frozenset([type(None), bool, int, float, str])
JSON_DIGITS = 64
_BOUNDED_BY_PYTHON = hasattr(sys, "get_int_max_str_digits")  # else reading many digits takes the square of their number


class Codec:
    """Both directions, over one table of shared containers and one of references."""

    def __init__(self, shared, refs):
        self.shared = shared
        self.refs = refs
        self.keep = True

    def encode(self, value):
        """The JSON form; raises Refused for what is not carried."""
        kind = type(value)
        if kind is str or kind is bool or value is None:
            return value
        if kind is int:
            return value if -SMALL < value < SMALL else ["i", format(value, "x")]
        if kind is float:
            return value if math.isfinite(value) else ["f", repr(value)]
        write = WRITERS.get(kind)
        if write is not None and (kind is not re.Pattern or self.refs.peer.tests is not None):
            return write(self, value)
        if kind in KINDS:
            return self._container(kind, value)
        array = arrays.encode(value)
        if array is not None:
            return array
        named = global_name(value)
        if named is not None:
            return ["g", named[0], named[1]]
        return self.refs.encode(value)

    def is_value(self, value):
        """Whether a value's type is one of those that travel by value, both ways."""
        kind = type(value)
        return kind in _AS_THEMSELVES or kind in KINDS or (kind in WRITERS and kind is not re.Pattern)

    def members(self, value, kind):
        """The encoded members of a container: a flat list of keys and values for a mapping."""
        encode = self.encode
        if kind is bytearray:
            return value.decode("latin-1")
        if kind in (list, deque):
            return [encode(item) for item in value]
        if kind is set:
            return [self.encode_key(item) for item in value]
        flat = []
        for key, item in dict.items(value):
            flat.append(self.encode_key(key))
            flat.append(encode(item))
        return flat

    def encode_key(self, value):
        """A key or member: a reference takes its hash along, so that reading it asks for nothing."""
        form = self.encode(value)
        if type(form) is list and form[0] == "h" and len(form) == 3:
            form.append(format(hash(value), "x"))
        return form

    def decode(self, form):
        """The value of a form. Raises ValueError, TypeError, LookupError or RecursionError on what is not one."""
        kind = type(form)
        if kind is not list:
            if kind is str or kind is int or kind is float or kind is bool or form is None:
                return form
            raise ValueError("not a form: %s" % kind.__name__)
        read = READERS.get(form[0])
        if read is not None:
            return read(self, form)
        return self.refs.decode(form)

    def decode_members(self, value, forms):
        """Fills a container with members on the wire."""
        if type(value) is bytearray:
            members = forms.encode("latin-1")
        else:
            members = [self.decode(item) for item in forms]
            fair(members if type(value) is set else members[::2], type(value))
        replace_members(value, members)

    def _container(self, kind, value):
        tag = KINDS[kind]
        if not self.keep:
            form = [tag, 0, self.members(value, kind)]
        else:
            number = self.shared.number_of(value)
            if number is not None:
                return ["@", number]
            form = [tag, self.shared.register(value), None]
            form[2] = self.members(value, kind)
        if kind is defaultdict:
            form.append(self.encode(value.default_factory))
        elif kind is deque:
            form.append(value.maxlen)
        return form


def dumps(message):
    """The bytes of a message: ASCII, so that no text can be unfit for it."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False, check_circular=False).encode("ascii")


def _whole_number(text):
    if len(text) > JSON_DIGITS:
        raise ValueError("a whole number of %d digits" % len(text))
    return int(text)


def loads(body):
    """A message's value; raises ValueError and RecursionError."""
    return json.loads(body, parse_int=None if _BOUNDED_BY_PYTHON else _whole_number)
