"""`cf` to the llvm dialect: branches, and the arguments of the blocks that they lead to."""

from collections.abc import Mapping, Sequence

from xdsl.context import Context
from xdsl.dialects import cf, llvm
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from xshardy.lowering.arith_to_llvm import compare
from xshardy.lowering.conversion import Rule, Site, convert, integer_constant


def lower_branch(at: Site) -> None:
    """`cf.br ^b(%x : index)` -> `llvm.br ^b(%x : i64)`."""
    (target,) = at.op.successors
    at.converter.convert_arguments(target)
    at.place(llvm.BrOp(target, *at.operands))


def lower_conditional_branch(at: Site) -> None:
    """`cf.cond_br %c, ^a(%x : index), ^b` -> `llvm.cond_br %c, ^a(%x : i64), ^b`."""
    assert isinstance(at.op, cf.ConditionalBranchOp)
    for target in at.op.successors:
        at.converter.convert_arguments(target)
    condition, *arguments = at.operands
    middle = len(at.op.then_arguments)
    at.place(llvm.CondBrOp(condition, at.op.then_block, arguments[:middle], at.op.else_block, arguments[middle:]))


def lower_switch(at: Site) -> None:
    """
    `cf.switch %f [default: ^d, 0: ^a, 1: ^b]` -> a chain of blocks that compare `%f` with one case each.

    LLVM makes a jump table of the chain where that is better.
    """
    op = at.op
    assert isinstance(op, cf.SwitchOp)
    for target in op.successors:
        at.converter.convert_arguments(target)
    flag, *arguments = at.operands
    values = () if op.case_values is None else op.case_values.get_values()
    sizes = op.case_operand_segments.get_values()
    default_size = len(op.default_operands)
    cases = _split(arguments[default_size:], sizes)

    block, region = op.parent, op.parent_region()
    assert block is not None and region is not None
    for value, target, case_arguments in zip(values, op.case_blocks, cases, strict=True):
        following = Block()
        region.insert_block_after(following, block)
        constant = llvm.ConstantOp(integer_constant(int(value), flag.type), flag.type)
        matches = compare("eq", flag, constant.result)
        branch = llvm.CondBrOp(matches, target, case_arguments, following, ())
        for new in (constant, matches, branch):
            block.insert_op_before(new, op) if block is op.parent else block.add_op(new)
        block = following
    jump = llvm.BrOp(op.default_block, *arguments[:default_size])
    at.place(jump) if block is op.parent else block.add_op(jump)


def _split(values: Sequence[SSAValue], sizes: Sequence[int]) -> list[Sequence[SSAValue]]:
    pending = iter(values)
    return [[next(pending) for _ in range(size)] for size in sizes]


RULES: Mapping[type[Operation], Rule] = {
    cf.BranchOp: lower_branch,
    cf.ConditionalBranchOp: lower_conditional_branch,
    cf.SwitchOp: lower_switch,
}


class ConvertCfToLLVMPass(ModulePass):
    """Lower `cf` to branches of the llvm dialect."""

    name = "convert-cf-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert(op, RULES)
