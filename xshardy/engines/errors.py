"""What an engine reports to its user."""

from xdsl.utils.exceptions import DiagnosticException

from xshardy.transforms.failures import OperationFailedException


class EngineError(DiagnosticException):
    """A program cannot run: what is missing or refused, and how to mend it."""


class OperationRefusedError(OperationFailedException, EngineError):
    """A program cannot run because of one operation: tools show its place in the text."""
