"""The names that XLA gives to attributes, custom calls and functions which carry shardings."""

from typing import TypeGuard

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import CallOp
from xdsl.ir import Block, Operation

from xshardy.dialects.stablehlo.calls import CustomCallOp

# In the frontend attributes, as texts of attributes of sdy

MESHES = "xla.sdy.meshes"
"""Of the module: the meshes by name, `{mesh = #sdy.mesh<["a"=2]>}`."""
SHARDING_TEXT = "xla.sdy.sharding"
"""Of an argument: `#sdy.sharding<...>`; of an operation: `#sdy.sharding_per_value<[...]>`."""
SHARDING_RULE_TEXT = "xla.sdy.sharding_rule"
SHARDING_GROUP_ID = "xla.sdy.sharding_group_id"
ALLOWED_DIRECTION = "xla.sdy.allowed_direction"
IN_SHARDINGS = "xla.sdy.in_shardings"
OUT_SHARDINGS = "xla.sdy.out_shardings"
MANUAL_AXES = "xla.sdy.manual_axes"
TUPLE_ARGUMENT_SHARDINGS = "xla.sdy.tuple_args_shardings"
"""Of the module: the shardings of the arguments of the main function, if these come as a tuple."""
TUPLE_RESULT_SHARDINGS = "xla.sdy.tuple_results_shardings"
INLINEABLE = "inlineable"

# The targets of custom calls

SHARDING_CALL = "Sharding"
FUNC_RESULT_SHARDING = "xla.sdy.FuncResultSharding"
"""The identity, on a value that a function returns: it carries the sharding of the result."""
SHARDING_GROUP = "xla.sdy.ShardingGroup"
PROPAGATION_BARRIER = "xla.sdy.PropagationBarrier"
GLOBAL_TO_LOCAL = "xla.sdy.GlobalToLocalShape"
LOCAL_TO_GLOBAL = "xla.sdy.LocalToGlobalShape"
FULL_TO_SHARD = "SPMDFullToShardShape"
SHARD_TO_FULL = "SPMDShardToFullShape"
X64_COMBINE = "X64Combine"
"""Two tensors of 32 bits to one of 64: XLA splits wide tensors on devices without them."""
PYTHON_CALLBACKS = frozenset(
    {"xla_python_cpu_callback", "xla_python_gpu_callback", "xla_ffi_python_cpu_callback", "xla_ffi_python_gpu_callback"}
)
"""Those that XLA's passes know; `xshardy.dialects.stablehlo.python_callbacks` has all."""

# Functions

MANUAL_COMPUTATION_BODY = "xla.sdy.manual_computation_body"
"""A part of the name of a function that is the body of a manual computation: XLA adds numbers before and after it."""
INLINABLE_MANUAL_COMPUTATION_BODY = "xla.sdy.inlinable_manual_computation_body"
"""The same, of one that XLA inlines."""


def target_of(op: Operation) -> str | None:
    """The target of a custom call; None for other operations."""
    return op.call_target_name.data if isinstance(op, CustomCallOp) else None


def is_call_of(op: Operation | Block, target: str) -> TypeGuard[CustomCallOp]:
    """Whether `op`, the owner of a value or any operation, is a custom call of `target`."""
    return isinstance(op, CustomCallOp) and op.properties.get("call_target_name") == StringAttr(target)


def calls_manual_computation(call: CallOp) -> bool:
    """Whether `call` calls the body of a manual computation."""
    return MANUAL_COMPUTATION_BODY in call.callee.string_value()
