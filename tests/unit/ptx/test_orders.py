"""Kernels checked in several schedules."""

from collections.abc import Sequence

import numpy as np
import pytest
from ptx_kernels import kernel

from xshardy.numerics.element_types import Array
from xshardy.ptx.faults import FaultKind
from xshardy.ptx.machine import Machine, Options
from xshardy.ptx.orders import Order, Warp, orders

LOCK = """
$spin:
  atom.acquire.gpu.global.cas.b32 %r4, [%rd1], 0, 1;
  setp.ne.u32 %p1, %r4, 0;
  @%p1 bra $spin;
  ld.global.u32 %r5, [%rd2];
  add.u32 %r5, %r5, 1;
  st.global.u32 [%rd2], %r5;
  atom.release.gpu.global.exch.b32 %r6, [%rd1], 0;
"""
LATE = f"""{LOCK}
  setp.ne.u32 %p2, %r2, LATE;
  @%p2 bra $done;
  st.global.u32 [%rd2+4], 1;
$done:
"""
"""One block writes behind the lock what the others read in front of it."""


def check(body: str, schedules: int) -> tuple[Sequence[FaultKind], Array]:
    arrays = [np.zeros(1, np.uint32), np.zeros(2, np.uint32)]
    faults = Machine(kernel(body)).check([3], [1], arrays, schedules=schedules)
    return [fault.kind for fault in faults], arrays[1]


def test_a_lock_is_no_race_in_any_schedule():
    kinds, data = check(LOCK, 8)
    assert not kinds
    assert data[0] == 3  # each schedule begins with what the arguments were


@pytest.mark.parametrize("late", [0, 1, 2])
def test_who_has_been_behind_others_goes_first_in_another_schedule(late: int):
    """A write behind the lock races with a read within, unless the writer has the lock last, as it may."""
    body = LATE.replace("LATE", str(late)).replace("ld.global.u32 %r5, [%rd2];", "ld.global.v2.u32 {%r5, %r7}, [%rd2];")
    assert check(body, 4)[0] == [FaultKind.RACE]  # of all schedules, once
    last_sees_none = check(body, 1)[0] == []
    assert last_sees_none == (late == 2)


@pytest.mark.parametrize("order", [Order(0), Order(1), Order(first=(1, 1)), Order(first=(2, 0))])
@pytest.mark.parametrize("together", [64, 1 << 14])
def test_results_do_not_depend_on_the_schedule(order: Order, together: int):
    """Sums by way of shared memory and barriers, of warps that diverge."""
    body = """
  mov.u32 %r3, s;
  shl.b32 %r4, %r1, 2;
  add.u32 %r3, %r3, %r4;
  mad.lo.u32 %r5, %r2, 64, %r1;
  st.shared.u32 [%r3], %r5;
  bar.sync 0;
  setp.ge.u32 %p1, %r1, 32;
  @%p1 bra $second;
  ld.shared.u32 %r6, [%r3+128];
  add.u32 %r5, %r5, %r6;
$second:
  shfl.sync.bfly.b32 %r7, %r5, 1, 31, -1;
  add.u32 %r5, %r5, %r7;
  mad.lo.u32 %r8, %r2, 64, %r1;
  mul.wide.u32 %rd3, %r8, 4;
  add.s64 %rd4, %rd1, %rd3;
  st.global.u32 [%rd4], %r5;
"""
    out, expected = np.zeros((3, 64), np.uint32), np.zeros((3, 64), np.uint32)
    options = Options(checks=True, together=together)
    Machine(kernel(body, 1, 256)).run([3], [64], [expected], options)
    options.order = order
    Machine(kernel(body, 1, 256)).run([3], [64], [out], options)
    assert out.tolist() == expected.tolist()


def test_half_of_the_schedules_are_for_those_who_were_behind_others():
    learners: list[Warp] = [(block, 0) for block in range(9)]
    drawn = [*orders(5, learners)]
    assert [order.first for order in drawn] == [(0, 0), (1, 0), (2, 0), None, None]
    assert len({order.seed for order in drawn[3:]}) == 2
    assert sorted(Order(3).of_clusters(range(8), 2)) == [*range(8)]
    assert Order(first=(5, 0)).of_clusters(range(8), 2) == [4, 5, 0, 1, 2, 3, 6, 7]
