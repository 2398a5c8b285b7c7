"""
Loops that threads leave after different numbers of iterations: executed on those that are still in them, by compiled
runs, with the results and reports of an execution on all threads, instruction by instruction.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis.strategies import integers, lists
from ptx_kernels import kernel, line_of

from xshardy.numerics.element_types import Array
from xshardy.ptx.faults import Fault, FaultKind
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.machine import Machine, Options
from xshardy.ptx.memory import Access, BulkAccess
from xshardy.ptx.orders import Order

BLOCKS, THREADS = 3, 48
COUNT = BLOCKS * THREADS

NESTED = """
  mad.lo.u32 %r3, %r2, 48, %r1;
  mul.wide.u32 %rd4, %r3, 4;
  add.s64 %rd5, %rd1, %rd4;
  ld.global.u32 %r4, [%rd5]; // the trip count of the outer loop
  mov.u32 %r5, 0;
  mov.u32 %r6, 0;
$outer:
  setp.ge.u32 %p1, %r5, %r4;
  @%p1 bra $done;
  and.b32 %r7, %r5, 31;
  xor.b32 %r7, %r7, %r3;
  and.b32 %r7, %r7, 31;
  mov.u32 %r8, 0;
$inner:
  setp.gt.u32 %p2, %r8, %r7;
  @%p2 bra $next;
  mad.lo.u32 %r6, %r6, 31, %r8;
  setp.lt.u32 %p3, %r8, 7;
  @%p3 add.u32 %r6, %r6, 5;
  INNER
  add.u32 %r8, %r8, 1;
  bra $inner;
$next:
  OUTER
  add.u32 %r5, %r5, 1;
  bra $outer;
$done:
  add.s64 %rd6, %rd2, %rd4;
  st.global.u32 [%rd6], %r6;
"""

SHARED = """
  and.b32 %r9, %r1, 15;
  shl.b32 %r9, %r9, 2;
  mov.b32 %r10, s;
  add.u32 %r10, %r10, %r9;
  atom.shared.add.u32 %r11, [%r10], 1;
"""
GLOBAL = """
  and.b32 %r9, %r6, 7;
  mul.wide.u32 %rd7, %r9, 4;
  add.s64 %rd7, %rd3, %rd7;
  atom.global.max.u32 %r11, [%rd7], %r6;
"""
RACE = "  st.global.u32 [%rd3], %r8; // race"
VOTE = "  activemask.b32 %r12;\n  popc.b32 %r12, %r12;\n  add.u32 %r6, %r6, %r12;"

CLOCK = """
  mov.u64 %rd10, %clock64;
  mov.u64 %rd11, %clock64;
  setp.ge.u64 %p6, %rd10, %rd11;
  @%p6 add.u32 %r6, %r6, 1000; // the clock does not stand still
"""
MORE = {"nothing": "", "shared": SHARED, "global": GLOBAL, "race": RACE, "vote": VOTE}
"""What a loop does besides."""
ORDERS = {"seed": Order(seed=1), "first": Order(first=(1, 1))}


def watch(lanes: Lanes, access: Access | BulkAccess) -> None:
    """With an observer, threads are never lanes of their own."""


def run(ptx: str, trips: Sequence[int], options: Options) -> tuple[Array, Array, list[Fault]]:
    counts = np.resize(np.array(trips, np.uint32), COUNT)
    out, places = np.zeros(COUNT, np.uint32), np.zeros(8, np.uint32)
    faults = Machine(ptx).run([BLOCKS], [THREADS], [counts, out, places], options)
    return out, places, faults


def expected(trips: Sequence[int]) -> list[int]:
    """Of `NESTED` without more in its loops."""
    found: list[int] = []
    for thread, trip in enumerate(np.resize(np.array(trips), COUNT).tolist()):
        value = 0
        for outer in range(trip):
            for inner in range(((outer & 31 ^ thread) & 31) + 1):
                value = (value * 31 + inner + 5 * (inner < 7)) % 2**32
        found.append(value)
    return found


@given(lists(integers(0, 40), min_size=1, max_size=COUNT))
def test_each_thread_has_its_own_iterations(trips: list[int]):
    ptx = kernel(NESTED.replace("INNER", "").replace("OUTER", ""), parameters=3)
    out, _, _ = run(ptx, trips, Options())
    assert out.tolist() == expected(trips)


@pytest.mark.parametrize(
    ("outer", "inner", "order"),
    [
        *product(MORE, MORE, ["in order"]),
        *((outer, inner, order) for inner in MORE for outer in dict.fromkeys(["nothing", inner]) for order in ORDERS),
    ],
)
def test_as_all_threads_together(inner: str, outer: str, order: str):
    inner, outer = MORE[inner], MORE[outer]
    ptx = kernel(NESTED.replace("INNER", inner).replace("OUTER", outer), parameters=3, shared=256)
    trips = np.random.default_rng(0).integers(0, 9, COUNT).tolist()
    selected, whole = (
        run(ptx, trips, Options(checks=True, collects_faults=True, order=ORDERS.get(order), observers=observers))
        for observers in ([], [watch])
    )
    for found, right in zip(selected[:2], whole[:2], strict=True):
        np.testing.assert_array_equal(found, right)
    assert [*map(str, selected[2])] == [*map(str, whole[2])]
    assert (FaultKind.RACE in {fault.kind for fault in selected[2]}) == (RACE in (inner, outer))


def test_each_thread_has_its_own_local_memory():
    through_local = "  st.local.u32 [l], %r6;\n  ld.local.u32 %r6, [l];"
    body = ".local .align 4 .b8 l[4];\n" + NESTED.replace("INNER", through_local).replace("OUTER", "")
    trips = np.random.default_rng(0).integers(0, 9, COUNT).tolist()
    out, _, _ = run(kernel(body, parameters=3), trips, Options())
    assert out.tolist() == expected(trips)


def test_clocks_go_on_in_loops_of_few_threads():
    trips = np.random.default_rng(0).integers(0, 9, COUNT).tolist()
    out, _, _ = run(kernel(NESTED.replace("INNER", CLOCK).replace("OUTER", ""), parameters=3), trips, Options())
    assert out.tolist() == expected(trips)


def test_ranks_in_clusters_are_known_in_loops_of_few_threads():
    """Without clusters, each block is the only one of its own, of rank 0."""
    inner = "  mov.u32 %r10, s;\n  getctarank.shared::cluster.u32 %r11, %r10;\n  add.u32 %r6, %r6, %r11;"
    ptx = kernel(NESTED.replace("INNER", inner).replace("OUTER", ""), parameters=3, shared=256)
    trips = np.random.default_rng(0).integers(0, 9, COUNT).tolist()
    assert run(ptx, trips, Options())[0].tolist() == expected(trips)


def test_a_fault_names_the_thread():
    body = NESTED.replace("INNER", "").replace(
        "OUTER", "  setp.eq.u32 %p4, %r5, 30;\n  @%p4 st.global.u32 [8], 1; // far"
    )
    ptx = kernel(body, parameters=3)
    _, _, faults = run(ptx, [*[3] * 100, 40, *[3] * 43], Options(collects_faults=True))
    assert [(fault.kind, fault.line, fault.threads) for fault in faults] == [
        (FaultKind.OUT_OF_BOUNDS, line_of(ptx, "far"), 1)
    ]
    assert "thread (4, 0, 0) of block (2, 0, 0)" in faults[0].message


def test_a_loop_that_some_threads_never_leave():
    ptx = kernel(NESTED.replace("INNER", "").replace("OUTER", "  @%p5 bra $outer;\n"), parameters=3)
    ptx = ptx.replace("$outer:", "  setp.gt.u32 %p5, %r4, 50;\n$outer:")
    _, _, faults = run(ptx, [*[3] * 100, 60, *[3] * 43], Options(collects_faults=True, max_iterations=1 << 13))
    assert [(fault.kind, fault.threads) for fault in faults] == [(FaultKind.ENDLESS, 1)]
