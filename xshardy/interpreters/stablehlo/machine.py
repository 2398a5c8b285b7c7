"""Executes the operations of functions in order, each by its rule."""

from collections.abc import Generator, Mapping, Sequence
from typing import cast

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.exceptions import InterpretationError

from xshardy.axes.grid import Group
from xshardy.dialects.decomposable import DecomposableOpInterface
from xshardy.dialects.shapes import rank_of
from xshardy.dialects.stablehlo.control_flow import CONTROL_FLOW
from xshardy.interpreters.liveness import values_by_last_reader
from xshardy.interpreters.stablehlo.calls import CALLEES, CallSites, Execution, KnownResults, contents, results_of
from xshardy.interpreters.stablehlo.decomposition import decomposition
from xshardy.interpreters.stablehlo.devices import Device, alone
from xshardy.interpreters.stablehlo.dynamic_dimensions import cut_to_size_in_use, is_dynamic
from xshardy.interpreters.stablehlo.quantized import is_on_floats, on_floats
from xshardy.interpreters.stablehlo.rules import Rule, Value, listed, unsupported
from xshardy.numerics.element_types import Array, as_tensor_type, stored_dtype


class Evaluator:
    """The state of an evaluation: the available functions, the call stack, and the device."""

    def __init__(
        self, rules: Mapping[type[Operation], Rule], functions: Mapping[str, func.FuncOp], device: Device | None = None
    ):
        self.rules = rules
        self.functions = functions
        self.sites = CallSites(functions)
        self.device = device or alone()
        self.calls: list[str] = []
        self.is_elementwise = False
        self.values: dict[SSAValue, Value] = {}
        """The values of the current function; a region also reads those of the enclosing regions."""
        self.decompositions: dict[Operation, Block] = {}
        self.on_dynamic: set[Operation] = set()
        """The operations on tensors with dynamic dimensions, of the blocks that were executed."""
        self.computed_on_floats: set[Operation] = set()
        """The operations on quantized tensors, of the blocks that were executed, that are computed on floats."""
        self.last_readers: dict[Block, Mapping[Operation, Sequence[SSAValue]]] = {}
        self.on_scalars: dict[Block, bool] = {}
        """For each block that was applied to the elements of arrays, whether its operations compute scalars."""
        self.groups: dict[Operation, dict[int, Group]] = {}
        """For each collective that was executed, the group of each device."""
        self.known = KnownResults()

    def is_repeated(self, name: str) -> bool:
        """Whether function `name` has several calls. No on several devices: the others take part in each collective."""
        return self.device.grid.size == 1 and self.sites.of(name) > 1

    def call(self, name: str, arguments: Sequence[Value]) -> tuple[Value, ...]:
        """The results of the function `name`. Raises `InterpretationError` if it is missing or recursive."""
        return tuple(results_of(self.calling(name, arguments)))

    def on(self, device: Device) -> "Evaluator":
        """An evaluator for another device, with the same functions, and none of the values."""
        other = Evaluator(self.rules, self.functions, device)
        other.decompositions, other.last_readers, other.groups = self.decompositions, self.last_readers, self.groups
        other.computed_on_floats, other.on_dynamic = self.computed_on_floats, self.on_dynamic
        other.on_scalars = self.on_scalars
        return other

    def calling(self, name: str, arguments: Sequence[Value]) -> Execution:
        if not self.is_repeated(name):
            return (yield self._calling_anew(name, arguments))
        call = name, self.is_elementwise, *map(contents, arguments)
        results = self.known.get(call)
        if results is None:
            results = yield self._calling_anew(name, arguments)
            self.known.add(call, results)
        return results

    def _calling_anew(self, name: str, arguments: Sequence[Value]) -> Execution:
        function = self.functions.get(name)
        if function is None or not function.body.blocks:
            raise InterpretationError(f"call of @{name}: the module has no body for it")
        if name in self.calls:
            raise InterpretationError(f"call of @{name}: it calls itself, by way of {' -> '.join(self.calls)}")
        self.calls.append(name)
        around, self.values = self.values, {}
        try:
            return (yield self.running(function.body.block, arguments))
        finally:
            self.values = around
            self.calls.pop()

    def run(self, block: Block, arguments: Sequence[Value], *, elementwise: bool = False) -> tuple[Value, ...]:
        """
        The operands of the terminator of `block`.

        With `elementwise`, the block maps scalars to scalars and is applied to whole arrays, element by element; so are
        the functions that it calls. Where all its operations compute scalars, each is executed once, on whole arrays.
        """
        if not elementwise:
            return tuple(results_of(self.running(block, arguments)))
        shape = np.broadcast_shapes(*map(np.shape, arguments))
        if not self.computes_scalars(block):
            return self._run_for_each(block, [np.broadcast_to(cast(Array, x), shape) for x in arguments], shape)
        before, self.is_elementwise = self.is_elementwise, True
        try:
            results = tuple(results_of(self.running(block, arguments)))
        finally:
            self.is_elementwise = before
        return tuple(np.broadcast_to(cast(Array, result), shape) for result in results)  # which may be constants

    def _run_for_each(self, block: Block, arguments: Sequence[Array], shape: Sequence[int]) -> tuple[Array, ...]:
        """The results of `block`, executed once for each element of the arguments, which have this shape."""
        assert block.last_op is not None
        results = tuple(np.empty(shape, stored_dtype(operand.type)) for operand in block.last_op.operands)
        for place in np.ndindex(*shape):
            values = results_of(self.running(block, [x[place] for x in arguments]))
            for result, value in zip(results, values, strict=True):
                result[place] = value
        return results

    def computes_scalars(self, block: Block) -> bool:
        """Whether the operations of `block` and of the functions that it calls have scalars only, and no branches."""
        if block not in self.on_scalars:
            self.on_scalars[block] = True  # for a function that calls itself: it is refused when it is called
            self.on_scalars[block] = not any(map(self._has_tensors_or_branches, block.ops))
        return self.on_scalars[block]

    def _has_tensors_or_branches(self, op: Operation) -> bool:
        if isinstance(op, CONTROL_FLOW) or any(map(rank_of, (*op.operands, *op.results))):
            return True
        callee = CALLEES.get(type(op))
        called = [] if callee is None or callee(op) not in self.functions else [self.functions[callee(op)].body]
        return not all(self.computes_scalars(block) for region in (*op.regions, *called) for block in region.blocks)

    def running(self, block: Block, arguments: Sequence[Value]) -> Execution:
        """The execution of `block` for a rule that yields it, because devices may meet there."""
        if block not in self.last_readers:
            self.last_readers[block] = values_by_last_reader(block)
            self.computed_on_floats.update(filter(is_on_floats, block.ops))
            self.on_dynamic.update(filter(is_dynamic, block.ops))
        last_readers = self.last_readers[block]
        values = self.values
        values.update(zip(block.args, arguments, strict=True))
        for op in block.ops:
            operands = [values[operand] for operand in op.operands]
            if op is block.last_op:
                for argument in block.args:
                    del values[argument]
                return tuple(operands)
            if op in self.on_dynamic:
                operands = cut_to_size_in_use(op, operands)
            rule, callee = self.rules.get(type(op)), CALLEES.get(type(op))
            if callee is not None:
                results = yield self.calling(callee(op), operands)
            elif op in self.computed_on_floats:
                results = yield self.running(self.decomposition_of(op), operands)
            elif rule is not None:
                results = rule(self, op, *operands)
                if isinstance(results, Generator):
                    results = yield results
            elif isinstance(op, DecomposableOpInterface):
                results = yield self.running(self.decomposition_of(op), operands)
            else:
                raise unsupported(op, "the interpreter has no rule for this op")
            for result, value in zip(op.results, listed(results), strict=True):
                values[result] = value if self.is_elementwise else shaped(value, result)
            for value in last_readers.get(op, ()):
                del values[value]
        return ()

    def decomposition_of(self, op: Operation) -> Block:
        """The block that computes `op`, which has a decomposition or is computed on floats; built once."""
        if op not in self.decompositions:
            self.decompositions[op] = on_floats(op) if op in self.computed_on_floats else decomposition(op)
        return self.decompositions[op]


def has_shape(array: Array, shape: Sequence[int]) -> bool:
    """Whether `array` has the sizes that are known in `shape`."""
    return len(shape) == array.ndim and all(
        size in (DYNAMIC_INDEX, own) for size, own in zip(shape, array.shape, strict=True)
    )


def shaped(value: Value, result: SSAValue) -> Value:
    """
    `value` as an array: numpy turns arrays without dimensions into scalars.

    The rule ensures the type of `result`.
    """
    kind = as_tensor_type(result.type)
    if isinstance(value, tuple) or kind is None:
        return value
    array = np.asarray(value)
    if not has_shape(array, kind.get_shape()) or array.dtype != stored_dtype(kind):
        raise InterpretationError(
            f"{result.owner}\n  the result is a {kind}, but {array.dtype}{list(array.shape)} was computed"
        )
    return array
