"""The GPU that a module is lowered for, as an attribute of the module, which `-t ptx` reads."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from xshardy.gpus.targets import target_of
from xshardy.lowering.kernel_marks import MARKS, stated_target


@dataclass(frozen=True)
class AttachTargetPass(ModulePass):
    """
    State the GPU that the module is lowered for: add the attribute `nvvm.target = #nvvm.target<chip = "sm_90">`.

    For an AMD GPU, add `rocdl.target = #rocdl.target<chip = "gfx942">`.
    """

    name = "xla-gpu-attach-target"
    source: ClassVar[str] = "MLIR's `nvvm-attach-target` and `rocdl-attach-target`, for a `builtin.module`"
    no_patterns: ClassVar[str] = "sets an attribute of the module"
    target: str = "sm_90"

    def __post_init__(self) -> None:
        target_of(self.target)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        attribute = MARKS[target_of(self.target).vendor].target_attribute(self.target)
        if (stated := stated_target(op)) not in (None, attribute):
            raise PassFailedException(
                f"the module is lowered for {stated.chip.data} (its attribute `{stated.name}`), not for {self.target}: "
                "lower it again from the level before"
            )
        op.attributes[attribute.name] = attribute
