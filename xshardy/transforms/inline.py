"""
Inline calls, callees before their callers: `func.call` always, as MLIR does, others by the rules of XLA's emitters.

By these rules, a function that is called once moves into its caller. One with several calls is copied only where that
opens the way to merging what it and the caller both call. Source: row XGPU-32.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.ir import Block, Region
from xdsl.passes import PassPipeline
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.universe import Universe

from xshardy.dialects.attribute_names import BACKEND_KIND, NO_COMPUTE, xla_attribute
from xshardy.dialects.inlinable import InlinableCall
from xshardy.ir import clone_region
from xshardy.rewriting import TO_FIXPOINT, PatternPass, Step, match_op_type
from xshardy.rewriting.rewriter import inline_unreported
from xshardy.rewriting.walk import operations_from, operations_in
from xshardy.transforms.call_graph import (
    References,
    bottom_up,
    function_references,
    functions_of,
    is_private,
    reference_reader,
)
from xshardy.transforms.pipeline_pass import IndexedPipeline

NOINLINE = "noinline"
"""A discardable attribute of a call: leave it alone."""

NO_INLINE = "no_inline"
"""The same in MLIR, of a `func.call` or of a function."""

MAX_BLOCK_SIZE = 4000
"""Operations: no block grows beyond this by inlining."""

MAX_COPIED_SIZE_ON_CPU = 100
"""Operations: for CPUs, a function of several callers is copied up to this size, whatever it calls."""

FOR_CPU = "#xla_gpu.backend_kind<cpu>"
"""What a function that is compiled for a CPU says, where this module loads no dialect of it."""

Call = func.CallOp | InlinableCall


def callee_name(call: Call) -> str:
    """The name of the function that `call` calls."""
    callee = call.properties["callee"]
    assert isinstance(callee, SymbolRefAttr)
    return callee.string_value()


@dataclass(slots=True)
class BlockCensus:
    """What the rules read of a block: how many operations it holds, and how often it calls each function."""

    size: int
    calls: Counter[str]

    @staticmethod
    def of(block: Block) -> "BlockCensus":
        """The census of `block`, without what is nested in its operations. Reads each of them once."""
        size, calls = 0, Counter[str]()
        for op in block.ops:
            size += 1
            if isinstance(op, Call):
                calls[callee_name(op)] += 1
        return BlockCensus(size, calls)


def is_for_cpu(module: ModuleOp) -> bool:
    """Whether the first function of `module` that says what it is compiled for is compiled for a CPU."""
    kinds = (xla_attribute(op.attributes, BACKEND_KIND) for op in module.ops if isinstance(op, func.FuncOp))
    return str(next((kind for kind in kinds if kind is not None), None)) == FOR_CPU


def reference_counts(module: ModuleOp, functions: Mapping[str, func.FuncOp], references: References) -> Counter[str]:
    """How often each function is referred to from anywhere in `module`."""
    return Counter(name for op in operations_from(module) for name in references(op) if name in functions)


def unused_functions(
    functions: Mapping[str, func.FuncOp], counts: Counter[str], references: References
) -> tuple[func.FuncOp, ...]:
    """The private functions that nothing refers to any more, and those that then lose their last reference."""
    remaining = Counter(counts)
    pending = [name for name, function in functions.items() if is_private(function) and not remaining[name]]
    unused: list[func.FuncOp] = []
    while pending:
        unused.append(function := functions[pending.pop()])
        for reference in function_references(function, functions, references):
            remaining[reference.name] -= 1
            if not remaining[reference.name] and is_private(functions[reference.name]):
                pending.append(reference.name)
    return tuple(unused)


@dataclass(slots=True)
class CallCensus:
    """
    What the rules read of a module: its functions, how often each is referred to, and a census of the blocks.

    The patterns that inline calls keep it up to date with `record`.
    """

    functions: Mapping[str, func.FuncOp]
    references: References
    counts: Counter[str]
    """How often each function is referred to."""
    blocks: dict[Block, BlockCensus] = field(default_factory=dict[Block, BlockCensus])

    @staticmethod
    def of(module: ModuleOp) -> "CallCensus":
        """The census of `module`."""
        functions, references = functions_of(module), reference_reader()
        return CallCensus(functions, references, reference_counts(module, functions, references))

    def block(self, block: Block) -> BlockCensus:
        """The census of `block`, taken when it is first needed."""
        if block not in self.blocks:
            self.blocks[block] = BlockCensus.of(block)
        return self.blocks[block]

    def callee(self, call: Call) -> func.FuncOp | None:
        """The function of the module that `call` calls."""
        return self.functions.get(callee_name(call))

    def is_only_call(self, callee: func.FuncOp) -> bool:
        """Whether `callee` is private and has a single reference, so that it goes away with a call to it."""
        return is_private(callee) and self.counts[callee.sym_name.data] == 1

    def record(self, call: Call, callee: func.FuncOp, *, moves: bool) -> None:
        """Count what changes when the body of `callee` takes the place of `call`: it `moves`, or is copied."""
        name, block = callee.sym_name.data, call.parent_block()
        assert block is not None
        census, body = self.block(block), self.block(callee.body.block)
        census.size += body.size - 2  # without the call and the `return`
        census.calls[name] -= 1
        if not census.calls[name]:
            del census.calls[name]
        census.calls.update(body.calls)
        self.counts[name] -= 1
        if not moves:
            self.counts.update(name for op in operations_in(callee) for name in self.references(op))

    def unused(self) -> frozenset[func.FuncOp]:
        """The functions left that nothing refers to any more."""
        left = {name: function for name, function in self.functions.items() if function.parent is not None}
        return frozenset(unused_functions(left, self.counts, self.references))


@dataclass(frozen=True, slots=True)
class InliningRule:
    """
    The documented rule, for a call to a function of the module.

    What is marked `noinline` or `no_inline`, a declaration, a body of several blocks and a `recursive` function stay. A
    `func.call`, and a function without computation, are always inlined. Any other only if the caller does not grow too
    large, and either this is the only call, or the only one in its block and the block calls a function that the callee
    calls too. `for_cpu`, small functions are copied without this last condition: a call that stays computes all that
    its callee computes once more, which is exponential in the length of a chain of functions that share no callees.
    """

    census: CallCensus
    recursive: frozenset[str]
    for_cpu: bool = False

    def __call__(self, call: Call, callee: func.FuncOp) -> bool:
        """Whether to inline `call`, which calls `callee`."""
        name = callee.sym_name.data
        if not call.attributes.keys().isdisjoint((NOINLINE, NO_INLINE)) or NO_INLINE in callee.attributes:
            return False
        if len(callee.body.blocks) != 1 or name in self.recursive:
            return False
        if isinstance(call, func.CallOp) or NO_COMPUTE in callee.attributes:
            return True
        block = call.parent_block()
        assert block is not None
        caller, body = self.census.block(block), self.census.block(callee.body.block)
        if caller.size + body.size > MAX_BLOCK_SIZE:
            return False
        if self.census.is_only_call(callee):
            return True
        if caller.calls[name] != 1:
            return False
        is_small = self.for_cpu and body.size <= MAX_COPIED_SIZE_ON_CPU
        return is_small or not caller.calls.keys().isdisjoint(body.calls)


# -- Patterns ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class InlineCall(RewritePattern):
    """What the two patterns below share: `should_inline` decides, and `census` is kept up to date."""

    census: CallCensus
    should_inline: Callable[[Call, func.FuncOp], bool]

    @property
    def op_types(self) -> tuple[type, ...]:
        """What the driver reads: it does not walk where the census has no functions."""
        return (func.CallOp, InlinableCall) if self.census.functions else ()

    def put_in_place(self, call: Call, body: Region, rewriter: PatternRewriter) -> None:
        """Put the operations of `body`, of one block, in the place of `call`."""
        last = body.block.last_op
        assert isinstance(last, func.ReturnOp)
        for op in reversed(inline_unreported(body.block, InsertPoint.before(call), call.operands, rewriter)):
            if isinstance(op, Call) or op.regions:  # report no others: bodies grow with each call in a chain of calls
                rewriter.handle_operation_insertion(op)
        rewriter.replace(call, (), last.arguments)
        rewriter.erase(last)


class MoveBodyOfOnlyCall(InlineCall):
    """`%r = call @f(%x)` -> the body of `@f` on `%x`, and `@f` goes, where this is the only call of a private `@f`."""

    @match_op_type
    def match_and_rewrite(self, op: Call, rewriter: PatternRewriter, /):
        callee = self.census.callee(op)
        if callee is None or not self.census.is_only_call(callee) or not self.should_inline(op, callee):
            return
        self.census.record(op, callee, moves=True)
        self.put_in_place(op, callee.body, rewriter)
        rewriter.erase(callee)


class CopyBody(InlineCall):
    """`%r = call @f(%x)` -> a copy of the body of `@f` on `%x`, where others refer to `@f` too."""

    @match_op_type
    def match_and_rewrite(self, op: Call, rewriter: PatternRewriter, /):
        callee = self.census.callee(op)
        if callee is None or self.census.is_only_call(callee) or not self.should_inline(op, callee):
            return
        self.census.record(op, callee, moves=False)
        self.put_in_place(op, clone_region(callee.body), rewriter)


@dataclass(frozen=True)
class EraseUnusedFunction(RewritePattern):
    """`func.func private @f` -> nothing, where it is one of `unused`."""

    unused: frozenset[func.FuncOp]

    @property
    def op_types(self) -> tuple[type, ...]:
        """What the driver reads: it does not walk where no function is unused."""
        return (func.FuncOp,) if self.unused else ()

    @match_op_type
    def match_and_rewrite(self, op: func.FuncOp, rewriter: PatternRewriter, /):
        if op in self.unused:
            rewriter.erase(op)


# -- The pass ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class InlinePass(PatternPass):
    """
    Inline calls, `func.call` always and others by the rules of XLA's emitters. Private functions without calls go.
    """

    name = "inline"
    source: ClassVar[str] = 'XLA:GPU emitters, "inline" of the codegen pipeline (XGPU-32)'
    default_pipeline: str = ""
    """Passes to run afterwards, such as `cse`, where upstream runs them on every callee."""

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        census = CallCensus.of(module)
        edges = {
            name: [reference.name for reference in function_references(function, census.functions, census.references)]
            for name, function in census.functions.items()
        }
        walk = bottom_up(edges)
        rule = InliningRule(census, walk.recursive, is_for_cpu(module))
        # Callees first: a body that is inlined has been inlined into. The calls that come with it are visited, too.
        callers = tuple(census.functions[name] for name in walk.order)
        yield Step((MoveBodyOfOnlyCall(census, rule), CopyBody(census, rule)), TO_FIXPOINT, callers)
        yield Step((EraseUnusedFunction(census.unused()),))

    @property
    def records_changes(self) -> bool:
        return not self.default_pipeline

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        super().apply(ctx, op)
        if self.default_pipeline:
            passes = PassPipeline.parse_spec(Universe.get_multiverse().all_passes, self.default_pipeline).passes
            IndexedPipeline(passes).apply(ctx, op)
