"""What a task's tests/oracle.py may import, beside the standard library."""


class Raises:
    """As the result of `expected`: the call must raise this exception, named by its class (`"ValueError"`)."""

    def __init__(self, class_name):
        self.class_name = class_name


class Output:
    """As the result of `expected` for a program: its output and its exit code (0 when a plain text is returned)."""

    def __init__(self, text="", exit=0):
        self.text = text
        self.exit = exit


class Approx:
    """As the result of `expected` for a function: floats may differ by `tolerance`, relative above 1, absolute below."""

    def __init__(self, value, tolerance=1e-9):
        self.value = value
        self.tolerance = tolerance
