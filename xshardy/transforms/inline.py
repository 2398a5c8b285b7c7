"""
Inline calls by the rules of XLA's emitters, callees before their callers.

A function that is called once moves into its caller. One with several calls is copied only where that opens the way to
merging what it and the caller both call. Source: row XGPU-32.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block
from xdsl.passes import ModulePass, PassPipeline
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.universe import Universe

from xshardy.dialects.xla_gpu import PureCallOp
from xshardy.dialects.xla_gpu.discardable import NO_COMPUTE
from xshardy.transforms.call_graph import bottom_up, function_references, functions_of, is_private, references_of

NOINLINE = "noinline"
"""A discardable attribute of a call: leave it alone."""

MAX_BLOCK_SIZE = 4000
"""Operations: no block grows beyond this by inlining."""

Call = func.CallOp | PureCallOp


@dataclass(slots=True)
class BlockCensus:
    """What the rules ask of a block: how many operations it holds, and how often it calls each function."""

    size: int
    calls: Counter[str]

    @staticmethod
    def of(block: Block) -> "BlockCensus":
        """The census of `block`, without what is nested in its operations. Reads each of them once."""
        size, calls = 0, Counter[str]()
        for op in block.ops:
            size += 1
            if isinstance(op, Call):
                calls[op.callee.string_value()] += 1
        return BlockCensus(size, calls)


@dataclass(slots=True)
class Inliner:
    """Inlining in one module: its functions, how often each is referred to, and a census of the blocks seen so far."""

    functions: dict[str, func.FuncOp]
    recursive: frozenset[str]
    references: Counter[str]
    censuses: dict[Block, BlockCensus] = field(default_factory=dict[Block, BlockCensus])

    def census(self, block: Block) -> BlockCensus:
        """The census of `block`, taken when it is first asked for and kept up to date by `inline`."""
        if block not in self.censuses:
            self.censuses[block] = BlockCensus.of(block)
        return self.censuses[block]

    def is_only_call(self, callee: func.FuncOp) -> bool:
        """Whether `callee` goes away with a call to it, so that its body can move instead of being copied."""
        return is_private(callee) and self.references[callee.sym_name.data] == 1

    def should_inline(self, call: Call, callee: func.FuncOp) -> bool:
        """
        The documented rule, for a call to a function of the module.

        A call marked `noinline`, a declaration, a body of several blocks and a recursive function stay. A function
        without computation is always inlined. Any other only if the caller does not grow too large, and either this is
        the only call, or the only one in its block and the block calls a function that the callee calls too.
        """
        name = callee.sym_name.data
        if NOINLINE in call.attributes or len(callee.body.blocks) != 1 or name in self.recursive:
            return False
        if NO_COMPUTE in callee.attributes:
            return True
        block = call.parent_block()
        assert block is not None
        caller, body = self.census(block), self.census(callee.body.block)
        if caller.size + body.size > MAX_BLOCK_SIZE:
            return False
        if self.is_only_call(callee):
            return True
        return caller.calls[name] == 1 and not caller.calls.keys().isdisjoint(body.calls)

    def inline(self, call: Call, callee: func.FuncOp) -> tuple[Call, ...]:
        """
        `%r = call @f(%x)` -> the body of `@f` on `%x`, and what it returns for `%r`.

        Gives the calls that came with the body. The body moves, and `@f` goes, if this was the only call to it.
        """
        name = callee.sym_name.data
        block = call.parent_block()
        assert block is not None
        moves = self.is_only_call(callee)
        census, body_census = self.census(block), self.census(callee.body.block)
        census.size += body_census.size - 2  # without the call and the `return`
        census.calls[name] -= 1
        if not census.calls[name]:
            del census.calls[name]
        census.calls.update(body_census.calls)
        self.references[name] -= 1

        body = callee.body if moves else callee.body.clone()
        exposed = tuple(op for op in body.walk() if isinstance(op, Call))
        if not moves:
            self.references.update(name for op in body.walk() for name in references_of(op))
        last = body.block.last_op
        assert isinstance(last, func.ReturnOp)
        Rewriter.inline_block(body.block, InsertPoint.before(call), call.operands)
        Rewriter.replace_op(call, (), last.arguments)
        Rewriter.erase_op(last)
        if moves:
            Rewriter.erase_op(self.functions.pop(name))
        return exposed

    def run_on(self, function: func.FuncOp) -> None:
        """Inline the calls in `function`, those that come with an inlined body included."""
        pending = [op for op in function.body.walk(reverse=True) if isinstance(op, Call)]
        while pending:
            call = pending.pop()
            callee = self.functions.get(call.callee.string_value())
            if callee is not None and self.should_inline(call, callee):
                pending.extend(reversed(self.inline(call, callee)))


def reference_counts(module: ModuleOp, functions: Mapping[str, func.FuncOp]) -> Counter[str]:
    """How often each function is referred to from anywhere in `module`."""
    return Counter(name for op in module.walk() for name in references_of(op) if name in functions)


def unused_functions(functions: Mapping[str, func.FuncOp], references: Counter[str]) -> tuple[func.FuncOp, ...]:
    """The private functions that nothing refers to any more, and those that then lose their last reference."""
    remaining = Counter(references)
    pending = [name for name, function in functions.items() if is_private(function) and not remaining[name]]
    unused: list[func.FuncOp] = []
    while pending:
        unused.append(function := functions[pending.pop()])
        for reference in function_references(function, functions):
            remaining[reference.name] -= 1
            if not remaining[reference.name] and is_private(functions[reference.name]):
                pending.append(reference.name)
    return tuple(unused)


@dataclass(frozen=True)
class InlinePass(ModulePass):
    """Inline calls by the rules of XLA's emitters, and erase the private functions that are then unused."""

    name = "inline"
    default_pipeline: str = ""
    """Passes to run afterwards, such as `cse`, where upstream runs them on every callee."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = functions_of(op)
        edges = {
            name: [reference.name for reference in function_references(function, functions)]
            for name, function in functions.items()
        }
        walk = bottom_up(edges)
        inliner = Inliner(functions, walk.recursive, reference_counts(op, functions))
        for name in walk.order:
            if name in functions:
                inliner.run_on(functions[name])
        for function in unused_functions(functions, inliner.references):
            Rewriter.erase_op(function)
        if self.default_pipeline:
            PassPipeline.parse_spec(Universe.get_multiverse().all_passes, self.default_pipeline).apply(ctx, op)
