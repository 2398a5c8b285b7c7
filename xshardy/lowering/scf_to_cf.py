"""
Structured control flow to branches between blocks.

xDSL's `convert-scf-to-cf` has no `scf.while`, and moves all that follows in a block for each operation that it lowers.
Here a block is cut up from its end, so that every operation moves once per level of nesting.
"""

from collections.abc import Callable, Mapping, Sequence

from xdsl.context import Context
from xdsl.dialects import arith, cf, scf
from xdsl.dialects.builtin import DenseIntElementsAttr, ModuleOp, VectorType, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass


def _cut_after(op: Operation, arg_types: Sequence[Attribute] = ()) -> Block:
    """Move what follows `op` in its block to a new block with arguments of `arg_types`."""
    block, following = op.parent, op.next_op
    assert block is not None and following is not None
    return block.split_before(following, arg_types=arg_types)


def _cut_at_results(op: Operation) -> Block:
    """Move what follows `op` to a new block, whose arguments take the place of the results of `op`."""
    rest = _cut_after(op, op.result_types)
    _substitute(op.results, rest.args)
    return rest


def _substitute(old: Sequence[SSAValue], new: Sequence[SSAValue]) -> None:
    """Use the values `new` in place of `old`. They take over the names."""
    for before, after in zip(old, new, strict=True):
        after.name_hint = before.name_hint
        before.replace_all_uses_with(after)


def _inline(region: Region, before: Block) -> tuple[Block, Operation]:
    """Move the blocks of `region` in front of a block. Returns the first one, and the terminator of the last one."""
    first, last = region.first_block, region.last_block
    assert first is not None and last is not None and last.last_op is not None
    region.move_blocks_before(before)
    return first, last.last_op


def _replace(op: Operation, *new: Operation) -> None:
    """Put `new` at the end of the block that `op` ends, in place of it."""
    block = op.parent
    assert block is not None
    op.detach()
    block.add_ops(new)
    op.erase()


def _jump_from(terminator: Operation, target: Block) -> None:
    """`scf.yield %x` -> `cf.br ^target(%x)`."""
    _replace(terminator, cf.BranchOp(target, *terminator.operands))


def lower_if(op: scf.IfOp) -> None:
    """`%r = scf.if %c {then} else {else}; rest` -> `cf.cond_br %c, ^then, ^else`, both to `^rest(%r)`."""
    rest = _cut_at_results(op)
    targets: list[Block] = []
    for region in op.regions:
        if region.first_block is None:
            targets.append(rest)
            continue
        first, terminator = _inline(region, rest)
        _jump_from(terminator, rest)
        targets.append(first)
    _replace(op, cf.ConditionalBranchOp(op.cond, targets[0], (), targets[1], ()))


def lower_for(op: scf.ForOp) -> None:
    """
    `%r = scf.for ... {body}; rest` -> `^head(%i, %r)`, which tests `%i` and goes to `^body` or `^rest`.

    The body goes back to the head.
    """
    rest, head = _cut_after(op), Block(arg_types=[op.lb.type, *op.result_types])
    region = rest.parent
    assert region is not None
    region.insert_block_before(head, rest)
    body, terminator = _inline(op.body, rest)
    _substitute(op.results, head.args[1:])
    _substitute(body.args, head.args)
    for argument in tuple(body.args):
        body.erase_arg(argument)

    induction_variable = head.args[0]
    below = arith.CmpiOp(induction_variable, op.ub, "slt")
    head.add_ops((below, cf.ConditionalBranchOp(below, body, (), rest, ())))
    following = arith.AddiOp(induction_variable, op.step)
    _replace(terminator, following, cf.BranchOp(head, following, *terminator.operands))
    _replace(op, cf.BranchOp(head, op.lb, *op.iter_args))


def lower_while(op: scf.WhileOp) -> None:
    """`%r = scf.while {before} do {after}; rest` -> `^before`, which goes to `^after` and back, or to `^rest(%r)`."""
    rest = _cut_at_results(op)
    before, condition = _inline(op.before_region, rest)
    after, terminator = _inline(op.after_region, rest)
    decision, *values = condition.operands
    _replace(condition, cf.ConditionalBranchOp(decision, after, values, rest, values))
    _jump_from(terminator, before)
    _replace(op, cf.BranchOp(before, *op.arguments))


def lower_index_switch(op: scf.IndexSwitchOp) -> None:
    """`%r = scf.index_switch %i case 2 {a} default {d}; rest` -> `cf.switch %i : i32, [default: ^d, 2: ^a]`."""
    rest = _cut_at_results(op)
    targets: list[Block] = []
    for region in op.regions:
        first, terminator = _inline(region, rest)
        _jump_from(terminator, rest)
        targets.append(first)
    default, *cases = targets
    values = [int(value) for value in op.cases.get_values()]
    flag = arith.IndexCastOp(op.arg, i32)
    attribute = DenseIntElementsAttr.from_list(VectorType(i32, [len(values)]), values)
    _replace(op, flag, cf.SwitchOp(flag, default, (), attribute, cases, [()] * len(cases)))


LOWERINGS: Mapping[type[Operation], Callable[..., None]] = {
    scf.ForOp: lower_for,
    scf.IfOp: lower_if,
    scf.IndexSwitchOp: lower_index_switch,
    scf.WhileOp: lower_while,
}


def lower_region(region: Region) -> None:
    """Replace the structured operations in `region`, inner ones first, and those of a block from its end."""
    for block in tuple(region.blocks):
        for op in tuple(block.ops)[::-1]:
            for inner in op.regions:
                lower_region(inner)
            if (lowering := LOWERINGS.get(type(op))) is not None:
                lowering(op)


class LowerScfToCfPass(ModulePass):
    """Lower `scf.if`, `scf.for`, `scf.while` and `scf.index_switch` to branches between blocks."""

    name = "xla-gpu-lower-scf-to-cf"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower_region(op.body)
