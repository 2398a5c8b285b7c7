"""Bytes and bank conflicts of a block."""

import numpy as np
import pytest

from xshardy.interpreters.simt.traffic import traffic_of_block, wavefronts
from xshardy.syntax import parse_module


@pytest.mark.parametrize(
    ("words", "expected"),
    {
        "a word of each bank": (np.arange(32), 1),
        "one word for all": (np.zeros(32, int), 1),
        "two words of each second bank": (np.arange(32) * 2, 2),
        "a column of a tile": (np.arange(32) * 32, 32),
        "a column of a padded tile": (np.arange(32) * 33, 1),
        "two neighbouring words for each": (np.arange(64).reshape(32, 2), 1),
        "two words of a row for each": (np.arange(32)[:, None] * 64 + np.arange(2), 31),
        "four words that all want": (np.arange(4) + np.zeros((32, 1), int), 1),
    }.values(),
)
def test_wavefronts(words: np.ndarray, expected: int):
    assert wavefronts(words) == expected


TRANSPOSED = """
func.func @main(%in: tensor<32x32x{type}> {{xla.slice_index = 0 : i64}},
                %out: tensor<32x32x{type}> {{xla.slice_index = 1 : i64}}) -> tensor<32x32x{type}> attributes {{
      gpu.known_block_size = array<i32: 32, 1, 1>, gpu.known_grid_size = array<i32: 3, 1, 1>, xla.entry}} {{
  %thread = gpu.thread_id x {{xla.range = [0 : index, 31 : index]}}
  %c0 = arith.constant 0 : index
  %x = tensor.extract %in[%c0, %thread] : tensor<32x32x{type}>
  %tile = xla_gpu.allocate_shared : tensor<32x{columns}x{type}>
  %column = tensor.insert %x into %tile[%thread, %c0] : tensor<32x{columns}x{type}>
  %synced = xla_gpu.sync_threads %column : tensor<32x{columns}x{type}>
  %y = tensor.extract %synced[%thread, %c0] : tensor<32x{columns}x{type}>
  %written = tensor.insert %y into %out[%c0, %thread] : tensor<32x32x{type}>
  return %written : tensor<32x32x{type}>
}}
"""


@pytest.mark.parametrize(
    ("columns", "type", "bytes", "conflicts"),
    [(32, "f32", 4, 31.0), (33, "f32", 4, 0.0), (33, "f64", 8, 0.0), (66, "bf16", 2, 0.0), (32, "bf16", 2, 15.0)],
)
def test_traffic_of_a_block(columns: int, type: str, bytes: int, conflicts: float):
    traffic, blocks = traffic_of_block(parse_module(TRANSPOSED.format(columns=columns, type=type)), [])
    assert blocks == 3
    assert traffic.global_bytes == 2 * 32 * bytes
    assert (traffic.shared_accesses, traffic.conflicts) == (2, conflicts)
