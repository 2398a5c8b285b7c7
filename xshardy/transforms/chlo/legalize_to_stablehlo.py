"""Replace CHLO by StableHLO."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.builder import Builder
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects.chlo.decompositions import DECOMPOSITIONS
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.value_shardings import SHARDING, get_sharding
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.building import Tensors
from xshardy.rewriting import ClassPattern, PatternPass
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.failures import OperationFailedException


class ShardedTensors(Tensors):
    """Gives all tensors that are computed, of one shape, one sharding."""

    def __init__(self, builder: Builder, like: SSAValue, sharding: TensorShardingAttr):
        super().__init__(builder)
        self._shape = shape_of(like.type)
        self._sharding = TensorShardingPerValueAttr([sharding])

    def __call__(self, op: Operation) -> SSAValue:
        if op.operands and [shape_of(result.type) for result in op.results] == [self._shape]:
            op.attributes[SHARDING] = self._sharding
        return super().__call__(op)


def check(op: Operation) -> None:
    """Raises `OperationFailedException` if `op`, of CHLO, cannot be written in operations of StableHLO."""
    reason = ""
    if (decompose := DECOMPOSITIONS.get(type(op))) is not None:
        block = Block(arg_types=op.operand_types)
        copy = op.clone(dict(zip(op.operands, block.args, strict=False)))
        try:
            decompose(copy, Tensors(Builder(InsertPoint.at_end(block))))
            return
        except NotImplementedError as error:
            reason = f": {error}"
    raise OperationFailedException(op, f"'{op.name}' op cannot be written in operations of StableHLO{reason}")


class Decompose(ClassPattern):
    """`chlo.tan %a` -> `stablehlo.tan %a`: the decomposition of an operation, with its sharding."""

    def takes(self, op_type: type[Operation], /) -> bool:
        return op_type in DECOMPOSITIONS

    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        sharding = get_sharding(op.results[0])
        is_sharded = sharding is not None and len(op.results) == 1
        t = ShardedTensors(rewriter, op.results[0], sharding) if is_sharded and sharding else Tensors(rewriter)
        rewriter.replace(op, (), DECOMPOSITIONS[type(op)](op, t))


@dataclass(frozen=True)
class LegalizeToStablehloPass(PatternPass):
    """
    Write every operation of CHLO in operations of StableHLO.

    Functions of f32 are computed as f64 where a formula would lose precision otherwise. Ragged dot products, scans,
    and functions of complex numbers beyond `conj`, `square` and `tan` are refused. A module with an operation that is
    refused is left as it was.
    """

    name = "chlo-legalize-to-stablehlo"
    source: ClassVar[str] = "StableHLO, chlo-legalize-to-stablehlo"

    def patterns(self, module: ModuleOp) -> tuple[RewritePattern, ...]:
        for op in operations_in(module):
            if op.name.startswith("chlo."):
                check(op)
        return (Decompose(),)
