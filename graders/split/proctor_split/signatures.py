"""Signatures of functions, as data."""

import inspect

_EMPTY = inspect.Parameter.empty
_KINDS = list(inspect._ParameterKind)


def told_signature(function):
    """(parameters, returned): of each parameter name, kind, and a default and annotation in a list that may be empty."""
    signature = inspect.signature(function)
    parameters = [
        (parameter.name, int(parameter.kind), _listed(parameter.default), _listed(parameter.annotation))
        for parameter in signature.parameters.values()
    ]
    return parameters, _listed(signature.return_annotation)


def made_signature(parameters, returned):
    """An inspect.Signature of what was told."""
    made = [
        inspect.Parameter(name, _KINDS[kind], default=(default or [_EMPTY])[0], annotation=(annotation or [_EMPTY])[0])
        for name, kind, default, annotation in parameters
    ]
    return inspect.Signature(made, return_annotation=(returned or [_EMPTY])[0])


def _listed(value):
    return [] if value is _EMPTY else [value]
