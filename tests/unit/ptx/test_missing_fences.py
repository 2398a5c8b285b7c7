"""What the checks find missing: fences of bulk copies, of new `mbarrier` objects and of `wgmma`; aligned barriers."""

import numpy as np
import pytest
from ptx_kernels import kernel, line_of

from xshardy.ptx.faults import Fault, FaultKind
from xshardy.ptx.machine import Machine, Options

PIPELINE = """
  mov.u32 %r3, s;
  shl.b32 %r4, %r1, 2;
  add.u32 %r5, %r3, %r4;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra $ready;
  mbarrier.init.shared::cta.b64 [%r3+128], 1;
  INIT
$ready:
  mov.f32 %r8, 0f00000000;
  mov.u32 %r6, 0;
$step:
  @%p1 bra $wait;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3+128], 128;
  ONE
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 128, [%r3+128]; // copy
  add.s64 %rd1, %rd1, 128;
$wait:
  bar.sync 0;
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3+128], %r6;
  @!%p2 bra $wait;
  ld.shared.f32 %r7, [%r5];
  add.f32 %r8, %r8, %r7;
  ALL
  bar.sync 0;
  add.u32 %r6, %r6, 1;
  setp.lt.u32 %p3, %r6, 3;
  @%p3 bra $step;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd2, %rd3;
  st.global.f32 [%rd4], %r8;
"""
FENCE, NEW = "fence.proxy.async.shared::cta;", "fence.mbarrier_init.release.cluster;"


@pytest.mark.parametrize(
    ("init", "one", "everyone", "message"),
    [
        (NEW, "", FENCE, ""),
        (FENCE, "", FENCE, ""),
        ("bar.warp.sync 1;", "", FENCE, ""),  # a barrier is enough, as compilers rely on
        (NEW, FENCE, "", ""),
        ("", "", FENCE, "with no fence.mbarrier_init or fence.proxy.async behind its init"),
        (NEW, "", "", "overwrites what thread (0, 0, 0) of block (0, 0, 0) has read, with no fence.proxy.async"),
        (NEW, "", "fence.acq_rel.cta;", "overwrites what"),
    ],
)
def test_bulk_copies_behind_new_objects_and_behind_reads(init: str, one: str, everyone: str, message: str):
    """By the thread that copies, or by all that read."""
    ptx = kernel(PIPELINE.replace("INIT", init).replace("ONE", one).replace("ALL", everyone), shared=144)
    numbers, sums = np.arange(96, dtype=np.float32), np.zeros(32, np.float32)
    faults = Machine(ptx).run([1], [32], [numbers, sums], Options(checks=True, collects_faults=True))
    np.testing.assert_array_equal(sums, numbers.reshape(3, 32).sum(axis=0))
    if not message:
        assert faults == []
        return
    assert [fault.kind for fault in faults] == [FaultKind.PROXY]
    assert message in faults[0].message and faults[0].line == line_of(ptx, "// copy")


BULK_STORE = """
  mov.u32 %r3, s;
  shl.b32 %r4, %r1, 2;
  add.u32 %r5, %r3, %r4;
  st.shared.u32 [%r5], %r1;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  ld.shared.u32 %r6, [%r5];
  STORE
  bar.sync 0;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra $done;
  cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], 128; // copy
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
$done:
  st.global.u32 [%rd2], 1;
"""


@pytest.mark.parametrize(("store", "is_right"), [("", True), ("st.shared.u32 [%r5], %r6;", False)])
def test_a_bulk_store_needs_a_fence_behind_writes_not_behind_reads(store: str, is_right: bool):
    """Two reads are no conflict: PTX ISA, "Memory Consistency Model", "Conflict and Data-races"."""
    ptx = kernel(BULK_STORE.replace("STORE", store), shared=128)
    faults = Machine(ptx).check([1], [32], [np.zeros(32, np.uint32), np.zeros(1, np.uint32)])
    found = [(fault.kind, fault.line) for fault in faults]
    assert found == ([] if is_right else [(FaultKind.PROXY, line_of(ptx, "// copy"))])


BARRIERS = """
  and.b32 %r3, %r1, MASK;
  setp.eq.u32 %p1, %r3, 0;
  @%p1 bra $even;
  FIRST 0;
  bra $done;
$even:
  SECOND 0; // here
$done:
"""


def barriers(first: str, second: str, mask: int, *, checks: bool = True) -> list[Fault]:
    ptx = kernel(BARRIERS.replace("FIRST", first).replace("SECOND", second).replace("MASK", str(mask)), 0)
    return Machine(ptx).run([1], [64], [], Options(checks=checks, collects_faults=True))


def test_threads_of_a_warp_wait_at_two_aligned_barriers():
    """`bar.sync` is `barrier.sync.aligned`. Different warps may wait at different ones, and any thread at another."""
    for first, second in (("bar.sync", "bar.sync"), ("barrier.cta.sync.aligned", "bar.sync")):
        (fault,) = barriers(first, second, 1)
        assert fault.kind is FaultKind.DIVERGENT_BARRIER
        assert "waits at an aligned barrier, and other threads of its warp at that of line" in fault.message
        assert barriers(first, second, 1, checks=False) == []
        assert barriers(first, second, 32) == []
    assert barriers("barrier.sync", "bar.sync", 1) == []
    assert barriers("barrier.sync", "barrier.sync", 1) == []


D = ", ".join(f"%r{10 + number}" for number in range(4))
PRODUCT = f"""
  mov.u32 %r3, s;
  and.b32 %r4, %r1, 127;
  shl.b32 %r4, %r4, 4;
  add.u32 %r4, %r3, %r4;
  st.shared.v4.u32 [%r4], {{0, 0, 0, 0}};
  st.shared.v4.u32 [%r4+2048], {{0, 0, 0, 0}};
  fence.proxy.async.shared::cta;
  bar.sync 0;
  shr.u32 %r5, %r3, 4;
  cvt.u64.u32 %rd5, %r5;
  or.b64 %rd6, %rd5, 0x0000000800080000;
  mov.b32 %r10, 0f3F800000;
  FIRST
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{{D}}}, %rd6, %rd6, 1, 1, 1, 0, 0; // one
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{{D}}}, %rd6, %rd6, 1, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  USE
  SECOND
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{{D}}}, %rd6, %rd6, 1, 1, 1, 0, 0; // two
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  st.global.f32 [%rd4], %r10;
"""
WGMMA_FENCE = "wgmma.fence.sync.aligned;"


@pytest.mark.parametrize(
    ("first", "use", "second", "mark"),
    [
        (WGMMA_FENCE, "add.f32 %r10, %r10, %r10;", WGMMA_FENCE, ""),
        (WGMMA_FENCE, "", "", ""),  # products of one shape are in order
        (WGMMA_FENCE, "mov.b32 %r20, %r10;", "", ""),
        ("", "add.f32 %r10, %r10, %r10;", WGMMA_FENCE, "// one"),
        (WGMMA_FENCE, "add.f32 %r10, %r10, %r10;", "", "// two"),
        (WGMMA_FENCE, "st.global.f32 [%rd1], %r12;", "", "// two"),
        (f"{WGMMA_FENCE} add.f32 %r11, %r4, %r4;", "", WGMMA_FENCE, "// one"),
    ],
)
def test_products_without_a_fence(first: str, use: str, second: str, mark: str):
    """Source: PTX ISA, `wgmma.fence`: before the first product, and behind other uses of its registers."""
    body = PRODUCT.replace("FIRST", first).replace("USE", use).replace("SECOND", second)
    ptx = kernel(body, 1, 4096).replace(".shared .align 16", ".shared .align 128")
    options = Options(checks=True, collects_faults=True)
    found = Machine(ptx).run([1], [128], [np.zeros(128, np.float32)], options)
    faults = [fault for fault in found if fault.kind is not FaultKind.RACE]
    lines = {line_of(ptx, mark)} if mark else set[int]()
    if mark == "// one":  # the product behind it has no fence either
        lines |= {line + 1 for line in lines}
    assert {fault.line for fault in faults} == lines
    assert all(fault.kind is FaultKind.PENDING and "wgmma.fence" in fault.message for fault in faults)
