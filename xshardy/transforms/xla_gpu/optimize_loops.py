"""
Unroll loops with a small body (XGPU-36), completely if they are small enough, otherwise by a factor; optionally
pipeline the loads of others.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import ClassVar

from xdsl.dialects import arith, func, scf, vector
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, ModuleOp, VectorType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.utils.hints import isa

from xshardy.dialects.xla_gpu import PureCallOp
from xshardy.facts.code_size import code_size
from xshardy.ir import clone_operation
from xshardy.rewriting import INNER_FIRST, PatternPass, Step, because, match_op_type
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.xla_gpu.counted_loops import trip_count
from xshardy.transforms.xla_gpu.index_values import shared_constant
from xshardy.transforms.xla_gpu.pipeline_loads import PipelineLoad
from xshardy.transforms.xla_gpu.unrolled_indices import even_indices

MAX_SIZE = 400
"""The maximal size of an unrolled body, in the units of `BodySizes`. XLA's number, found by experiment."""


@dataclass(frozen=True)
class BodySizes:
    """
    An estimate of the code size of regions: the `code_size` of each operation, times the elements of a vector.

    A call has the size of its callee, which is computed once.
    """

    module: ModuleOp

    @cached_property
    def _functions(self) -> dict[str, func.FuncOp]:
        return functions_of(self.module)

    @cached_property
    def _known(self) -> dict[str, int | None]:
        return {}

    def of_region(self, region: Region) -> int | None:
        """The size of everything in `region`; None if it contains an operation that should not be cloned."""
        total = 0
        for op in region.walk():
            size = self._of_operation(op)
            if size is None:
                return None
            total += size
        return total

    def _of_operation(self, op: Operation) -> int | None:
        if isinstance(op, PureCallOp):
            return self._of_function(op.callee.string_value())
        if (size := code_size(op)) is None:
            return None
        if op.results and isinstance(type_ := op.results[0].type, VectorType):
            for elements in type_.get_shape():
                size *= elements
        return size

    def _of_function(self, name: str) -> int | None:
        if name not in self._known:
            self._known[name] = None  # a recursive function has no size
            function = self._functions.get(name)
            if function is not None and not function.is_declaration:
                self._known[name] = self.of_region(function.body)
        return self._known[name]


def unroll_factor(loop: scf.ForOp, sizes: BodySizes, few: int = 0) -> int:
    """
    The unroll factor of `loop`; 1 to keep it.

    The largest divisor of the trip count for which the body stays within `MAX_SIZE`; all iterations of a loop over the
    lanes of a vector, and of one with at most `few` iterations. Only loops from 0 with step 1 and a constant bound are
    unrolled: no others are generated.
    """
    iterations = trip_count(loop)
    if iterations is None or iterations < 2:
        return 1
    if _selects_lanes(loop):
        return iterations
    size = sizes.of_region(loop.body)
    if size is None:
        return 1
    if iterations <= few:
        return iterations
    largest = min(iterations, MAX_SIZE // size)
    return next((factor for factor in range(largest, 1, -1) if iterations % factor == 0), 1)


@dataclass(frozen=True)
class WhyKept:
    """Why `loop` is not unrolled, as text that is made when it is read. Precondition: its unroll factor is 1."""

    loop: scf.ForOp
    sizes: BodySizes

    def __str__(self) -> str:
        iterations = trip_count(self.loop)
        if iterations is None:
            return "the number of iterations is no constant, or they are not counted from 0 in steps of 1"
        if iterations < 2:
            return f"it has {iterations} iteration{'s' if iterations != 1 else ''}"
        if (size := self.sizes.of_region(self.loop.body)) is None:
            return "its body has a loop, a call or a function that expands to much code"
        return f"two copies of a body of size {size} are more than {MAX_SIZE}, or no factor divides {iterations}"


def _selects_lanes(loop: scf.ForOp) -> bool:
    """
    Whether the body reads or writes the element of a vector whose number is that of the iteration.

    Such a vector is in registers only if its elements have constant numbers, and otherwise in local memory.
    """
    return any(isinstance(use.operation, vector.ExtractOp | vector.InsertOp) for use in loop.body.block.args[0].uses)


@dataclass(frozen=True)
class UnrollLoop(RewritePattern):
    """
    `scf.for %i = 0 to 2 step 1 { body(%i) }` -> `body(0); body(1)`

    `scf.for %i = 0 to 512 step 1 { body(%i) }` -> `scf.for %i = 0 to 512 step 8 { body(%i); body(%i + 1); ... }`
    """

    sizes: BodySizes
    few: int = 0

    @match_op_type
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter, /):
        factor = unroll_factor(op, self.sizes, self.few)
        if factor == 1:
            return because(rewriter, "not unrolled: %s", WhyKept(op, self.sizes))
        if factor == trip_count(op):
            _unroll_fully(op, factor, rewriter)
        else:
            _unroll_by(op, factor, rewriter)


def _unroll_fully(loop: scf.ForOp, iterations: int, rewriter: PatternRewriter) -> None:
    """Replace `loop` by `iterations` copies of its body; the last one is the body itself."""
    body, carried = loop.body.block, tuple(loop.iter_args)
    before = InsertPoint.before(loop)
    for i in range(iterations - 1):
        carried = _copy_body(tuple(body.ops), body, (_constant(i, loop, rewriter), *carried), before, rewriter)
    last = _constant(iterations - 1, loop, rewriter)
    terminator = body.last_op
    assert isinstance(terminator, scf.YieldOp)
    rewriter.inline_block(body, before, (last, *carried))
    carried = tuple(terminator.operands)
    rewriter.erase(terminator)
    rewriter.replace(loop, (), carried)


def _unroll_by(loop: scf.ForOp, factor: int, rewriter: PatternRewriter) -> None:
    """
    Unroll `loop` by `factor`.

    An index that grows evenly with the iteration is computed once, and the copies add a constant to it: they share all
    other arithmetic. LLVM finds this out too, but takes two to three times as long for large factors.
    """
    body = loop.body.block
    once = tuple(body.ops)
    terminator = once[-1]
    at_end = InsertPoint.before(terminator)
    indices = even_indices(loop, rewriter)
    copied = [op for op in once if op not in indices]
    shared = {*indices, *(index.base.owner for index in indices.values())}
    needs_iteration = any(use.operation not in shared for use in body.args[0].uses)
    carried = tuple(terminator.operands)
    for i in range(1, factor):
        iteration = body.args[0]
        if needs_iteration:
            iteration = rewriter.insert(arith.AddiOp(iteration, _constant(i, loop, rewriter)), at_end).result
        known: dict[SSAValue, SSAValue] = {
            op.results[0]: index.in_copy(i, loop, rewriter) for op, index in indices.items()
        }
        carried = _copy_body(copied, body, (iteration, *carried), at_end, rewriter, known)
    terminator.operands = carried
    loop.operands[2] = _constant(factor, loop, rewriter)
    rewriter.notify_op_modified(loop)


def _copy_body(
    ops: Sequence[Operation],
    body: Block,
    arguments: Sequence[SSAValue],
    point: InsertPoint,
    rewriter: PatternRewriter,
    known: Mapping[SSAValue, SSAValue] = MappingProxyType({}),
) -> tuple[SSAValue, ...]:
    """
    Copy `ops`, a body with its terminator, to `point`, for these `arguments`; returns the yielded values of the copy.

    `known` are the copies of other results of the body.
    """
    copies: dict[SSAValue, SSAValue] = {**dict(zip(body.args, arguments, strict=True)), **known}
    *copied, terminator = ops
    for op in copied:
        rewriter.insert(clone_operation(op, copies), point)
    return tuple(copies.get(value, value) for value in terminator.operands)


def _constant(value: int, loop: scf.ForOp, rewriter: PatternRewriter) -> SSAValue:
    """A constant of the type of the induction variable of `loop`."""
    type_ = loop.step.type
    assert isa(type_, IndexType | IntegerType)
    return shared_constant(IntegerAttr(value, type_), loop, rewriter)


@dataclass(frozen=True)
class OptimizeLoopsPass(PatternPass):
    """
    Unroll small loops, and those of at most `max_unroll_factor` iterations, innermost first. With `pipeline_loads`,
    pipeline the loads of other loops.

    Pipelining is off by default and was removed from XLA: LLVM reorders the loads of a loop in the end. It often
    reverses the pipelining; otherwise, or if it unrolls the loop instead, kernels have more instructions and no fewer
    stalls.
    """

    name = "xla-gpu-optimize-loops"
    source: ClassVar[str] = 'XLA:GPU emitters, "Loop unrolling" (XGPU-36, XGPU-57)'
    pipeline_loads: bool = False
    max_unroll_factor: int = 0

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        yield Step((UnrollLoop(BodySizes(module), self.max_unroll_factor),), INNER_FIRST)
        if self.pipeline_loads:
            yield Step((PipelineLoad(),))
