"""References to objects of the other side, and what is known of its classes."""

KEY = "\0proctor"  # where instances that have a __dict__ keep their reference
INFO = "__proctor_class__"


class Ref:
    """One object of the other side; tells the owner when it is no longer needed."""

    __slots__ = ("peer", "number", "count", "epoch", "origin", "hash", "ahead", "extra")

    def __init__(self, peer, number, origin=None):
        self.peer = peer
        self.number = number
        self.count = 1
        self.epoch = peer.epoch
        self.origin = origin
        self.hash = None
        self.ahead = None
        self.extra = None

    def bind(self, number):
        """From now on it stands for the object that has this number in the other side's present process."""
        self.number, self.count, self.epoch = number, 1, self.peer.epoch

    def __del__(self):
        peer = self.peer
        if peer.epoch == self.epoch:
            peer.released.append((self.number, self.count))


PEERS = []


def unpickle_there(data):
    """Has the other side unpickle what it pickled; this side never does."""
    return PEERS[-1].request("unpickle", data)


class ClassInfo:
    """What is known of a mirror class, or of a class derived from one here (`told` is None)."""

    __slots__ = ("ref", "peer", "told", "kind")

    def __init__(self, ref, told, kind):
        self.ref = ref
        self.peer = ref.peer
        self.told = told
        self.kind = kind


def class_info(cls):
    """The ClassInfo of exactly this class, or None."""
    return cls.__dict__.get(INFO)
