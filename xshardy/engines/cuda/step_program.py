"""A library step as a program of StableHLO on its own, whose tensors have their dimensions in the order of memory."""

from collections.abc import Sequence

import numpy as np
from xdsl.builder import Builder
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    FunctionType,
    IndexType,
    ModuleOp,
    TensorType,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import DiagnosticException

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.attributes import Precision, PrecisionAttr
from xshardy.dialects.stablehlo.building import Tensors
from xshardy.engines.cuda.dlpack import has_dlpack
from xshardy.interpreters.stablehlo.gpu_libraries import GPU_LIBRARIES
from xshardy.interpreters.stablehlo.lapack import FACTORIZATIONS
from xshardy.interpreters.stablehlo.scipy_lapack import BY_SCIPY
from xshardy.ir import clone_region
from xshardy.ir.insertion import inline_block, insert_op
from xshardy.launch.launch_plan import Argument, LibraryStep
from xshardy.numerics.element_types import numpy_dtype
from xshardy.rewriting.walk import operations_in
from xshardy.syntax import print_module

CALLS_OF_JAX = frozenset({*FACTORIZATIONS, *BY_SCIPY, *GPU_LIBRARIES})
"""The targets of custom calls that JAX brings with it, and that depend on nothing but their operands."""

TYPED_INTERFACE = 4
"""The `api_version` of calls with named options."""


class StepRefusedError(DiagnosticException):
    """A library step that cannot be a program on its own; the message says why."""


def memory_order(argument: Argument) -> tuple[int, ...]:
    """The dimensions of a tensor from major to minor."""
    return argument.leaf.layout[::-1]


def memory_shape(argument: Argument) -> tuple[int, ...]:
    """The sizes of the dimensions in `memory_order`."""
    shape = argument.leaf.type.get_shape()
    return tuple(shape[dimension] for dimension in memory_order(argument))


def step_program(step: LibraryStep, computation: FuncOp, *, full_precision: bool = False) -> str:
    """
    The text of a module whose @main is `computation`, that of `step`: equal for equal steps.

    The tensors of @main are those in memory, without layouts: XLA makes the transposes around the computation to
    layouts inside of it. With `full_precision`, products of f32 are not rounded to narrower types.

    Raises `StepRefusedError` for elements of less than a byte, for custom calls that JAX does not have, and for those
    without a typed interface.
    """
    for argument in (*step.operands, *step.results):
        if not has_dlpack(numpy_dtype(argument.leaf.type)):
            raise StepRefusedError(
                f"{argument.leaf.name} is a {argument.leaf.shape_text}: DLPack does not pack elements"
            )
    types = [argument.leaf.type for argument in step.operands]
    block = Block(
        arg_types=[TensorType(t.element_type, memory_shape(a)) for t, a in zip(types, step.operands, strict=True)]
    )
    t = Tensors(Builder(InsertPoint.at_end(block)))
    given = [
        t.transpose(value, [int(dimension) for dimension in np.argsort(memory_order(argument))])
        for value, argument in zip(block.args, step.operands, strict=True)
    ]
    inline_block(clone_region(computation.body).block, InsertPoint.at_end(block), given)
    main = FuncOp("main", computation.function_type, Region(block))
    for op in operations_in(main):
        op.attributes = {}  # of HLO, which no computation depends on
        if isinstance(op, stablehlo.CustomCallOp):
            _make_plain(op, step)
        if full_precision and isinstance(op, stablehlo.DotGeneralOp | stablehlo.ConvolutionOp):
            op.properties["precision_config"] = ArrayAttr([PrecisionAttr(Precision.HIGHEST)] * 2)
    returned = block.last_op
    assert isinstance(returned, ReturnOp)
    t = Tensors(Builder(InsertPoint.before(returned)))
    returned.operands = [
        t.transpose(value, memory_order(argument))
        for value, argument in zip(returned.operands, step.results, strict=False)  # without workspace
    ]
    main.function_type = FunctionType.from_lists(block.arg_types, returned.operand_types)
    return print_module(ModuleOp([main]))


def _make_plain(call: stablehlo.CustomCallOp, step: LibraryStep) -> None:
    """A call with a tuple as result -> one with several results, all in the layouts that they have in memory."""
    target = call.call_target_name.data
    if target not in CALLS_OF_JAX:
        raise StepRefusedError(f"JAX is not asked for calls of {target}")
    if call.api_version.value.data != TYPED_INTERFACE:
        raise StepRefusedError(f"a call of {target} without named options (api_version 4)")
    types = call.part_types
    if any(not isinstance(type, TensorType) for type in (*types, *call.operand_types)):
        raise StepRefusedError(f"a call of {target} with a tuple inside of another value")
    plain = stablehlo.CustomCallOp(target, call.operands, types, call.properties)
    for name, arguments in (("operand_layouts", step.operands), ("result_layouts", step.results)):
        plain.properties[name] = ArrayAttr(_layout(argument.leaf.layout) for argument in arguments)
    insert_op(plain, InsertPoint.before(call))
    block = call.parent
    returned = None if block is None else block.last_op
    assert isinstance(returned, ReturnOp)
    returned.operands = plain.results
    Rewriter.erase_op(call)


def _layout(dimensions: Sequence[int]) -> DenseIntOrFPElementsAttr:
    return DenseIntOrFPElementsAttr.from_list(TensorType(IndexType(), [len(dimensions)]), dimensions)
