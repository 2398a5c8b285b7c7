"""Loops in which threads wait for other threads, warps and blocks: flags, locks, grid barriers; and those in vain."""

import numpy as np
import pytest
from ptx_kernels import kernel

from xshardy.ptx.faults import FaultError, FaultKind
from xshardy.ptx.machine import Machine, Options

ORDERS = [16, 32, 128, 1 << 14]
"""How many threads are executed together: parts of the grid one after another, or all at once."""

CHAIN = """
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra $done;
  BEFORE
  mul.wide.u32 %rd5, %r3, 4;
  add.s64 %rd6, %rd1, %rd5;
  add.s64 %rd7, %rd2, %rd5;
  setp.eq.u32 %p2, %r3, FIRST;
  mov.u32 %r5, 100;
  @%p2 bra $start;
$spin:
  LOAD %r4, [%rd6+OFFSET];
  setp.eq.u32 %p3, %r4, 0;
  @%p3 bra $spin;
  ld.global.u32 %r5, [%rd7+OFFSET];
$start:
  add.u32 %r5, %r5, 1;
  st.global.u32 [%rd7], %r5;
  st.release.gpu.global.u32 [%rd6], 1;
$done:
  bar.sync 0;
"""


@pytest.mark.parametrize("together", ORDERS)
@pytest.mark.parametrize("load", ["ld.acquire.gpu.global.u32", "ld.volatile.global.u32", "ld.global.u32"])
@pytest.mark.parametrize("backwards", [False, True])
def test_blocks_wait_for_their_neighbours(together: int, load: str, backwards: bool):
    """A chain through all blocks, from the first to the last one, or against the order in which they begin."""
    first, offset = (7, 4) if backwards else (0, -4)
    body = CHAIN.replace("BEFORE", "mov.u32 %r3, %r2;").replace("FIRST", str(first)).replace("OFFSET", str(offset))
    flags, values = np.zeros(8, np.uint32), np.zeros(8, np.uint32)
    Machine(kernel(body.replace("LOAD", load))).run([8], [16], [flags, values], Options(together=together))
    order = np.arange(8)[::-1] if backwards else np.arange(8)
    assert values.tolist() == (101 + order).tolist()


def test_a_flag_that_is_acquired_is_no_race():
    body = CHAIN.replace("BEFORE", "mov.u32 %r3, %r2;").replace("FIRST", "0").replace("OFFSET", "-4")
    ptx = kernel(body.replace("LOAD", "ld.acquire.gpu.global.u32"))
    options = Options(checks=True, together=32)
    assert Machine(ptx).run([4], [32], [np.zeros(4, np.uint32), np.zeros(4, np.uint32)], options) == []


TURNS = """
  setp.lt.u32 %p1, %r1, 32;
  @!%p1 bra $second;
  setp.ne.u32 %p2, %r1, 0;
  @%p2 bra $done;
$first_waits:
  ld.volatile.global.u32 %r4, [%rd1+4];
  setp.eq.u32 %p3, %r4, 0;
  @%p3 bra $first_waits;
  st.volatile.global.u32 [%rd1], 1;
  bra $done;
$second:
  setp.ne.u32 %p2, %r1, 32;
  @%p2 bra $done;
  st.volatile.global.u32 [%rd1+4], 1;
$second_waits:
  ld.volatile.global.u32 %r4, [%rd1];
  setp.eq.u32 %p3, %r4, 0;
  @%p3 bra $second_waits;
  st.volatile.global.u32 [%rd2], 7;
$done:
"""


def test_a_loop_goes_on_when_memory_has_changed_though_others_still_wait():
    flags, result = np.zeros(2, np.uint32), np.zeros(1, np.uint32)
    Machine(kernel(TURNS)).run([1], [64], [flags, result])
    assert (flags.tolist(), result.tolist()) == ([1, 1], [7])


GRID_BARRIER = """
  mov.u32 %r3, %nctaid.x;
  mov.u32 %r10, 0;
$round:
  mad.lo.u32 %r4, %r2, 32, %r1;
  mul.wide.u32 %rd5, %r4, 4;
  add.s64 %rd6, %rd2, %rd5;
  ld.global.u32 %r5, [%rd6];
  bar.sync 0;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra $wait;
  membar.gl;
  atom.global.add.u32 %r6, [%rd1], 1;
  add.u32 %r7, %r10, 1;
  mul.lo.u32 %r7, %r7, %r3;
$spin:
  ld.volatile.global.u32 %r8, [%rd1];
  setp.lt.u32 %p2, %r8, %r7;
  @%p2 bra $spin;
  membar.gl;
$wait:
  bar.sync 0;
  add.u32 %r9, %r4, 32;
  mul.lo.u32 %r11, %r3, 32;
  rem.u32 %r9, %r9, %r11;
  mul.wide.u32 %rd7, %r9, 4;
  add.s64 %rd8, %rd2, %rd7;
  add.u32 %r5, %r5, 1;
  st.global.u32 [%rd8], %r5;
  atom.global.add.u32 %r6, [%rd1+4], 1;
  mul.lo.u32 %r12, %r10, %r11;
  add.u32 %r12, %r12, %r11;
$more:
  ld.volatile.global.u32 %r8, [%rd1+4];
  setp.lt.u32 %p2, %r8, %r12;
  @%p2 bra $more;
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p3, %r10, 3;
  @%p3 bra $round;
"""


@pytest.mark.parametrize("together", [32, 64, 1 << 14])
def test_barriers_of_the_whole_grid(together: int):
    """In three rounds each block gives what it has to the next one. All threads wait at one of the two barriers."""
    values = np.arange(5 * 32, dtype=np.uint32)
    expected = np.roll(values.reshape(5, 32), 3, axis=0).reshape(-1) + 3
    counts = np.zeros(2, np.uint32)
    Machine(kernel(GRID_BARRIER)).run([5], [32], [counts, values], Options(together=together))
    assert values.tolist() == expected.tolist()


LOCK = """
$spin:
  atom.global.TAKE;
  setp.ne.u32 %p1, %r4, 0;
  WAIT
  @%p1 bra $spin;
  ld.volatile.global.u32 %r5, [%rd2];
  add.u32 %r5, %r5, 1;
  st.volatile.global.u32 [%rd2], %r5;
  atom.global.exch.b32 %r6, [%rd1], 0;
"""


@pytest.mark.parametrize("wait", ["", "nanosleep.u32 100;"])
@pytest.mark.parametrize("take", ["cas.b32 %r4, [%rd1], 0, 1", "exch.b32 %r4, [%rd1], 1"])
def test_all_threads_take_a_lock(take: str, wait: str):
    """The holder is in the same warp as others that spin: it goes on although they have not reconverged."""
    lock, count = np.zeros(1, np.uint32), np.zeros(1, np.uint32)
    Machine(kernel(LOCK.replace("TAKE", take).replace("WAIT", wait))).run([2], [34], [lock, count])
    assert (lock[0], count[0]) == (0, 68)


WARPS = """
  setp.eq.u32 %p1, %r1, 0;
  @!%p1 bra $together;
$spin:
  ld.volatile.global.u32 %r4, [%rd1];
  setp.eq.u32 %p2, %r4, 0;
  @%p2 bra $spin;
$together:
  setp.ne.u32 %p3, %r1, 63;
  @%p3 bra $skip;
  st.volatile.global.u32 [%rd1], 5;
$skip:
  bar.warp.sync -1;
  shfl.sync.idx.b32 %r5, %r4, 0, 31, -1;
  mul.wide.u32 %rd5, %r1, 4;
  add.s64 %rd6, %rd2, %rd5;
  st.global.u32 [%rd6], %r5;
"""


def test_the_other_threads_of_a_warp_wait_for_the_one_that_spins():
    """They meet at `bar.warp.sync`, which names all of them."""
    flag, found = np.zeros(1, np.uint32), np.zeros(64, np.uint32)
    Machine(kernel(WARPS)).run([1], [64], [flag, found], Options(checks=False))
    assert found[:32].tolist() == [5] * 32


LIMITED = """
  mov.u32 %r5, 0;
  setp.eq.u32 %p1, %r2, 1;
  @%p1 bra $set;
$spin:
  add.u32 %r5, %r5, 1;
  setp.gt.u32 %p3, %r5, 50000;
  @%p3 bra $late;
  ld.relaxed.gpu.global.u32 %r4, [%rd1];
  setp.eq.u32 %p2, %r4, 0;
  @%p2 bra $spin;
  bra $done;
$set:
  st.relaxed.gpu.global.u32 [%rd1], 1;
  bra $done;
$late:
  st.global.u32 [%rd2], 1;
$done:
"""


@pytest.mark.parametrize("together", [1, 64])
def test_loops_that_count_their_tests_let_others_go_on(together: int):
    flag, late = np.zeros(1, np.uint32), np.zeros(1, np.uint32)
    Machine(kernel(LIMITED)).run([2], [1], [flag, late], Options(together=together))
    assert late[0] == 0


@pytest.mark.parametrize("together", [1, 64])
def test_blocks_that_wait_for_each_other_never_end(together: int):
    """Each sets its flag when it has seen the other one's."""
    body = CHAIN.replace("BEFORE", "xor.b32 %r3, %r2, 1;").replace("FIRST", "9").replace("OFFSET", "0")
    body = body.replace("  add.s64 %rd7,", "  mul.wide.u32 %rd8, %r2, 4;\n  add.s64 %rd7,")
    body = body.replace(
        "st.release.gpu.global.u32 [%rd6]", "add.s64 %rd8, %rd1, %rd8;\n  st.release.gpu.global.u32 [%rd8]"
    )
    ptx = kernel(body.replace("LOAD", "ld.acquire.gpu.global.u32"))
    arrays = [np.zeros(2, np.uint32), np.zeros(2, np.uint32)]
    with pytest.raises(FaultError, match="endless loop"):
        Machine(ptx).run([2], [1], arrays, Options(together=together))
    faults = Machine(ptx).run([2], [1], arrays, Options(together=together, collects_faults=True))
    assert [fault.kind for fault in faults] == [FaultKind.ENDLESS]
    arrays[0][1] = 1
    Machine(ptx).run([2], [1], arrays, Options(together=together))
    assert arrays[0].tolist() == [1, 1]


COOPERATIVE = """
  mov.u32 %r3, %envreg1;
  mov.u32 %r4, %envreg2;
  mov.b64 %rd3, {%r4, %r3};
  mul.wide.u32 %rd4, %r2, 4;
  add.s64 %rd5, %rd1, %rd4;
  st.global.u32 [%rd5], %r2;
  setp.eq.u32 %p1, %r2, 0;
  selp.b32 %r5, 0x7ffffffe, 1, %p1;
  atom.add.release.gpu.u32 %r6, [%rd3+4], %r5;
$wait:
  ld.acquire.gpu.u32 %r7, [%rd3+4];
  xor.b32 %r7, %r7, %r6;
  setp.ge.s32 %p2, %r7, 0;
  @%p2 bra $wait;
  sub.u32 %r8, 2, %r2;
  mul.wide.u32 %rd6, %r8, 4;
  add.s64 %rd7, %rd1, %rd6;
  ld.global.u32 %r9, [%rd7];
  add.s64 %rd8, %rd2, %rd4;
  st.global.u32 [%rd8], %r9;
"""


@pytest.mark.parametrize("together", [1, 64])
def test_cooperative_launches_have_a_barrier_of_the_grid(together: int):
    arrays = [np.zeros(3, np.uint32), np.zeros(3, np.uint32)]
    options = Options(together=together, checks=True, cooperative=True)
    assert Machine(kernel(COOPERATIVE)).run([3], [1], arrays, options) == []
    assert arrays[1].tolist() == [2, 1, 0]
    with pytest.raises(FaultError, match=r"address 0x[0-9a-f]+: no buffer"):
        Machine(kernel(COOPERATIVE)).run([3], [1], arrays)
