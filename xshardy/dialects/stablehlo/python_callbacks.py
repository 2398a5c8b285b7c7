"""Custom calls into Python: their targets, and why a program with one is refused."""

from xdsl.ir import Operation

from xshardy.dialects.stablehlo.calls import CustomCallOp

PYTHON_CALLBACKS = frozenset(
    f"xla_{interface}python_{device}_callback"
    for interface in ("", "ffi_", "ffi_partitioned_", "buffer_")
    for device in ("cpu", "gpu")
)
"""The targets of `jax.debug.print`, `jax.pure_callback`, `io_callback` and `buffer_callback`, of any JAX."""

CANNOT_CALL = (
    "a Python callback (jax.debug.print, pure_callback, io_callback) is a number that only the process that "
    "traced the function understands: take the callback out of the function, or run it with jax.jit in that process"
)
"""Why a program with such a call is refused."""


CUSTOM_PARTITIONING = "CustomSPMDPartitioning"
"""The target of a function that `jax.experimental.custom_partitioning` decorates."""
CANNOT_PARTITION = (
    "a function of jax.experimental.custom_partitioning names the function that divides it by a number that only the "
    "process that traced it understands: give the function of JAX instead of its text (FILE.py:NAME in commands), or "
    "write it with jax.shard_map"
)
"""Why a program with such a call is refused."""


def is_python_callback(op: Operation) -> bool:
    """Whether `op` calls a function of the process that traced the program."""
    return isinstance(op, CustomCallOp) and op.call_target_name.data in PYTHON_CALLBACKS
