"""How an operation is written in operations of StableHLO: as it says itself, or as a table here says."""

from collections.abc import Mapping, Sequence

from xdsl.builder import Builder
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from xshardy.dialects.decomposable import DecomposableOpInterface
from xshardy.dialects.stablehlo.building import Decomposition, Tensors
from xshardy.facts.decompositions.chlo import DECOMPOSITIONS
from xshardy.facts.decompositions.deprecated import DEPRECATED

TABLE: Mapping[type[Operation], Decomposition] = {**DECOMPOSITIONS, **DEPRECATED}


def decomposition_of(op_type: type[Operation]) -> Decomposition | None:
    """What decomposes operations of `op_type`; None if nothing does."""
    return op_type.decompose if issubclass(op_type, DecomposableOpInterface) else TABLE.get(op_type)


def decomposed(op: Operation) -> tuple[Block, Sequence[SSAValue]]:
    """
    A block without a terminator, whose arguments are the operands of `op`, and the results of `op` computed there.

    Raises `NotImplementedError` with the reason if `op` has no decomposition for its types.
    """
    decompose = decomposition_of(type(op))
    if decompose is None:
        raise NotImplementedError
    block = Block(arg_types=op.operand_types)
    copy = op.clone(dict(zip(op.operands, block.args, strict=False)))
    return block, decompose(copy, Tensors(Builder(InsertPoint.at_end(block))))
