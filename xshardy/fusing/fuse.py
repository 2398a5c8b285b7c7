"""Make fusions of the operations of a program, so that it consists of steps that run."""

from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.hlo import FusionKind, FusionOp
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.dialects.stablehlo.nullary import ConstantOp
from xshardy.fusing.groups import Group, Grouping, is_small
from xshardy.fusing.merging import Merger
from xshardy.hlo_text.entry import result_layouts
from xshardy.launch.prepared_program import NESTED
from xshardy.rewriting import BACKWARD, DecisionPattern, PatternPass, Step
from xshardy.rewriting.captured import captured
from xshardy.transforms.call_graph import functions_of, is_private
from xshardy.transforms.hlo.outline_regions import APPLYING, CONSTANTS
from xshardy.transforms.unused_operations import EraseUnusedOperation


@dataclass(frozen=True)
class Fuse(DecisionPattern[Operation, Sequence[Group]]):
    """`%r = root(f(%x), %y)` -> `hlo.fusion @fused_root(%x, %y)`, and a function `@fused_root` with `root` and `f`."""

    module: ModuleOp
    taken: Collection[str]
    """The names of functions before."""
    numbers: Counter[str] = field(default_factory=Counter[str])
    """How many functions were made for roots of one kind."""

    def rewrite(self, op: Operation, decision: Sequence[Group], rewriter: PatternRewriter, /) -> None:
        for group in decision:
            name = self.free_name(f"fused_{group.root.name.partition('.')[2]}")
            operands, function = outlined(group, name)
            rewriter.insert(function, InsertPoint.at_end(self.module.body.block))
            fusion = FusionOp(kind_of(group), name, operands, [value.type for value in group.results])
            fusion.attributes.update(result_layouts(function))
            rewriter.insert(fusion)
            for value, result in zip(group.results, fusion.results, strict=True):
                result.name_hint = value.name_hint
                rewriter.replace_all_uses_with(value, result)

    def free_name(self, name: str) -> str:
        """`name`, with a number from the second one on."""
        while True:
            number = self.numbers[name]
            self.numbers[name] += 1
            free = f"{name}_{number}" if number else name
            if free not in self.taken:
                return free


def kernels_of(module: ModuleOp) -> Mapping[Operation, Sequence[Group]]:
    """The kernels of `module` by the operations before which they are inserted."""
    found: dict[Operation, list[Group]] = {}
    for block in blocks_of(module):
        ops = [*block.ops]
        for group in Merger(block, Grouping.of(block)).merge():
            found.setdefault(ops[ceil(group.place)], []).append(group)
    return found


def outlined(group: Group, name: str) -> tuple[Sequence[SSAValue], FuncOp]:
    """
    The values that the members of `group` read from outside, and a private function of these with the members.

    Small constants are cloned into the function.
    """
    members = [*reversed(group.members)]
    inner = {result for op in members for result in op.results}
    read = dict.fromkeys(value for op in members for value in op.operands if value not in inner)
    constants = [value.owner for value in read if isinstance(value.owner, ConstantOp) and is_small(value.owner)]
    copied = {constant.output for constant in constants}
    operands = [value for value in read if value not in copied]
    members = [*constants, *members]
    block = Block(arg_types=[value.type for value in operands])
    copies: dict[SSAValue, SSAValue] = dict(zip(operands, block.args, strict=True))
    for value, argument in zip(operands, block.args, strict=True):
        argument.name_hint = value.name_hint
    block.add_ops([op.clone(copies) for op in members])
    block.add_op(ReturnOp(*(copies[result] for result in group.results)))
    layouts = [hlo.layout_of(value) for value in operands]
    attributes: list[dict[str, Attribute]] = [{} if each is None else {hlo.LAYOUT: integers(each)} for each in layouts]
    types = [value.type for value in operands], [value.type for value in group.results]
    arguments = ArrayAttr(map(DictionaryAttr, attributes))
    return operands, FuncOp(name, types, Region(block), visibility="private", arg_attrs=arguments)


def kind_of(group: Group) -> FusionKind:
    """The kind that XLA gives such fusions: its GPU compiler hands those of rows that are read again to Triton."""
    if group.rows is not None and not isinstance(group.root, stablehlo.ReduceOp):
        return FusionKind.CUSTOM
    return FusionKind.INPUT if group.has_hero else FusionKind.LOOP


def blocks_of(module: ModuleOp) -> Iterator[Block]:
    """The blocks that run: of public functions, of the functions that they call, and of loops and branches."""
    functions = functions_of(module)
    found = dict.fromkeys(function for function in functions.values() if not is_private(function))
    pending = deque(found)
    while pending:
        for block in _nested(pending.popleft().body):
            yield block
            calls = (op.callee.string_value() for op in block.ops if isinstance(op, CallOp))
            called = [functions[name] for name in calls if functions[name] not in found]
            found.update(dict.fromkeys(called))
            pending += dict.fromkeys(called)


def _nested(region: Region) -> Iterator[Block]:
    for block in region.blocks:
        yield block
        for op in block.ops:
            if isinstance(op, NESTED):
                for inner in op.regions:
                    yield from _nested(inner)


class SinkConstant(RewritePattern):
    """`sort(%x) { f(%c) }` -> `sort(%x) { %c = constant; f(%c) }`: what is applied to elements reads nothing else."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /):
        if type(op) not in APPLYING:
            return
        for region in op.regions:
            inside = {*region.walk()}
            for value in captured([region]):
                if isinstance(value.owner, CONSTANTS):
                    copy = value.owner.clone()
                    rewriter.insert(copy, InsertPoint.at_start(region.block))
                    value.replace_uses_with_if(copy.results[0], lambda use, inside=inside: use.operation in inside)


class FusePass(PatternPass):
    """
    Fuse the operations of a program into kernels, as XLA does before it emits them.

    An operation is computed in the kernels that read it, if they can and if this is cheap, or has a kernel of its own.
    Softmax and layer normalization, with what is computed element by element before and after them, are one kernel.
    What is a step of its own stays: library calls, loops, branches, copies, collectives and existing fusions.
    """

    name = "hlo-fuse"
    source: ClassVar[str] = "XLA's docs, \"Operator fusion\"; XLA:GPU's instruction and priority fusion"

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        yield Step((SinkConstant(),))
        groups = kernels_of(module)
        yield Step((Fuse(groups, module, functions_of(module).keys()),))
        yield Step((EraseUnusedOperation(),), BACKWARD)
