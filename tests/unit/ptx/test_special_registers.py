"""Special registers: what each contains, and how many bits it has."""

import numpy as np
import pytest
from ptx_kernels import kernel

from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import PtxError
from xshardy.ptx.machine import Machine, Options
from xshardy.ptx.special_registers import CLOCKS, SPECIAL_REGISTERS, ZEROS

OUT = "mul.wide.u32 %rd8, %r1, 8;\nadd.s64 %rd9, %rd1, %rd8;\nst.global.u64 [%rd9], %rd10;"


def read(name: str, options: Options | None = None, shared: int = 0) -> Array:
    """The value for each of 64 threads of the second of two blocks."""
    bits = SPECIAL_REGISTERS[name]
    by_bits = {
        1: f"selp.b64 %rd10, 1, 0, {name};",
        32: f"mov.u32 %r5, {name};\ncvt.u64.u32 %rd10, %r5;",
        64: f"mov.u64 %rd10, {name};",
    }
    out = np.full(64, 99, np.uint64)
    options = options or Options()
    options.blocks = [1]
    Machine(kernel(f"{by_bits[bits]}\n{OUT}", 1, shared)).run([2], [64], [out], options)
    return out


@pytest.mark.parametrize("name", SPECIAL_REGISTERS)
def test_every_special_register_is_read_with_its_bits(name: str):
    found = read(name)
    if name in ZEROS:
        assert not found.any()
    if SPECIAL_REGISTERS[name] == 32:
        with pytest.raises(PtxError, match="which has 32 bits"):
            Machine(kernel(f"mov.u64 %rd5, {name};", 1)).run([1], [1], [np.zeros(1)])


def test_clocks_go_on():
    body = "\n".join(f"mov.u{bits} %r{'d' if bits == 64 else ''}10, {name};" for name, bits in CLOCKS.items())
    wait = """
  mov.u64 %rd11, %clock64;
$wait:
  mov.u64 %rd10, %clock64;
  sub.s64 %rd10, %rd10, %rd11;
  setp.lt.s64 %p1, %rd10, 100000;
  @%p1 bra $wait;
"""
    out = np.zeros(64, np.uint64)
    Machine(kernel(f"{body}\n{wait}\n{OUT}", 1)).run([1], [64], [out])
    assert (out >= 100000).all()


def test_sizes_of_shared_memory_and_clusters():
    assert set(read("%total_smem_size", Options(dynamic_shared=48), shared=16).tolist()) == {64}
    assert set(read("%dynamic_smem_size", Options(dynamic_shared=48), shared=16).tolist()) == {48}
    assert not read("%is_explicit_cluster").any()
    assert read("%is_explicit_cluster", Options(cluster=[2])).all()
