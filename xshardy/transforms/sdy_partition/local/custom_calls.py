"""
Custom calls: code outside of the program, which gets parts of tensors only where it is known to work on parts.

The sharding rules of custom calls say which shardings propagate; they take a partitioner that knows the calls.
"""

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.value_shardings import SHARDING_RULE
from xshardy.sharding.conflicts.parts_rules import WHOLE_DIMENSIONS
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensors, refuse


def check_custom_call(op: stablehlo.CustomCallOp, before: WholeTensors) -> None:
    """
    Raises `OperationFailedException` if the parts of the results are not known to be the results of the parts.

    They are for the batches of known targets, and for what a sharding rule that is written on the call says.
    """
    if before.is_replicated or SHARDING_RULE in op.attributes:
        return
    name = op.call_target_name.data
    whole = WHOLE_DIMENSIONS.get(name)
    if whole is None:
        raise refuse(
            op,
            f"of @{name} has a sharded operand or result, and @{name} is not known to work on parts: let a sharding "
            "constraint replicate them, or write an sdy.sharding_rule on it",
        )
    batches = len(before.operands[0].shape) - whole if before.operands else 0
    for value in (*before.operands, *before.results):
        for dim in range(batches, len(value.shape)):
            if value.axes(dim):
                raise refuse(op, f"of @{name} has a sharded dimension {dim}, which it needs whole on each device")
