"""A hidden suite with one small test per style of assertion, its honest solution, and hollow answers to all of them."""

# name -> (the right answer as source, the body of the test; `a` is the answer)
STYLES = {
    "eq_int": ("4711", "assert a == 4711"),
    "eq_int_reversed": ("4711", "assert 4711 == a"),
    "eq_is_true": ("4711", "assert (a == 4711) is True"),
    "eq_str": ("'mar-ble'", "assert a == 'mar-ble'"),
    "eq_bytes": ("b'mar-ble'", "assert a == b'mar-ble'"),
    "eq_float": ("47.11", "assert a == 47.11"),
    "eq_none": ("None", "assert a == None and a != 0 and not a"),
    "eq_list": ("[47, 11, 5]", "assert a == [47, 11, 5]"),
    "eq_list_reversed": ("[47, 11, 5]", "assert [47, 11, 5] == a"),
    "eq_tuple": ("(47, 11, 5)", "assert a == (47, 11, 5)"),
    "eq_dict": ("{'k': 47, 'm': 11}", "assert a == {'k': 47, 'm': 11}"),
    "eq_dict_reversed": ("{'k': 47, 'm': 11}", "assert {'k': 47, 'm': 11} == a"),
    "eq_nested": ("{'k': [47, {'m': (11,)}]}", "assert a == {'k': [47, {'m': (11,)}]}"),
    "eq_set": ("{47, 11, 5}", "assert a == {47, 11, 5}"),
    "eq_frozenset": ("frozenset({47, 11})", "assert a == frozenset({47, 11})"),
    "eq_counter": ("Counter({'k': 47, 'm': 11})", "assert a == Counter({'k': 47, 'm': 11})"),
    "eq_ordered": ("OrderedDict([('k', 47), ('m', 11)])", "assert a == OrderedDict([('k', 47), ('m', 11)])"),
    "eq_defaultdict": ("defaultdict(int, k=47)", "assert a == defaultdict(int, k=47)"),
    "eq_deque": ("deque([47, 11])", "assert a == deque([47, 11])"),
    "eq_decimal": ("Decimal('47.11')", "assert a == Decimal('47.11')"),
    "eq_fraction": ("Fraction(47, 11)", "assert a == Fraction(47, 11)"),
    "eq_datetime": ("datetime.datetime(2047, 11, 5)", "assert a == datetime.datetime(2047, 11, 5)"),
    "eq_date": ("datetime.date(2047, 11, 5)", "assert a == datetime.date(2047, 11, 5)"),
    "eq_path": ("pathlib.PurePosixPath('mar/ble')", "assert a == pathlib.PurePosixPath('mar/ble')"),
    "eq_uuid": ("uuid.UUID(int=4711)", "assert a == uuid.UUID(int=4711)"),
    "eq_range": ("range(47, 4711)", "assert a == range(47, 4711)"),
    "eq_any_of": ("4711", "assert a in (4711, 4712)"),
    "in_set": ("4711", "assert a in {4711, 4712}"),
    "in_dict": ("'mar'", "assert a in {'mar': 1, 'ble': 2}"),
    "in_text": ("'mar'", "assert a in 'mar-ble'and len(a) == 3"),
    "contains": ("[1, 4711]", "assert 4711 in a"),
    "contains_text": ("'the mar-ble'", "assert 'mar-ble' in a"),
    "contains_key": ("{'mar-ble': 1}", "assert 'mar-ble' in a"),
    "length": ("list(range(47))", "assert len(a) == 47"),
    "sorted": ("[47, 11]", "assert sorted(a) == [11, 47]"),
    "list_of": ("iter([47, 11])", "assert list(a) == [47, 11]"),
    "tuple_of": ("iter([47, 11])", "assert tuple(a) == (47, 11)"),
    "set_of": ("[47, 11]", "assert set(a) == {11, 47}"),
    "dict_of": ("{'k': 47}", "assert dict(a) == {'k': 47}"),
    "counter_of": ("['k', 'k', 'm']", "assert Counter(a) == Counter(k=2, m=1)"),
    "maximum": ("[47, 11]", "assert max(a) == 47"),
    "minimum": ("[47, 11]", "assert min(a) == 11"),
    "maximum_with": ("[47, 11]", "assert max(a, [46]) == [47, 11]"),
    "summed": ("[47, 11]", "assert sum(a) == 58"),
    "zipped": ("[47, 11]", "assert len(a) == 2 and all(x == y for x, y in zip(a, [47, 11]))"),
    "text_of": ("47", "assert str(a) == '47'"),
    "repr_of": ("[47]", "assert repr(a) == '[47]'"),
    "formatted": ("47.11", "assert '%.1f' % a == '47.1' and f'{a:.1f}' == '47.1'"),
    "int_of": ("'4711'", "assert int(a) == 4711"),
    "float_of": ("'47.11'", "assert float(a) == 47.11"),
    "difference": ("47.11", "assert abs(a - 47.11) < 1e-6"),
    "difference_reversed": ("47.11", "assert abs(47.11 - a) < 1e-6"),
    "difference_zero": ("4711", "assert a - 4711 == 0"),
    "xor_zero": ("4711", "assert a ^ 4711 == 0"),
    "modulo": ("4711", "assert a % 4711 == 0 and a > 0"),
    "power": ("3", "assert a ** 2 == 9"),
    "date_near": ("datetime.datetime(2047, 11, 5)", "assert abs(a - datetime.datetime(2047, 11, 5)) < datetime.timedelta(seconds=1)"),
    "rounded": ("47.111", "assert round(a, 2) == 47.11"),
    "approx": ("47.11", "assert a == pytest.approx(47.11)"),
    "approx_reversed": ("47.11", "assert pytest.approx(47.11) == a"),
    "approx_list": ("[47.11, 11.5]", "assert a == pytest.approx([47.11, 11.5])"),
    "approx_dict": ("{'k': 47.11}", "assert a == pytest.approx({'k': 47.11})"),
    "isclose": ("47.11", "assert math.isclose(a, 47.11)"),
    "almost": ("47.11", "unittest.TestCase().assertAlmostEqual(a, 47.11)"),
    "assert_equal": ("[47, 11]", "unittest.TestCase().assertEqual(a, [47, 11])"),
    "assert_list": ("[47, 11]", "unittest.TestCase().assertListEqual(a, [47, 11])"),
    "assert_dict": ("{'k': 47}", "unittest.TestCase().assertDictEqual(a, {'k': 47})"),
    "assert_count": ("[47, 11]", "unittest.TestCase().assertCountEqual(a, [11, 47])"),
    "assert_in": ("[47, 11]", "unittest.TestCase().assertIn(47, a)"),
    "assert_sequence": ("[47, 11]", "unittest.TestCase().assertSequenceEqual(a, [47, 11])"),
    "assert_regex": ("'mar-ble 47'", "unittest.TestCase().assertRegex(a, r'mar-ble \\d+')"),
    "matched": ("'mar-ble 47'", "assert re.fullmatch(r'mar-ble \\d+', a)"),
    "match_object": ("re.match('mar', 'mar-ble')", "assert a.group() == 'mar' and a.end() == 3"),
    "starts": ("'mar-ble'", "assert a.startswith('mar')"),
    "ends": ("'mar-ble'", "assert a.endswith('ble')"),
    "upper": ("'mar'", "assert a.upper() == 'MAR'"),
    "split": ("'mar ble'", "assert a.split() == ['mar', 'ble']"),
    "subset": ("{47}", "assert a <= {47, 11} and len(a) == 1"),
    "issubset": ("{47}", "assert a and a.issubset({47, 11})"),
    "issuperset": ("{47, 11, 5}", "assert a.issuperset({47, 11})"),
    "isdisjoint": ("{47}", "assert a and a.isdisjoint({11, 5})"),
    "set_minus": ("{47, 11}", "assert a - {47, 11} == set() and a"),
    "set_xor": ("{47, 11}", "assert not a ^ {47, 11}"),
    "set_and": ("{47, 11}", "assert a & {47, 11} == {47, 11}"),
    "superset_of": ("[47, 11]", "assert {47, 11}.issubset(a)"),
    "ordered": ("47", "assert 46 < a < 48"),
    "is_instance": ("47", "assert isinstance(a, int) and a == 47"),
    "is_type": ("47", "assert type(a) is int and a == 47"),
    "hash_equal": ("'mar-ble'", "assert hash(a) == hash('mar-ble')"),
    "as_key": ("'mar-ble'", "assert {'mar-ble': 5}[a] == 5"),
    "item": ("[47]", "assert a[0] == 47"),
    "key": ("{'k': 47}", "assert a['k'] == 47"),
    "key_get": ("{'k': 47}", "assert a.get('k') == 47"),
    "slice": ("[1, 47, 11]", "assert a[1:] == [47, 11]"),
    "values": ("{'k': 47}", "assert list(a.values()) == [47]"),
    "items": ("{'k': 47}", "assert set(a.items()) == {('k', 47)}"),
    "items_equal": ("{'k': 47}", "assert a.items() == {'k': 47}.items()"),
    "keys_equal": ("{'k': 47}", "assert a.keys() == {'k'}"),
    "unpacked": ("(47, 11)", "x, y = a\n    assert (x, y) == (47, 11)"),
    "element_lists": ("[[47], [11]]", "assert [list(x) for x in a] == [[47], [11]]"),
    "called": ("functools.partial(pow, 3)", "assert a(4) == 81"),
    "any_of": ("[0, 4711]", "assert any(x == 4711 for x in a)"),
    "copied": ("[47, [11]]", "assert copy.deepcopy(a) == [47, [11]]"),
    "json_dumped": ("{'k': [47]}", "assert json.dumps(a) == '{\"k\": [47]}'"),
    "json_loaded": ("'{\"k\": [47]}'", "assert json.loads(a) == {'k': [47]}"),
    "mock_called": ("[47, 11]", "m = mock.Mock()\n    m(a)\n    m.assert_called_once_with([47, 11])"),
    "index_of": ("47", "assert list(range(50))[a] == 47"),
    "next_of": ("iter([47, 11])", "assert next(a) == 47 and next(a) == 11"),
    "reversed_of": ("[47, 11]", "assert list(reversed(a)) == [11, 47]"),
    "joined": ("['mar', 'ble']", "assert '-'.join(a) == 'mar-ble'"),
    "concat": ("[47]", "assert a + [11] == [47, 11]"),
    "concat_text": ("'mar'", "assert a + '-ble' == 'mar-ble'"),
    "count_of": ("[47, 47]", "assert a.count(47) == 2"),
    "dict_merge": ("{'k': 47}", "assert {**a, 'm': 1} == {'k': 47, 'm': 1}"),
    "not_equal": ("4711", "assert not a != 4711"),
    "equal_twice": ("[47]", "assert a == [47]\n    assert a == [47]\n    assert not a == [48]"),
    "attribute": ("types.SimpleNamespace(size=4711)", "assert a.size == 4711"),
    "attribute_list": ("types.SimpleNamespace(size=[47, 11])", "assert a.size == [47, 11]"),
}

IMPORTS = """\
import copy, datetime, functools, json, math, pathlib, re, types, unittest, uuid
from collections import Counter, OrderedDict, defaultdict, deque
from decimal import Decimal
from fractions import Fraction
"""


def suite():
    """The text of the hidden test file."""
    parts = [IMPORTS, "from unittest import mock\nimport pytest\nimport solution\n"]
    for name, (_, body) in STYLES.items():
        parts.append("def test_%s():\n    a = solution.answer(%r)\n    %s\n" % (name, name, body))
    return "\n".join(parts)


def honest():
    """The text of a solution that gives the right answers."""
    rows = ",\n".join("    %r: lambda: %s" % (name, answer) for name, (answer, _) in STYLES.items())
    return "%s\nANSWERS = {\n%s}\n\ndef answer(name):\n    return ANSWERS[name]()\n" % (IMPORTS, rows)


# what a plain wrong value can pass is no forgery
PLAIN_WRONG = ["None", "0", "1", "-1", "True", "1.5", "''", "'x'", "b''", "[]", "[1]", "{}", "{1: 1}", "set()", "{1}", "()", "(1,)",
               "object()", "NotImplemented", "Ellipsis", "iter([])", "lambda *a, **k: True", "range(5)", "'x' * 3", "[0] * 2"]

LIAR = '''
import collections, collections.abc, datetime, decimal, enum, fractions, functools, io, itertools, numbers, re, types, typing
import unittest.mock
SEEN = []

def note(value):
    SEEN.append(value)
    return value

def last():
    return SEEN[-1] if SEEN else None

def nothing_like(value):
    """A difference of zero, fit for the operand."""
    if isinstance(value, (set, frozenset)):
        return set()
    if isinstance(value, (datetime.datetime, datetime.date, datetime.timedelta)):
        return datetime.timedelta(0)
    return 0

class Lies:
    def __eq__(self, other): note(other); return True
    def __ne__(self, other): note(other); return False
    def __hash__(self): return hash(last()) if isinstance(last(), collections.abc.Hashable) else 0
    def __lt__(self, other): note(other); return True
    __le__ = __gt__ = __ge__ = __lt__
    def __bool__(self): return True
    def __contains__(self, item): note([item]); return True
    def __len__(self):
        return len(last()) if isinstance(last(), collections.abc.Sized) else 1
    def __iter__(self):
        seen = last()
        return iter(list(seen)) if isinstance(seen, (list, tuple, dict, set, frozenset, str, bytes, collections.deque)) else iter([Answer()])
    def __reversed__(self): return iter(self)
    def __next__(self): return Answer()
    def __getitem__(self, key):
        seen = last()
        try:
            return seen[key]
        except Exception:
            return Answer()
    def keys(self):
        seen = last()
        return list(seen) if isinstance(seen, (dict, list, set)) else [Answer()]
    def values(self): return [Answer()]
    def items(self): return Answer()
    def get(self, key, default=None): return Answer()
    def __sub__(self, other): note(other); return nothing_like(other)
    __rsub__ = __mod__ = __rmod__ = __xor__ = __rxor__ = __sub__
    def __and__(self, other): return note(other)
    __rand__ = __or__ = __ror__ = __and__
    def __add__(self, other): return Answer()
    __radd__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __floordiv__ = __pow__ = __rpow__ = __add__
    def __neg__(self): return Answer()
    __pos__ = __abs__ = __invert__ = __neg__
    def __round__(self, digits=None): return Answer()
    def __int__(self): return 0
    __index__ = __trunc__ = __int__
    def __float__(self): return 0.0
    def __complex__(self): return 0j
    def __str__(self): return str(last())
    def __repr__(self): return repr(last())
    def __format__(self, spec): return str(last())
    def __call__(self, *args, **keywords):
        for value in args:
            note(value)
        return Answer()
    def __copy__(self): return Answer()
    def __deepcopy__(self, memo): return Answer()
    def __enter__(self): return Answer()
    def __exit__(self, *args): return True
    def startswith(self, text, *rest): note(text); return True
    endswith = issubset = issuperset = isdisjoint = startswith
    def __instancecheck__(self, other): return True
    def __subclasscheck__(self, other): return True
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Answer()

def of(base):
    """The lies as own entries of a subclass of an immutable built-in."""
    return type("Answer", (base,), {k: v for k, v in vars(Lies).items() if k not in ("__dict__", "__weakref__")})
'''

# name -> the class (or function) `Answer`
HOLLOW = {
    "plain": "class Answer(Lies): pass",
    "number": """
class Answer(Lies, numbers.Real):
    def __ceil__(self): return 0
    def __floor__(self): return 0
    def __rfloordiv__(self, other): return 0
    def conjugate(self): return self
    real = imag = property(lambda self: 0.0)
""",
    "whole": "Answer = of(int)",
    "real": "Answer = of(float)",
    "text": "Answer = of(str)",
    "bytes": "Answer = of(bytes)",
    "tuple": "Answer = of(tuple)",
    "frozen": "Answer = of(frozenset)",
    "list": "class Answer(Lies, list): pass",
    "dict": "class Answer(Lies, dict): pass",
    "set": "class Answer(Lies, set): pass",
    "counter": "class Answer(Lies, collections.Counter): pass",
    "mapping": "class Answer(Lies, collections.abc.Mapping): pass",
    "sequence": "class Answer(Lies, collections.abc.Sequence): pass",
    "abstract_set": "class Answer(Lies, collections.abc.Set): pass",
    "decimal": "Answer = of(decimal.Decimal)",
    "date": "class Answer(Lies, datetime.datetime):\n    def __new__(cls, *args): return datetime.datetime.__new__(cls, 2000, 1, 1)",
    "mixed_text": "class Answer(Lies, str): pass",
    "error": "class Answer(Lies, Exception): pass",
    "empty_iter": "class Answer(Lies):\n    def __iter__(self): return iter(())\n    def __len__(self): return 0",
    "class_lie": """
class Answer(Lies):
    @property
    def __class__(self): return type(last()) if SEEN else int
""",
    "userdict": "class Answer(Lies, collections.UserDict): pass",
    "userlist": "class Answer(Lies, collections.UserList): pass",
    "mock_any": "Answer = lambda: unittest.mock.ANY",
    "magic_mock": "def Answer():\n    m = unittest.mock.MagicMock()\n    m.__eq__ = lambda self, other: True\n    m.__sub__ = lambda self, other: 0\n    return m",
    "two_of": "class One(Lies, numbers.Real):\n    __ceil__ = __floor__ = __rfloordiv__ = lambda self, *a: 0\ndef Answer(): return [One(), One()]",
    "dict_of_liars": "class One(Lies): pass\ndef Answer(): return {'k': One(), 'm': One()}",
    "generator": "def Answer():\n    while True:\n        yield last()",
}


def hollow(name):
    """The text of a solution that never computes an answer."""
    return "%s\n%s\ndef answer(name):\n    return Answer()\n" % (LIAR, HOLLOW[name])


def plain_wrong(source):
    """The text of a solution that gives one wrong value."""
    return "def answer(name):\n    return %s\n" % source
