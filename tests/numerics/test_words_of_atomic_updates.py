"""Loops around compare-and-exchange update a word of 32 bits: other threads change its other elements meanwhile."""

import ml_dtypes
import numpy as np
import pytest

import xshardy
from xshardy.ptx.faults import FaultKind
from xshardy.ptx.machine import Machine, Options

SCATTER = """HloModule scatter

combine {
  a = TYPE[] parameter(0)
  b = TYPE[] parameter(1)
  ROOT s = TYPE[] OPCODE(a, b)
}

fused {
  x = TYPE[SIZE] parameter(0)
  i = s32[40,1] parameter(1)
  u = TYPE[40] parameter(2)
  ROOT s = TYPE[SIZE] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=combine
}

ENTRY main {
  x = TYPE[SIZE] parameter(0)
  i = s32[40,1] parameter(1)
  u = TYPE[40] parameter(2)
  ROOT f = TYPE[SIZE] fusion(x, i, u), kind=kInput, calls=fused
}
"""
DTYPES = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, "s16": np.int16, "s8": np.int8}


@pytest.mark.parametrize(
    ("type", "opcode"), [("bf16", "add"), ("f16", "multiply"), ("s16", "add"), ("s8", "add"), ("s8", "maximum")]
)
@pytest.mark.parametrize("size", [8, 7])
def test_neighbours_are_no_race(type: str, opcode: str, size: int):
    """The word of the last element may end behind a buffer of 7, where it changes nothing; see docs/emitters.md."""
    text = SCATTER.replace("TYPE", type).replace("OPCODE", opcode).replace("SIZE", str(size))
    ptx = xshardy.compile(text, target="sm_80").ptx
    assert "cas.b32" in ptx
    dtype = np.dtype(DTYPES[type])
    indices = np.arange(40, dtype=np.int32) % size
    result, updates = np.ones(size, dtype), np.ones(40, dtype)
    faults = Machine(ptx).run([1], [40], [result, indices, updates, result], Options(checks=True, collects_faults=True))
    assert {fault.kind for fault in faults} == (set() if size == 8 else {FaultKind.OUT_OF_BOUNDS})
    expected = {"add": 1 + 40 // size, "multiply": 1, "maximum": 1}[opcode]
    if size == 8:
        assert result.astype(np.float32).tolist() == [expected] * size
