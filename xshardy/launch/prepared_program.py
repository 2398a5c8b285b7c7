"""
The program of a module as one function: calls in place of their callees, each asynchronous operation in a region.

What is left in the function is what runs: fusions, library calls, copies, loops and branches, in schedule order.
"""

from collections.abc import Iterator, Mapping

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Block, Operation
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import DiagnosticException

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.hlo.async_operation import chain_of, operands_of
from xshardy.hlo_text.names import NAME, instruction_name
from xshardy.ir import clone_operation, clone_region
from xshardy.ir.blocks import erase_arguments
from xshardy.ir.insertion import inline_block, insert_op
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.call_graph import functions_of, is_private
from xshardy.transforms.hlo.buffers_to_arrays import BuffersToArraysPass, has_buffers

CONTROL_FLOW = (stablehlo.WhileOp, stablehlo.CaseOp, stablehlo.IfOp)
"""Operations whose regions hold parts of the program; regions of others say how elements are combined."""

NESTED = (*CONTROL_FLOW, stablehlo.AsyncStartOp)
"""Operations of a prepared program with operations inside that are part of the program."""


class ModuleError(DiagnosticException):
    """A module whose program cannot be prepared, planned or run."""


def entry_of(module: ModuleOp) -> func.FuncOp:
    """
    The public function of `module`, or the one called `main` of several.

    Raises `ModuleError` if there is none, or several others.
    """
    entries = [f for f in functions_of(module).values() if not is_private(f) and f.body.blocks]
    if len(entries) > 1:
        entries = [entry for entry in entries if entry.sym_name.data == "main"] or entries
    if len(entries) != 1:
        names = ", ".join(f"@{entry.sym_name.data}" for entry in entries) or "none"
        raise ModuleError(f"the module has {len(entries)} public functions ({names}), expected one: its entry")
    return entries[0]


def prepared(module: ModuleOp) -> func.FuncOp:
    """
    The entry of a copy of `module` with calls inlined, and what loops do not change read from outside of them.

    Buffers become arrays. An asynchronous operation becomes a `stablehlo.async_start` whose region has the wrapped
    operation. Raises `ModuleError` for a module without a single entry, and for a function that calls itself.
    """
    copy = clone_operation(module)
    if has_buffers(copy):
        BuffersToArraysPass().rewrite_module(copy)
    entry = entry_of(copy)
    for start in operations_of(copy, hlo.AsyncStartOp):
        _bind_at_once(start)
    _inline(entry.body.block, functions_of(copy), (entry.sym_name.data,))
    for op in reversed(tuple(scheduled(entry.body.block))):  # inner loops first: a result may be invariant then
        if isinstance(op, stablehlo.WhileOp):
            _capture_invariants(op)
    return entry


def scheduled(block: Block) -> Iterator[Operation]:
    """The operations of `block` and of the regions that are part of the program, each before those in it."""
    for op in block.ops:
        yield op
        if isinstance(op, NESTED):
            for region in op.regions:
                yield from scheduled(region.block)


def module_around(op: Operation) -> ModuleOp:
    """The module that `op` is in."""
    around = op.parent_op()
    while not isinstance(around, ModuleOp):
        assert around is not None
        around = around.parent_op()
    return around


def name_of(op: Operation) -> str:
    """The name of `op` in HLO text; without one, that of the operation."""
    return instruction_name(op) or op.name.partition(".")[2]


def _bind_at_once(start: hlo.AsyncStartOp) -> None:
    """`s = start @f(x)`, `u = update(s, y)` -> `u = start @f(x, y)`: it starts when all operands are there."""
    chain = tuple(chain_of(start))
    binding = [index for index, link in enumerate(chain) if index and len(link.operands) > 1]
    if not binding:
        return
    last = chain[binding[-1]]
    whole = hlo.AsyncStartOp.create(
        operands=operands_of(start),
        result_types=last.result_types,
        properties=start.properties,
        attributes=start.attributes,
    )
    insert_op(whole, InsertPoint.before(last))
    Rewriter.replace_op(last, (), whole.results)
    for link in reversed(chain[: binding[-1]]):
        Rewriter.erase_op(link)


def _inline(block: Block, functions: Mapping[str, func.FuncOp], callers: tuple[str, ...]) -> None:
    for op in tuple(block.ops):
        match op:
            case func.CallOp():
                body = _body_of(op.callee.string_value(), functions, callers)
                returned = body.last_op
                assert returned is not None
                inline_block(body, InsertPoint.before(op), op.operands)
                Rewriter.replace_op(op, (), returned.operands)
                Rewriter.erase_op(returned)
            case hlo.StartOp():
                body = _body_of(op.callee.string_value(), functions, callers)
                region = body.parent
                assert region is not None
                start = stablehlo.AsyncStartOp.create(
                    operands=op.operands, result_types=op.result_types, regions=[region]
                )
                start.attributes[NAME] = StringAttr(name_of(op))
                insert_op(start, InsertPoint.before(op))
                Rewriter.replace_op(op, (), start.results)
            case hlo.AsyncUpdateOp():
                Rewriter.replace_op(op, (), op.operands)
            case _ if isinstance(op, NESTED):
                for region in op.regions:
                    _inline(region.block, functions, callers)
            case _:
                pass


def _body_of(name: str, functions: Mapping[str, func.FuncOp], callers: tuple[str, ...]) -> Block:
    """A copy of the body of a function, with its own calls inlined."""
    if name in callers:
        raise ModuleError(f"@{name} calls itself, by way of {' -> '.join(callers)}: a launch plan has no recursion")
    body = clone_region(functions[name].body).block
    _inline(body, functions, (*callers, name))
    return body


def _capture_invariants(loop: stablehlo.WhileOp) -> None:
    """`while(%a = %x, %b = %y)` whose body returns `%b` as it is -> `while(%a = %x)` that reads `%y`."""
    body, condition = loop.body.block, loop.cond.block
    returned = body.last_op
    assert returned is not None
    results = zip(loop.operand, body.args, condition.args, loop.results, returned.operands, strict=True)
    invariant = {index: values for index, (*values, after) in enumerate(results) if after is body.args[index]}
    if not invariant:
        return
    for before, *others in invariant.values():
        for value in others:
            value.replace_all_uses_with(before)
    kept = [index for index in range(len(loop.operand)) if index not in invariant]
    returned.operands = [returned.operands[index] for index in kept]
    for block in (body, condition):
        erase_arguments(block, [block.args[index] for index in invariant])
    smaller = stablehlo.WhileOp.create(
        operands=[loop.operand[index] for index in kept],
        result_types=[loop.result_types[index] for index in kept],
        attributes=hlo.with_results(loop.attributes, kept),
        regions=[loop.detach_region(region) for region in (loop.cond, loop.body)],
    )
    smaller.attributes[NAME] = StringAttr(name_of(loop))
    smaller.location = loop.location
    insert_op(smaller, InsertPoint.before(loop))
    for index, result in zip(kept, smaller.results, strict=True):
        loop.results[index].replace_all_uses_with(result)
    Rewriter.erase_op(loop)
