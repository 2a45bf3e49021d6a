"""What one side has shown of its own objects. Numbers are used once."""


class Shown:
    """Objects by number, each kept until the other side lets go of it, and the classes that were described."""

    def __init__(self):
        self.handing = True
        self._next = 1
        self._shown = {}
        self._numbers = {}
        self._described = set()
        self._describing = []

    def export(self, value):
        """The number of an object of this side; it is kept until the other side lets go of it."""
        known = self._numbers.get(id(value))
        if known is None:
            known = self._next
            self._next += 1
            self._numbers[id(value)] = known
            self._shown[known] = [value, 0, False]
        entry = self._shown[known]
        entry[1] += 1
        entry[2] = entry[2] or self.handing
        return known

    def is_handed(self, value):
        """Whether an object of this side was handed over by the tests themselves: in a question, or by what their code answered."""
        entry = self._shown.get(self._numbers.get(id(value)))
        return entry is not None and entry[0] is value and entry[2]

    def shown(self, number):
        """The object of this side with a number; raises KeyError for one that was never shown."""
        return self._shown[number][0]

    def release(self, number, count):
        """The other side needs it no longer, having received it so many times."""
        entry = self._shown.get(number)
        if entry is None:
            return
        entry[1] -= count
        if entry[1] <= 0:
            del self._shown[number]
            self._numbers.pop(id(entry[0]), None)
            self._described.discard(number)

    def settle(self):
        """The message that described classes was sent."""
        self._describing.clear()

    def described_so_far(self):
        """How many classes this message has described, for `undo`."""
        return len(self._describing)

    def undo(self, since=0):
        """It was not, or not this part of it: the classes are still to be described."""
        self._described.difference_update(self._describing[since:])
        del self._describing[since:]

    def describes(self, number):
        """Whether a class of this number is to be described by this message; it counts as described from then on."""
        if number in self._described:
            return False
        self._described.add(number)
        self._describing.append(number)
        return True

    def made_there(self, number):
        """A class that the other side knows already, having derived it."""
        self._described.add(number)

    def replace(self, number, value):
        """Has a number stand for another object."""
        entry = self._shown[number]
        self._numbers.pop(id(entry[0]), None)
        self._numbers[id(value)] = number
        entry[0] = value

    def forget(self):
        """The other side is a new process, which was shown nothing."""
        self._shown.clear()
        self._numbers.clear()
        self._described.clear()
