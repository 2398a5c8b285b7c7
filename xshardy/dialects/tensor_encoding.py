"""Encodings of tensor types that not every tensor may have: MLIR's `VerifiableTensorEncoding`."""

from xdsl.dialects.builtin import AnyTensorType


class VerifiableTensorEncoding:
    """Mixin for an attribute class: the parser asks its instances whether the tensor they stand in may have them."""

    def verify_encoding(self, type: AnyTensorType) -> None:
        """Raises `VerifyException` unless `type`, whose encoding this is, may have it."""
        raise NotImplementedError
