"""Operations replaced by their decompositions, which keep their sharding."""

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.value_shardings import SHARDING, get_sharding
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.building import Tensors
from xshardy.facts.decompositions import decomposed, decomposition_of
from xshardy.rewriting.pattern import FixedClassPattern
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


def not_in_stablehlo(op: Operation, reason: str) -> Exception:
    """The failure of a pass that removes `op`, which has no decomposition for the `reason`."""
    because = f": {reason}" if reason else ""
    return OperationFailedException(op, f"'{op.name}' op cannot be written in operations of StableHLO{because}")


@dataclass(frozen=True)
class Decompose(FixedClassPattern):
    """
    `chlo.tan %a` -> `stablehlo.tan %a`: the decomposition of an operation, with its sharding, if `is_wanted` holds.

    Raises `refuse(op, reason)` if there is none for its types.
    """

    is_wanted: Callable[[Operation], bool]
    refuse: Callable[[Operation, str], Exception] = not_in_stablehlo

    @classmethod
    def takes_class(cls, op_type: type[Operation], /) -> bool:
        return decomposition_of(op_type) is not None

    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        decompose = decomposition_of(type(op))
        if decompose is None or not self.is_wanted(op):
            return
        sharding = get_sharding(op.results[0])
        is_sharded = sharding is not None and len(op.results) == 1
        t = ShardedTensors(rewriter, op.results[0], sharding) if is_sharded and sharding else Tensors(rewriter)
        try:
            results = decompose(op, t)
        except NotImplementedError as error:
            raise self.refuse(op, str(error)) from error
        rewriter.replace(op, (), results)


def check_decompositions(module: ModuleOp, is_wanted: Callable[[Operation], bool]) -> None:
    """Raises `OperationFailedException` for the first wanted operation without a decomposition; changes nothing."""
    for op in filter(is_wanted, operations_in(module)):
        try:
            decomposed(op)
        except NotImplementedError as error:
            raise not_in_stablehlo(op, str(error)) from None
