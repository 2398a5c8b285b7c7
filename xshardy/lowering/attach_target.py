"""The GPU that a module is lowered for, as an attribute of the module, which `-t ptx` reads."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects import nvvm


@dataclass(frozen=True)
class AttachTargetPass(ModulePass):
    """State the GPU that the module is lowered for: add the attribute `nvvm.target = #nvvm.target<chip = "sm_90">`."""

    name = "xla-gpu-attach-target"
    source: ClassVar[str] = "MLIR's `nvvm-attach-target`, for a `builtin.module`"
    no_patterns: ClassVar[str] = "sets an attribute of the module"
    target: str = "sm_90"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if (stated := nvvm.target_chip(op)) not in (None, self.target):
            raise PassFailedException(
                f"the module is lowered for {stated} (its attribute `{nvvm.TARGET}`), not for {self.target}: "
                "lower it again from the level before"
            )
        op.attributes[nvvm.TARGET] = nvvm.TargetAttr(self.target)
