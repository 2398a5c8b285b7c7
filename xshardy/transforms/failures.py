"""What passes say of an operation of their input: why they cannot go on, or what its author should know."""

import warnings

from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException


class OperationFailedException(PassFailedException):
    """A pass cannot go on because of `operation`, which it has not changed: tools show its place in the text."""

    def __init__(self, operation: Operation, message: str):
        super().__init__(message)
        self.operation = operation


class OperationWarning(UserWarning):
    """A pass goes on, and its user should know this of `operation`: tools show its place in the text."""

    def __init__(self, operation: Operation, message: str):
        super().__init__(message)
        self.operation = operation


def warn(operation: Operation, message: str) -> None:
    """Warn of `operation`, as Python's `warnings` are set to: shown once on stderr, collected, or raised."""
    warnings.warn(OperationWarning(operation, message), stacklevel=2)
