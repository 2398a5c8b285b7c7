"""Make operations asynchronous: a function around each, its start, and its done right after the start."""

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
from xshardy.rewriting import DecisionPattern, PatternPass, rewrite
from xshardy.rewriting.walk import operations_from
from xshardy.syntax.close_names import did_you_mean
from xshardy.transforms.call_graph import functions_of, reference_reader
from xshardy.transforms.hlo_async.annotations import move_annotations
from xshardy.transforms.hlo_async.layouts import place_chain
from xshardy.transforms.hlo_async.report import size_in_bytes

Predicate = Callable[[Operation], bool]

CONTROL_FLOW = (func.FuncOp, stablehlo.CaseOp, stablehlo.IfOp, stablehlo.WhileOp)
"""Operations whose regions contain program code; regions of other operations compute single elements."""

KINDS: Mapping[str, tuple[type[Operation], ...]] = {
    "calls": (func.CallOp, hlo.FusionOp, stablehlo.CustomCallOp),
    "collectives": (CollectiveOp, HLOCollectiveOp, hlo.CollectivePermuteOp, stablehlo.CollectivePermuteOp),
    "copies": (hlo.CopyOp, stablehlo.DynamicSliceOp, stablehlo.DynamicUpdateSliceOp, stablehlo.SliceOp),
    "transfers": (stablehlo.RecvOp, stablehlo.SendOp),
}
"""The values of the option `kinds`."""


def bytes_moved(op: Operation) -> int:
    """The bytes that `op` reads and writes. Arrays of unknown size do not count."""
    return sum(size_in_bytes(value.type) or 0 for value in (*op.operands, *op.results))


def is_closed(op: Operation) -> bool:
    """Whether the regions of `op` capture no values, so that it can move into a function."""
    return all(
        op.is_ancestor(value.owner) for inner in operations_from(op) if inner is not op for value in inner.operands
    )


def can_wrap(op: Operation) -> bool:
    """
    Whether `op` can be wrapped: it is program code outside of asynchronous computations, with values of HLO types.
    """
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
    The operations of `module` to make asynchronous, with unused names for the functions around them.

    These are the operations that `matches` accepts and that can be wrapped, except those in computations that are
    wrapped, fused or applied to elements, and those nested in another chosen operation.
    """
    functions = functions_of(module)
    references = reference_reader()
    inside = {name for op in operations_from(module) if not isinstance(op, func.CallOp) for name in references(op)}
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
    """The operations directly in the regions of `op`."""
    return (inner for region in op.regions for block in region.blocks for inner in block.ops)


class WrapChosen(DecisionPattern[Operation, str]):
    """`%r = op(%x)` -> `%0 = hlo.async_start @name(%x)`, `%r = hlo.async_done %0`, for chosen operations and names."""

    def rewrite(self, op: Operation, decision: str, rewriter: PatternRewriter, /) -> None:
        caller = op
        while not isinstance(caller, func.FuncOp):
            parent = caller.parent_op()
            assert parent is not None, "operations that can be wrapped are in functions"
            caller = parent
        wrapped = op.clone()
        function, start = wrap(wrapped, decision)
        done = done_of(start)
        place_chain(function, op, start, done)
        move_annotations(wrapped, start)
        rewriter.insert(function, InsertPoint.before(caller))
        rewriter.replace(op, [start, done], done.results)


def wrap_matching(module: ModuleOp, matches: Predicate) -> None:
    """Make the operations asynchronous that `matches` accepts and `chosen_names` chooses."""
    rewrite(module, (WrapChosen(chosen_names(module, matches)),))


def names_of(opcode: str) -> tuple[str, ...]:
    """The operation names for `opcode`: HLO's `all-gather` in each dialect, or a full operation name."""
    if "." in opcode:
        return (opcode,)
    return tuple(f"{dialect}.{opcode.replace('-', '_')}" for dialect in ("stablehlo", "hlo", "chlo", "func"))


@dataclass(frozen=True)
class AsyncWrapPass(PatternPass):
    """
    Make operations asynchronous, selected by `opcodes` and `kinds`.

    Only operations that read and write at least `min_bytes` bytes.
    """

    name = "hlo-async-wrap"
    source: ClassVar[str] = "XLA, asynchronous operations: async-start, async-update and async-done (HLO-ASYNC)"
    opcodes: tuple[str, ...] = ()
    """HLO's `slice,all-gather`, or in quotes the names of operations, `"stablehlo.dot_general"`."""
    kinds: tuple[str, ...] = ()
    """`calls`, `collectives`, `copies`, `transfers`."""
    min_bytes: int = 0

    def __post_init__(self) -> None:
        if unknown := sorted(set(self.kinds) - KINDS.keys()):
            hint = did_you_mean(unknown[0], KINDS, f": choose of {', '.join(KINDS)}")
            raise ValueError(f"no kind of operations is called '{unknown[0]}'{hint}")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
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
