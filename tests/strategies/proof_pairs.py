"""
Pairs of a whole program and a program of each device: whether the second is proved to compute its part of the first,
and whether it does, by execution on a simulated mesh.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import InterpretationError

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.interpreters.spmd import evaluate_spmd
from xshardy.interpreters.stablehlo.calls import Execution
from xshardy.interpreters.stablehlo.evaluator import RULES
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Value
from xshardy.numerics.element_types import Array, numpy_dtype
from xshardy.programs.distributed_tensor import DistributedTensor
from xshardy.programs.names import SourceNames
from xshardy.programs.partitioned import partition_module
from xshardy.proving.pair import Pair
from xshardy.proving.prove import Decision, decide
from xshardy.proving.summands import count_of
from xshardy.syntax import parse_module
from xshardy.universe import new_context


def _loop(evaluator: Evaluator, op: stablehlo.WhileOp, *operands: Value) -> Execution:
    """A loop of at most 20 iterations: one with a fault may not end."""
    values: Sequence[Value] = operands
    for _ in range(20):
        if not (yield evaluator.running(op.cond.block, values))[0]:
            return values
        values = yield evaluator.running(op.body.block, values)
    raise InterpretationError("a loop of more than 20 iterations")


LIMITED = {**RULES, stablehlo.WhileOp: _loop}

ByDevice = list[list[Array]]
"""`[device][argument or result]`"""


@dataclass(frozen=True, eq=False)
class Trial:
    """A pair of programs, and the program of each device that is right, which the passes have made."""

    pair: Pair
    reference: ModuleOp
    _expected: dict[int, ByDevice] = field(default_factory=dict[int, ByDevice])
    """The results of `reference` for each seed."""

    @property
    def decision(self) -> Decision:
        """Whether the pair is proved."""
        return decide(self.pair)

    def with_local(self, local: ModuleOp) -> "Trial":
        """The same whole program with another one of each device."""
        return replace(self, pair=replace(self.pair, local=local))

    def parts(self, seed: int) -> ByDevice:
        """The parts of random arguments, with random padding."""
        random = np.random.default_rng(seed)
        parts = [_with_padding(tensor, _random_array(random, tensor, seed), random) for tensor in self.pair.arguments]
        return [[each[device] for each in parts] for device in range(self.pair.devices)]

    def differs(self, seeds: Sequence[int] = range(3)) -> bool:
        """Whether a device computes an element that is not that of the whole program, for some random arguments."""
        return any(self.wrong_results(seed) for seed in seeds)

    def wrong_results(self, seed: int) -> set[int]:
        """The numbers of the results that are not those of the whole program, for random arguments."""
        parts = self.parts(seed)
        if seed not in self._expected:
            self._expected[seed] = evaluate_spmd(self.reference, parts, rules=LIMITED)
        found = evaluate_spmd(self.pair.local, parts, rules=LIMITED)
        wrong = set[int]()
        for number, tensor in enumerate(self.pair.results):
            mine, right = (
                tensor.reduced([np.asarray(row[number]) for row in rows]) for rows in (found, self._expected[seed])
            )
            for device in range(self.pair.devices):
                inside = _inside(tensor, device)
                if _differ(mine[device][inside], right[device][inside]):
                    wrong.add(number)
        return wrong


def trial_of(whole: str, local: str | None = None) -> Trial:
    """The trial of a program with shardings and one of each device; without one, of that which the passes make."""
    made = partition_module(parse_module(whole), new_context(), keep_propagated=True)
    assert made.propagated is not None
    module = made.module if local is None else parse_module(local)
    names = SourceNames({})
    return Trial(Pair(made.propagated, module, made.arguments, made.results, made.devices, names), made.module)


def _inside(tensor: DistributedTensor, device: int) -> tuple[slice, ...]:
    """What is no padding in the part of a device."""
    return tuple(
        slice(0, max(0, min(place.stop, size) - place.start))
        for place, size in zip(tensor.slices[device], tensor.shape, strict=True)
    )


def _random_array(random: np.random.Generator, tensor: DistributedTensor, seed: int) -> Array:
    """Small integers for even seeds, any for odd ones."""
    dtype, shape = numpy_dtype(tensor.type.element_type), tensor.shape
    if dtype == np.bool_:
        return random.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        low, high = (max(info.min, -3), 8) if seed % 2 == 0 else (info.min, info.max)
        return random.integers(low, high, shape, dtype, endpoint=True)
    values = random.normal(size=shape) * 2
    return (values + 1j * random.normal(size=shape) if dtype.kind == "c" else values).astype(dtype)


def _with_padding(tensor: DistributedTensor, whole: Array, random: np.random.Generator) -> list[Array]:
    parts = tensor.parts(whole)
    sizes = [size * count for size, count in zip(tensor.local_shape, tensor.part_numbers, strict=True)]
    for rank in range(1, count_of(tensor) if tensor.reduction is ReductionOp.SUM else 0):
        moved = random.integers(0, 9, sizes).astype(whole.dtype)  # from the first summand to another one
        for group in tensor.summed_devices:
            part = moved[tensor.slices[group[0]]]
            parts[group[0]], parts[group[rank]] = parts[group[0]] - part, parts[group[rank]] + part
    found = list[Array]()
    for device, part in enumerate(parts):
        padded = random.integers(0, 100, part.shape).astype(part.dtype)
        padded[_inside(tensor, device)] = part[_inside(tensor, device)]
        found.append(padded)
    return found


def _differ(found: Array, expected: Array) -> bool:
    """Whether integers differ, or floats by more than what another order of sums makes of them."""
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return True
    if found.dtype.kind in "biu":
        return bool((found != expected).any())
    wide = np.complex128 if found.dtype.kind == "c" else np.float64
    found, expected = found.astype(wide), expected.astype(wide)
    with np.errstate(all="ignore"):
        scale = np.abs(np.where(np.isfinite(expected), expected, 0)).max(initial=0)
        close = np.isclose(found, expected, rtol=2e-3, atol=1e-4 * scale, equal_nan=True)
    return not close.all()
