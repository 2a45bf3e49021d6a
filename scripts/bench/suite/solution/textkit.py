"""Small helpers for texts and numbers."""

import re


def slugify(text, separator="-"):
    if not isinstance(text, str):
        raise TypeError("a text is needed")
    return re.sub(r"[^a-z0-9]+", separator, text.lower()).strip(separator)


def wrap(words, width):
    lines, line = [], ""
    for word in words:
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return lines + [line] if line else lines


def parse_pairs(text):
    pairs = {}
    for part in filter(None, text.split(";")):
        key, found, value = part.partition("=")
        if not found:
            raise ValueError(f"no = in {part!r}")
        pairs[key.strip()] = value.strip()
    return pairs


def roman(number):
    if not 0 < number < 4000:
        raise ValueError("out of range")
    signs = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X")]
    signs += [(9, "IX"), (5, "V"), (4, "IV"), (1, "I")]
    text = ""
    for value, sign in signs:
        while number >= value:
            text, number = text + sign, number - value
    return text


def median(numbers):
    ordered = sorted(numbers)
    middle = len(ordered) // 2
    if not ordered:
        raise ValueError("no numbers")
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


class Tally:
    def __init__(self):
        self._counts = {}

    def add(self, name, times=1):
        self._counts[name] = self._counts.get(name, 0) + times
        return self

    def most(self, count):
        return sorted(self._counts.items(), key=lambda pair: (-pair[1], pair[0]))[:count]

    def __len__(self):
        return len(self._counts)
