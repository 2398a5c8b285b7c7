"""The function that computes the results of a step from its operands, for the evaluator and for kernels."""

from dataclasses import dataclass, field

from xdsl.builder import Builder
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region
from xdsl.rewriter import InsertPoint

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.dialects.stablehlo.building import Tensors
from xshardy.hlo_text.entry import free_name
from xshardy.launch.launch_plan import Call
from xshardy.launch.prepared_program import module_around
from xshardy.transforms.hlo.expand_library_calls import TARGETS, expand


@dataclass(frozen=True)
class Computations:
    """The computations of steps, each made once: a step in a loop is executed often."""

    _made: dict[Operation, FuncOp] = field(default_factory=dict[Operation, FuncOp])

    def of(self, step: Call) -> FuncOp:
        """What `computation_of` makes for `step`."""
        if step.op not in self._made:
            self._made[step.op] = computation_of(step)
        return self._made[step.op]


def computation_of(step: Call) -> FuncOp:
    """
    A private function of the prepared program that computes the results of `step`, or the first of them.

    It is the fused computation of a fusion; a new function with the expansion of a library call, or with the operation.
    Raises `LibraryCallError` for a library call whose configuration is not supported.
    """
    op = step.op
    if isinstance(op, hlo.FusionOp):
        return op.callee_function()
    block = Block(arg_types=op.operand_types)
    copy = op.clone(dict(zip(op.operands, block.args, strict=True)))
    if isinstance(copy, stablehlo.CustomCallOp) and copy.call_target_name.data in TARGETS:
        results = expand(copy, Tensors(Builder(InsertPoint.at_end(block))))
        copy.erase()
    else:
        block.add_op(copy)
        results = [*copy.results]
    block.add_op(ReturnOp(*results))
    for argument, result in zip(step.results, results, strict=False):
        if isinstance(result.owner, Operation):
            result.owner.attributes[hlo.LAYOUT] = integers(argument.leaf.layout)
    module = module_around(op)
    types = [result.type for result in results]
    layouts = [DictionaryAttr({hlo.LAYOUT: integers(argument.leaf.layout)}) for argument in step.operands]
    function = FuncOp(
        free_name(module, f"{step.name}_computation"),
        (block.arg_types, types),
        Region(block),
        visibility="private",
        arg_attrs=ArrayAttr(layouts),
    )
    module.body.block.add_op(function)
    return function
