"""The texts of single operations, with names that stay the same while a module changes."""

from collections.abc import Callable
from typing import final

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue

from xshardy.dialects.naming import SuggestsNames, ValueNames
from xshardy.syntax.printer import DEFAULT_DIALECTS, Printer
from xshardy.tools.steps.document import NAME, REGION, Text


@final
class LastingNames(ValueNames):
    """Names of values that no other value gets, also after they are gone; and a record of those that are printed."""

    def __init__(self):
        super().__init__(ModuleOp([]))
        self.printed: list[str] = []
        self._packs_by_result: dict[SSAValue, str] = {}
        """By the first result: a twin of an operation takes over its results."""

    def of(self, value: SSAValue) -> str:
        self.printed.append(self._name(value))
        return NAME

    def results(self, op: Operation) -> str:
        self._name(op.results[0])
        self.printed.append(self._packs_by_result[op.results[0]])
        return NAME

    def _name(self, value: SSAValue) -> str:
        if value not in self._names:
            if isinstance(value, BlockArgument):
                self._names[value] = self._argument(value)
            elif isinstance(value, OpResult):
                self._name_results(value.op)
                self._packs_by_result[value.op.results[0]] = self._packs.pop(value.op)
        return self._names[value]

    def _argument(self, argument: BlockArgument) -> str:
        """A name for `argument`. An operation whose regions have arguments of the same names may print these once."""
        region, around = argument.block.parent, argument.block.parent_op()
        if region is None or argument.block is not region.blocks.first or not isinstance(around, SuggestsNames):
            return self._argument_name(of_entry=True)
        names, first = around.argument_names(region), around.regions[0]
        if region is not first and names and names == around.argument_names(first):
            return self._name(first.blocks[0].args[argument.index])
        suggested = names[argument.index] if argument.index < len(names) else None
        return self._argument_name(of_entry=True) if suggested is None else self._unique(suggested)

    def forget(self, op: Operation) -> None:
        """Forget the results of `op`, which is gone."""
        for result in op.results:
            if result.owner is op:
                self._names.pop(result, None)
                self._packs_by_result.pop(result, None)


@final
class OperationPrinter(Printer):
    """Prints operations one by one: with a mark for each of their regions, and without aliases."""

    def __init__(self, names: LastingNames, number_of: Callable[[Block], int]):
        super().__init__(templates=False)
        self._may_alias = False
        self._lasting = self._value_names = names
        self._number_of = number_of
        self._regions: list[tuple[int, ...]] = []
        self._labels: dict[Block, Text] = {}

    def text(self, op: Operation) -> tuple[Text, dict[Block, Text]]:
        """The text of `op`, and the labels of the blocks that it shows."""
        parent = op.parent_op()
        self._default_dialects = ["" if parent is None else DEFAULT_DIALECTS.get(parent.name, "")]
        try:
            text = self._op_text(op)
        except Exception:  # between two steps, an operation may not be what its own syntax can print
            self.print_generic_format = True
            text = self._op_text(op)
            self.print_generic_format = False
        return text, self._labels

    def _op_text(self, op: Operation) -> Text:
        self._regions, self._labels = [], {}
        text = self._text(lambda: self.print_op(op))
        return Text(text.template, text.names, tuple(self._regions))

    def _text(self, write: Callable[[], None]) -> Text:
        around, self._lasting.printed = self._lasting.printed, []
        template = self._capture(write)
        names, self._lasting.printed = self._lasting.printed, around
        return Text(template, tuple(names))

    def _get_block_name(self, block: Block) -> str:
        return f"bb{self._number_of(block)}"

    def print_region(
        self,
        region: Region,
        print_entry_block_args: bool = True,
        print_empty_block: bool = True,
        print_block_terminators: bool = True,
    ) -> None:
        """A mark for `region`. All of its terminators are shown."""
        entry = region.blocks.first
        for block in region.blocks:
            labelled = block is not entry or (
                (bool(block.args) and print_entry_block_args) or (not block.ops and print_empty_block)
            )
            name = self._get_block_name(block)
            head = self._text(lambda block=block, name=name: self._print_head(block, name)) if labelled else Text("")
            self._labels[block] = head
        self._regions.append(tuple(map(self._number_of, region.blocks)))
        self._parts.append(REGION)
