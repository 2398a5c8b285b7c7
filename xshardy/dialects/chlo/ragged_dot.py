"""Ragged dot products: one dimension of `lhs` is divided into groups, and each group has its own product."""

from collections.abc import Sequence
from typing import Protocol, cast

from xdsl.dialects.builtin import I64, ArrayAttr, DenseArrayBase
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.chlo.attributes import PrecisionAttr, RaggedDotDimensionNumbersAttr
from xshardy.dialects.stablehlo.contraction import verify_dimensions
from xshardy.dialects.stablehlo.dimensions import verify_distinct
from xshardy.dialects.stablehlo.inference import InfersResultTypes, shape_text
from xshardy.dialects.stablehlo.types import (
    INTEGER_TENSOR,
    TENSOR,
    is_compatible_dim,
    is_compatible_shape,
    tensor_type,
)

__all__ = ["RaggedDotOp"]


class RaggedDotNumbers(Protocol):
    """The dimensions of a dot product, the ragged dimension of `lhs`, and the dimension of groups in `rhs`."""

    @property
    def lhs_batching_dimensions(self) -> DenseArrayBase[I64]: ...
    @property
    def rhs_batching_dimensions(self) -> DenseArrayBase[I64]: ...
    @property
    def lhs_contracting_dimensions(self) -> DenseArrayBase[I64]: ...
    @property
    def rhs_contracting_dimensions(self) -> DenseArrayBase[I64]: ...
    @property
    def lhs_ragged_dimensions(self) -> DenseArrayBase[I64]: ...
    @property
    def rhs_group_dimensions(self) -> DenseArrayBase[I64]: ...


class RaggedDotProduct(InfersResultTypes):
    """
    A dot product whose `lhs` has one ragged dimension: `group_sizes` is the number of its indices in each group.

    Let b, m, n, k, g be batches, rows, columns, summands and groups. If the ragged dimension is of rows, `rhs` has
    matrices for each group, `[b, m, k], [g, b, k, n] -> [b, m, n]`; if of summands, the result does,
    `[b, m, k], [b, k, n] -> [g, b, m, n]`; if of batches, `[b, m, k], [b, k, n] -> [b, m, n]`. The sizes may differ
    with each index of the dimensions left of the ragged one, or are given once, as a vector.
    """

    lhs = operand_def(TENSOR)
    rhs = operand_def(TENSOR)
    group_sizes = operand_def(INTEGER_TENSOR)
    result = result_def(TENSOR)
    traits = traits_def(Pure())

    @property
    def numbers(self) -> RaggedDotNumbers:
        return cast(RaggedDotNumbers, self.properties["ragged_dot_dimension_numbers"])

    def infer_result_types(self) -> Sequence[Attribute]:
        precision = cast("ArrayAttr[Attribute] | None", self.properties.get("precision_config"))
        if precision is not None and len(precision) > 2:
            raise VerifyException(f"expects precision config to be empty or have <= 2 elements, got {len(precision)}")
        numbers = self.numbers
        lhs_shape, rhs_shape = tensor_type(self.lhs).get_shape(), tensor_type(self.rhs).get_shape()
        batching, rhs_batching = (
            dims.get_values() for dims in (numbers.lhs_batching_dimensions, numbers.rhs_batching_dimensions)
        )
        contracting, rhs_contracting = (
            dims.get_values() for dims in (numbers.lhs_contracting_dimensions, numbers.rhs_contracting_dimensions)
        )
        verify_dimensions(lhs_shape, rhs_shape, (batching, rhs_batching), (contracting, rhs_contracting))
        ragged = self.ragged_dimension()
        self.verify_group_sizes()
        self.verify_rhs_groups(ragged)
        groups = tensor_type(self.group_sizes).get_shape()[-1]
        dropped = (*rhs_batching, *rhs_contracting, *numbers.rhs_group_dimensions.get_values())
        shape = [
            *([groups] if ragged in contracting else []),
            *(lhs_shape[i] for i in batching),
            *(size for i, size in enumerate(lhs_shape) if i not in (*batching, *contracting)),
            *(size for i, size in enumerate(rhs_shape) if i not in dropped),
        ]
        if not is_compatible_shape(shape, tensor_type(self.result).get_shape()):
            raise VerifyException(
                f"inferred shape '{shape_text(shape)}' is incompatible with return type of operation "
                f"'{self.result.type}'"
            )
        return [self.result.type]

    def ragged_dimension(self) -> int:
        """The dimension of `lhs` that is divided into groups. Raises `VerifyException` unless there is exactly one."""
        ragged = self.numbers.lhs_ragged_dimensions.get_values()
        if len(ragged) != 1:
            raise VerifyException("There must be exactly one ragged dimension in the lhs.")
        verify_exists("lhs_ragged_dim", ragged[0], tensor_type(self.lhs).get_num_dims(), "lhs_rank")
        return ragged[0]

    def outer_dimensions(self) -> tuple[int, ...]:
        """The dimensions of `lhs` for each index of which the sizes of groups may differ."""
        numbers, ragged = self.numbers, self.ragged_dimension()
        batching: tuple[int, ...] = numbers.lhs_batching_dimensions.get_values()
        contracting: tuple[int, ...] = numbers.lhs_contracting_dimensions.get_values()
        if ragged in batching:
            return batching[: batching.index(ragged)]
        if ragged in contracting:
            return (*batching, *contracting[: contracting.index(ragged)])
        return (*batching, *(i for i in range(ragged) if i not in (*batching, *contracting)))

    def verify_group_sizes(self) -> None:
        """Group sizes are a vector, or a vector for each index of the dimensions before the ragged one."""
        lhs_shape = tensor_type(self.lhs).get_shape()
        shape = tensor_type(self.group_sizes).get_shape()
        if len(shape) == 1:
            return
        expected = [lhs_shape[i] for i in self.outer_dimensions()]
        if len(shape) != len(expected) + 1:
            raise VerifyException(f"expected group_sizes to have rank {len(expected) + 1}, got {len(shape)}")
        if list(shape[:-1]) != expected:
            raise VerifyException(
                f"group_sizes is expected to have shape {shape_text([*expected, shape[-1]])}, got {shape_text(shape)}"
            )

    def verify_rhs_groups(self, ragged: int) -> None:
        """`rhs` has a dimension of groups exactly if the ragged dimension is one of rows."""
        numbers, rhs_shape = self.numbers, tensor_type(self.rhs).get_shape()
        groups = numbers.rhs_group_dimensions.get_values()
        for dimension in groups:
            verify_exists("rhs_group_dim", dimension, len(rhs_shape), "rhs_rank")
        for name in ("rhs_batching_dimensions", "rhs_contracting_dimensions"):
            verify_distinct("rhs_group_dimensions", groups, name, getattr(numbers, name).get_values())
        shared = (*numbers.lhs_batching_dimensions.get_values(), *numbers.lhs_contracting_dimensions.get_values())
        if ragged in shared:
            if groups:
                raise VerifyException(
                    "There must be zero group dimensions in the rhs when the ragged dimension is batch or contracting."
                )
            return
        if len(groups) != 1:
            raise VerifyException(
                "There must be exactly one group dimension in the rhs when the lhs ragged dimension is non-contracting."
            )
        count, size = tensor_type(self.group_sizes).get_shape()[-1], rhs_shape[groups[0]]
        if not is_compatible_dim(count, size):
            raise VerifyException(f"rhs group dimension is expected to have size={count}, got {size}")


def verify_exists(name: str, dimension: int, rank: int, rank_name: str) -> None:
    """`dimension` is one of `rank`."""
    if not 0 <= dimension < rank:
        raise VerifyException(f"Expects {name} to be in range [0, {rank_name}) i.e. [0, {rank}). got: {dimension}.")


@irdl_op_definition
class RaggedDotOp(RaggedDotProduct):
    """A ragged dot product; see `RaggedDotProduct`."""

    name = "chlo.ragged_dot"
    ragged_dot_dimension_numbers = prop_def(RaggedDotDimensionNumbersAttr)
    precision_config = opt_prop_def(ArrayAttr[PrecisionAttr])
