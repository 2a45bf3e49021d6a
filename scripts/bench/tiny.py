"""The artifact of bench-split.ts: as little work as can be, so that what is timed is the way to it."""

import time


def add(a, b):
    return a + b


def total(items):
    return sum(items)


def apply(function, value):
    return function(value)


def fail(message):
    raise ValueError(message)


def count(end):
    yield from range(end)


class Box:
    def __init__(self, size):
        self.size = size

    def plus(self, more):
        return self.size + more


def cpu():
    return time.process_time()
