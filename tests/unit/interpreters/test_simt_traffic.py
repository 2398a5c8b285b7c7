"""Bytes and bank conflicts of a block."""

import numpy as np
import pytest

from xshardy.interpreters.simt.traffic import traffic_of_block, turns
from xshardy.syntax import parse_module


@pytest.mark.parametrize(
    ("words", "expected"),
    {
        "a word of each bank": (np.arange(32), 1),
        "one word for all": (np.zeros(32, int), 1),
        "two words of each second bank": (np.arange(32) * 2, 2),
        "a column of a tile": (np.arange(32) * 32, 32),
        "a column of a padded tile": (np.arange(32) * 33, 1),
    }.values(),
)
def test_turns(words: np.ndarray, expected: int):
    assert turns(words[:, None]) == expected


TRANSPOSED = """
func.func @main(%in: tensor<32x32xf32> {{xla.slice_index = 0 : i64}},
                %out: tensor<32x32xf32> {{xla.slice_index = 1 : i64}}) -> tensor<32x32xf32> attributes {{
      gpu.known_block_size = array<i32: 32, 1, 1>, gpu.known_grid_size = array<i32: 3, 1, 1>, xla.entry}} {{
  %thread = gpu.thread_id x {{xla.range = [0 : index, 31 : index]}}
  %c0 = arith.constant 0 : index
  %x = tensor.extract %in[%c0, %thread] : tensor<32x32xf32>
  %tile = xla_gpu.allocate_shared : tensor<32x{columns}xf32>
  %column = tensor.insert %x into %tile[%thread, %c0] : tensor<32x{columns}xf32>
  %synced = xla_gpu.sync_threads %column : tensor<32x{columns}xf32>
  %y = tensor.extract %synced[%thread, %c0] : tensor<32x{columns}xf32>
  %written = tensor.insert %y into %out[%c0, %thread] : tensor<32x32xf32>
  return %written : tensor<32x32xf32>
}}
"""


@pytest.mark.parametrize(("columns", "conflicts"), [(32, 31.0), (33, 0.0)])
def test_traffic_of_a_block(columns: int, conflicts: float):
    traffic, blocks = traffic_of_block(parse_module(TRANSPOSED.format(columns=columns)), [])
    assert blocks == 3
    assert traffic.global_bytes == 2 * 32 * 4
    assert (traffic.shared_accesses, traffic.conflicts) == (2, conflicts)
