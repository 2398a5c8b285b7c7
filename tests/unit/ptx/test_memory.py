"""Loads through generic addresses: of active threads only, from several regions at once."""

import numpy as np
import pytest
from ptx_kernels import kernel

from xshardy.ptx.machine import Machine

THREADS = 64
LOAD_FROM_BOTH_REGIONS = """
  mul.wide.u32 %rd5, %r1, 4;
  add.s64 %rd6, %rd1, %rd5;
  add.s64 %rd7, %rd2, %rd5;
  mov.u64 %rd8, s;
  cvta.shared.u64 %rd9, %rd8;
  add.s64 %rd10, %rd9, %rd5;
  shl.b32 %r3, %r1, 8;
  st.b32 [%rd10], %r3;
  bar.sync 0;
  and.b32 %r4, %r1, 1;
  setp.eq.u32 %p1, %r4, 0;
  selp.b64 %rd11, %rd10, %rd6, %p1;
  setp.lt.u32 %p2, %r1, ACTIVE;
  mov.u32 %r5, 7;
  @%p2 ld.b32 %r5, [%rd11];
  st.global.b32 [%rd7], %r5;
"""


@pytest.mark.parametrize("active", [64, 40, 1, 0])
def test_a_generic_load_from_global_and_shared_memory(active: int):
    source, result = np.arange(1000, 1000 + THREADS, dtype=np.uint32), np.zeros(THREADS, np.uint32)
    body = LOAD_FROM_BOTH_REGIONS.replace("ACTIVE", str(active))
    Machine(kernel(body, shared=4 * THREADS)).run([1], [THREADS], [source, result])
    thread = np.arange(THREADS)
    loaded = np.where(thread % 2 == 0, 256 * thread, source)
    np.testing.assert_array_equal(result, np.where(thread < active, loaded, 7))


SPACES = ("global", "const", "shared", "local", "param")
IN_SPACES = """
.version 8.0
.target sm_90
.address_size 64
.global .u32 g[4];
.const .u32 c[4] = {1, 2, 3, 4};
.global .u32 h[4];
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<8>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  .local .u32 l[4];
  .shared .u32 s[4];
  ld.param.u64 %rd1, [out];
  mov.u64 %rd2, VARIABLE;
  cvta.SPACE.u64 %rd3, %rd2;
  add.s64 %rd3, %rd3, 12;
TESTS  ret;
}
"""


@pytest.mark.parametrize(
    ("variable", "space"),
    [("g", "global"), ("c", "const"), ("h", "global"), ("s", "shared"), ("l", "local"), ("out", "param")],
)
def test_each_generic_address_is_in_one_space(variable: str, space: str):
    offset = "" if variable != "out" else "  sub.s64 %rd3, %rd3, 12;\n"
    tests = "".join(
        f"  isspacep.{tested} %p1, %rd3;\n  selp.u32 %r1, 1, 0, %p1;\n  st.global.u32 [%rd1+{4 * number}], %r1;\n"
        for number, tested in enumerate(SPACES)
    )
    text = IN_SPACES.replace("VARIABLE", variable).replace("SPACE", space).replace("TESTS", offset + tests)
    results = np.full(len(SPACES), 7, np.uint32)
    Machine(text).run([1], [1], [results])
    assert results.tolist() == [int(tested == space) for tested in SPACES]
