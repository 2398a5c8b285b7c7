"""
Structured control flow to branches between blocks.

xDSL's `convert-scf-to-cf` has no `scf.while`, and moves all that follows in a block for each operation that it lowers.
Here a block is cut from its end, inner operations first, so that every operation moves once per level of nesting.
"""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects import arith, cf, scf
from xdsl.dialects.builtin import DenseIntElementsAttr, VectorType, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import BlockInsertPoint, InsertPoint

from xshardy.ir.blocks import erase_arguments
from xshardy.rewriting import BACKWARD, PatternPass, PatternSet, match_op_type

# --- edits that the patterns share ------------------------------------------------------------------------------------


def _cut_after(op: Operation, arg_types: Sequence[Attribute] = ()) -> Block:
    """Move what follows `op` in its block to a new block with arguments of `arg_types`."""
    block, following = op.parent, op.next_op
    assert block is not None and following is not None
    return block.split_before(following, arg_types=arg_types)


def _cut_at_results(op: Operation, rewriter: PatternRewriter) -> Block:
    """Move what follows `op` to a new block, whose arguments take the place of the results of `op`."""
    rest = _cut_after(op, op.result_types)
    _substitute(op.results, rest.args, rewriter)
    return rest


def _substitute(old: Sequence[SSAValue], new: Sequence[SSAValue], rewriter: PatternRewriter) -> None:
    """Use the values `new`, with the names of `old`, in place of `old`."""
    for before, after in zip(old, new, strict=True):
        after.name_hint = before.name_hint
        rewriter.replace_all_uses_with(before, after)


def _inline(region: Region, before: Block, rewriter: PatternRewriter) -> tuple[Block, Operation]:
    """Move the blocks of `region` in front of a block. Returns the first one, and the terminator of the last one."""
    first, last = region.first_block, region.last_block
    assert first is not None and last is not None and last.last_op is not None
    rewriter.inline_region(region, BlockInsertPoint.before(before))
    return first, last.last_op


def _replace(op: Operation, new: Sequence[Operation], rewriter: PatternRewriter) -> None:
    """Put `new` in place of `op`, whose results are not used."""
    rewriter.insert(new, InsertPoint.before(op))
    rewriter.erase(op)


def _jump_from(terminator: Operation, target: Block, rewriter: PatternRewriter) -> None:
    """`scf.yield %x` -> `cf.br ^target(%x)`."""
    _replace(terminator, (cf.BranchOp(target, *terminator.operands),), rewriter)


# --- patterns ---------------------------------------------------------------------------------------------------------


class LowerIf(RewritePattern):
    """`%r = scf.if %c {then} else {else}; rest` -> `cf.cond_br %c, ^then, ^else`, both to `^rest(%r)`."""

    @match_op_type
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter, /) -> None:
        rest = _cut_at_results(op, rewriter)
        targets: list[Block] = []
        for region in op.regions:
            if region.first_block is None:
                targets.append(rest)
                continue
            first, terminator = _inline(region, rest, rewriter)
            _jump_from(terminator, rest, rewriter)
            targets.append(first)
        then, otherwise = targets
        _replace(op, (cf.ConditionalBranchOp(op.cond, then, (), otherwise, ()),), rewriter)


class LowerFor(RewritePattern):
    """
    `%r = scf.for %i ... {body}; rest` -> `^head(%i, %r)`, which tests `%i` and goes to `^body` or `^rest`.

    The body goes back to the head.
    """

    @match_op_type
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter, /) -> None:
        rest = _cut_after(op)
        head = rewriter.create_block(BlockInsertPoint.before(rest), [op.lb.type, *op.result_types])
        body, terminator = _inline(op.body, rest, rewriter)
        _substitute(op.results, head.args[1:], rewriter)
        _substitute(body.args, head.args, rewriter)
        erase_arguments(body, body.args)

        induction_variable = head.args[0]
        below = arith.CmpiOp(induction_variable, op.ub, "slt")
        branch = cf.ConditionalBranchOp(below, body, (), rest, ())
        rewriter.insert((below, branch), InsertPoint.at_end(head))
        following = arith.AddiOp(induction_variable, op.step)
        _replace(terminator, (following, cf.BranchOp(head, following, *terminator.operands)), rewriter)
        _replace(op, (cf.BranchOp(head, op.lb, *op.iter_args),), rewriter)


class LowerWhile(RewritePattern):
    """`%r = scf.while {before} do {after}; rest` -> `^before`, which goes to `^after` and back, or to `^rest(%r)`."""

    @match_op_type
    def match_and_rewrite(self, op: scf.WhileOp, rewriter: PatternRewriter, /) -> None:
        rest = _cut_at_results(op, rewriter)
        before, condition = _inline(op.before_region, rest, rewriter)
        after, terminator = _inline(op.after_region, rest, rewriter)
        decision, *values = condition.operands
        _replace(condition, (cf.ConditionalBranchOp(decision, after, values, rest, values),), rewriter)
        _jump_from(terminator, before, rewriter)
        _replace(op, (cf.BranchOp(before, *op.arguments),), rewriter)


class LowerIndexSwitch(RewritePattern):
    """`%r = scf.index_switch %i case 2 {a} default {d}; rest` -> `cf.switch %i : i32, [default: ^d, 2: ^a]`."""

    @match_op_type
    def match_and_rewrite(self, op: scf.IndexSwitchOp, rewriter: PatternRewriter, /) -> None:
        rest = _cut_at_results(op, rewriter)
        targets: list[Block] = []
        for region in op.regions:
            first, terminator = _inline(region, rest, rewriter)
            _jump_from(terminator, rest, rewriter)
            targets.append(first)
        default, *cases = targets
        values = [int(value) for value in op.cases.get_values()]
        flag = arith.IndexCastOp(op.arg, i32)
        attribute = DenseIntElementsAttr.from_list(VectorType(i32, [len(values)]), values)
        _replace(op, (flag, cf.SwitchOp(flag, default, (), attribute, cases, [()] * len(cases))), rewriter)


# --- the pass ---------------------------------------------------------------------------------------------------------


PATTERNS = PatternSet((LowerIf(), LowerFor(), LowerWhile(), LowerIndexSwitch()))


class LowerScfToCfPass(PatternPass):
    """Lower `scf.if`, `scf.for`, `scf.while` and `scf.index_switch` to branches between blocks."""

    name = "xla-gpu-lower-scf-to-cf"
    source: ClassVar[str] = 'XLA:GPU emitters, "Conversion to LLVM" (XGPU-37), `convert-scf-to-cf` of MLIR'
    walk = BACKWARD
    fixed_patterns = PATTERNS
