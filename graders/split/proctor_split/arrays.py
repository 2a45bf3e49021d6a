"""numpy arrays and scalars, where the snapshot has numpy: type, shape and buffer. Arrays of objects are references."""

import math
import sys

# booleans, whole numbers, floats, complex numbers, dates and fixed texts: nothing that holds a pointer
_KINDS = "biufcmMSU"
MAX_DIMENSIONS = 32


def encode(value):
    """The form of an array or scalar of numpy's own type, or None."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not hasattr(numpy, "ndarray"):
        return None
    kind = type(value)
    if kind is not numpy.ndarray and not (isinstance(value, numpy.generic) and kind.__module__ == "numpy"):
        return None
    if value.dtype.kind not in _KINDS:
        return None
    shape = list(value.shape) if kind is numpy.ndarray else None
    return ["np", value.dtype.str, shape, value.tobytes().decode("latin-1")]


def decode(form):
    """An array (writable, of its own memory) or a scalar; raises ValueError."""
    import numpy

    name, shape, text = form[1:4]
    dtype = numpy.dtype(name) if type(name) is str and len(name) < 32 and "O" not in name and "," not in name else None
    if dtype is None or dtype.kind not in _KINDS:
        raise ValueError("an array of this type does not travel")
    data = text.encode("latin-1")
    if shape is None:
        return numpy.frombuffer(data, dtype=dtype, count=1)[0]
    if len(shape) > MAX_DIMENSIONS or any(type(size) is not int or size < 0 for size in shape):
        raise ValueError("an array of this shape does not travel")
    if math.prod(shape) * dtype.itemsize != len(data):
        raise ValueError("an array whose bytes do not fit its shape")
    return numpy.frombuffer(data, dtype=dtype).reshape(shape).copy()
