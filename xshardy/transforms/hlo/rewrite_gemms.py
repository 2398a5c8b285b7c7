"""Hand matrix products to cuBLAS, as XLA:GPU does."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import (
    BFloat16Type,
    ComplexType,
    Float16Type,
    Float32Type,
    Float64Type,
    ModuleOp,
    StringAttr,
    TensorType,
)
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects import stablehlo
from xshardy.dialects.hlo.annotation_names import BACKEND_CONFIG
from xshardy.dialects.shapes import is_static, shape_of
from xshardy.dialects.stablehlo.building import Tensors, element_type
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.indexing.tensor_maps import minor_to_major, row_major
from xshardy.rewriting import PatternPass, Step, match_op_type
from xshardy.transforms.call_graph import outside_of_fusions

TARGET = "__cublas$gemm"
HALF = (BFloat16Type(), Float16Type())
WIDE = (Float32Type(), Float64Type(), ComplexType(Float32Type()), ComplexType(Float64Type()))
RESULTS = {**{type: (type, Float32Type()) for type in HALF}, **{type: (type,) for type in WIDE}}
"""The element types that cuBLAS multiplies, and those that it gives for each. Source: NVIDIA, cublasGemmEx."""


@dataclass(frozen=True, slots=True)
class Factor:
    """An operand of a product: its dimensions by what they do."""

    value: SSAValue
    batch: Sequence[int]
    contracting: Sequence[int]

    @property
    def free(self) -> list[int]:
        """The dimensions that only this operand has."""
        return [d for d in range(len(shape_of(self.value))) if d not in (*self.batch, *self.contracting)]

    def sizes(self, dims: Sequence[int]) -> int:
        """The product of the sizes of `dims`."""
        return prod(shape_of(self.value)[d] for d in dims)

    def as_matrices(self, t: Tensors) -> tuple[SSAValue, int]:
        """
        The operand as a tensor of `[batch, rows, columns]`, without the first one if there is no batch dimension, and
        the position of the contracting dimension. It is transposed only if its dimensions are in no such order: then
        so that products along other dimensions of the same tensor read the same transposed one.
        """
        first = [*self.contracting, *self.free]
        is_last = first != sorted(first)
        rows, columns = (self.free, self.contracting) if is_last else (self.contracting, self.free)
        value = t.transpose(self.value, [*self.batch, *rows, *columns])
        batch = [self.sizes(self.batch)] if self.batch else []
        return t.reshape(value, [*batch, self.sizes(rows), self.sizes(columns)]), len(batch) + is_last


class DotToGemm(RewritePattern):
    """
    `dot_general %x, %y` -> `custom_call @__cublas$gemm(%x, %y)` of matrices, with reshapes, and transposes if needed.

    Only for element types that cuBLAS takes, and products that add something up.
    """

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.DotGeneralOp, rewriter: PatternRewriter, /):
        numbers = op.dot_dimension_numbers
        lhs = Factor(
            op.lhs, numbers.lhs_batching_dimensions.get_values(), numbers.lhs_contracting_dimensions.get_values()
        )
        rhs = Factor(
            op.rhs, numbers.rhs_batching_dimensions.get_values(), numbers.rhs_contracting_dimensions.get_values()
        )
        if not is_gemm(op) or not lhs.contracting:
            return
        t = Tensors(rewriter)
        (left, lhs_dim), (right, rhs_dim) = lhs.as_matrices(t), rhs.as_matrices(t)
        batch = [lhs.sizes(lhs.batch)] if lhs.batch else []
        shape = [*batch, lhs.sizes(lhs.free), rhs.sizes(rhs.free)]
        call = stablehlo.CustomCallOp(TARGET, [left, right], [TensorType(element_type(op.result), shape)])
        precision = [each.data.value for each in op.precision_config] if op.precision_config else ["DEFAULT"] * 2
        call.attributes[BACKEND_CONFIG] = StringAttr(config(bool(batch), lhs_dim, rhs_dim, precision))
        rewriter.replace(op, (), [t.reshape(t(call), shape_of(op.result))])


def is_gemm(op: stablehlo.DotGeneralOp) -> bool:
    """Whether cuBLAS computes products of these types, in row-major layouts, and nothing is empty."""
    values = (op.lhs, op.rhs, op.result)
    left, right, result = map(element_type, values)
    return (
        left == right
        and result in RESULTS.get(cast(Any, left), ())
        and op.algorithm is None
        and all(is_static(tensor_type(value)) and prod(shape_of(value)) for value in values)
        and all(minor_to_major(value) == row_major(shape_of(value)) for value in values)
    )


def config(is_batched: bool, lhs_contracting: int, rhs_contracting: int, precision: Sequence[str]) -> str:
    """The `backend_config` of a product without a factor and without an epilogue."""
    batch = ["0"] if is_batched else []
    return json.dumps(
        {
            "gemm_backend_config": {
                "alpha_real": 1,
                "alpha_imag": 0,
                "beta": 0,
                "dot_dimension_numbers": {
                    "lhs_contracting_dimensions": [str(lhs_contracting)],
                    "rhs_contracting_dimensions": [str(rhs_contracting)],
                    "lhs_batch_dimensions": batch,
                    "rhs_batch_dimensions": batch,
                },
                "precision_config": {"operand_precision": [*precision], "algorithm": "ALG_UNSET"},
                "epilogue": "DEFAULT",
            }
        }
    )


class RewriteGemmsPass(PatternPass):
    """
    Replace matrix products of floating-point and complex numbers by calls of cuBLAS: `__cublas$gemm`.

    Those in fusions stay.
    """

    name = "hlo-rewrite-gemms"
    source: ClassVar[str] = "XLA:GPU's gemm rewriter, backend_configs.proto; NVIDIA, cuBLAS documentation"

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        yield Step((DotToGemm(),), roots=outside_of_fusions(module))
