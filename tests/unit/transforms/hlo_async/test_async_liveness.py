"""
Liveness of random programs against a machine with real memory, which detects data that is overwritten too early.

Rows HLO-ASYNC-07 to HLO-ASYNC-11.
"""

from collections.abc import Iterable

from async_programs import programs
from hypothesis import given
from hypothesis.strategies import DataObject, data, integers
from xdsl.dialects import func
from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.ir import Attribute, Block

from xshardy.dialects.function_attributes import set_argument_attributes
from xshardy.dialects.hlo import AsyncUpdateOp, DoneOp, StartOp
from xshardy.syntax import parse_module
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.hlo_async.aliasing import Buffer
from xshardy.transforms.hlo_async.buffer_reuse import BUFFERS, conflicts, may_overwrite
from xshardy.transforms.hlo_async.liveness import ENTRY, Liveness, LiveRange, liveness_of


def main_of(text: str) -> Block:
    module = parse_module(text)
    return functions_of(module)["main"].body.block


@given(programs(max_steps=14, max_chains=5))
def test_buffers_in_flight_stay_alive(text: str):
    block = main_of(text)
    liveness = liveness_of(block)
    operations = list(block.ops)
    assert len(liveness.in_flight) == sum(isinstance(op, StartOp) for op in operations)
    for flight in liveness.in_flight:
        start, *updates, done = flight.chain
        assert isinstance(start, StartOp) and isinstance(done, DoneOp)
        assert all(isinstance(update, AsyncUpdateOp) for update in updates)
        assert [operations[position] for position in flight.positions] == list(flight.chain)
        assert list(flight.positions) == sorted(flight.positions)
        for value in start.inputs:
            (buffer,) = liveness.aliasing.buffers_of(value)
            assert liveness.ranges[buffer].last >= flight.last
        (output,) = liveness.aliasing.buffers_of(done.outputs[0])
        assert liveness.ranges[output].first == flight.first
        bundles = [set(liveness.aliasing.buffers_of(op.results[0])) for op in (start, *updates)]
        assert all(bundle == bundles[0] for bundle in bundles)


def test_readers_around_a_block_keep_nothing_alive_in_it():
    around = main_of("""
    func.func private @op(%x: tensor<4xf32>) -> tensor<4xf32> {
      func.return %x : tensor<4xf32>
    }
    func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %0 = "stablehlo.if"(%p) ({
        %s = hlo.async_start @op(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
        %d = hlo.async_done %s : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
        %n = stablehlo.negate %d : tensor<4xf32>
        stablehlo.return %n : tensor<4xf32>
      }, {
        stablehlo.return %x : tensor<4xf32>
      }) : (tensor<i1>) -> tensor<4xf32>
      %1 = stablehlo.abs %x : tensor<4xf32>
      func.return %0, %1 : tensor<4xf32>, tensor<4xf32>
    }""")
    assert around.first_op is not None
    liveness = liveness_of(around.first_op.regions[0].block)
    (buffer,) = liveness.aliasing.buffers_of(around.args[1])
    assert liveness.ranges[buffer] == LiveRange(ENTRY, 1)


def runs_on(liveness: Liveness, memory: dict[Buffer, int]) -> bool:
    """
    Whether every value is still in its memory when it is read, on a machine that does one operation after the other.

    A start writes its outputs at once and reads its operands until the done: the latest and the earliest it may.
    """
    holds: dict[int, Buffer] = {}
    for buffer in liveness.aliasing.provided[None]:
        if memory[buffer] in holds:
            return False
        holds[memory[buffer]] = buffer
    for op in liveness.block.ops:
        read = [buffer for value in op.operands for buffer in liveness.aliasing.buffers_of(value)]
        if any(holds[memory[buffer]] is not buffer for buffer in read):
            return False
        written = liveness.aliasing.provided[op]
        if len({memory[buffer] for buffer in written}) != len(written):
            return False
        for buffer in written:
            if any(memory[other] == memory[buffer] and not may_overwrite(op, other, liveness) for other in read):
                return False
            holds[memory[buffer]] = buffer
    return True


@given(programs(), data())
def test_conflicts_are_found_where_a_machine_fails(text: str, data: DataObject):
    block = main_of(text)
    liveness = liveness_of(block)
    pieces = integers(0, data.draw(integers(0, 3 + len(liveness.ranges))))
    memory = {buffer: data.draw(pieces) for buffer in liveness.ranges}
    choose(block, liveness, memory)
    assert (not list(conflicts(liveness))) == runs_on(liveness, memory)


@given(programs(max_steps=14, max_chains=5))
def test_memory_taken_when_it_is_free_has_no_conflict(text: str):
    block = main_of(text)
    liveness = liveness_of(block)
    memory: dict[Buffer, int] = {}
    for buffer in sorted(liveness.ranges, key=lambda buffer: liveness.ranges[buffer].first):
        taken = {memory[other] for other in memory if liveness.ranges[other].overlaps(liveness.ranges[buffer])}
        memory[buffer] = min(set(range(len(memory) + 1)) - taken)
    choose(block, liveness, memory)
    assert not list(conflicts(liveness))
    assert runs_on(liveness, memory)


def choose(block: Block, liveness: Liveness, memory: dict[Buffer, int]) -> None:
    """Write the choice of `memory` into the attributes of operations and arguments."""

    def attribute(buffers: Iterable[Buffer]) -> Attribute:
        return DenseArrayBase.from_list(i64, [memory[buffer] for buffer in buffers])

    for op, buffers in liveness.aliasing.provided.items():
        if op is not None and buffers:
            op.attributes[BUFFERS] = attribute(buffers)
    function = block.parent_op()
    assert isinstance(function, func.FuncOp)
    set_argument_attributes(
        function, [{BUFFERS: attribute(liveness.aliasing.buffers_of(argument))} for argument in block.args]
    )
