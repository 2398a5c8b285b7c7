"""Execution of a kernel: its entry function over the whole grid, with numpy arrays as the memory."""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import TypeAlias

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType
from xdsl.ir import Attribute, Operation

from xshardy.dialects.xla_gpu.discardable import is_entry, slice_index
from xshardy.gpus.launch import Launch
from xshardy.interpreters.simt.arith import ARITH
from xshardy.interpreters.simt.complex import COMPLEX
from xshardy.interpreters.simt.errors import SimtError, shown
from xshardy.interpreters.simt.gpu import GPU
from xshardy.interpreters.simt.launch import launch_of
from xshardy.interpreters.simt.machine import Lanes, Program, Rule
from xshardy.interpreters.simt.math import MATH
from xshardy.interpreters.simt.memory import (
    AccessKind,
    Buffer,
    Tensor,
    Value,
    in_memory_order,
    in_tensor_order,
    strides_of,
)
from xshardy.interpreters.simt.scf import SCF
from xshardy.interpreters.simt.tensor import TENSOR, reshape
from xshardy.interpreters.simt.vector import VECTOR
from xshardy.interpreters.simt.xla_gpu import XLA_GPU
from xshardy.numerics.element_types import KINDS, Array, Kind, as_tensor_type, numpy_dtype

Observer: TypeAlias = Callable[[Lanes, AccessKind, Tensor, Array, Array], None]
"""
Called for each memory access with its kind, the tensor, the offsets in its buffer, and the mask of the lanes.
"""


def call(lanes: Lanes, op: func.CallOp, *arguments: Value) -> Sequence[Value]:
    return lanes.call(op.callee.string_value(), arguments)


def cast(lanes: Lanes, op: Operation, *operands: Value) -> Value:
    """A cast left by a lowering: the same tensor with another shape, or the same bits as another type."""
    if len(operands) != 1 or len(op.results) != 1:
        raise SimtError(f"{shown(op)}\n  a cast of several values has no meaning of its own: lower both sides of it")
    (operand,) = operands
    if isinstance(operand, Tensor):
        return reshape(lanes, op, operand)
    dtype = numpy_dtype(op.results[0].type)
    if operand.dtype == dtype or operand.dtype.itemsize == dtype.itemsize:
        return operand.view(dtype)
    raise SimtError(f"{shown(op)}\n  the interpreter holds these types in a different number of bytes")


RULES: Mapping[str, Rule] = {
    **ARITH,
    **COMPLEX,
    **GPU,
    **MATH,
    **SCF,
    **TENSOR,
    **VECTOR,
    **XLA_GPU,
    "builtin.unrealized_conversion_cast": cast,
    "func.call": call,
}
"""The rule of each op by the op's name, not its class: xDSL may add a missing op, whose class then replaces ours."""


def find_kernel(module: ModuleOp) -> func.FuncOp:
    """The function with `xla.entry`; without one, the only public function. Raises `SimtError` if it is ambiguous."""
    functions = [op for op in module.ops if isinstance(op, func.FuncOp) and op.body.blocks]
    entries = [function for function in functions if is_entry(function)]
    public = [function for function in functions if function.sym_visibility != StringAttr("private")]
    for candidates in (entries, public):
        if len(candidates) == 1:
            return candidates[0]
    names = ", ".join(f"@{function.sym_name.data}" for function in entries or public)
    raise SimtError(f"the module has no single kernel, but {names or 'no public function'}: mark one with xla.entry")


def run_kernel(module: ModuleOp, arguments: Sequence[Array], *, max_lanes: int = 1 << 16) -> list[Array]:
    """
    Run the kernel of `module` on all threads of its grid, and return its results.

    `arguments` has an array for each argument of the kernel, including output buffers; buffers omitted at the end are
    zeros. An array has the shape of its tensor, or as many elements in memory order, and the tensor's element type or
    one of the same width; outputs have the shape and type of the given array. Arrays are not changed. Whole blocks run
    together, at most `max_lanes` threads or one block: this bounds the memory and does not affect results. A scalar
    result is an array [blocks, threads].

    Raises `SimtError`, naming the op and the thread, for an access out of bounds, different values written to one
    element, a race, a barrier that some threads of a block do not reach, and an op without a rule.
    """
    kernel = find_kernel(module)
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}
    program = Program(functions, RULES)
    launch = launch_of(kernel)
    inputs = bind_arguments(kernel, arguments)
    outputs = [value for value in inputs if isinstance(value, Tensor)]
    outputs = outputs[len(outputs) - len(kernel.function_type.outputs) :]
    chunks: list[Sequence[Value]] = [] if launch.blocks else [outputs]
    time = 0
    with np.errstate(all="ignore"):
        for blocks in launch.chunks(max_lanes):
            lanes = Lanes(program, launch, blocks, time)
            results = lanes.call(kernel.sym_name.data, inputs)
            chunks.append(
                [v if isinstance(v, Tensor) else np.broadcast_to(v, lanes.shape + v.shape[2:]) for v in results]
            )
            time = lanes.time
    return [returned(kernel, values, inputs, arguments) for values in zip(*chunks, strict=True)]


def observe_block(module: ModuleOp, arguments: Sequence[Array], observe: Observer) -> Launch:
    """
    Run the first block of the kernel of `module`, as `run_kernel` does, and call `observe` for every memory access.

    Returns the launch. Raises `SimtError` as `run_kernel` does.
    """
    kernel = find_kernel(module)
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}
    launch = launch_of(kernel)
    if launch.blocks:
        lanes = Lanes(Program(functions, RULES, observe=observe), launch, range(1))
        with np.errstate(all="ignore"):
            lanes.call(kernel.sym_name.data, bind_arguments(kernel, arguments))
    return launch


# -- Arguments and results --------------------------------------------------------------------------------------------


def bind_arguments(kernel: func.FuncOp, arguments: Sequence[Array]) -> list[Value]:
    """
    A value for each argument of `kernel`.

    Arguments with the same `xla.slice_index` share one buffer, with the first's data.
    """
    if len(arguments) > len(kernel.args):
        raise SimtError(
            f"@{kernel.sym_name.data} has {len(kernel.args)} arguments, but {len(arguments)} arrays are given"
        )
    buffers: dict[int, Buffer] = {}
    values: list[Value] = []
    for position, argument in enumerate(kernel.args):
        kind = as_tensor_type(argument.type)
        array = arguments[position] if position < len(arguments) else None
        if kind is None:
            if array is None:
                raise SimtError(
                    f"argument {position} of @{kernel.sym_name.data} is a {argument.type}: give a value for it"
                )
            values.append(reinterpreted(np.asarray(array), argument.type, position).reshape(1, 1))
            continue
        number = slice_index(argument)
        if number is not None and number in buffers:
            buffer = buffers[number]
        else:
            buffer = Buffer(f"argument {position}", memory_of(array, kind, position))
            if number is not None:
                buffers[number] = buffer
        values.append(Tensor(buffer, kind.get_shape(), strides_of(kind)))
    return values


def memory_of(array: Array | None, kind: TensorType[Attribute], position: int) -> Array:
    """The elements of an argument in memory order. Raises `SimtError` if their number differs from the tensor's."""
    shape = kind.get_shape()
    if array is None:
        return np.zeros(prod(shape), numpy_dtype(kind))
    array = reinterpreted(np.asarray(array), kind, position)
    if array.shape == shape:
        return in_memory_order(array, kind)
    if array.size != prod(shape):
        raise SimtError(f"argument {position} is a {kind}, but the array given for it has the shape {array.shape}")
    return array.reshape(-1)


def reinterpreted(array: Array, kind: Attribute, position: int) -> Array:
    """
    `array` in the element type of the argument.

    Integers of the same width are exchangeable: `ui32` and `i32`, `bool` and `i8`.
    """
    dtype = numpy_dtype(kind)
    if array.dtype == dtype:
        return array
    integers = {Kind.PRED, Kind.INTEGER}
    if {KINDS.get(array.dtype), KINDS[dtype]} <= integers and array.dtype.itemsize == dtype.itemsize:
        return array.view(dtype)
    raise SimtError(f"argument {position} is a {kind}, but the array given for it has elements of type {array.dtype}")


def returned(
    kernel: func.FuncOp, values: Sequence[Value], inputs: Sequence[Value], arguments: Sequence[Array]
) -> Array:
    """One result over all chunks: the updated buffer in the form of the argument, or the scalars of all threads."""
    value = values[-1]
    if not isinstance(value, Tensor):
        return np.concatenate([chunk for chunk in values if isinstance(chunk, np.ndarray)])
    positions = (p for p, v in enumerate(inputs) if isinstance(v, Tensor) and v.buffer is value.buffer)
    position = max(positions, default=None)
    if position is None:
        raise SimtError(f"@{kernel.sym_name.data} returns {value.buffer.name}, which is not one of its arguments")
    kind = as_tensor_type(kernel.args[position].type)
    assert kind is not None
    data = value.buffer.data
    if position >= len(arguments):
        return in_tensor_order(data, kind).copy()
    given = np.asarray(arguments[position])
    elements = in_tensor_order(data, kind) if given.shape == kind.get_shape() else data.reshape(given.shape)
    return elements.view(given.dtype).copy()
