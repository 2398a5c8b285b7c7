"""Ops that slide a window over a tensor."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    I1,
    I64,
    DenseArrayBase,
    DenseIntElementsAttr,
    DenseIntOrFPElementsAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    SameVariadicOperandSize,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.dense_elements import first_values
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.dialects.stablehlo.inference import InfersResultTypes
from xshardy.dialects.stablehlo.reduction import verify_reducer
from xshardy.dialects.stablehlo.types import TENSOR, is_compatible_shape, tensor_type

__all__ = ["ReduceWindowOp", "WindowDimension"]

I64_ARRAY = DenseArrayBase.constr(i64)


@dataclass(frozen=True, slots=True)
class WindowDimension:
    """
    One dimension of a window, in elements.

    Dilation puts gaps between the elements of the window, or between those that it slides over (the base). Padding goes
    around the base; if negative, it cuts elements off.
    """

    size: int
    stride: int = 1
    base_dilation: int = 1
    window_dilation: int = 1
    low: int = 0
    high: int = 0

    def verify(self, i: int) -> None:
        """Raise `VerifyException` unless everything but the padding is positive; `i` is the number of the dimension."""
        for what, value in (
            ("value", self.size),
            ("stride", self.stride),
            ("base dilation factor", self.base_dilation),
            ("window dilation factor", self.window_dilation),
        ):
            if value <= 0 and value != DYNAMIC_INDEX:
                raise VerifyException(
                    f"expects window to have positive {what} for {i}-th window dimension, but got {value}."
                )

    def positions(self, size: int) -> int:
        """The number of positions of the window in a dimension of `size` elements."""
        if DYNAMIC_INDEX in (size, self.size):
            return DYNAMIC_INDEX
        padded = self.low + dilated(size, self.base_dilation) + self.high
        window = dilated(self.size, self.window_dilation)
        return 0 if padded <= 0 or window > padded else (padded - window) // self.stride + 1


def dilated(size: int, dilation: int) -> int:
    """The extent of `size` elements with `dilation` - 1 gaps between neighbours."""
    return 0 if size == 0 else (size - 1) * dilation + 1


@irdl_op_definition
class ReduceWindowOp(InfersResultTypes):
    """Combine the elements in each position of a window with `body`, starting from `init_values`."""

    name = "stablehlo.reduce_window"
    inputs = var_operand_def(TENSOR)
    init_values = var_operand_def(TENSOR)
    window_dimensions = prop_def(I64_ARRAY)
    window_strides = opt_prop_def(I64_ARRAY)
    base_dilations = opt_prop_def(I64_ARRAY)
    window_dilations = opt_prop_def(I64_ARRAY)
    padding = opt_prop_def(DenseIntElementsAttr)
    body = region_def("single_block")
    outputs = var_result_def(TENSOR)
    traits = traits_def(RecursiveMemoryEffect())
    irdl_options = (SameVariadicOperandSize(),)

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        init_values: Sequence[SSAValue],
        window: Sequence[WindowDimension],
        body: Region,
        result_types: Sequence[Attribute],
    ):
        super().__init__(
            operands=[inputs, init_values],
            result_types=[result_types],
            properties=window_properties(window),
            regions=[body],
        )

    def window(self) -> tuple[WindowDimension, ...]:
        """The window. Raises `VerifyException` when its attributes do not fit together."""
        return window_of(
            self.window_dimensions.get_values(),
            self.window_strides,
            self.padding,
            self.base_dilations,
            self.window_dilations,
        )

    def infer_result_types(self) -> Sequence[Attribute]:
        if not self.inputs:
            raise VerifyException("requires at least 1 input value")
        sizes = self.window_dimensions.get_values()
        shape = tensor_type(self.inputs[0]).get_shape()
        for i, value in enumerate(self.inputs):
            input = tensor_type(value)
            if not is_compatible_shape(shape, input.get_shape()):
                raise VerifyException(
                    f"expects all inputs to have compatible shapes. Shape at input-index {i} is not compatible with "
                    "shape at input-index 0"
                )
            if input.get_num_dims() != len(sizes):
                raise VerifyException(
                    "expects window-dimensions size == input rank, but got window-dimensions size: "
                    f"{len(sizes)} and input: '{input}' with rank = {input.get_num_dims()}."
                )
        window = self.window()
        accumulators = verify_reducer(self.body.block, self.inputs.types, self.init_values.types, sizes)
        result = [dimension.positions(size) for dimension, size in zip(window, shape, strict=True)]
        return [TensorType(tensor_type(type).element_type, result) for type in accumulators]


def window_of(
    sizes: Sequence[int],
    strides: DenseArrayBase[I64] | None = None,
    padding: DenseIntElementsAttr | None = None,
    base_dilations: DenseArrayBase[I64] | None = None,
    window_dilations: DenseArrayBase[I64] | None = None,
    reversal: DenseArrayBase[I1] | None = None,
) -> tuple[WindowDimension, ...]:
    """
    A window of `sizes` elements from the attributes of an op; a missing or empty one has default values.

    Raises `VerifyException` when the attributes do not fit together.
    """
    columns: dict[str, Sequence[int]] = {}
    low_high = () if padding is None else padding_pairs(padding)
    for what, field, attribute in (
        ("window-strides", "stride", strides),
        ("base-dilation factors", "base_dilation", base_dilations),
        ("window-dilation factors", "window_dilation", window_dilations),
    ):
        if attribute is not None and (values := attribute.get_values()):
            verify_length(what, len(values), len(sizes))
            columns[field] = values
    if low_high:
        verify_length("padding-entries", len(low_high), len(sizes))
        columns["low"], columns["high"] = zip(*low_high, strict=True)
    if reversal is not None and (values := reversal.get_values()):
        verify_length("window-reversal", len(values), len(sizes))
    window = tuple(
        WindowDimension(size, **{field: values[i] for field, values in columns.items()}) for i, size in enumerate(sizes)
    )
    for i, dimension in enumerate(window):
        dimension.verify(i)
    return window


def padding_pairs(padding: DenseIntElementsAttr) -> tuple[tuple[int, int], ...]:
    """`dense<[[1, 2], [3, 4]]>` -> `((1, 2), (3, 4))`. Raises `VerifyException` for a tensor of another shape."""
    shape = padding.get_shape()
    if len(shape) != 2 or shape[1] != 2:
        raise VerifyException(
            "expects the shape of padding-attribute to be {N, 2}, but got {" + ", ".join(map(str, shape)) + "}."
        )
    values = cast(tuple[int, ...], first_values(padding))
    return tuple(zip(values[::2], values[1::2], strict=True))


def verify_length(what: str, count: int, expected: int) -> None:
    """An attribute of a window has an entry for each of its dimensions."""
    if count != expected:
        raise VerifyException(
            f"expects {what} to have same dimension-size as size of window dimensions ({expected}), but got: {count}."
        )


def window_properties(window: Sequence[WindowDimension]) -> dict[str, Attribute]:
    """The properties that encode `window`, without default values."""
    columns = {
        "window_strides": [dimension.stride for dimension in window],
        "base_dilations": [dimension.base_dilation for dimension in window],
        "window_dilations": [dimension.window_dilation for dimension in window],
    }
    properties: dict[str, Attribute] = {"window_dimensions": integers(dimension.size for dimension in window)}
    properties |= {name: integers(values) for name, values in columns.items() if any(value != 1 for value in values)}
    padding = [amount for dimension in window for amount in (dimension.low, dimension.high)]
    if any(padding):
        properties["padding"] = DenseIntOrFPElementsAttr.from_list(TensorType(i64, [len(window), 2]), padding)
    return properties
