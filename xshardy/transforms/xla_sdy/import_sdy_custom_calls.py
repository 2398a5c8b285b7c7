"""Turn the custom calls that stand for operations of sdy into these."""

import re
from collections.abc import Callable, Mapping
from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.sdy.attributes.enums import PropagationDirection, number_of
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.dialects.sdy.ops import PropagationBarrierOp, ShardingConstraintOp, ShardingGroupOp
from xshardy.dialects.sdy.value_shardings import get_sharding
from xshardy.dialects.stablehlo.calls import CustomCallOp
from xshardy.rewriting import DecisionPattern, PatternPass
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.shardings import priority_of, with_dimensions
from xshardy.transforms.xla_sdy.frontend_attributes import frontend_attribute
from xshardy.transforms.xla_sdy.names import (
    ALLOWED_DIRECTION,
    PROPAGATION_BARRIER,
    SHARDING_CALL,
    SHARDING_GROUP,
    SHARDING_GROUP_ID,
    target_of,
)

_UNSPECIFIED = re.compile(r"unspecified_dims=\[(?P<dims>[\d,\s]*)\]")


def unspecified_dims(call: CustomCallOp) -> frozenset[int]:
    """The dimensions that a sharding leaves open, as JAX writes it: `backend_config = "unspecified_dims=[0,2]"`."""
    config = call.backend_config
    if not isinstance(config, StringAttr) or (found := _UNSPECIFIED.search(config.data)) is None:
        return frozenset()
    return frozenset(int(dim) for dim in found["dims"].split(",") if dim.strip())


def sharding_constraint(call: CustomCallOp) -> Operation:
    """The operation that `call`, of `SHARDING_CALL`, stands for. Raises `OperationFailedException`."""
    if len(call.results) != 1:
        raise OperationFailedException(call, f"expected a custom call @{SHARDING_CALL} with exactly one result")
    sharding = get_sharding(call.results[0])
    if sharding is None:
        raise OperationFailedException(
            call,
            f"expected a custom call @{SHARDING_CALL} with a sharding attribute: was the program lowered without "
            "Shardy? Its HLO shardings count only if the module has no xla.sdy.meshes",
        )
    return ShardingConstraintOp(call.operands[0], with_open_dims(call, sharding))


def with_open_dims(call: Operation, sharding: TensorShardingAttr) -> TensorShardingAttr:
    """
    `sharding`, of the result of `call`, with those dimensions open that a custom call leaves open.

    Raises `OperationFailedException` if the value has no such dimension.
    """
    open_dims = unspecified_dims(call) if isinstance(call, CustomCallOp) else frozenset[int]()
    if open_dims and max(open_dims) >= sharding.rank:
        raise OperationFailedException(
            call, f"unspecified_dims names dimension {max(open_dims)}, but the sharding has {sharding.rank}"
        )
    dims = (
        DimensionShardingAttr(dim.axes, is_closed=False, priority=priority_of(dim)) if index in open_dims else dim
        for index, dim in enumerate(sharding.dim_shardings)
    )
    return with_dimensions(sharding, dims)


def sharding_group(call: CustomCallOp) -> Operation:
    """The operation that `call`, of `SHARDING_GROUP`, stands for. Raises `OperationFailedException`."""
    group = frontend_attribute(call.attributes, SHARDING_GROUP_ID, IntegerAttr, call)
    if group is None:
        raise OperationFailedException(call, "expected CustomCallOp with a sharding group id.")
    if any(result.uses for result in call.results):
        raise OperationFailedException(call, f"{SHARDING_GROUP} CustomCallOp should have no uses.")
    return ShardingGroupOp(call.operands[0], group.value.data)


def propagation_barrier(call: CustomCallOp) -> Operation:
    """The operation that `call`, of `PROPAGATION_BARRIER`, stands for. Raises `OperationFailedException`."""
    direction = frontend_attribute(call.attributes, ALLOWED_DIRECTION, IntegerAttr, call)
    if direction is None or len(call.results) != 1:
        raise OperationFailedException(call, "expected PropagationBarrier CustomCall Op with a propagation direction.")
    allowed = {
        number_of(each).value.data: each for each in PropagationDirection if each is not PropagationDirection.BOTH
    }
    if direction.value.data not in allowed:
        raise OperationFailedException(
            call, f"{ALLOWED_DIRECTION} is {direction.value.data}: expected one of {', '.join(map(str, allowed))}"
        )
    return PropagationBarrierOp(call.operands[0], allowed[direction.value.data])


IMPORTED: Mapping[str, Callable[[CustomCallOp], Operation]] = {
    SHARDING_CALL: sharding_constraint,
    SHARDING_GROUP: sharding_group,
    PROPAGATION_BARRIER: propagation_barrier,
}
"""By the target of a custom call: the operation that it stands for."""


def imported_operations(module: ModuleOp) -> Mapping[CustomCallOp, Operation]:
    """The operations that custom calls of `module` stand for. Raises `OperationFailedException` at a bad one."""
    found: dict[CustomCallOp, Operation] = {}
    for call in operations_of(module, CustomCallOp):
        if (imported := IMPORTED.get(target_of(call) or "")) is not None:
            if len(call.operands) != 1:
                raise OperationFailedException(call, f"expected a custom call @{target_of(call)} with one operand")
            found[call] = imported(call)
    return found


class ImportCustomCall(DecisionPattern[CustomCallOp, Operation]):
    """`custom_call @Sharding(x) {sdy.sharding = [s]}` -> `sdy.sharding_constraint x s`; so each row of `IMPORTED`."""

    def rewrite(self, op: CustomCallOp, decision: Operation, rewriter: PatternRewriter, /) -> None:
        rewriter.replace(
            op, decision, decision.results if op.results and decision.results else [None] * len(op.results)
        )


class ImportSdyCustomCallsPass(PatternPass):
    """Replace the custom calls that stand for sharding constraints, sharding groups and barriers by these."""

    name = "xla-sdy-import-sdy-custom-calls"
    source: ClassVar[str] = "XLA, xla/service/spmd/shardy, xla-sdy-import-sdy-custom-calls"

    def patterns(self, module: ModuleOp) -> tuple[RewritePattern, ...]:
        return (ImportCustomCall(imported_operations(module)),)
