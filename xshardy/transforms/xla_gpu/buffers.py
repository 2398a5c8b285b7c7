"""
Tensors as buffers: updates are in place, so all successive values of a tensor are one buffer.

An analysis finds the buffer of every value. Patterns then replace each use by the first value of the buffer, and remove
tensors from the operands and results of loops and branches. By row XGPU-22, an output tensor is only updated, passed
through loops and branches, and returned.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf, tensor, vector
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects.xla_gpu import AtomicRMWOp, SyncThreadsOp
from xshardy.ir.blocks import erase_arguments
from xshardy.rewriting import match_op_type

# -- The buffers of values ---------------------------------------------------------------------------------------------

Buffers = Mapping[SSAValue, SSAValue]
"""For each later value of a buffer, its first value: an argument, an allocation or a constant."""

UPDATED: Mapping[type[Operation], Callable[[Operation], Sequence[SSAValue]]] = {
    tensor.InsertOp: lambda op: [op.operands[1]],
    vector.TransferWriteOp: lambda op: [op.operands[1]],
    AtomicRMWOp: lambda op: [op.operands[0]],
    SyncThreadsOp: lambda op: op.operands,
}
"""For each result of an update, the operand with the same buffer."""

FORWARDING = frozenset[type[Operation]]({scf.ForOp, scf.WhileOp, scf.ConditionOp, scf.YieldOp, *UPDATED})
"""The operations that forward a buffer."""


def buffers_of(operations: Iterable[Operation]) -> Buffers:
    """
    The buffers of the tensors in `operations`, those of functions in program order.

    Raises `PassFailedException` if a loop or a branch may give one of several buffers.
    """
    finder = _BufferFinder({})
    for op in operations:
        if type(op) in FORWARDING:
            finder.visit(op)
    return finder.buffers


@dataclass(frozen=True, slots=True)
class _BufferFinder:
    """The buffers known so far, in program order."""

    buffers: dict[SSAValue, SSAValue]

    def visit(self, op: Operation) -> None:
        match op:
            case scf.ForOp():
                self._pass_on(op.iter_args, op.body.block.args[1:])
                self._pass_on(op.iter_args, op.results)
            case scf.WhileOp():
                self._pass_on(op.arguments, op.before_region.block.args)
            case scf.ConditionOp():
                self._visit_condition(op)
            case scf.YieldOp():
                self._visit_yield(op)
            case _:
                self._pass_on(UPDATED[type(op)](op), op.results)

    def _pass_on(self, sources: Iterable[SSAValue], values: Sequence[SSAValue]) -> None:
        for source, value in zip(sources, values, strict=True):
            if is_tensor(value):
                self.buffers[value] = self._buffer(source)

    def _buffer(self, value: SSAValue) -> SSAValue:
        return self.buffers.get(value, value)

    def _visit_condition(self, op: scf.ConditionOp) -> None:
        loop = op.parent_op()
        assert isinstance(loop, scf.WhileOp)
        _, *passed_on = op.operands
        self._pass_on(passed_on, loop.after_region.block.args)
        self._pass_on(passed_on, loop.results)

    def _visit_yield(self, op: scf.YieldOp) -> None:
        match op.parent_op():
            case scf.ForOp() as loop:
                self._check_same(op.operands, loop.iter_args, loop)
            case scf.WhileOp() as loop:
                self._check_same(op.operands, loop.arguments, loop)
            case scf.IfOp() | scf.IndexSwitchOp() as branch if op.parent_region() is branch.regions[-1]:
                self._visit_branches(branch)
            case _:
                pass

    def _visit_branches(self, branch: Operation) -> None:
        """A result has the buffer that all regions yield for it. Unused results may differ between regions."""
        first, *others = [region.block.last_op.operands for region in branch.regions if region.block.last_op]
        used = [i for i, result in enumerate(branch.results) if result.first_use]
        for yielded in others:
            self._check_same([yielded[i] for i in used], [first[i] for i in used], branch)
        self._pass_on(first, branch.results)

    def _check_same(self, values: Iterable[SSAValue], expected: Iterable[SSAValue], op: Operation) -> None:
        for value, wanted in zip(values, expected, strict=True):
            if is_tensor(value) and self._buffer(value) is not self._buffer(wanted):
                raise PassFailedException(
                    f"'{op.name}' may give one of two buffers, a {wanted.type} or a {value.type}: update the same "
                    "tensor on every path"
                )


def is_tensor(value: SSAValue) -> bool:
    """Whether the value is a tensor."""
    return isinstance(value.type, TensorType)


# -- Patterns ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ForWithoutTensors(RewritePattern):
    """
    `%b = scf.for %i iter_args(%u = %t) { use(%u); yield %c }; use(%b)` -> `scf.for %i { use(%t); yield }; use(%t)`.
    """

    buffers: Buffers

    @match_op_type
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter, /):
        _use_buffers((*op.body.block.args, *op.results), self.buffers, rewriter)
        if any(map(is_tensor, op.results)):
            body = _detach_without_tensors(op, op.body)
            _replace(op, scf.ForOp(op.lb, op.ub, op.step, without_tensors(op.iter_args), body), rewriter)


@dataclass(frozen=True)
class WhileWithoutTensors(RewritePattern):
    """
    `%b = scf.while (%u = %t) { condition %u } do { ^bb(%v): yield %v }` -> `scf.while { condition } do { yield }`.

    Uses of `%u`, `%v` and `%b` become uses of `%t`.
    """

    buffers: Buffers

    @match_op_type
    def match_and_rewrite(self, op: scf.WhileOp, rewriter: PatternRewriter, /):
        before, after = op.before_region, op.after_region
        _use_buffers((*before.block.args, *after.block.args, *op.results), self.buffers, rewriter)
        if any(map(is_tensor, op.results)):
            types = [result.type for result in without_tensors(op.results)]
            regions = (_detach_without_tensors(op, before), _detach_without_tensors(op, after))
            _replace(op, scf.WhileOp(without_tensors(op.arguments), types, *regions), rewriter)


@dataclass(frozen=True)
class IfWithoutTensors(RewritePattern):
    """
    `%b = scf.if %c { yield %u } else { yield %t }; use(%b)` -> `scf.if %c { yield }; use(%t)` for one buffer `%t`.
    """

    buffers: Buffers

    @match_op_type
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter, /):
        _use_buffers(op.results, self.buffers, rewriter)
        if any(map(is_tensor, op.results)):
            types = [result.type for result in without_tensors(op.results)]
            then, otherwise = (_detach_without_tensors(op, region) for region in (op.true_region, op.false_region))
            _replace(op, scf.IfOp(op.cond, types, then, None if _is_trivial(otherwise) else otherwise), rewriter)


@dataclass(frozen=True)
class SwitchWithoutTensors(RewritePattern):
    """`%b = scf.index_switch %i case 0 { yield %u } ...; use(%b)` -> the same without `%b`; `use(%t)`."""

    buffers: Buffers

    @match_op_type
    def match_and_rewrite(self, op: scf.IndexSwitchOp, rewriter: PatternRewriter, /):
        _use_buffers(op.results, self.buffers, rewriter)
        if any(map(is_tensor, op.results)):
            types = [result.type for result in without_tensors(op.results)]
            default, *cases = [_detach_without_tensors(op, region) for region in tuple(op.regions)]
            _replace(op, scf.IndexSwitchOp(op.arg, op.cases, default, cases, types), rewriter)


def buffer_patterns(buffers: Buffers) -> tuple[RewritePattern, ...]:
    """Patterns that let no loop or branch carry a buffer: its first value is used instead."""
    return (
        ForWithoutTensors(buffers),
        WhileWithoutTensors(buffers),
        IfWithoutTensors(buffers),
        SwitchWithoutTensors(buffers),
    )


def without_tensors(values: Iterable[SSAValue]) -> list[SSAValue]:
    """The values that are not tensors."""
    return [value for value in values if not is_tensor(value)]


def _use_buffers(values: Iterable[SSAValue], buffers: Buffers, rewriter: PatternRewriter) -> None:
    """Replace each of `values` by the first value of its buffer."""
    for value in values:
        if value.first_use and (buffer := buffers.get(value)) is not None:
            rewriter.replace_all_uses_with(value, buffer)


def _replace(op: Operation, new: Operation, rewriter: PatternRewriter) -> None:
    """Replace `op` by `new`, which lacks the tensor results. Precondition: these are unused."""
    new.attributes.update(op.attributes)
    kept = iter(new.results)
    rewriter.replace(op, new, [None if is_tensor(old) else next(kept) for old in op.results])


def _detach_without_tensors(op: Operation, region: Region) -> Region:
    """The region, detached from `op`, without tensors in its arguments and its terminator."""
    detached = op.detach_region(region)
    if detached.first_block is not None:
        block = detached.block
        assert block.last_op is not None
        block.last_op.operands = without_tensors(block.last_op.operands)
        erase_arguments(block, filter(is_tensor, block.args))
    return detached


def _is_trivial(region: Region) -> bool:
    """Whether the region is only a terminator without operands."""
    return region.block.first_op is region.block.last_op and not (
        region.block.last_op and region.block.last_op.operands
    )
