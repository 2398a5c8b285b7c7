"""The largest meshes that are partitioned."""

from xdsl.dialects.builtin import ModuleOp

from xshardy.dialects.sdy.ops import MeshOp
from xshardy.transforms.failures import OperationFailedException

MAXIMAL_DEVICES = 2**24
"""The largest mesh that is partitioned: passes list the devices of each group, and XLA numbers them in 32 bits."""


def check_device_counts(module: ModuleOp) -> None:
    """Raises `OperationFailedException` if a mesh of `module` has more than `MAXIMAL_DEVICES`."""
    for op in module.ops:
        if isinstance(op, MeshOp) and op.mesh.device_count > MAXIMAL_DEVICES:
            raise OperationFailedException(
                op,
                f"mesh @{op.sym_name.data} has {op.mesh.device_count:,} devices, and a program is partitioned for "
                f"{MAXIMAL_DEVICES:,} at most: give its axes smaller sizes",
            )
