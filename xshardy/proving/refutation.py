"""Refutations: an input for which a device computes something else than its part of the whole."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import InterpretationError

from xshardy.dialects import stablehlo
from xshardy.dialects.declared_grid import declared_grid
from xshardy.dialects.shapes import is_tensor
from xshardy.interpreters.check import Comparison
from xshardy.interpreters.index_ranges import index_ranges
from xshardy.interpreters.inputs import inputs_of
from xshardy.interpreters.reference import Reference
from xshardy.interpreters.spmd import evaluate_spmd
from xshardy.interpreters.stablehlo.evaluator import RULES
from xshardy.interpreters.stablehlo.rules import Rule
from xshardy.numerics.element_types import KINDS, Array, Kind
from xshardy.programs.distributed_tensor import DistributedTensor
from xshardy.proving.pair import Pair
from xshardy.rewriting.walk import operations_of

MAX_ELEMENTS = 1 << 25
"""How many elements the results of all operations may have in a program that is run, at most."""

CHANGING = (stablehlo.InfeedOp, stablehlo.RecvOp, stablehlo.RngOp)
"""Operations that give something else each time."""

SEEDS, SEEDS_OF_INDICES = 4, 40
"""
How many inputs are tried, and how many if some of them are indices: of these, one in ten is out of bounds.

Those with even seeds are small integers, whose sums and products are exact.
"""


@dataclass(frozen=True, slots=True)
class Witness:
    """A device that has a wrong part of a result, for the arguments that come from `seed`."""

    seed: int
    result: int
    device: int
    element: tuple[int, ...]
    """The index of the worst element in the whole tensor."""
    found: str
    expected: str
    wrong: int
    """How many elements of the part are wrong."""
    arguments: Sequence[Array]

    def __str__(self) -> str:
        at = f"[{', '.join(map(str, self.element))}]"
        return f"device {self.device} has {self.found} at {at} of result {self.result}, and {self.expected} is right"


def is_runnable(pair: Pair) -> bool:
    """Whether the whole program is small enough to be run here, and gives the same each time."""
    if operations_of(pair.whole, *CHANGING) or operations_of(pair.local, *CHANGING):
        return False
    total = 0
    for op in pair.whole.walk():
        for result in op.results:
            if is_tensor(result.type) and result.type.has_static_shape():
                total += prod(result.type.get_shape())
    return total <= MAX_ELEMENTS


def refute(pair: Pair) -> Witness | None:
    """
    The first witness among the inputs of some seeds; None if there is none, or if a program cannot be evaluated.

    Both programs are run by our evaluators. Elements that differ by rounding are no difference.
    """
    for seed in range(SEEDS_OF_INDICES if index_ranges(pair.functions[0]) else SEEDS):
        try:
            witness = _witness_of_devices(pair, seed) if pair.are_of_devices else _witness(pair, seed)
        except InterpretationError:
            return None
        if witness is not None:
            return witness
    return None


def arguments_of_seed(pair: Pair, seed: int) -> list[Array]:
    """Whole arguments: of plain floats, which are integers for an even seed."""
    given = inputs_of(pair.functions[0], seed, only_plain=True, indices_in_bounds=False)
    return given if seed % 2 else [_integral(array) for array in given]


def _integral(array: Array) -> Array:
    """Small integers in place of floats, the same where they are the same."""
    if KINDS[array.dtype] is not Kind.FLOAT or array.dtype.itemsize < 2:
        return array
    wide = array.astype(np.float64)
    return np.where(np.isfinite(wide), np.clip(np.round(4 * wide), -8, 8), wide).astype(array.dtype)


def _witness(pair: Pair, seed: int) -> Witness | None:
    whole_main, _ = pair.functions
    arguments = arguments_of_seed(pair, seed)
    given = [tensor.parts(array) for tensor, array in zip(pair.arguments, arguments, strict=True)]
    grid = declared_grid(pair.local)
    replicas = grid.replicas if grid.size == pair.devices else 1
    found = evaluate_spmd(pair.local, [[parts[d] for parts in given] for d in range(pair.devices)], replicas)
    reference = Reference(whole_main, arguments, sums_in_parts=True)
    for index, tensor in enumerate(pair.results):
        if index in reference.undefined:
            continue
        parts = tensor.reduced([results[index] for results in found])
        for device, whole in _with_parts(tensor, reference.results[index], parts):
            comparison = reference.compare(index, whole)
            if not comparison:
                return _described(seed, index, device, comparison, arguments)
    return None


def _witness_of_devices(pair: Pair, seed: int) -> Witness | None:
    """One of two programs of a device, for other arguments on each device."""
    whole_main, _ = pair.functions
    arguments = [arguments_of_seed(pair, seed + SEEDS_OF_INDICES * device) for device in range(pair.devices)]
    replicas = declared_grid(pair.local).replicas

    def stacked(main: FuncOp, given: Sequence[Any], rules: Mapping[type[Operation], Rule] = RULES) -> list[Array]:
        module = pair.whole if main is whole_main else pair.local
        return [np.stack(parts) for parts in zip(*evaluate_spmd(module, given, replicas, rules), strict=True)]

    reference = Reference(whole_main, arguments, sums_in_parts=True, evaluation=stacked)
    for index, found in enumerate(stacked(pair.functions[1], arguments)):
        comparison = reference.compare(index, found)
        if index not in reference.undefined and not comparison:
            device = (comparison.worst or (0,))[0]
            return _described(
                seed, index, device, comparison, [np.stack(arrays) for arrays in zip(*arguments, strict=True)]
            )
    return None


def _with_parts(tensor: DistributedTensor, whole: Array, parts: Sequence[Array]) -> Iterator[tuple[int, Array]]:
    """For each device whose part has other bits than the whole tensor: the tensor with that part."""
    for device, (place, part) in enumerate(zip(tensor.slices, parts, strict=True)):
        inner = tuple(slice(0, max(0, min(s.stop, size) - s.start)) for s, size in zip(place, whole.shape, strict=True))
        if whole[place].tobytes() != part[inner].tobytes():
            changed = whole.copy()
            changed[place] = part[inner]
            yield device, changed


def _described(seed: int, result: int, device: int, comparison: Comparison, arguments: Sequence[Array]) -> Witness:
    element = comparison.worst or ()
    return Witness(seed, result, device, element, comparison.actual, comparison.expected, comparison.wrong, arguments)
