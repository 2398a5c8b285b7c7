"""Which registers are live, beside a search of all paths."""

from hypothesis import given
from hypothesis.strategies import DrawFn, composite, integers, lists, sets

from xshardy.ptx.liveness import live_registers

Flow = tuple[list[set[int]], list[set[int]], list[list[int]]]


@composite
def flows(draw: DrawFn) -> Flow:
    """What some instructions read and write, of three registers, and what may follow them."""
    count = draw(integers(1, 6))
    registers = sets(integers(0, 2), max_size=2)
    reads, writes = ([draw(registers) for _ in range(count)] for _ in range(2))
    return reads, writes, [draw(lists(integers(0, count), max_size=2)) for _ in range(count)]


def is_live(register: int, at: int, flow: Flow) -> bool:
    """Whether a path from an instruction on reads a register before it writes it."""
    reads, writes, following = flow
    pending, seen = [at], set[int]()
    while pending:
        at = pending.pop()
        if at in seen or at == len(reads):
            continue
        seen.add(at)
        if register in reads[at]:
            return True
        if register not in writes[at]:
            pending += following[at]
    return False


@given(flows())
def test_live_registers(flow: Flow):
    reads, writes = ([sum(1 << register for register in registers) for registers in of] for of in flow[:2])
    found = live_registers(reads, writes, flow[2])
    for at, live in enumerate(found):
        assert [live >> register & 1 for register in range(3)] == [is_live(register, at, flow) for register in range(3)]
