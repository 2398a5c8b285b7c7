"""Functions that XLA runs on another core: which of their arguments must not take shardings from inside."""

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import BlockArgument
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from xshardy.dialects.sdy.attributes.enums import PropagationDirection
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import PropagationBarrierOp
from xshardy.dialects.sdy.value_shardings import get_sharding
from xshardy.rewriting import DecisionPattern
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.sdy.function_body import body_of
from xshardy.transforms.sdy.uses import replace_other_uses
from xshardy.transforms.xla_sdy.frontend_attributes import frontend_entries
from xshardy.transforms.xla_sdy.names import SHARDING_CALL, is_call_of

COMPUTE_TYPE = "_xla_compute_type"
"""An attribute of a call, or a frontend attribute: on what the callee runs."""
SPARSE_OFFLOAD = StringAttr("sparseoffload")


def is_offloaded(call: CallOp) -> bool:
    """Whether the callee of `call` runs on a core for sparse work, which cannot slice its arguments."""
    written = call.attributes.get(COMPUTE_TYPE) or frontend_entries(call.attributes).get(COMPUTE_TYPE)
    return written == SPARSE_OFFLOAD


def guarded_arguments(module: ModuleOp) -> Mapping[FuncOp, Sequence[BlockArgument]]:
    """
    For each offloaded function, the arguments whose constraints inside must not shard the operands of its calls.

    The constraint is propagated to the operand only where the function would otherwise have to slice the argument. An
    unreduced constraint has no barrier.
    """
    functions = functions_of(module)
    calls: dict[FuncOp, list[CallOp]] = {}
    offloaded: set[FuncOp] = set()
    for call in operations_of(module, CallOp):
        if (function := functions.get(call.callee.string_value())) is not None:
            calls.setdefault(function, []).append(call)
            if is_offloaded(call):
                offloaded.add(function)
    return {f: tuple(_guarded(f, made)) for f, made in calls.items() if f in offloaded and f.body.blocks}


def _guarded(function: FuncOp, calls: Sequence[CallOp]) -> Iterator[BlockArgument]:
    for argument in body_of(function).args:
        users = (use.operation for use in argument.uses)
        constraint = next((user for user in users if is_call_of(user, SHARDING_CALL)), None)
        if constraint is None:
            continue
        inside = get_sharding(constraint.results[0])
        if inside is None:
            yield argument
        elif not inside.unreduced_axes.data:
            outside = [get_sharding(call.arguments[argument.index]) for call in calls]
            if not any(is_slicing(sharding, inside) for sharding in outside):
                yield argument


def is_slicing(outside: TensorShardingAttr | None, inside: TensorShardingAttr) -> bool:
    """Whether a dimension that is not sharded `outside` is sharded `inside`."""
    if outside is None:
        return not inside.is_fully_replicated
    dims = zip(outside.dim_shardings, inside.dim_shardings, strict=True)
    return any(after.axes.data and not before.axes.data for before, after in dims)


class GuardArguments(DecisionPattern[FuncOp, Sequence[BlockArgument]]):
    """`func @f(%x) { g(%x) }` -> `func @f(%x) { g(sdy.propagation_barrier %x allowed_direction=FORWARD) }`"""

    def rewrite(self, op: FuncOp, decision: Sequence[BlockArgument], rewriter: PatternRewriter, /) -> None:
        for argument in reversed(decision):
            barrier = PropagationBarrierOp(argument, PropagationDirection.FORWARD)
            rewriter.insert(barrier, InsertPoint.at_start(argument.block))
            replace_other_uses(argument, barrier.result, barrier, rewriter)
