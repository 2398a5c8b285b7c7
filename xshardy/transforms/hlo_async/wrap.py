"""Make operations asynchronous: a function around each, its start, and its done right behind."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.hlo.async_operation import AsyncOperation
from xshardy.dialects.hlo.async_sugar import done_of, wrap
from xshardy.dialects.hlo.collectives import CollectiveOp as HLOCollectiveOp
from xshardy.dialects.stablehlo.collectives import CollectiveOp
from xshardy.dialects.stablehlo.types import VALUE
from xshardy.rewriting import PatternPass, rewrite
from xshardy.transforms.call_graph import functions_of, reference_reader
from xshardy.transforms.hlo_async.annotations import move_annotations
from xshardy.transforms.hlo_async.layouts import place_chain
from xshardy.transforms.hlo_async.report import size_in_bytes

Predicate = Callable[[Operation], bool]

CONTROL_FLOW = (func.FuncOp, stablehlo.CaseOp, stablehlo.IfOp, stablehlo.WhileOp)
"""Operations whose regions run as programs do. The regions of others compute single elements."""

KINDS: Mapping[str, tuple[type[Operation], ...]] = {
    "calls": (func.CallOp, hlo.FusionOp, stablehlo.CustomCallOp),
    "collectives": (CollectiveOp, HLOCollectiveOp, hlo.CollectivePermuteOp, stablehlo.CollectivePermuteOp),
    "copies": (hlo.CopyOp, stablehlo.DynamicSliceOp, stablehlo.DynamicUpdateSliceOp, stablehlo.SliceOp),
    "transfers": (stablehlo.RecvOp, stablehlo.SendOp),
}
"""What `kinds=` may name."""


def bytes_moved(op: Operation) -> int:
    """The size of what `op` reads and writes, in bytes. Arrays of unknown size do not count."""
    return sum(size_in_bytes(value.type) or 0 for value in (*op.operands, *op.results))


def is_closed(op: Operation) -> bool:
    """Whether the regions of `op` read no values from outside, so that it can move into a function."""
    return all(op.is_ancestor(value.owner) for inner in op.walk() if inner is not op for value in inner.operands)


def can_wrap(op: Operation) -> bool:
    """Whether `op` is part of a program, not of what is asynchronous already, and takes and gives values of HLO."""
    return (
        not isinstance(op, (AsyncOperation, stablehlo.AsyncStartOp, stablehlo.AsyncDoneOp))
        and isinstance(op.parent_op(), CONTROL_FLOW)
        and bool(op.results)
        and not op.has_trait(IsTerminator)
        and all(VALUE.verifies(value.type) for value in (*op.operands, *op.results))
        and is_closed(op)
    )


def chosen_names(module: ModuleOp, matches: Predicate) -> Mapping[Operation, str]:
    """
    The operations of `module` to make asynchronous, and the names of the functions around them, none of them in use.

    These are the operations that `matches` accepts and that can be wrapped, but not those in computations that are
    wrapped, fused, or applied to elements, nor those inside of another one that is chosen.
    """
    functions = functions_of(module)
    references = reference_reader()
    inside = {name for op in module.walk() if not isinstance(op, func.CallOp) for name in references(op)}
    taken = set(functions)
    candidates: dict[str, Iterator[str]] = {}
    chosen: dict[Operation, str] = {}
    for name, function in functions.items():
        pending = [] if name in inside else list(reversed([*_operations(function)]))
        while pending:
            op = pending.pop()
            if not matches(op) or not can_wrap(op):
                pending.extend(reversed([*_operations(op)]))
                continue
            stem = f"async_{op.name.rpartition('.')[2]}"
            numbered = candidates.setdefault(stem, chain([stem], (f"{stem}_{i}" for i in count())))
            chosen[op] = next(candidate for candidate in numbered if candidate not in taken)
            taken.add(chosen[op])
    return chosen


def _operations(op: Operation) -> Iterator[Operation]:
    """The operations in the regions of `op`, without those in their regions."""
    return (inner for region in op.regions for block in region.blocks for inner in block.ops)


@dataclass(frozen=True)
class WrapChosen(RewritePattern):
    """`%r = op(%x)` -> `%0 = hlo.async_start @name(%x)`, `%r = hlo.async_done %0`, with the names that are chosen."""

    names: Mapping[Operation, str]

    @property
    def op_types(self) -> tuple[type, ...]:
        """What the driver reads."""
        return tuple({type(op) for op in self.names})

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /):
        if (name := self.names.get(op)) is None:
            return
        caller = op
        while not isinstance(caller, func.FuncOp):
            parent = caller.parent_op()
            assert parent is not None, "operations that can be wrapped are in functions"
            caller = parent
        wrapped = op.clone()
        function, start = wrap(wrapped, name)
        done = done_of(start)
        place_chain(function, op, start, done)
        move_annotations(wrapped, start)
        rewriter.insert(function, InsertPoint.before(caller))
        rewriter.replace(op, [start, done], done.results)


def wrap_matching(module: ModuleOp, matches: Predicate) -> None:
    """Make the operations of `module` asynchronous that `matches` accepts and that can be: those of `chosen_names`."""
    rewrite(module, (WrapChosen(chosen_names(module, matches)),))


def names_of(opcode: str) -> tuple[str, ...]:
    """The operations that `opcode` may mean: HLO's `all-gather` in each dialect, or one by its full name."""
    if "." in opcode:
        return (opcode,)
    return tuple(f"{dialect}.{opcode.replace('-', '_')}" for dialect in ("stablehlo", "hlo", "chlo", "func"))


@dataclass(frozen=True)
class AsyncWrapPass(PatternPass):
    """
    Make operations asynchronous: those of one of `opcodes`, and those of one of `kinds`.

    Of these, only such as read and write `min_bytes` bytes at least.
    """

    name = "hlo-async-wrap"
    source: ClassVar[str] = "XLA, asynchronous operations: async-start, async-update and async-done (HLO-ASYNC)"
    opcodes: tuple[str, ...] = ()
    """HLO's `slice,all-gather`, or in quotes the names of operations, `"stablehlo.dot_general"`."""
    kinds: tuple[str, ...] = ()
    """`calls`, `collectives`, `copies`, `transfers`."""
    min_bytes: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        unknown = sorted(set(self.kinds) - KINDS.keys())
        if unknown:
            raise PassFailedException(f"no kind of operations is called '{unknown[0]}': choose of {', '.join(KINDS)}")
        if not self.opcodes and not self.kinds:
            raise PassFailedException("nothing to wrap: set opcodes=slice, say, or kinds=collectives")
        for opcode in self.opcodes:
            if not any(ctx.get_optional_op(name) for name in names_of(opcode)):
                raise PassFailedException(f"no operation is called '{opcode}': write all-gather or \"func.call\", say")
        super().apply(ctx, op)

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        named = {name for opcode in self.opcodes for name in names_of(opcode)}
        types = tuple(type for kind in self.kinds for type in KINDS[kind])

        def matches(candidate: Operation) -> bool:
            is_chosen = candidate.name in named or isinstance(candidate, types)
            return is_chosen and bytes_moved(candidate) >= self.min_bytes

        return (WrapChosen(chosen_names(module, matches)),)
