"""
HLO in XLA's binary form, `.hlo.pb`, read through jaxlib, which has XLA's own reader.

XLA dumps an `HloProto`, whose first field is the `HloModuleProto` that the reader takes; tools write either. Both are
protocol buffers: a field starts with its number and kind, here a number of bytes, and that number.
"""

from collections.abc import Iterator

from xdsl.utils.exceptions import DiagnosticException

_FIRST_FIELD = 0x0A
"""The tag of field 1 with a number of bytes: the module of an `HloProto`, or the name of an `HloModuleProto`."""


class HLOProtoError(DiagnosticException):
    """HLO in binary form cannot be read."""


def hlo_text_of(data: bytes) -> str:
    """The HLO text of a module in binary form. Raises `HLOProtoError` if it is none, or if jaxlib is not installed."""
    try:
        from jaxlib import _hlo  # pyright: ignore
    except ImportError:
        raise HLOProtoError("HLO in binary form needs XLA's reader: run `pip install jaxlib`") from None
    for module in _candidates(data):
        try:
            return _hlo.XlaComputation(module).as_hlo_text(print_large_constants=True)  # pyright: ignore
        except Exception:  # of several kinds, for a text that is none
            continue
    raise HLOProtoError("this is no HLO module in binary form, as XLA dumps it with --xla_dump_hlo_as_proto")


def _candidates(data: bytes) -> Iterator[bytes]:
    """What may be an `HloModuleProto`: the first field of `data`, if that starts with a name, and `data` itself."""
    inner = _first_field(data)
    if inner is not None and _first_field(inner) is not None:
        yield inner
    if inner is not None:
        yield data


def _first_field(data: bytes) -> bytes | None:
    """The bytes of the first field of a message if it is field 1 and holds bytes."""
    if not data or data[0] != _FIRST_FIELD:
        return None
    size, position, shift = 0, 1, 0
    while position < len(data) and shift < 63:
        byte = data[position]
        size |= (byte & 0x7F) << shift
        position, shift = position + 1, shift + 7
        if not byte & 0x80:
            return data[position : position + size] if position + size <= len(data) else None
    return None
