"""What an engine reports to its user."""

from xdsl.utils.exceptions import DiagnosticException


class EngineError(DiagnosticException):
    """A program cannot run: what is missing or refused, and how to mend it."""
