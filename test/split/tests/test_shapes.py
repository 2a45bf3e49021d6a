import asyncio
import collections.abc
import copy
import datetime
import io
import itertools
import logging
import math
import os
import pickle
import subprocess
import sys
import time
import unittest
from contextlib import redirect_stdout
from decimal import Decimal
from fractions import Fraction
from unittest import mock

import pytest
import shapes
from shapes import Bag, Color, Guard, Keeper, Level, Pair, Plugin, Point, Shape, ShapeError, Square


@pytest.fixture
def square():
    return Square(3)


@pytest.mark.parametrize("a,b,expected", [(1, 2, 3), (2**70, 1, 2**70 + 1), (1.5, 2, 3.5), ("a", "b", "ab")])
def test_values_come_back_by_exact_type(a, b, expected):
    result = shapes.add(a, b)
    assert result == expected and type(result) is type(expected)


@pytest.mark.parametrize(
    "value",
    [
        None, True, 0, -1, 2**64, 1e300, float("inf"), 1j, "é\ud800", b"\x00\xff", bytearray(b"xy"), (1, (2,)), [1, [2]],
        {"a": {1: 2}}, {1, 2}, frozenset([3]), range(3), slice(1, 2), Ellipsis, Decimal("NaN"), Decimal("1.10"), Fraction(1, 3),
        datetime.date(2020, 1, 2), datetime.timedelta(1, 2, 3), datetime.datetime(2020, 1, 2, tzinfo=datetime.timezone.utc),
        datetime.time(1, 2), int, ValueError, collections.OrderedDict(a=1), collections.Counter("aab"), collections.deque([1], 3),
    ],
    ids=repr,
)
def test_a_value_survives_the_way_there_and_back(value):
    result = shapes.echo(value)
    assert type(result) is type(value)
    assert result == value or value != value


def test_nan_is_not_equal_to_itself():
    assert math.isnan(shapes.echo(float("nan")))


def test_keyword_only_and_mutable_defaults():
    assert shapes.add(1, scale=3) == 6
    with pytest.raises(TypeError):
        shapes.add(1, 2, 3)
    assert shapes.append_to(1) == [1]
    assert shapes.append_to(2) == [1, 2]
    assert shapes.append_to(5, [4]) == [4, 5]


def test_containers_keep_their_identity_and_follow_changes():
    values = [3, 1, 2]
    assert shapes.same_list(values) is values
    shapes.sort_in_place(values)
    assert values == [1, 2, 3]
    keeper = Keeper()
    held = keeper.give()
    keeper.grow()
    assert held == [1, {"a": [2, 4]}, 3]
    held.append("mine")
    assert keeper.give()[-1] == "mine"
    assert keeper.held is held


def test_a_list_that_holds_itself():
    loop = [1]
    loop.append(loop)
    back = shapes.echo(loop)
    assert back is loop and back[1] is back


def test_dataclasses():
    point = Point(1, y=2)
    assert (point.x, point.y) == (1, 2)
    assert point == Point(1, 2) and point != Point(1, 3)
    assert point < Point(2) and hash(point) == hash(Point(1, 2))
    assert repr(point) == "Point(x=1, y=2)"
    assert point.moved(3) == Point(4, 2)
    with pytest.raises(AttributeError):
        point.x = 5
    assert {Point(1): "a"}[Point(1)] == "a"
    box = shapes.Box()
    box.items.append(1)
    assert box.items == [1] and shapes.Box().items == []


def test_enums():
    assert Color.RED is Color(1) is Color["RED"]
    assert Color.RED.shout == "RED!" and Color.RED.value == 1
    assert [c.name for c in Color] == ["RED", "GREEN"]
    assert len(Color) == 2 and Color.RED in Color
    assert isinstance(Color.RED, Color)
    with pytest.raises(ValueError):
        Color(9)
    assert Level.HIGH == 10 and Level.HIGH > Level.LOW and Level.LOW + 1 == 2
    assert Level(10) is Level.HIGH
    assert repr(Color.RED) == "<Color.RED: 1>"


def test_namedtuples():
    pair = Pair(1, right=2)
    assert pair == (1, 2) and pair.left == 1 and pair[1] == 2
    left, right = pair
    assert (left, right) == (1, 2)
    assert pair._replace(left=5) == (5, 2) and pair._asdict() == {"left": 1, "right": 2}
    assert isinstance(pair, tuple)


def test_classes_and_properties(square):
    assert isinstance(square, Square) and isinstance(square, Shape) and issubclass(Square, Shape)
    assert square.area() == 9 and square.describe() == "square of area 9"
    assert square.title == "Square"
    square.title = "BIG"
    assert square.name == "big"
    assert Square.make(2) == Square(2) and Shape.twice(4) == 8 and square.twice(1) == 2
    assert Square.sides == 4 and square.sides == 4 and Shape.sides == 0
    square.sides = 5
    assert square.sides == 5 and Square.sides == 4
    assert not Square(0) and len(square) == 4 and Square(1) + Square(2) == Square(3)
    with pytest.raises(TypeError):
        square + 1
    assert sorted([Square(2), Square(1)])[0].side == 1
    assert type(square) is Square and type(square).__name__ == "Square"
    assert Shape.describe(square) == "big of area 9"
    assert not hasattr(square, "nothing") and getattr(square, "nothing", 4) == 4
    del square.side
    with pytest.raises(AttributeError):
        square.area()
    assert vars(Square(1))["side"] == 1


def test_exceptions():
    with pytest.raises(ShapeError, match="bad sh.pe") as caught:
        shapes.fail()
    assert caught.value.code == 7 and caught.value.args == ("bad shape",)
    assert isinstance(caught.value, ValueError) and issubclass(ShapeError, ValueError)
    with pytest.raises(shapes.NestedError) as nested:
        shapes.fail("nested")
    assert isinstance(nested.value.__cause__, KeyError)
    with pytest.raises(KeyError, match="missing"):
        shapes.fail("key")
    with pytest.raises(SystemExit) as left:
        shapes.fail("exit", 3)
    assert left.value.code == 3
    with pytest.raises(FileNotFoundError) as lost:
        shapes.fail("os")
    assert lost.value.errno == 2 and lost.value.filename == "/nowhere"
    with pytest.raises(UnicodeDecodeError):
        shapes.fail("unicode")
    try:
        raise ShapeError("mine", code=4)
    except ValueError as error:
        assert str(error) == "mine" and error.code == 4


def test_callbacks():
    assert shapes.apply(lambda a, b: a * b, 3, b=4) == 12
    assert shapes.map_all(str.upper, ["a"]) == ["A"]
    assert shapes.map_all(Square, [1])[0] == Square(1)
    seen = []
    shapes.map_all(seen.append, [1, 2])
    assert seen == [1, 2]

    def bad():
        raise ShapeError("from the test")

    assert shapes.catching(bad) == "shape from the test"

    def key():
        raise KeyError("k")

    assert shapes.catching(key) == "KeyError"
    counter = shapes.make_counter()
    assert (counter(), counter()) == (1, 2)

    class Own:
        def __init__(self):
            self.calls = 0

        def __call__(self, value):
            self.calls += 1
            return value

    own = Own()
    assert shapes.apply(own, 5) == 5 and own.calls == 1
    assert shapes.echo(own) is own


def test_errors_of_callbacks_pass_through_unchanged():
    error = RuntimeError("mine")

    def bad():
        raise error

    with pytest.raises(RuntimeError) as caught:
        shapes.apply(bad)
    assert caught.value is error


def test_inheritance_in_tests():
    class Circle(Shape):
        sides = 1

        def __init__(self, radius):
            super().__init__("circle")
            self.radius = radius

        def area(self):
            return 3 * self.radius

    circle = Circle(2)
    assert circle.describe() == "circle of area 6"
    assert circle.sides == 1 and circle.title == "Circle"
    assert isinstance(circle, Shape) and isinstance(circle, Circle) and type(circle) is Circle
    assert Circle.make(1).radius == 1 and type(Circle.make(1)) is Circle
    circle.radius = 5
    assert circle.area() == 15

    class Louder(Square):
        def area(self):
            return super().area() * 100

    assert Louder(2).describe() == "square of area 400"

    class Step(Plugin):
        def step(self):
            return 41

    assert Step().run() == 42 and Plugin.known[-1] == "Step"

    class Own(ShapeError):
        pass

    with pytest.raises(ShapeError) as caught:
        raise Own("x", 2)
    assert caught.value.code == 2 and str(caught.value) == "x"

    class Bang(Shape):
        pass

    with pytest.raises(NotImplementedError):
        Bang("b").describe()

    class Num:
        pass

    class MyVisitor(shapes.Visitor):
        def visit_Num(self, node):
            return "num"

    assert MyVisitor().visit(Num()) == "num" and MyVisitor().visit(3) == "generic"


def test_generators():
    assert list(shapes.countdown(3)) == [3, 2, 1]
    numbers = shapes.naturals()
    assert [next(numbers) for _ in range(3)] == [0, 1, 2]
    assert list(itertools.islice(shapes.naturals(), 40)) == list(range(40))
    generator = shapes.countdown(1)
    next(generator)
    with pytest.raises(StopIteration):
        next(generator)
    assert sum(shapes.countdown(100)) == 5050
    assert list(shapes.echo(x for x in "ab")) == ["a", "b"]
    assert shapes.apply(list, (x for x in "ab")) == ["a", "b"]
    numbers.close()


def test_mappings_and_subclasses_of_builtins():
    bag = Bag(a=1)
    bag["b"] = 2
    assert bag == {"a": 1, "b": 2} and {"a": 1, "b": 2} == bag and bag != {"a": 1}
    assert dict(bag) == {"a": 1, "b": 2} and sorted(bag) == ["a", "b"] and "a" in bag and "z" not in bag
    assert isinstance(bag, collections.abc.Mapping) and bag.get("q", 5) == 5 and bag.pop("a") == 1
    with pytest.raises(KeyError):
        bag["nope"]
    loud = shapes.LoudDict()
    loud["a"] = 4
    assert loud == {"a": 8} and isinstance(loud, dict) and loud["a"] == 8 and len(loud) == 1
    assert list(loud.items()) == [("a", 8)]
    text = shapes.LoudStr("abc")
    assert text == "abc" and text.shout() == "ABC" and isinstance(text, str)
    assert shapes.Temperature(3.5) == 3.5 and isinstance(shapes.Temperature(1), float)
    assert shapes.ordered() == {"b": 1, "a": 2} and list(shapes.ordered()) == ["b", "a"]
    assert shapes.money()["price"] == Decimal("1.10") and shapes.money()["when"].year == 2024


def test_context_managers():
    log = []
    with shapes.managed(log) as value:
        assert value == "managed" and log == ["in"]
    assert log == ["in", "out"]
    with pytest.raises(ZeroDivisionError):
        with shapes.managed(log):
            1 / 0
    assert log[-1] == "out"
    guard = Guard()
    with guard as inner:
        assert inner is guard
        raise KeyError("swallowed")
    assert guard.seen == "KeyError"


def test_async():
    assert asyncio.run(shapes.slow_add(1, 2)) == 3

    async def main():
        first, second = await asyncio.gather(shapes.slow_add(1, 1), shapes.slow_add(2, 2))
        items = [tick async for tick in shapes.ticks(3)]
        return first, second, items

    assert asyncio.run(main()) == (2, 4, [0, 1, 2])

    async def double(value):
        return value * 2

    assert asyncio.run(shapes.call_async(double, 4)) == 8


def test_output_logs_and_warnings(capsys, caplog):
    with pytest.warns(DeprecationWarning, match="old"):
        assert shapes.talk()
    captured = capsys.readouterr()
    assert captured.out == "hello from the artifact\n" and "complaint" in captured.err
    assert caplog.records[0].getMessage() == "logged 5" and caplog.records[0].levelname == "WARNING"
    with redirect_stdout(io.StringIO()) as text, pytest.warns(DeprecationWarning):
        shapes.talk()
    assert "hello" in text.getvalue()


def test_monkeypatch(monkeypatch, tmp_path):
    monkeypatch.setattr(shapes, "helper", lambda: "patched")
    assert shapes.uses_helper() == "patched"
    monkeypatch.undo()
    assert shapes.uses_helper() == "real helper"
    monkeypatch.setattr("shapes.helper", lambda: "again")
    assert shapes.uses_helper() == "again"
    monkeypatch.setattr(Square, "area", lambda self: -1)
    assert Square(3).describe() == "square of area -1" and Square(3).area() == -1
    monkeypatch.setattr(Shape, "sides", 77)
    assert Shape.sides == 77
    monkeypatch.undo()
    assert Square(3).area() == 9 and Shape.sides == 0
    monkeypatch.setattr(time, "time", lambda: 1234.5)
    assert shapes.now() == 1234.5
    monkeypatch.setenv("SHAPES_HOME", "/there")
    monkeypatch.chdir(tmp_path)
    assert shapes.home() == ("/there", str(tmp_path))
    monkeypatch.setattr("builtins.input", lambda prompt: "Ada " + prompt)
    assert shapes.ask() == "Ada name? "
    monkeypatch.setitem(shapes.REGISTRY, "k", 1)
    assert shapes.REGISTRY == {"k": 1}


def test_the_patches_are_gone():
    assert shapes.now() > 1e9 and shapes.home()[0] is None
    assert shapes.REGISTRY == {}


def test_mock():
    with mock.patch("shapes.helper", return_value="mocked") as helper:
        assert shapes.uses_helper() == "mocked"
        helper.assert_called_once_with()
    assert shapes.uses_helper() == "real helper"
    with mock.patch.object(Square, "area", return_value=8):
        assert Square(1).describe() == "square of area 8"
    assert Square(1).area() == 1
    with mock.patch("time.time", return_value=5.0):
        assert shapes.now() == 5.0
    fake = mock.Mock(return_value=3)
    assert shapes.apply(fake, 1, k=2) == 3
    fake.assert_called_once_with(1, k=2)


def test_files(tmp_path):
    target = tmp_path / "deep" / "a.txt"
    target.parent.mkdir()
    shapes.save(target, "written there")
    assert target.read_text() == "written there"
    target.write_text("written here")
    assert shapes.load(target) == "written here"
    with pytest.raises(FileNotFoundError):
        shapes.load(tmp_path / "none")
    target.unlink()
    with pytest.raises(FileNotFoundError):
        shapes.load(str(target))


def test_programs(tmp_path):
    done = subprocess.run([sys.executable, "-m", "shapes", "a"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0 and done.stdout == "main ['a']\n"
    with pytest.raises(subprocess.CalledProcessError) as caught:
        subprocess.check_output([sys.executable, "-c", "import sys; sys.exit(4)"])
    assert caught.value.returncode == 4


def test_identity_and_copies(square):
    assert shapes.SENTINEL is shapes.SENTINEL
    assert shapes.echo(square) is square
    twin = copy.copy(square)
    assert twin == square and twin is not square
    assert copy.deepcopy(square) == square
    assert pickle.loads(pickle.dumps(square)) == square
    assert square in [square] and [square].index(square) == 0
    assert shapes.VERSION == (1, 2, 3) and shapes.add.__name__ == "add" and shapes.add.__doc__ == "Adds."


class TestInAClass:
    def setup_method(self):
        self.shape = Square(2)

    def test_it(self):
        assert self.shape.area() == 4


class TestCase(unittest.TestCase):
    def setUp(self):
        self.square = Square(2)

    def test_unittest(self):
        self.assertEqual(self.square.area(), 4)
        self.assertEqual(self.square, Square(2))
        self.assertRaises(ShapeError, shapes.fail)
        with self.assertRaisesRegex(ShapeError, "bad"):
            shapes.fail()
        self.assertIsInstance(self.square, Shape)
        self.assertIn("a", Bag(a=1))
        self.assertTrue(self.square)


def test_levels(caplog):
    with caplog.at_level(logging.DEBUG, logger="shapes"):
        shapes.apply(logging.getLogger("shapes").debug, "x")
    assert "x" in caplog.text


def test_closures_over_test_state():
    total = 0

    def add(n):
        nonlocal total
        total += n
        return total

    assert shapes.map_all(add, [1, 2, 3]) == [1, 3, 6] and total == 6
