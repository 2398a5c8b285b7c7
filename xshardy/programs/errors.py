"""What is wrong with a program that a user gives."""

from xdsl.utils.exceptions import DiagnosticException, VerifyException

from xshardy.transforms.failures import OperationFailedException


class InputError(ValueError):
    """An error in the input whose message has the place."""


class InvalidProgramError(InputError, VerifyException):
    """A program of text does not verify: the message has the place of the operation."""


class EngineError(DiagnosticException):
    """A program cannot be partitioned or run: what is missing or refused, and how to mend it."""


class OperationRefusedError(OperationFailedException, EngineError):
    """A program cannot run because of one operation: tools show its place in the text."""
