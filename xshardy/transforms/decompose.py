"""Operations replaced by their decompositions, which keep their sharding."""

from collections.abc import Mapping
from typing import ClassVar

from xdsl.builder import Builder
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.value_shardings import SHARDING, get_sharding
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.building import Decomposition, Tensors
from xshardy.rewriting import ClassPattern
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


class DecomposeByTable(ClassPattern):
    """`op %a` -> its decomposition in `decompositions`, with its sharding."""

    decompositions: ClassVar[Mapping[type[Operation], Decomposition]]

    def takes(self, op_type: type[Operation], /) -> bool:
        return op_type in self.decompositions

    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        sharding = get_sharding(op.results[0])
        is_sharded = sharding is not None and len(op.results) == 1
        t = ShardedTensors(rewriter, op.results[0], sharding) if is_sharded and sharding else Tensors(rewriter)
        rewriter.replace(op, (), self.decompositions[type(op)](op, t))


def check_decomposition(op: Operation, decompositions: Mapping[type[Operation], Decomposition]) -> None:
    """Raises `OperationFailedException` if `op` has no decomposition into operations of StableHLO."""
    reason = ""
    if (decompose := decompositions.get(type(op))) is not None:
        block = Block(arg_types=op.operand_types)
        copy = op.clone(dict(zip(op.operands, block.args, strict=False)))
        try:
            decompose(copy, Tensors(Builder(InsertPoint.at_end(block))))
            return
        except NotImplementedError as error:
            reason = f": {error}"
    raise OperationFailedException(op, f"'{op.name}' op cannot be written in operations of StableHLO{reason}")
