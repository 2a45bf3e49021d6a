import pytest
from textkit import Tally, median, parse_pairs, roman, slugify, wrap


def test_slugify():
    assert slugify("Hello, World!") == "hello-world"


def test_slugify_separator():
    assert slugify("A  b__c", separator="_") == "a_b_c"


def test_slugify_wrong():
    with pytest.raises(TypeError, match="text"):
        slugify(3)


def test_wrap():
    assert wrap("the quick brown fox jumps".split(), 10) == ["the quick", "brown fox", "jumps"]


def test_pairs():
    assert parse_pairs("a=1; b = two;") == {"a": "1", "b": "two"}


def test_pairs_wrong():
    with pytest.raises(ValueError):
        parse_pairs("a=1;b")


@pytest.mark.parametrize("number, text", [(4, "IV"), (1994, "MCMXCIV")])
def test_roman(number, text):
    assert roman(number) == text


def test_median():
    assert median([3, 1, 2]) == 2
    assert median([4, 1, 3, 2]) == 2.5


def test_tally():
    tally = Tally().add("x").add("y", 3).add("x")
    assert tally.most(2) == [("y", 3), ("x", 2)]
    assert len(tally) == 2
