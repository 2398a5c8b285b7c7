"""Values for the constants that a text leaves out, so that a dump can be executed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from numpy.random import Generator
from xdsl.dialects.builtin import ModuleOp
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.dense_elements import dense
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.interpreters.random_elements import GENERATORS, Make, plain_floats, random_inputs
from xshardy.numerics.conversions import convert
from xshardy.numerics.element_types import Array, DType, Kind
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.rewriting.walk import operations_of


def zeros_and_ones(rng: Generator, size: int, dtype: DType) -> Array:
    """Integers that are in bounds of what they index, unless that has one element."""
    return convert(rng.integers(0, 2, size), dtype)


DRAWN: Mapping[Kind, Make] = {**GENERATORS, Kind.INTEGER: zeros_and_ones, Kind.FLOAT: plain_floats}
"""What is drawn for elements of each kind."""


@dataclass(frozen=True)
class DrawElidedConstant(RewritePattern):
    """`hlo.elided_constant : tensor<2xf32>` -> `stablehlo.constant dense<[0.3, -1.2]> : tensor<2xf32>`"""

    seeds: Mapping[hlo.ElidedConstantOp, int]

    @match_op_type
    def match_and_rewrite(self, op: hlo.ElidedConstantOp, rewriter: PatternRewriter, /):
        type = tensor_type(op.result)
        (drawn,) = random_inputs([type], self.seeds[op], DRAWN)
        constant = stablehlo.ConstantOp(dense(type, drawn.tobytes()))
        constant.attributes.update(op.attributes)
        rewriter.replace(op, constant)


@dataclass(frozen=True)
class DrawElidedConstantsPass(PatternPass):
    """
    Replace constants whose values the text leaves out, `constant({...})`, by random ones.

    Floats are plain numbers, integers 0 or 1. The program computes something else, by the same operations: enough to
    check its kernels.
    """

    name = "hlo-draw-elided-constants"
    source: ClassVar[str] = "ours, for dumps of XLA, which leave large constants out by default"

    seed: int = 0
    """The values depend on this number and on the place of the constant among those left out."""

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        ops = operations_of(module, hlo.ElidedConstantOp)
        return (DrawElidedConstant({op: self.seed + number for number, op in enumerate(ops)}),)
