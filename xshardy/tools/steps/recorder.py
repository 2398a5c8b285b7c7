"""Records what patterns do to a module, as edits of its text."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import final

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region
from xdsl.pattern_rewriter import RewritePattern

from xshardy.ir.fields import operands_of, successors_of, users_of
from xshardy.rewriting.observer import RewriteObserver
from xshardy.rewriting.walk import operations_in
from xshardy.tools.steps.document import ROOT, Document, Drop, Edit, Label, Place, Write
from xshardy.tools.steps.op_text import LastingNames, OperationPrinter

UNREPORTED = "without a pattern"
"""What a step is called that only the comparison after a pass shows."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A pattern left operation `op` as it is, or did less than it could, for a reason."""

    pattern: type[RewritePattern] | None
    op: int
    reason: str


@dataclass(frozen=True, slots=True)
class RewriteStep:
    """One application of a pattern."""

    pattern: type[RewritePattern] | None
    """None for changes of a pass that are of no pattern, or that a pattern did not report."""
    edits: Sequence[Edit]


@dataclass(frozen=True, slots=True)
class PassSteps:
    """What a pass did."""

    name: str
    steps: Sequence[RewriteStep]
    kept: Sequence[Kept]
    """The last reason of each operation and pattern, of those operations that are left."""


@final
class Recorder(RewriteObserver):
    """
    Records the steps of passes on `module`, while it is `observed`.

    After each match, what was reported is compared with the text so far; after each pass, the whole module is, so that
    the edits always lead to the module that a pass leaves.
    """

    def __init__(self, module: ModuleOp):
        super().__init__()
        self.passes: list[PassSteps] = []
        self.document = Document()
        self._module = module
        self._ops: dict[Operation, int] = {module: ROOT}
        self._by_number: dict[int, Operation] = {ROOT: module}
        self._blocks: dict[Block, int] = {}
        self._block_count = 0
        self._op_count = 1
        self._forms: dict[int, object] = {}
        """What the text of each operation depends on."""
        self._names = LastingNames()
        self._printer = OperationPrinter(self._names, self._number_of_block)
        self._touched: dict[Operation, None] = {}
        self._gone: set[int] = set()
        """The operations that are dropped when the others are settled."""
        self._edits: list[Edit] = []
        self._steps: list[RewriteStep] = []
        self._kept: dict[tuple[type[RewritePattern] | None, Operation], str] = {}
        self._pattern: type[RewritePattern] | None = None
        self.operation_insertion_handler.append(self._touch)
        self.operation_modification_handler.append(self._touch)
        self.operation_removal_handler.append(self._touch)
        self.because = self._add_reason
        self._write(module)
        self.start: Sequence[Edit] = self._taken_edits()
        """The edits that make the module as it is before all passes."""

    # What the driver reports

    def start_match(self, pattern: RewritePattern) -> None:
        self._pattern = type(pattern)

    def end_match(self, pattern: RewritePattern, op: Operation | None) -> None:
        self._settle(self._touched)
        if op is not None:
            self._kept.pop((type(pattern), op), None)
        self._add_step(type(pattern))

    def end_pass(self, name: str) -> None:
        self._settle(self._stale())
        self._blocks = {block: number for block, number in self._blocks.items() if number in self.document.labels}
        self._add_step(None)
        self.stop_pass(name)

    def stop_pass(self, name: str) -> None:
        """The pass `name` failed, and may have left anything: keep the steps that it was done with."""
        kept = [Kept(pattern, self._ops[op], text) for (pattern, op), text in self._kept.items() if op in self._ops]
        if self._steps or kept:
            self.passes.append(PassSteps(name, self._steps, kept))
        self._steps, self._kept, self._pattern = [], {}, None

    @property
    def count(self) -> int:
        """How many operations there have been: the number of the next one."""
        return self._op_count

    def _touch(self, op: Operation) -> None:
        self._touched[op] = None

    def _add_reason(self, op: Operation, reason: str) -> None:
        self._kept[self._pattern, op] = reason

    def _add_step(self, pattern: type[RewritePattern] | None) -> None:
        if edits := self._taken_edits():
            self._steps.append(RewriteStep(pattern, edits))

    def _taken_edits(self) -> Sequence[Edit]:
        edits, self._edits = self._edits, []
        return edits

    # Edits

    def _settle(self, ops: Iterable[Operation]) -> None:
        """Make the edits that bring `ops`, and what was in those of them that are gone, to where they are now."""
        present: dict[Operation, None] = {}
        around: dict[Operation, None] = {}
        gone: list[Operation] = []
        for op in ops:
            shown = self._shown(op)
            if shown is not None:
                present[shown] = None
                if (parent := shown.parent_op()) is not None:
                    around[parent] = None
            elif op in self._ops:
                gone.append(op)
        # What a removed operation had in it may be somewhere else now.
        for op in gone:
            for inner in self._inside(self._ops[op]):
                if (shown := self._shown(inner)) is not None:
                    present[shown] = None
        self._touched.clear()
        self._gone = {self._ops[op] for op in gone}
        for op in present:
            self._update(op)
        for op in around:
            if op in self._ops:
                self._refresh(op)
        for op in gone:
            if op in self._ops:
                self._drop(op)

    def _stale(self) -> list[Operation]:
        """The operations that are not in the document, or not as they are now."""
        there = dict.fromkeys(operations_in(self._module))
        stale = [op for op in self._ops if op not in there]  # the module too
        for op in there:
            number = self._ops.get(op)
            if number is None:
                stale.append(op)
                continue
            block, before = op.parent, op.prev_op
            place = (
                None if block is None else self._blocks.get(block),
                None if before is None else self._ops.get(before),
            )
            is_placed = place == (self.document.block_of[number], self.document.previous(number))
            if not is_placed or self._forms[number] != _form(op):
                stale.append(op)
        return stale

    def _inside(self, op: int) -> Iterator[Operation]:
        for block in self.document.blocks_in(op):
            for inner in self.document.ops_in(block):
                yield self._by_number[inner]
                yield from self._inside(inner)

    def _shown(self, op: Operation) -> Operation | None:
        """`op`, or the outermost one around it that is new, or whose text shows no regions; None if it is gone."""
        path: list[Operation] = []
        around: Operation | None = op
        while around is not self._module:
            if around is None:
                return None
            path.append(around)
            around = around.parent_op()
        for each in reversed(path):
            block = each.parent
            if block is None or self._blocks.get(block) not in self.document.labels:
                return around
            if each not in self._ops:
                return each
            around = each
        return op

    def _update(self, op: Operation) -> None:
        """Bring `op`, which is in the module and in a block that is shown or in a new operation, up to date."""
        block = op.parent
        if block is None:
            self._write(op)
            return
        if block not in self._blocks:
            return  # it is in a new operation, which has brought it or will bring it
        self._place(op, block)
        for other in _along_with(op):
            if other in self._ops:
                self._refresh(other)

    def _refresh(self, op: Operation) -> None:
        """Write `op`, which is known, again if its text may have changed."""
        if self._forms[self._ops[op]] != _form(op):
            self._write(op)

    def _place(self, op: Operation, block: Block) -> None:
        """Put `op`, and those before it that are not in `block` yet, into `block`."""
        number = self._blocks[block]
        new: list[Operation] = []
        each: Operation | None = op
        while each is not None and (each is op or self.document.block_of.get(self._ops.get(each, -1)) != number):
            new.append(each)
            each = each.prev_op
        for each in reversed(new):
            if each not in self._ops:
                self._ops[each] = self._op_count
                self._by_number[self._op_count] = each
                self._op_count += 1
                self._write(each)
            else:
                self._refresh(each)
            op_number = self._ops[each]
            after = None if each.prev_op is None else self._ops[each.prev_op]
            if self.document.block_of.get(op_number) != number or self._previous(op_number) != after:
                self._edit(Place(op_number, number, after))

    def _previous(self, op: int) -> int | None:
        """The operation before `op` that is not about to be dropped."""
        previous = self.document.previous(op)
        while previous in self._gone:
            previous = self.document.previous(previous)
        return previous

    def _write(self, op: Operation) -> None:
        """Write the text of `op`, the labels of its blocks, and what is in those of them that are new."""
        number = self._ops[op]
        text, labels = self._printer.text(op)
        self._forms[number] = _form(op)
        old = self.document.texts.get(number)
        if text != old:
            self._edit(Write(number, text))
        for block, label in labels.items():
            block_number = self._blocks[block]
            is_new = block_number not in self.document.labels
            if label != self.document.labels.get(block_number):
                self._edit(Label(block_number, label))
            if is_new and (last := block.last_op) is not None:
                self._place(last, block)

    def _drop(self, op: Operation) -> None:
        number = self._ops[op]
        for inner in [*self._inside(number)]:
            self._forget(inner)
        self._edit(Drop(number))
        self._forget(op)

    def _forget(self, op: Operation) -> None:
        number = self._ops.pop(op)
        del self._by_number[number]
        del self._forms[number]
        self._names.forget(op)

    def _edit(self, edit: Edit) -> None:
        self._edits.append(edit)
        self.document.apply(edit)

    def _number_of_block(self, block: Block) -> int:
        if block not in self._blocks:
            self._blocks[block] = self._block_count
            self._block_count += 1
        return self._blocks[block]


def _along_with(op: Operation) -> Iterator[Operation]:
    """What patterns change along with `op`, often unreported: users of what it defines, and the ends of its blocks."""
    for result in op.results:
        yield from users_of(result)
    for region in op.regions:
        for block in region.blocks:
            for argument in block.args:
                yield from users_of(argument)
            if block.last_op is not None:
                yield block.last_op


MOST_INSIDE = 4
"""The most operations in a region on which the text of the operation around it depends: `applies stablehlo.add`."""


def _form(op: Operation) -> object:
    operands = operands_of(op)
    return (
        operands,
        [value.type for value in operands],
        [result.type for result in op.results],
        op.properties.copy(),
        op.attributes.copy(),
        successors_of(op),
        [_region_form(region) for region in op.regions],
    )


def _region_form(region: Region) -> object:
    blocks = [*region.blocks]
    inside = [*islice((op for block in blocks for op in block.ops), MOST_INSIDE + 1)]
    return (
        blocks,
        [[argument.type for argument in block.args] for block in blocks],
        [(op.name, _form(op)) for op in inside] if len(inside) <= MOST_INSIDE else None,
    )
