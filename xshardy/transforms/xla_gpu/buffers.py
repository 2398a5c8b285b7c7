"""
Tensors as buffers: a tensor that is updated stays in its place, so all its later values are one buffer.

Row XGPU-22 allows an output tensor no other use than being updated, passed through loops and branches, and returned.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from xdsl.dialects import scf, tensor, vector
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, Region, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects.xla_gpu import AtomicRMWOp, SyncThreadsOp

UPDATED: Mapping[type[Operation], Callable[[Operation], Sequence[SSAValue]]] = {
    tensor.InsertOp: lambda op: [op.operands[1]],
    vector.TransferWriteOp: lambda op: [op.operands[1]],
    AtomicRMWOp: lambda op: [op.operands[0]],
    SyncThreadsOp: lambda op: op.operands,
}
"""The operations that update buffers in place: for each result, the operand that has the same buffer."""


def forward_buffers(function: FuncOp) -> None:
    """
    Let every operation use the first value of a buffer: an argument, an allocation or a constant.

    `%a = insert %x into %t; %b = scf.for iter_args(%u = %a) { %c = insert %y into %u; yield %c }; extract %b` ->
    `insert %x into %t; scf.for iter_args(%u = %t) { insert %y into %t; yield %t }; extract %t`.

    Raises `PassFailedException` where a loop or a branch may give one buffer or another.
    """
    for op in list(function.body.walk()):
        match op:
            case scf.ForOp():
                _forward(op.body.block.args[1:], op.iter_args)
                _forward(op.results, op.iter_args)
            case scf.WhileOp():
                _forward(op.before_region.block.args, op.arguments)
            case scf.ConditionOp():
                _forward_condition(op)
            case scf.YieldOp():
                _forward_yield(op)
            case _ if type(op) in UPDATED:
                _forward(op.results, UPDATED[type(op)](op))
            case _:
                pass


def _forward(values: Sequence[SSAValue], buffers: Iterable[SSAValue]) -> None:
    for value, buffer in zip(values, buffers, strict=True):
        if isinstance(value.type, TensorType):
            value.replace_all_uses_with(buffer)


def _forward_condition(op: scf.ConditionOp) -> None:
    loop = op.parent_op()
    assert isinstance(loop, scf.WhileOp)
    _, *passed_on = op.operands
    _forward(loop.after_region.block.args, passed_on)
    _forward(loop.results, passed_on)


def _forward_yield(op: scf.YieldOp) -> None:
    match op.parent_op():
        case scf.ForOp() as loop:
            _check_same(op.operands, loop.iter_args, loop)
        case scf.WhileOp() as loop:
            _check_same(op.operands, loop.arguments, loop)
        case scf.IfOp() | scf.IndexSwitchOp() as branch if branch.results and op.parent_region() is branch.regions[-1]:
            _forward_branches(branch)
        case _:
            pass


def _forward_branches(branch: Operation) -> None:
    """A result gets the buffer that all regions yield for it; if nothing uses the result, they need not agree."""
    first, *others = [region.block.last_op.operands for region in branch.regions if region.block.last_op is not None]
    used = [i for i, result in enumerate(branch.results) if result.first_use]
    for yielded in others:
        _check_same([yielded[i] for i in used], [first[i] for i in used], branch)
    _forward(branch.results, first)


def _check_same(buffers: Iterable[SSAValue], expected: Iterable[SSAValue], op: Operation) -> None:
    for buffer, wanted in zip(buffers, expected, strict=True):
        if _is_tensor(buffer) and buffer is not wanted:
            raise PassFailedException(
                f"'{op.name}' may give one of two buffers, a {wanted.type} or a {buffer.type}: update the same tensor "
                "on every path"
            )


# -- Carried tensors ---------------------------------------------------------------------------------------------------


def drop_carried_tensors(function: FuncOp) -> None:
    """
    Remove the tensors that loops and branches pass on, once `forward_buffers` has left nothing that uses them.

    `%b = scf.for %i iter_args(%u = %t) -> (tensor) { ...; yield %t }` -> `scf.for %i { ... }`.
    """
    for op in list(function.body.walk()):
        if (drop := DROP_TENSORS.get(type(op))) is not None and any(map(_is_tensor, op.results)):
            replacement = drop(op)
            replacement.attributes.update(op.attributes)
            kept = iter(replacement.results)
            Rewriter.replace_op(op, replacement, [None if _is_tensor(old) else next(kept) for old in op.results])


def _is_tensor(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType)


def _kept(values: Iterable[SSAValue]) -> list[SSAValue]:
    return [value for value in values if not _is_tensor(value)]


def _detach_without_tensors(op: Operation, region: Region) -> Region:
    """The region, taken out of `op`, with no tensor among its arguments and what it passes on."""
    detached = op.detach_region(region)
    if detached.first_block is not None:
        block = detached.block
        assert block.last_op is not None
        block.last_op.operands = _kept(block.last_op.operands)
        for argument in [argument for argument in block.args if _is_tensor(argument)]:
            block.erase_arg(argument)
    return detached


def _is_trivial(region: Region) -> bool:
    """Whether the region only ends, and passes nothing on."""
    return region.block.first_op is region.block.last_op and not (
        region.block.last_op and region.block.last_op.operands
    )


def _without_tensors_for(op: scf.ForOp) -> Operation:
    return scf.ForOp(op.lb, op.ub, op.step, _kept(op.iter_args), _detach_without_tensors(op, op.body))


def _without_tensors_while(op: scf.WhileOp) -> Operation:
    types = [result.type for result in _kept(op.results)]
    before, after = op.before_region, op.after_region
    return scf.WhileOp(
        _kept(op.arguments), types, _detach_without_tensors(op, before), _detach_without_tensors(op, after)
    )


def _without_tensors_if(op: scf.IfOp) -> Operation:
    types = [result.type for result in _kept(op.results)]
    then, otherwise = (_detach_without_tensors(op, region) for region in (op.true_region, op.false_region))
    return scf.IfOp(op.cond, types, then, None if _is_trivial(otherwise) else otherwise)


def _without_tensors_switch(op: scf.IndexSwitchOp) -> Operation:
    types = [result.type for result in _kept(op.results)]
    default, *cases = [_detach_without_tensors(op, region) for region in tuple(op.regions)]
    return scf.IndexSwitchOp(op.arg, op.cases, default, cases, types)


DROP_TENSORS: Mapping[type[Operation], Callable[[Any], Operation]] = {
    scf.ForOp: _without_tensors_for,
    scf.IfOp: _without_tensors_if,
    scf.IndexSwitchOp: _without_tensors_switch,
    scf.WhileOp: _without_tensors_while,
}
"""How to build an operation that passes tensors on anew, without them."""
