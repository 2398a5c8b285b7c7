"""Errors in a text whose message is a whole diagnostic."""

from xdsl.utils.exceptions import DiagnosticException


class PlacedError(DiagnosticException):
    """An error in a text that begins with its place: `file:line:column: error: what`."""
