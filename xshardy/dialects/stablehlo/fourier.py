"""The discrete Fourier transform."""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyFloat, ComplexType, DenseArrayBase, f32, f64, i64
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import Attribute, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from xshardy.dialects.stablehlo.inference import InfersResultTypes, bounded
from xshardy.dialects.stablehlo.types import (
    FLOAT_OR_COMPLEX_TENSOR,
    bounds_of,
    is_compatible_dim,
    tensor_type,
)

__all__ = ["FftOp", "FftType", "FftTypeAttr"]


class FftType(StrEnum):
    FFT = "FFT"
    IFFT = "IFFT"
    RFFT = "RFFT"
    IRFFT = "IRFFT"


@irdl_attr_definition
class FftTypeAttr(EnumAttribute[FftType], SpacedOpaqueSyntaxAttribute):
    """Forward or inverse, and whether the signal is real: then the mirrored half of its transform is left out."""

    name = "stablehlo.fft_type"


@irdl_op_definition
class FftOp(InfersResultTypes):
    """Transform the last `len(fft_length)` dimensions, whose sizes in the time domain are `fft_length`."""

    name = "stablehlo.fft"
    operand = operand_def(FLOAT_OR_COMPLEX_TENSOR)
    fft_type = prop_def(FftTypeAttr)
    fft_length = prop_def(DenseArrayBase.constr(i64))
    result = result_def(FLOAT_OR_COMPLEX_TENSOR)
    traits = traits_def(Pure())
    assembly_format = (
        "$operand `,` `type` `=` $fft_type `,` `length` `=` $fft_length attr-dict `:` "
        "functional-type(operands, results)"
    )

    def infer_result_types(self) -> Sequence[Attribute]:
        lengths, type = self.fft_length.get_values(), tensor_type(self.operand)
        rank, shape, bounds = len(lengths), list(type.get_shape()), list(bounds_of(type))
        if not 1 <= rank <= 3:
            raise VerifyException(f"rank must be between 1 and 3, but got {rank}.")
        element = self.result_element(type.element_type)
        if len(shape) < rank:
            raise VerifyException(
                f"operand rank must not be less than fft rank of {rank} for operand of type '{type}'."
            )
        match self.fft_type.data:
            case FftType.RFFT:
                verify_lengths("RFFT requires innermost dimensions", shape, shape[-rank:], lengths)
                if lengths[-1]:
                    shape[-1] = lengths[-1] // 2 + 1
                bounds[-1] = DYNAMIC_INDEX
            case FftType.IRFFT:
                verify_lengths(
                    "IRFFT requires non-final dimensions", shape, shape[-rank:-1], lengths, ", and {size} != {length}"
                )
                is_empty = shape[-1] == lengths[-1] == 0
                if not is_empty and not is_compatible_dim(shape[-1], lengths[-1] // 2 + 1):
                    raise VerifyException(
                        "IRFFT requires innermost dimension to be compatible with fft_length[-1]/2+1. Got: "
                        f"{shape[-1]} but fft_length is {', '.join(map(str, lengths))}."
                    )
                shape[-1] = lengths[-1]
                bounds[-1] = DYNAMIC_INDEX
            case _:
                pass
        return [bounded(element, shape, bounds)]

    def result_element(self, element: Attribute) -> Attribute:
        """`f32` -> `complex<f32>` for RFFT, the other way for IRFFT, and complex numbers stay such."""
        kind = self.fft_type.data
        if kind == FftType.RFFT:
            if element not in (f32, f64):
                raise VerifyException(f"RFFT requires f32 or f64 input type, but is given '{element}'.")
            return ComplexType(cast(AnyFloat, element))
        if not isinstance(element, ComplexType):
            raise VerifyException(f"FFT/IFFT/IRFFT take a complex tensor as input, but is given '{self.operand.type}'.")
        element = cast(ComplexType, element)
        return element.element_type if kind == FftType.IRFFT else element


def verify_lengths(
    what: str, shape: Sequence[int], sizes: Sequence[int], lengths: Sequence[int], details: str = ""
) -> None:
    """`sizes`, of dimensions in the time domain, are those that `lengths` gives for them."""
    for size, length in zip(sizes, lengths, strict=False):
        if not is_compatible_dim(size, length):
            raise VerifyException(
                f"{what} to be compatible with fft_length. Got: {', '.join(map(str, shape))} but wanted "
                f"{', '.join(map(str, lengths))}{details.format(size=size, length=length)}."
            )
