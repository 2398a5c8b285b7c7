"""What a pattern rewrites with: xDSL's rewriter, lazier, with insertion in constant time, and with locations."""

from collections.abc import Callable, Sequence
from typing import final

from xdsl.builder import BuilderListener, InsertOpInvT
from xdsl.dialects.builtin import UNKNOWN_LOC
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener
from xdsl.rewriter import BlockInsertPoint, InsertPoint

from xshardy.ir.insertion import inline_block, insert_before, insert_op
from xshardy.ir.replacement import erase_op, replace_uses
from xshardy.rewriting.locations import MatchLocations
from xshardy.rewriting.operation_index import OperationIndex


class ReasonListener(PatternRewriterListener):
    """A listener that may also want to know why a pattern leaves an operation as it is."""

    because: Callable[[Operation, str], None] | None = None


class LazyRewriter(PatternRewriter):
    """
    A rewriter that computes its insertion point when it is first read: most matches insert nothing.

    It gives new operations locations, see `locations`. What it overrides does what xDSL's rewriter does, in less time.
    """

    def __init__(self, op: Operation, index: OperationIndex | None = None):
        super().__init__(op)
        self._index = index
        if index is not None:
            self.operation_insertion_handler.append(index.insert)
        self._locations: MatchLocations | None = None
        self._because: Callable[[Operation, str], None] | None = None
        self.start(op)

    def extend_from_listener(self, listener: BuilderListener | PatternRewriterListener) -> None:
        super().extend_from_listener(listener)
        if isinstance(listener, ReasonListener) and listener.because is not None:
            self._because = listener.because

    def because(self, reason: str, *values: object) -> None:
        """Say why the pattern leaves the operation of this match: `reason % values`, formatted for listeners only."""
        if self._because is not None:
            self._because(self._matched, reason % values)

    def start(self, op: Operation) -> None:
        """Start a match of `op`: insert before it, and record that nothing changed."""
        self.has_done_action = False
        self._name_hint = None
        self._matched = op
        self._insertion_point: InsertPoint | None = None

    @property
    def insertion_point(self) -> InsertPoint:
        if self._insertion_point is None:
            self._insertion_point = InsertPoint.before(self._matched)
        return self._insertion_point

    @insertion_point.setter
    def insertion_point(self, point: InsertPoint) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]
        self._insertion_point = point

    def insert(self, op: InsertOpInvT, insertion_point: InsertPoint | None = None) -> InsertOpInvT:
        point = self.insertion_point if insertion_point is None else insertion_point
        self.has_done_action = True
        inserted = (op,) if isinstance(op, Operation) else op
        for each in inserted:
            insert_op(each, point)
        self._record_insertion(inserted)
        return op

    def _record_insertion(self, inserted: Sequence[Operation]) -> None:
        if (location := self._matched.location) is not UNKNOWN_LOC:
            if self._locations is None:
                self._locations = MatchLocations(location)
            for each in inserted:
                self._locations.insert(each)
        if self.operation_insertion_handler:
            for each in inserted:
                self.handle_operation_insertion(each)

    def erase(self, op: Operation, safe_erase: bool = True) -> None:
        self.has_done_action = True
        self.handle_operation_removal(op)
        erase_op(op, safe_erase)
        if self._index is not None:
            self._index.record_erasure()  # not before: a handler of the removal may walk

    def notify_op_modified(self, op: Operation) -> None:
        self.has_done_action = True
        if self.operation_modification_handler:
            self.handle_operation_modification(op)
        if self._index is not None:
            self._index.modify(op)

    def replace(
        self,
        op: Operation,
        new_ops: Operation | Sequence[Operation],
        new_results: Sequence[SSAValue | None] | None = None,
        safe_erase: bool = True,
    ) -> None:
        inserted = (new_ops,) if isinstance(new_ops, Operation) else new_ops
        if new_results is None:
            new_results = inserted[-1].results if inserted else ()
        old_results = op.results
        if len(old_results) != len(new_results):
            raise ValueError(f"Expected {len(old_results)} new results, but got {len(new_results)}")
        self.has_done_action = True
        if inserted:
            for each in inserted:
                insert_before(each, op)
            self._record_insertion(inserted)
        if self.operation_replacement_handler:
            self.handle_operation_replacement(op, new_results)
        pairs = zip(old_results, new_results, strict=True)
        # Each user once, not once for each result: calls and loops have thousands.
        for user in dict.fromkeys(user for old, new in pairs for user in self._replace_uses(old, new, safe_erase)):
            self.handle_operation_modification(user)
        if len(new_results) == 1 and (only := new_results[0]) is not None and (name := only.name_hint) is not None:
            for each in inserted:
                for result in each.results:
                    if result.name_hint is None:
                        result.name_hint = name
        self.erase(op, safe_erase)

    def replace_all_uses_with(self, from_value: SSAValue, to_value: SSAValue | None, safe_erase: bool = True) -> None:
        for user in self._replace_uses(from_value, to_value, safe_erase):
            self.handle_operation_modification(user)

    def _replace_uses(self, from_value: SSAValue, to_value: SSAValue | None, safe_erase: bool) -> Sequence[Operation]:
        """As `replace_all_uses_with`. Returns the operations whose modification is still to be reported."""
        if self._locations is not None:
            self._locations.replace(from_value, to_value)
        if to_value is None:
            super().replace_all_uses_with(from_value, to_value, safe_erase)
        elif from_value is not to_value:
            self.has_done_action |= from_value.first_use is not None
            users = [use.operation for use in from_value.uses] if self.operation_modification_handler else ()
            replace_uses(from_value, to_value)
            return users
        return ()

    def replace_value_with_new_type(self, val: SSAValue, new_type: Attribute) -> SSAValue:
        new = super().replace_value_with_new_type(val, new_type)
        if isinstance(val, BlockArgument) and isinstance(new, BlockArgument):
            new.location = val.location
        return new

    def inline_region(self, region: Region, insertion_point: BlockInsertPoint) -> None:
        self.record_moved_blocks()
        super().inline_region(region, insertion_point)

    def move_region_contents_to_new_regions(self, region: Region) -> Region:
        self.record_moved_blocks()
        return super().move_region_contents_to_new_regions(region)

    def record_moved_blocks(self) -> None:
        """Record that all of the operations of blocks move."""
        if self._index is not None:
            self._index.forget()

    def end(self) -> None:
        """End a match that changed something."""
        if self._locations is not None:
            self._locations.settle()
            self._locations = None


@final
class MovingRewriter(LazyRewriter):
    """A rewriter that reports operations that it moves out of a block as inserted. xDSL's reports nothing of them."""

    def inline_block(self, block: Block, insertion_point: InsertPoint, arg_values: Sequence[SSAValue] = ()) -> None:
        self.has_done_action = True
        # The last one that is put on a worklist is visited first.
        for op in reversed(inline_block(block, insertion_point, arg_values)):
            self.handle_operation_insertion(op)


def inline_unreported(
    block: Block, point: InsertPoint, arguments: Sequence[SSAValue], rewriter: PatternRewriter
) -> Sequence[Operation]:
    """Inline a block as `rewriter` does, unreported: the caller reports those of the operations that may match."""
    rewriter.has_done_action = True
    if isinstance(rewriter, LazyRewriter):
        rewriter.record_moved_blocks()
    return inline_block(block, point, arguments)
