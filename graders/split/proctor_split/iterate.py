"""Iteration over the other side's iterators: one question an item at first, then runs of growing size.

A run ends early when it makes the owner call back, or gives something that does not travel by value: then running ahead
could be seen, and the iterator is read item by item.
"""

RUN_AFTER = 8
LONGEST_RUN = 256


class Ahead:
    """What was read ahead of one iterator: items, then how it ended."""

    __slots__ = ("items", "read", "step", "ended")

    def __init__(self):
        self.items = []
        self.read = 0
        self.step = 1
        self.ended = False


def next_item(ref, ask):
    """The next item; `ask(count)` gives (items, ended, pure). Raises StopIteration or what the owner's iterator raised."""
    ahead = ref.ahead
    if ahead is None:
        ahead = ref.ahead = Ahead()
    if ahead.items:
        return ahead.items.pop()
    if ahead.ended:
        ahead.ended = False
        raise StopIteration
    items, ended, pure = ask(ahead.step)
    ahead.read += len(items)
    if not pure:
        ahead.step = 1
    elif ahead.read >= RUN_AFTER or ahead.step > 1:
        ahead.step = min(LONGEST_RUN, ahead.step * 2)
    if not items:
        raise StopIteration
    ahead.ended = bool(ended)
    ahead.items = list(reversed(items))
    return ahead.items.pop()


def take(iterator, count, is_pure, pending):
    """The owner's part: up to `count` items as (items, ended, pure); `is_pure(item)` says whether to go on after an item.

    An exception after the first item waits in `pending`, by identity of the iterator, for the next question.
    """
    kept = pending.pop(id(iterator), None)
    if kept is not None:
        raise kept
    items = []
    for _ in range(count):
        try:
            items.append(next(iterator))
        except StopIteration:
            return items, True, True
        except BaseException as error:
            if not items:
                raise
            pending[id(iterator)] = error
            return items, False, False
        if not is_pure(items[-1]):
            return items, False, False
    return items, False, True
