"""Which accesses releases, acquires and fences order for the race check, between blocks, warps and threads."""

import numpy as np
import pytest
from ptx_kernels import kernel

from xshardy.ptx.faults import FaultKind
from xshardy.ptx.machine import Machine, Options

LAST_BLOCK = """
  setp.ne.u32 %p1, %r1, 0;
  mul.wide.u32 %rd5, %r2, 4;
  add.s64 %rd6, %rd1, %rd5;
  @%p1 bra $done;
  st.global.u32 [%rd6], %r2;
  BEFORE
  ATOMIC %r3, [%rd2], 1;
  AFTER
  setp.ne.u32 %p2, %r3, 3;
  @%p2 bra $done;
  mov.u32 %r4, 0;
  mov.u64 %rd7, %rd1;
$next:
  ld.global.u32 %r5, [%rd7];
  add.s64 %rd7, %rd7, 4;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p3, %r4, 4;
  @%p3 bra $next;
$done:
"""
"""The last of four blocks reads what all have written: the example of `__threadfence` in CUDA's programming guide."""


@pytest.mark.parametrize("together", [32, 128])
@pytest.mark.parametrize(
    ("before", "atomic", "after", "is_right"),
    [
        ("fence.acq_rel.gpu;", "atom.relaxed.gpu.global.add.u32", "fence.acq_rel.gpu;", True),
        ("membar.gl;", "atom.global.add.u32", "membar.gl;", True),
        ("fence.sc.sys;", "atom.global.add.u32", "membar.sys;", True),
        ("", "atom.acq_rel.gpu.global.add.u32", "", True),
        ("fence.acq_rel.gpu;", "atom.acquire.gpu.global.add.u32", "", True),
        ("", "atom.release.gpu.global.add.u32", "fence.acq_rel.gpu;", True),
        ("", "atom.relaxed.gpu.global.add.u32", "fence.acq_rel.gpu;", False),
        ("fence.acq_rel.gpu;", "atom.relaxed.gpu.global.add.u32", "", False),
        ("", "atom.acquire.gpu.global.add.u32", "", False),
        ("", "atom.release.gpu.global.add.u32", "", False),
        ("membar.cta;", "atom.global.add.u32", "membar.cta;", False),
        ("fence.acq_rel.cta;", "atom.global.add.u32", "fence.acq_rel.gpu;", False),
        ("", "atom.acq_rel.cta.global.add.u32", "", False),
        ("fence.proxy.async;", "atom.global.add.u32", "fence.proxy.async;", False),
    ],
)
def test_the_last_block_reads_what_all_have_written(
    before: str, atomic: str, after: str, is_right: bool, together: int
):
    body = LAST_BLOCK.replace("BEFORE", before).replace("ATOMIC", atomic).replace("AFTER", after)
    arrays = [np.zeros(4, np.uint32), np.zeros(1, np.uint32)]
    options = Options(checks=True, collects_faults=True, together=together)
    faults = Machine(kernel(body)).run([4], [32], arrays, options)
    assert {fault.kind for fault in faults} == (set() if is_right else {FaultKind.RACE})


WARPS = """
  mov.u32 %r3, s;
  setp.eq.u32 %p1, %r1, 32;
  @%p1 bra $write;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra $done;
$spin:
  LOAD %r4, [%r3];
  setp.eq.u32 %p2, %r4, 0;
  @%p2 bra $spin;
  AFTER
  ld.shared.u32 %r5, [%r3+4];
  st.global.u32 [%rd1], %r5;
  bra $done;
$write:
  st.shared.u32 [%r3+4], 7;
  BEFORE
  STORE [%r3], 1;
$done:
"""


@pytest.mark.parametrize(
    ("store", "before", "load", "after", "is_right"),
    [
        ("st.release.cta.shared.u32", "", "ld.acquire.cta.shared.u32", "", True),
        ("st.volatile.shared.u32", "membar.cta;", "ld.volatile.shared.u32", "membar.cta;", True),
        ("red.relaxed.cta.shared.add.u32", "fence.acq_rel.cta;", "ld.relaxed.cta.shared.u32", "fence.sc.cta;", True),
        ("st.volatile.shared.u32", "", "ld.volatile.shared.u32", "membar.cta;", False),
        ("st.volatile.shared.u32", "membar.cta;", "ld.volatile.shared.u32", "", False),
        ("st.release.cta.shared.u32", "", "ld.relaxed.cta.shared.u32", "", False),
    ],
)
def test_a_warp_waits_for_the_flag_of_another_one(store: str, before: str, load: str, after: str, is_right: bool):
    body = WARPS.replace("STORE", store).replace("BEFORE", before).replace("LOAD", load).replace("AFTER", after)
    body = f"  mov.u32 %r3, s;\n  setp.eq.u32 %p3, %r1, 0;\n  @%p3 st.shared.u32 [%r3], 0;\n  bar.sync 0;\n{body}"
    out = np.zeros(1, np.uint32)
    options = Options(checks=True, collects_faults=True)
    faults = Machine(kernel(body, 1, 16)).run([1], [64], [out], options)
    assert [fault.kind for fault in faults] == ([] if is_right else [FaultKind.RACE])
    assert out[0] == 7


LOCK = """
$spin:
  atom.ORDER1.global.cas.b32 %r4, [%rd1], 0, 1;
  setp.ne.u32 %p1, %r4, 0;
  @%p1 bra $spin;
  ld.global.u32 %r5, [%rd2];
  add.u32 %r5, %r5, 1;
  st.global.u32 [%rd2], %r5;
  atom.ORDER2.global.exch.b32 %r6, [%rd1], 0;
"""


@pytest.mark.parametrize(("acquire", "release", "is_right"), [("acquire", "release", 1), ("relaxed", "relaxed", 0)])
def test_what_a_lock_guards_is_no_race(acquire: str, release: str, is_right: int):
    """Also between threads of a warp."""
    body = LOCK.replace("ORDER1", f"{acquire}.gpu").replace("ORDER2", f"{release}.gpu")
    arrays = [np.zeros(1, np.uint32), np.zeros(1, np.uint32)]
    faults = Machine(kernel(body)).run([2], [33], arrays, Options(checks=True, collects_faults=True))
    assert {fault.kind for fault in faults} == (set() if is_right else {FaultKind.RACE})
    assert arrays[1][0] == 66
