"""`st.async`, `red.async`, parts of `cp.async`, and masks of bulk copies."""

import numpy as np
import pytest
from ptx_kernels import kernel, line_of

from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import PtxError
from xshardy.ptx.faults import Fault, FaultKind
from xshardy.ptx.machine import Machine, Options

EXCHANGE = """
  mov.b32 %r3, s;
  mov.u32 %r4, %cluster_ctarank;
  xor.b32 %r5, %r4, 1;
  setp.eq.u32 %p1, %r1, 0;
  shl.b32 %r6, %r1, 3;
  add.u32 %r7, %r3, %r6;
  st.shared.v2.u32 [%r7], {100, 100};
  @%p1 mbarrier.init.shared::cta.b64 [%r3+512], 1;
  fence.mbarrier_init.release.cluster;
  @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3+512], BYTES;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  mapa.shared::cluster.u32 %r8, %r7, %r5;
  add.u32 %r9, %r3, 512;
  mapa.shared::cluster.u32 %r10, %r9, %r5;
  mad.lo.u32 %r11, %r4, 1000, %r1;
  STATEMENT
$wait:
  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [%r9], 0;
  @!%p3 bra $wait;
  ld.shared.v2.u32 {%r12, %r13}, [%r7];
  mad.lo.u32 %r30, %r2, 32, %r1;
  mul.wide.u32 %rd30, %r30, 8;
  add.s64 %rd31, %rd1, %rd30;
  st.global.v2.b32 [%rd31], {%r12, %r13};
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
"""
COMPLETE = "shared::cluster.mbarrier::complete_tx::bytes"


def exchanged(statement: str, bytes: int, *, waits: bool = True) -> tuple[Array, list[Fault]]:
    """The two numbers that each thread of two blocks gets from the other block, and the faults."""
    out = np.zeros((2, 32, 2), np.uint32)
    body = EXCHANGE.replace("STATEMENT", statement).replace("BYTES", str(32 * bytes))
    if not waits:
        body = body[: body.index("$wait:")] + body[body.index("  ld.shared.v2.u32 {%r12") :]
    options = Options(checks=True, collects_faults=True, cluster=[2])
    faults = Machine(kernel(body, 1, 520)).run([2], [32], [out], options)
    return out, faults


THEIRS = np.array([1000, 0])[:, None] + np.arange(32)


@pytest.mark.parametrize(
    ("statement", "bytes", "first", "second"),
    [
        (f"st.async.weak.{COMPLETE}.u32 [%r8], %r11, [%r10];", 4, THEIRS, 100),
        (f"st.async.{COMPLETE}.v2.b32 [%r8], {{%r11, %r1}}, [%r10];", 8, THEIRS, np.arange(32)),
        (f"red.async.relaxed.cluster.{COMPLETE}.add.u32 [%r8+4], %r11, [%r10];", 4, 100, THEIRS + 100),
        (f"red.async.relaxed.cluster.{COMPLETE}.min.s32 [%r8], %r11, [%r10];", 4, np.minimum(THEIRS, 100), 100),
    ],
)
def test_blocks_store_in_the_shared_memory_of_each_other(
    statement: str, bytes: int, first: Array | int, second: Array | int
):
    found, faults = exchanged(statement, bytes)
    assert faults == []
    np.testing.assert_array_equal(found[..., 0], np.broadcast_to(first, (2, 32)))
    np.testing.assert_array_equal(found[..., 1], np.broadcast_to(second, (2, 32)))


def test_without_the_wait_it_is_a_race():
    _, faults = exchanged(f"st.async.{COMPLETE}.u32 [%r8], %r11, [%r10];", 4, waits=False)
    assert FaultKind.RACE in {fault.kind for fault in faults}


COPY = """
  mov.u32 %r5, s;
  shl.b32 %r6, %r1, 4;
  add.u32 %r5, %r5, %r6;
  mul.wide.u32 %rd8, %r1, 16;
  add.s64 %rd3, %rd1, %rd8;
  add.s64 %rd4, %rd2, %rd8;
  st.shared.v4.u32 [%r5], {-1, -1, -1, -1};
  setp.gt.u32 %p1, %r1, 7;
  COPY
  cp.async.wait_all;
  ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r5];
  st.global.v4.u32 [%rd4], {%r10, %r11, %r12, %r13};
"""


@pytest.mark.parametrize(
    ("copy", "used"),
    [
        ("cp.async.ca.shared.global [%r5], [%rd3], 16, %r1;", lambda thread: min(thread, 16)),
        ("cp.async.cg.shared.global.L2::128B [%r5], [%rd3], 16, 12;", lambda thread: 12),
        ("cp.async.cg.shared.global [%r5], [%rd3], 16, %p1;", lambda thread: 0 if thread > 7 else 16),
        ("cp.async.cg.shared.global.L2::cache_hint [%r5], [%rd3], 16, %rd9;", lambda thread: 16),
        ("cp.async.cg.shared.global.L2::cache_hint [%r5], [%rd3], 16, 7, %rd9;", lambda thread: 7),
    ],
)
def test_the_rest_of_a_copy_is_zero(copy: str, used: object):
    """Source: PTX ISA, `cp.async`: bytes of the destination behind those of the source are zeros."""
    assert callable(used)
    source = np.random.default_rng(0).integers(1, 256, (20, 16), dtype=np.uint8)
    found = np.zeros_like(source)
    Machine(kernel(COPY.replace("COPY", copy), shared=320)).run([1], [20], [source, found], Options(checks=True))
    kept = [np.arange(16) < used(thread) for thread in range(20)]
    np.testing.assert_array_equal(found, np.where(kept, source, 0))


COPIES = """
  cp.async.ca.shared.global [%r5], [%rd3], 16;
  BETWEEN
  cp.async.ca.shared.global [%r5+OFFSET], [%rd4], 16; // copy
  BEHIND
  cp.async.wait_all;
"""
THREAD = "thread (0, 0, 0) of block (0, 0, 0)"
RACE = f"{THREAD} writes what the cp.async of {THREAD} writes, with no wait and barrier between"
COMMIT = "cp.async.commit_group;"


@pytest.mark.parametrize(
    ("between", "offset", "is_right"),
    [
        ("", 0, False),
        (COMMIT, 0, False),
        (f"{COMMIT} cp.async.wait_group 1;", 0, False),
        (f"cp.async.wait_group 0; {COMMIT}", 0, False),
        ("bar.sync 0;", 0, False),
        (f"{COMMIT} cp.async.wait_group 0;", 0, True),
        (f"{COMMIT} {COMMIT} cp.async.wait_group 1;", 0, True),
        ("cp.async.wait_all;", 0, True),
        ("", 512, True),
        (COMMIT, 512, True),
    ],
)
def test_two_copies_of_a_thread_to_one_place(between: str, offset: int, is_right: bool):
    """Source: PTX ISA, `cp.async.commit_group`: copies are in no order until their thread waits."""
    copies = COPIES.replace("BETWEEN", between.replace("; ", ";\n  ")).replace("OFFSET", str(offset))
    ptx = kernel(COPY.replace("COPY", copies.replace("BEHIND", "")), shared=1024)
    faults = Machine(ptx).check([1], [32], [np.zeros(128, np.uint32), np.zeros(128, np.uint32)])
    found = [(fault.kind, fault.line, fault.message) for fault in faults]
    assert found == (
        [] if is_right else [(FaultKind.RACE, line_of(ptx, "// copy"), RACE + ", at byte 0 of shared memory")]
    )


@pytest.mark.parametrize("access", ["st.shared.u32 [%r5+8], %r1;", "ld.shared.u32 %r10, [%r5+8];"])
@pytest.mark.parametrize(("wait", "is_right"), [("", False), (COMMIT, False), ("cp.async.wait_all;", True)])
def test_an_access_in_front_of_the_wait_for_a_copy(access: str, wait: str, is_right: bool):
    copies = COPIES.replace("BETWEEN", "").replace("OFFSET", "512").replace("BEHIND", f"{wait}\n  {access} // access")
    ptx = kernel(COPY.replace("COPY", copies), shared=1024)
    faults = Machine(ptx).check([1], [32], [np.zeros(128, np.uint32), np.zeros(128, np.uint32)])
    line = line_of(ptx, "// access")
    assert [(fault.kind, fault.line) for fault in faults] == ([] if is_right else [(FaultKind.RACE, line)])


@pytest.mark.parametrize(("wait", "is_right"), [("", False), ("cp.async.wait_all;", True)])
def test_copies_of_two_threads_of_a_warp_to_one_place(wait: str, is_right: bool):
    """That their warp meets does not complete the first copy."""
    body = f"""
  mov.u32 %r5, s;
  setp.ne.u32 %p1, %r1, 0;
  @!%p1 cp.async.ca.shared.global [%r5], [%rd1], 4;
  {wait}
  bar.warp.sync -1;
  setp.ne.u32 %p1, %r1, 1;
  @!%p1 cp.async.ca.shared.global [%r5], [%rd2], 4; // copy
  cp.async.wait_all;
"""
    ptx = kernel(body, shared=16)
    faults = Machine(ptx).check([1], [32], [np.zeros(1, np.uint32), np.zeros(1, np.uint32)])
    assert [(fault.kind, fault.line) for fault in faults] == (
        [] if is_right else [(FaultKind.RACE, line_of(ptx, "// copy"))]
    )


def test_what_is_not_used_of_the_source_is_not_read():
    """The last row of the source ends behind two bytes."""
    source = np.arange(34, dtype=np.uint8)
    found = np.zeros((3, 16), np.uint8)
    copy = "sub.u32 %r7, 34, %r6;\n  cp.async.cg.shared.global [%r5], [%rd3], 16, %r7;"
    Machine(kernel(COPY.replace("COPY", copy), shared=48)).run([1], [3], [source, found])
    assert found.reshape(-1).tolist() == [*range(34), *[0] * 14]


def test_a_size_that_no_copy_has_is_an_error():
    with pytest.raises(PtxError, match=r"expected a size of \(4, 8, 16\) bytes"):
        Machine(kernel("cp.async.ca.shared.global [%r5], [%rd3], 12;")).run([1], [1], [np.zeros(1), np.zeros(1)])


MASKED = """
  mov.u32 %r3, s;
  shl.b32 %r4, %r1, 2;
  add.u32 %r4, %r3, %r4;
  st.shared.u32 [%r4], 0x03020100;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  setp.eq.u32 %p1, %r1, 0;
  mov.b16 %h1, 0x8005;
  @%p1 cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask [%rd1], [%r3], 64, %rd9, %h1;
  @%p1 cp.async.bulk.commit_group;
  @%p1 cp.async.bulk.wait_group 0;
"""


def test_masks_of_bulk_copies():
    found = np.full((4, 16), 9, np.uint8)
    assert Machine(kernel(MASKED, 1, 64)).run([1], [16], [found], Options(checks=True)) == []
    chosen = (0x8005 >> np.arange(16) & 1).astype(bool)
    np.testing.assert_array_equal(found, np.tile(np.where(chosen, np.arange(16) % 4, 9), (4, 1)))
