"""Clusters: their registers and barrier, and shared memory of other blocks."""

import numpy as np
import pytest
from ptx_kernels import kernel, line_of

from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import LaunchError
from xshardy.ptx.faults import Fault, FaultKind
from xshardy.ptx.machine import Machine, Options

STORE = """
  mad.lo.u32 %r30, %r2, 32, %r1;
  mul.wide.u32 %rd30, %r30, 4;
  add.s64 %rd31, %rd1, %rd30;
  st.global.b32 [%rd31], %r9;
"""


def run(body: str, blocks: int, cluster: int, directive: str = "") -> tuple[Array, list[Fault]]:
    """What each thread has in `%r9`, [blocks, 32], and the faults."""
    out = np.zeros((blocks, 32), np.uint32)
    ptx = kernel(body + STORE, parameters=1, shared=256).replace(")\n{", f")\n{directive}{{")
    options = Options(checks=True, collects_faults=True, cluster=[cluster] if cluster else None, together=64)
    return out, Machine(ptx).run([blocks], [32], [out], options)


EXCHANGE = """
  mov.b32 %r3, s;
  shl.b32 %r4, %r1, 2;
  add.u32 %r3, %r3, %r4;
  mad.lo.u32 %r5, %r2, 100, %r1;
  st.shared.b32 [%r3], %r5;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  mov.u32 %r6, %cluster_ctarank;
  add.u32 %r6, %r6, 1;
  mov.u32 %r7, %cluster_nctarank;
  rem.u32 %r6, %r6, %r7;
  mapa.shared::cluster.u32 %r8, %r3, %r6;
  ld.shared::cluster.b32 %r9, [%r8]; // here
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
"""


@pytest.mark.parametrize("directive", ["", ".reqnctapercluster 3\n"])
def test_blocks_read_their_neighbours(directive: str):
    found, faults = run(EXCHANGE, 6, 0 if directive else 3, directive)
    assert faults == []
    neighbours = np.array([1, 2, 0, 4, 5, 3])[:, None]
    np.testing.assert_array_equal(found, neighbours * 100 + np.arange(32))


def test_the_address_of_a_variable_has_the_rank_in_its_lowest_bit():
    """Of a pair of blocks, the first one is the address with bit 24 cleared: CUTLASS and Triton rely on it."""
    body = EXCHANGE.replace("mapa.shared::cluster.u32 %r8, %r3, %r6;", "and.b32 %r8, %r3, 0xfeffffff;")
    found, faults = run(body, 4, 4)
    assert faults == []
    np.testing.assert_array_equal(found, np.array([0, 0, 200, 200])[:, None] + np.arange(32))


def test_generic_addresses_of_other_blocks():
    body = EXCHANGE.replace(
        "mapa.shared::cluster.u32 %r8, %r3, %r6;",
        """
  cvt.u64.u32 %rd5, %r3;
  cvta.shared.u64 %rd6, %rd5;
  mapa.u64 %rd7, %rd6, %r6;
  getctarank.u64 %r10, %rd7;
""",
    ).replace("ld.shared::cluster.b32 %r9, [%r8];", "ld.b32 %r9, [%rd7];\n  mad.lo.u32 %r9, %r10, 1000, %r9;")
    found, faults = run(body, 4, 2)
    assert faults == []
    neighbours = np.array([1, 0, 3, 2])[:, None]
    np.testing.assert_array_equal(found, neighbours % 2 * 1000 + neighbours * 100 + np.arange(32))


def test_without_the_barrier_it_is_a_race():
    body = EXCHANGE.replace(
        "  barrier.cluster.arrive.aligned;\n  barrier.cluster.wait.aligned;\n  mov.u32 %r6", "  mov.u32 %r6"
    )
    _, faults = run(body, 2, 2)
    assert FaultKind.RACE in {fault.kind for fault in faults}
    assert line_of(kernel(body + STORE, 1, 256), "here") in {fault.line for fault in faults}


ARRIVE, RELAXED = "barrier.cluster.arrive.aligned;", "barrier.cluster.arrive.relaxed.aligned;"


@pytest.mark.parametrize(
    ("first", "is_right"),
    [
        (RELAXED, False),
        (f"fence.acq_rel.cluster;\n  {RELAXED}", True),
        (f"fence.cluster.acq_rel;\n  {RELAXED}", True),  # as the PTX ISA writes it
        (f"fence.cluster;\n  {RELAXED}", True),
        (f"fence.sc.gpu;\n  bar.sync 0;\n  {RELAXED}", True),
        (f"fence.acquire.cluster;\n  {RELAXED}", False),
        (f"fence.acq_rel.cta;\n  {RELAXED}", False),
        (f"fence.acq_rel.cluster;\n  st.shared.b32 [%r3], %r5;\n  {RELAXED}", False),
        (f"{ARRIVE}\n  barrier.cluster.wait.aligned;\n  {RELAXED}", True),
        (f"{RELAXED}\n  barrier.cluster.wait.aligned;\n  {ARRIVE}", True),
        ("barrier.cluster.arrive.release.aligned;", True),
        (f"{ARRIVE}\n  st.shared.b32 [%r3], %r5;", False),
    ],
)
def test_a_relaxed_arrival_publishes_what_is_before_a_fence(first: str, is_right: bool):
    """And no arrival what is behind it. Source: PTX ISA, `barrier.cluster`."""
    body = EXCHANGE.replace(ARRIVE, first, 1)
    _, faults = run(body, 4, 2)
    line = line_of(kernel(body + STORE, 1, 256), "here")
    assert {(fault.kind, fault.line) for fault in faults} == (set() if is_right else {(FaultKind.RACE, line)})


IN_ONE_WARP = """
  mov.b32 %r3, s;
  shl.b32 %r4, %r1, 2;
  add.u32 %r3, %r3, %r4;
  st.shared.b32 [%r3], %r1;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  xor.b32 %r4, %r4, 4;
  mov.b32 %r5, s;
  add.u32 %r5, %r5, %r4;
  ld.shared.b32 %r9, [%r5]; // here
"""
"""Each thread reads what another one of its warp has stored in front of the barrier."""


@pytest.mark.parametrize(
    ("arrive", "is_right"),
    [
        (ARRIVE, True),
        (RELAXED, False),
        (f"fence.acq_rel.cluster;\n  {RELAXED}", True),
        (f"bar.warp.sync 0xffffffff;\n  {RELAXED}", True),
        (f"{RELAXED}\n  barrier.cluster.wait.aligned;\n  {RELAXED}", False),
        (f"{ARRIVE}\n  barrier.cluster.wait.aligned;\n  st.shared.b32 [%r3], %r1;\n  {RELAXED}", False),
    ],
)
def test_threads_of_a_warp_behind_a_relaxed_arrival(arrive: str, is_right: bool):
    body = IN_ONE_WARP.replace(ARRIVE, arrive)
    found, faults = run(body, 2, 2)
    line = line_of(kernel(body + STORE, 1, 256), "here")
    assert {(fault.kind, fault.line) for fault in faults} == (set() if is_right else {(FaultKind.RACE, line)})
    assert found[0].tolist() == [thread ^ 1 for thread in range(32)]


@pytest.mark.parametrize(("arrive", "is_right"), [(RELAXED, False), (ARRIVE, True)])
def test_a_relaxed_arrival_behind_reads(arrive: str, is_right: bool):
    """A block overwrites what the other one has read in front of the barrier."""
    first, second = EXCHANGE.rsplit(ARRIVE, 1)
    body = f"{first}{arrive}{second}  st.shared.b32 [%r3], %r1; // overwrites\n"
    _, faults = run(body, 2, 2)
    line = line_of(kernel(body + STORE, 1, 256), "// overwrites")
    assert {(fault.kind, fault.line) for fault in faults} == (set() if is_right else {(FaultKind.RACE, line)})


@pytest.mark.parametrize("comparison", ["setp.lt", "setp.ge"])
def test_an_early_arrival_at_the_next_phase_publishes_nothing_for_this_one(comparison: str):
    """One warp stores and arrives again before the other one, which has arrived first, goes on and loads."""
    body = """
  mov.b32 %r3, s;
  setp.lt.u32 %p1, %r1, 32;
  @%p1 bra $first;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  st.shared.b32 [%r3], 5;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  bra $done;
$first:
  barrier.cluster.arrive;
  barrier.cluster.wait;
  ld.shared.b32 %r9, [%r3]; // here
  barrier.cluster.arrive;
  barrier.cluster.wait;
$done:
"""
    ptx = kernel(body.replace("setp.lt", comparison), 1, 16)
    kinds = {fault.kind for fault in Machine(ptx).check([1], [64], [np.zeros(1, np.uint32)])}
    assert FaultKind.RACE in kinds


@pytest.mark.parametrize(
    ("fence", "is_right"),
    [("fence.mbarrier_init.release.cluster;", True), ("fence.acq_rel.cluster;", True), ("", False)],
)
def test_new_objects_behind_a_relaxed_arrival(fence: str, is_right: bool):
    """As CUTLASS makes them known. Source: PTX ISA, `fence.mbarrier_init`."""
    body = f"""
  mov.b32 %r3, s;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 mbarrier.init.shared::cta.b64 [%r3], 2;
  {fence}
  {RELAXED}
  barrier.cluster.wait.aligned;
  mapa.shared::cluster.u32 %r4, %r3, 0;
  @%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4]; // here
  mov.b32 %r9, 1;
"""
    _, faults = run(body, 4, 2)
    line = line_of(kernel(body + STORE, 1, 256), "here")
    assert {(fault.kind, fault.line) for fault in faults} == (set() if is_right else {(FaultKind.RACE, line)})


def test_a_block_that_does_not_arrive():
    body = """
  mov.b32 %r9, 1;
  setp.eq.u32 %p1, %r2, 1;
  @%p1 bra $wait;
  barrier.cluster.arrive;
$wait:
  barrier.cluster.wait; // here
"""
    _, faults = run(body, 2, 2)
    assert [fault.kind for fault in faults] == [FaultKind.NEVER_COMPLETE]
    assert "waits for thread (0, 0, 0) of block (1, 0, 0), which does not arrive" in str(faults[0])


def test_arrivals_at_an_mbarrier_of_another_block():
    body = """
  mov.b32 %r3, s;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 mbarrier.init.shared::cta.b64 [%r3], 2;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  mapa.shared::cluster.u32 %r4, %r3, 0;
  @%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4];
  mov.u32 %r5, %cluster_ctarank;
  mov.b32 %r9, 1;
  setp.ne.u32 %p2, %r5, 0;
  @%p2 bra $done;
$wait:
  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [%r3], 0;
  @!%p3 bra $wait;
  mov.b32 %r9, 2;
$done:
"""
    found, faults = run(body, 4, 2)
    assert faults == []
    assert found[:, 0].tolist() == [2, 1, 2, 1]


COPY = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
MULTICAST = """
  mov.b32 %r3, s;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 mbarrier.init.shared::cta.b64 [%r3+128], 1;
  @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3+128], 128;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  mov.u32 %r5, %cluster_ctarank;
  setp.eq.u32 %p2, %r5, 0;
  and.pred %p2, %p1, %p2;
  mov.b16 %h1, 3;
  @%p2 COPY [%r3], [%rd2], 128, [%r3+128], %h1;
$wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3+128], 0;
  @!%p3 bra $wait;
  shl.b32 %r4, %r1, 2;
  add.u32 %r4, %r3, %r4;
  ld.shared.b32 %r9, [%r4];
"""


def test_copies_to_several_blocks():
    out, source = np.zeros((2, 32), np.uint32), np.arange(32, dtype=np.uint32)
    options = Options(checks=True, collects_faults=True, cluster=[2])
    assert Machine(kernel(MULTICAST.replace("COPY", COPY) + STORE, 2, 256)).run([2], [32], [out, source], options) == []
    np.testing.assert_array_equal(out, [source, source])


def test_coordinates_of_two_dimensions():
    """In a grid of 4 by 2 blocks, in clusters of 2 by 2: each block writes its rank and the number of its cluster."""
    body = """
  mov.u32 %r3, %cluster_ctarank;
  mov.u32 %r4, %clusterid.x;
  mov.u32 %r5, %cluster_ctaid.y;
  mov.u32 %r6, %nclusterid.x;
  mov.u32 %r7, %ctaid.y;
  mad.lo.u32 %r2, %r7, 4, %r2;
  mad.lo.u32 %r9, %r3, 10, %r4;
  mad.lo.u32 %r9, %r5, 100, %r9;
  mad.lo.u32 %r9, %r6, 1000, %r9;
"""
    out = np.zeros((8, 32), np.uint32)
    Machine(kernel(body + STORE, 1)).run([4, 2], [32], [out], Options(cluster=[2, 2]))
    assert out[:, 0].tolist() == [2000, 2010, 2001, 2011, 2120, 2130, 2121, 2131]


def test_blocks_are_executed_with_their_clusters():
    out = np.zeros((6, 32), np.uint32)
    Machine(kernel(EXCHANGE + STORE, 1, 256)).run([6], [32], [out], Options(cluster=[2], blocks=[3]))
    assert out.any(axis=1).tolist() == [False, False, True, True, False, False]


@pytest.mark.parametrize(
    ("blocks", "cluster", "message"), [(5, 2, r"do not fill a grid of \(5, 1, 1\)"), (32, 32, "at most 16 blocks")]
)
def test_clusters_that_cannot_be(blocks: int, cluster: int, message: str):
    with pytest.raises(LaunchError, match=message):
        run("mov.b32 %r9, 0;", blocks, cluster)
