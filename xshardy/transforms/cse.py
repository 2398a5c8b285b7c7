"""Common subexpression elimination, as xDSL's `cse`, with the effects of upstream's operations."""

from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.traits import IsTerminator, MemoryEffectKind
from xdsl.transforms.common_subexpression_elimination import CSEDriver

from xshardy.dialects.extensions.effects import effects_of, is_trivially_dead


def may_write_between(first: Operation, last: Operation) -> bool:
    """Whether an operation from `first` up to, but without, `last` may write memory. Both are in one block."""
    op = first
    while op is not last:
        effects = effects_of(op)
        if effects is None or any(effect.kind is MemoryEffectKind.WRITE for effect in effects):
            return True
        op = op.next_op
        assert op is not None, "`first` must be before `last`"
    return False


class EffectAwareCSE(CSEDriver):
    """xDSL's driver, which decides by the traits of classes alone which operations it may merge or erase."""

    def _simplify_operation(self, op: Operation) -> None:
        if op.has_trait(IsTerminator):
            return
        if is_trivially_dead(op):
            self._mark_erasure(op)
            return
        if any(len(region.blocks) > 1 for region in op.regions):
            return
        effects = effects_of(op)
        if effects is None or any(effect.kind is not MemoryEffectKind.READ for effect in effects):
            return
        existing = self._known_ops.get(op)
        if existing is None or (effects and not self._reads_the_same(existing, op)):
            self._known_ops[op] = op
        else:
            self._replace_and_delete(op, existing)

    @staticmethod
    def _reads_the_same(existing: Operation, op: Operation) -> bool:
        return op.parent_block() is existing.parent_block() and not may_write_between(existing, op)


class CSEPass(ModulePass):
    """Merge operations that compute the same values, and erase those without effects whose results nothing uses."""

    name = "xla-gpu-cse"
    no_patterns: ClassVar[str] = "looks up each operation in a table of those that dominate it"
    source: ClassVar[str] = "MLIR, -cse"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        EffectAwareCSE().simplify(op)
