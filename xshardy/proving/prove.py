"""Proofs of partitioned programs."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.interpreters.stablehlo.devices import Grid
from xshardy.programs.distributed_tensor import DistributedTensor
from xshardy.proving.boundary import part_of, place_of
from xshardy.proving.index import Index, identity
from xshardy.proving.kernel import Kernel, Universe
from xshardy.proving.program import Branched, Maps, Reading, Repeated, arguments_of
from xshardy.proving.search import Search
from xshardy.proving.views import View
from xshardy.transforms.sdy.main_function import main_function


@dataclass(frozen=True)
class Proof:
    """The verdict about a program of each device."""

    is_proved: bool
    wrong: Sequence[int]
    """The numbers of results that could not be related."""
    frontier: Sequence[tuple[Operation, str]]
    related: int


class BySharding:
    """Relations of loops and branches by the shardings that the whole program has for them."""

    def __init__(self, devices: int):
        self._devices = devices

    def of_loop(self, loop: Repeated, op: Operation, shapes: Sequence[tuple[int, ...]], attempt: int) -> Maps | None:
        return self._maps(loop.op, loop.initial, shapes) if attempt == 0 else None

    def of_branch(self, branched: Branched, op: Operation, shapes: Sequence[tuple[int, ...]]) -> Maps | None:
        return self._maps(branched.op, branched.results, shapes)

    def _maps(self, op: Operation, views: Sequence[View], shapes: Sequence[tuple[int, ...]]) -> Maps | None:
        written = op.attributes.get(SHARDING)
        shardings: Sequence[TensorShardingAttr | None] = (
            written.shardings.data if isinstance(written, TensorShardingPerValueAttr) else [None] * len(views)
        )
        maps = list[tuple[Index, ...]]()
        for sharding, result, view, shape in zip(shardings, op.results, views, shapes, strict=True):
            if view.shape == shape:
                maps.append(identity(shape))
                continue
            tensor = DistributedTensor.under(result.type, sharding, op, self._devices)  # type: ignore[arg-type]
            if tensor.local_shape != shape:
                return None
            maps.append(place_of(tensor))
        return maps


def prove_partition(
    whole_module: ModuleOp,
    local_module: ModuleOp,
    arguments: Sequence[DistributedTensor],
    results: Sequence[DistributedTensor],
    devices: int,
) -> Proof:
    """Whether `local_module`, on each of `devices`, computes its parts of the results of `whole_module`."""
    universe = Universe()
    oracle, relations = Search(universe), BySharding(devices)
    reader = Kernel(universe, oracle, 1, True, Grid(1, 1))
    reading = Reading(reader, whole_module, relations)
    function, local_function = main_function(whole_module), main_function(local_module)
    given = arguments_of(reader, function)
    expected = reading.block(function.body.block, given, {})
    kernel = Kernel(universe, oracle, devices, False, Grid(1, devices))
    local = Reading(kernel, local_module, relations, reading)
    parts = [part_of(view, tensor) for view, tensor in zip(given, arguments, strict=True)]
    found = local.block(local_function.body.block, parts, {})
    wrong = list[int]()
    for number, (view, tensor) in enumerate(zip(found, results, strict=True)):
        part = part_of(expected[number], tensor)
        if not all(kernel.same(view, part, piece.box) for piece in part.pieces):
            wrong.append(number)
    return Proof(not wrong, wrong, local.frontier, local.related)
