"""The checks of discardable attributes, as a pass for tools that verify modules without them."""

from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from xshardy.dialects.discardable import verify
from xshardy.transforms.read_only_pass import ReadOnlyPass


class VerifyDiscardableAttributesPass(ReadOnlyPass):
    """
    Verify the module and its discardable attributes, such as `sdy.sharding` on operations of other dialects.

    `xshardy-opt` verifies them between passes; `xdsl-opt` does only where a pipeline has this pass.
    """

    name = "verify-discardable-attributes"
    no_patterns: ClassVar[str] = "verifies only"
    source: ClassVar[str] = 'MLIR, "Operations, Attributes", verification of discardable attributes by their dialect'

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        verify(op)
