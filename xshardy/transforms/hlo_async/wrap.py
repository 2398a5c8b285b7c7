"""Make operations asynchronous: a function around each, its start, and its done right behind."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, count

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.hlo.async_operation import AsyncOperation
from xshardy.dialects.hlo.async_sugar import done_of, wrap
from xshardy.dialects.hlo.collectives import CollectiveOp as HLOCollectiveOp
from xshardy.dialects.stablehlo.collectives import CollectiveOp
from xshardy.dialects.stablehlo.types import VALUE
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


@dataclass(slots=True)
class FreshNames:
    """Names for new functions, none of which is in use."""

    taken: set[str]
    candidates: dict[str, Iterator[str]] = field(default_factory=dict[str, Iterator[str]])

    def take(self, stem: str) -> str:
        """`stem`, or the first of `stem_0`, `stem_1`, ... that is free."""
        numbered = self.candidates.setdefault(stem, chain([stem], (f"{stem}_{i}" for i in count())))
        name = next(name for name in numbered if name not in self.taken)
        self.taken.add(name)
        return name


@dataclass(frozen=True, slots=True)
class WrapMatching(RewritePattern):
    """`%r = op(%x)` -> `%0 = hlo.async_start @async_op(%x)`, `%r = hlo.async_done %0`, where `matches` says so."""

    matches: Predicate
    names: FreshNames

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /):
        if not self.matches(op) or not can_wrap(op):
            return
        caller = op
        while not isinstance(caller, func.FuncOp):
            parent = caller.parent_op()
            assert parent is not None, "operations that can be wrapped are in functions"
            caller = parent
        name = self.names.take(f"async_{op.name.rpartition('.')[2]}")
        wrapped = op.clone()
        function, start = wrap(wrapped, name)
        done = done_of(start)
        place_chain(function, op, start, done)
        move_annotations(wrapped, start)
        rewriter.insert(function, InsertPoint.before(caller))
        rewriter.replace(op, [start, done], done.results)


def wrap_matching(module: ModuleOp, matches: Predicate) -> None:
    """
    Make the operations of `module` asynchronous that `matches` accepts and that can be.

    Those in computations that are wrapped, fused, or applied to elements stay as they are.
    """
    functions = functions_of(module)
    references = reference_reader()
    inside = {name for op in module.walk() if not isinstance(op, func.CallOp) for name in references(op)}
    pattern = WrapMatching(matches, FreshNames(set(functions)))
    for name, function in functions.items():
        if name not in inside:
            PatternRewriteWalker(pattern, apply_recursively=False).rewrite_region(function.body)


def names_of(opcode: str) -> tuple[str, ...]:
    """The operations that `opcode` may mean: HLO's `all-gather` in each dialect, or one by its full name."""
    if "." in opcode:
        return (opcode,)
    return tuple(f"{dialect}.{opcode.replace('-', '_')}" for dialect in ("stablehlo", "hlo", "chlo", "func"))


@dataclass(frozen=True)
class AsyncWrapPass(ModulePass):
    """
    Make operations asynchronous: those of one of `opcodes`, and those of one of `kinds`.

    Of these, only such as read and write `min_bytes` bytes at least.
    """

    name = "hlo-async-wrap"
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
        chosen = {name for opcode in self.opcodes for name in names_of(opcode)}
        for opcode in self.opcodes:
            if not any(ctx.get_optional_op(name) for name in names_of(opcode)):
                raise PassFailedException(f"no operation is called '{opcode}': write all-gather or \"func.call\", say")
        types = tuple(type for kind in self.kinds for type in KINDS[kind])

        def matches(candidate: Operation) -> bool:
            is_chosen = candidate.name in chosen or isinstance(candidate, types)
            return is_chosen and bytes_moved(candidate) >= self.min_bytes

        wrap_matching(op, matches)
