"""Sectors and bank conflicts of a block."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis.strategies import integers, sampled_from
from xdsl.dialects.builtin import TensorType, bf16, f32, f64, i8
from xdsl.dialects.test import TestOp as AnyOp

from xshardy.affine.text import parse_indexing_map
from xshardy.indexing.coalescing import footprint
from xshardy.interpreters.simt.memory import AccessKind
from xshardy.interpreters.simt.traffic import Access, traffic_of_block, wavefronts
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
    sectors = bytes * 32 // 32
    assert traffic.sectors == traffic.distinct_sectors == 2 * sectors
    assert traffic.scattering == 1
    assert (traffic.shared_accesses, traffic.conflicts) == (2, conflicts)


SIZE = 1 << 16
READER = """
#map = #xla_gpu.indexing_map<"{map}">
func.func @main(%in: tensor<{size}x{type}> {{xla.slice_index = 0 : i64}},
                %out: tensor<{threads}x{type}> {{xla.slice_index = 1 : i64}}) -> tensor<{threads}x{type}> attributes {{
      gpu.known_block_size = array<i32: {threads}, 1, 1>, gpu.known_grid_size = array<i32: 1, 1, 1>, xla.entry}} {{
  %thread = gpu.thread_id x {{xla.range = [0 : index, {last} : index]}}
  %first = xla_gpu.apply_indexing #map(%thread)
  %limit = arith.constant {active} : index
  %reads = arith.cmpi ult, %thread, %limit : index
  %written = scf.if %reads -> tensor<{threads}x{type}> {{
    %zero = arith.constant 0 : {type}
    %v = vector.transfer_read %in[%first], %zero {{in_bounds = [true]}} : tensor<{size}x{type}>, vector<{vector}x{type}>
    %x = vector.extract %v[0] : {type} from vector<{vector}x{type}>
    %w = tensor.insert %x into %out[%thread] : tensor<{threads}x{type}>
    scf.yield %w : tensor<{threads}x{type}>
  }} else {{
    scf.yield %out : tensor<{threads}x{type}>
  }}
  return %written : tensor<{threads}x{type}>
}}
"""
TYPES = {"f32": f32, "f64": f64, "bf16": bf16, "i8": i8}


@given(
    type=sampled_from(sorted(TYPES)),
    threads=sampled_from([32, 48, 96]),
    active=integers(1, 96),
    stride=integers(0, 300),
    period=integers(1, 40),
    offset=integers(0, 50),
    vector=sampled_from([1, 2, 4]),
)
def test_sectors_of_warps(type: str, threads: int, active: int, stride: int, period: int, offset: int, vector: int):
    """Requests, sectors and transactions against the addresses of each warp, byte by byte, and the indexing map."""
    active = min(active, threads)
    first = f"((d0 mod {period}) * {stride} + {offset}) * {vector}"
    map = f"(d0) -> ({first}), domain: d0 in [0, {threads - 1}]"
    text = (
        READER.format(map=map, size=SIZE, type=type, threads=threads, last=threads - 1, active=active, vector=vector)
        .replace("arith.constant 0 : f", "arith.constant 0.0 : f")
        .replace("constant 0 : bf", "constant 0.0 : bf")
    )
    traffic, _ = traffic_of_block(parse_module(text), [])
    bytes = TYPES[type].bitwidth // 8

    requests = sectors = transactions = least = 0
    all_sectors: set[int] = set()
    for warp in range(0, active, 32):
        addresses = {
            (((thread % period) * stride + offset) * vector + element) * bytes + byte
            for thread in range(warp, min(warp + 32, active))
            for element in range(vector)
            for byte in range(bytes)
        }
        requests += 1
        sectors += len({address // 32 for address in addresses})
        transactions += len({address // 128 for address in addresses})
        least += -(-len(addresses) // 32)
        all_sectors |= {address // 32 for address in addresses}
    found = traffic.accesses[Access("argument 0", AccessKind.LOAD, 8 * bytes * vector)]
    assert (found.requests, found.sectors) == (requests, sectors)
    assert (found.transactions, found.least_sectors) == (transactions, least)
    assert set(traffic.touched["argument 0"].tolist()) == all_sectors

    # The first warp, by the indexing map alone.
    tensor = AnyOp(result_types=[TensorType(TYPES[type], [SIZE])]).results[0]
    domain = f"d0 in [0, {active - 1}], s0 in [0, {vector - 1}]"
    access = footprint(parse_indexing_map(f"(d0)[s0] -> ({first} + s0), domain: {domain}"), tensor, together=[0])
    assert access.sectors == found.sectors if active <= 32 else access.sectors <= found.sectors


def test_atomic_updates_are_requests():
    text = """
    func.func @main(%out: tensor<64xf32> {xla.slice_index = 0 : i64}) -> tensor<64xf32> attributes {
        gpu.known_block_size = array<i32: 32, 1, 1>, gpu.known_grid_size = array<i32: 1, 1, 1>, xla.entry} {
      %thread = gpu.thread_id x {xla.range = [0 : index, 31 : index]}
      %one = arith.constant 1.0 : f32
      %half = arith.constant 2 : index
      %i = arith.divui %thread, %half : index
      %sum = xla_gpu.atomic_rmw %out[%i] : tensor<64xf32> {
        ^bb0(%current: f32):
          %next = arith.addf %current, %one : f32
          xla_gpu.yield %next : f32
      }
      return %sum : tensor<64xf32>
    }
    """
    traffic, _ = traffic_of_block(parse_module(text), [])
    (access,) = traffic.accesses
    assert (access.kind, access.bits) == (AccessKind.ATOMIC, 32)
    assert (traffic.accesses[access].requests, traffic.sectors) == (1, 2)
