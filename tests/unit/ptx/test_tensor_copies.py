"""Tensor copies beside numpy: boxes of one to five dimensions, swizzles, elements out of bounds, maps of the device."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from ptx_kernels import HEADER, line_of

from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import LaunchError, PtxError
from xshardy.ptx.faults import Fault, FaultKind
from xshardy.ptx.machine import Machine, Options
from xshardy.ptx.memory import SHARED, AccessKind
from xshardy.ptx.tensor_maps import TensorMap
from xshardy.ptx.traffic import Traffic

START = """
  mov.b32 %r3, s;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 mbarrier.init.shared::cta.b64 [%r3+16384], 1;
  bar.sync 0;
"""


def entry(body: str, pointers: int = 1, directives: str = "") -> str:
    """An entry whose first parameter is a tensor map, at `%rd1`, and then pointers `%rd2`, ...; 32 threads."""
    listed = "".join(f",\n  .param .u64 .ptr .align 16 k_{number + 1}" for number in range(pointers))
    loads = "".join(f"  ld.param.b64 %rd{number + 2}, [k_{number + 1}];\n" for number in range(pointers))
    return (
        f"{HEADER}.visible .entry k(\n  .param .align 64 .b8 k_0[128]{listed}\n)\n{directives}{{\n"
        "  .reg .pred %p<20>;\n  .reg .b32 %r<40>;\n  .reg .b64 %rd<40>;\n  .shared .align 1024 .b8 s[16400];\n"
        f"  mov.b64 %rd20, k_0;\n  cvta.param.u64 %rd1, %rd20;\n{loads}"
        "  mov.u32 %r1, %tid.x;\n  mov.u32 %r2, %ctaid.x;\n"
        f"{START}{body}\n  ret;\n}}\n"
    )


def load_kernel(coordinates: tuple[int, ...], bytes: int, expected: int | None = None) -> str:
    """Copies a box to shared memory and then, as it lies there, to `%rd2`. The coordinates are in the map's order."""
    at = ", ".join(map(str, coordinates))
    return entry(
        f"""
  @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3+16384], {expected or bytes};
  @%p1 cp.async.bulk.tensor.{len(coordinates)}d.shared::cta.global.mbarrier::complete_tx::bytes """
        + f"""[%r3], [%rd1, {{{at}}}], [%r3+16384]; // copy
$wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3+16384], 0; // wait
  @!%p2 bra $wait;
  mov.b32 %r4, %r1;
$loop:
  setp.ge.u32 %p3, %r4, {bytes // 4};
  @%p3 bra $done;
  shl.b32 %r5, %r4, 2;
  add.u32 %r6, %r3, %r5;
  cvt.u64.u32 %rd5, %r5;
  add.s64 %rd6, %rd2, %rd5;
  ld.shared.b32 %r7, [%r6]; // read
  st.global.b32 [%rd6], %r7;
  add.u32 %r4, %r4, 32;
  bra.uni $loop;
$done:
"""
    )


def run(ptx: str, *arguments: Array | TensorMap, blocks: int = 1) -> list[Fault]:
    return Machine(ptx).run([blocks], [32], arguments, Options(checks=True, collects_faults=True, max_iterations=5000))


def loaded(array: Array, box: tuple[int, ...], first: tuple[int, ...], **options: Any) -> Array:
    """The box of an array from an element on, as it lies in shared memory."""
    out = np.zeros(box, array.dtype)
    map = TensorMap(array, box, **options)
    assert run(load_kernel(first[::-1], out.nbytes), map, out) == []
    return out


def window(array: Array, box: tuple[int, ...], first: tuple[int, ...], fill: float = 0) -> Array:
    """The box, with `fill` for what is out of bounds."""
    padded = np.pad(array, [(size, size) for size in box], constant_values=fill)
    return padded[tuple(slice(size + start, 2 * size + start) for size, start in zip(box, first, strict=True))]


CASES = [
    ((100,), (64,), (16,)),
    ((40, 64), (8, 32), (16, 32)),
    ((40, 64), (8, 32), (-3, 48)),
    ((40, 64), (8, 32), (36, -16)),
    ((5, 40, 64), (2, 4, 32), (4, 38, 16)),
    ((3, 5, 8, 16), (2, 2, 4, 16), (1, 2, 3, 0)),
    ((2, 3, 2, 8, 16), (1, 2, 2, 4, 8), (1, 2, -1, 5, 8)),
]


@pytest.mark.parametrize(("shape", "box", "first"), CASES)
def test_boxes(shape: tuple[int, ...], box: tuple[int, ...], first: tuple[int, ...]):
    array = np.arange(np.prod(shape), dtype=np.uint16).reshape(shape) + np.uint16(1)
    np.testing.assert_array_equal(loaded(array, box, first), window(array, box, first))


@pytest.mark.parametrize("start", [3, 60, -5])
def test_boxes_that_begin_within_a_chunk(start: int):
    array = np.arange(40 * 64, dtype=np.uint16).reshape(40, 64) + np.uint16(1)
    np.testing.assert_array_equal(loaded(array, (8, 16), (2, start)), window(array, (8, 16), (2, start)))


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.float16, ml_dtypes.bfloat16, np.float64])
def test_elements(dtype: type[np.generic]):
    array = np.arange(32 * 32).reshape(32, 32).astype(np.uint8).astype(dtype)
    np.testing.assert_array_equal(loaded(array, (8, 16), (4, 16)), array[4:12, 16:32])


@pytest.mark.parametrize("span", [32, 64, 128])
def test_swizzles(span: int):
    """In each row, chunks of 16 bytes are exchanged by the number of the row among those of 128 bytes."""
    array = np.arange(16 * 128, dtype=np.uint16).reshape(16, 128)
    box = (16, span // 2)
    found = loaded(array, box, (0, 64), swizzle=span).reshape(16, span // 16, 8)
    for row in range(16):
        for chunk in range(span // 16):
            moved = chunk ^ (row % 8 * span // 128)
            np.testing.assert_array_equal(found[row, moved], array[row, 64 + chunk * 8 : 64 + chunk * 8 + 8])


def test_nan_out_of_bounds():
    array = np.ones((8, 8), np.float32)
    found = loaded(array, (4, 8), (6, 0), fills_with_nan=True)
    assert (found[:2] == 1).all() and np.isnan(found[2:]).all()


STORE = """
  mov.b32 %r4, %r1;
$fill:
  shl.b32 %r5, %r4, 2;
  add.u32 %r6, %r3, %r5;
  st.shared.b32 [%r6], %r4;
  add.u32 %r4, %r4, 32;
  setp.lt.u32 %p3, %r4, 128;
  @%p3 bra $fill;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  @%p1 OPCODE [%rd1, {4, 2}], [%r3]; // store
  @%p1 cp.async.bulk.commit_group;
  @%p1 cp.async.bulk.wait_group.read 0;
  bar.sync 0;
  st.shared.b32 [%r3], %r4; // reuse
"""
COPY = "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group"


def test_stores_leave_out_what_is_out_of_bounds():
    array = np.full((8, 16), 1000, np.uint32)
    assert (
        run(
            entry(STORE.replace("OPCODE", COPY), 0).replace("st.shared.b32 [%r3], %r4; // reuse", ""),
            TensorMap(array, (8, 16)),
        )
        == []
    )
    expected = np.full((8, 16), 1000)
    expected[2:, 4:] = np.arange(128).reshape(8, 16)[:6, :12]
    np.testing.assert_array_equal(array, expected)


@pytest.mark.parametrize(("name", "expected"), [("add", np.add), ("max", np.maximum), ("xor", np.bitwise_xor)])
def test_reductions(name: str, expected: np.ufunc):
    array = np.full((8, 16), 50, np.uint32)
    opcode = f"cp.reduce.async.bulk.tensor.2d.global.shared::cta.{name}.tile.bulk_group"
    body = STORE.replace("OPCODE", opcode).replace("st.shared.b32 [%r3], %r4; // reuse", "")
    assert run(entry(body, 0), TensorMap(array, (8, 16))) == []
    result = np.full((8, 16), 50, np.uint32)
    result[2:, 4:] = expected(result[2:, 4:], np.arange(128, dtype=np.uint32).reshape(8, 16)[:6, :12])
    np.testing.assert_array_equal(array, result)


@pytest.mark.parametrize(
    ("left_out", "kind", "marker"),
    [
        ("fence.proxy.async.shared::cta;", FaultKind.PROXY, "store"),
        ("@%p1 cp.async.bulk.wait_group.read 0;", FaultKind.RACE, "reuse"),
        ("@%p1 cp.async.bulk.commit_group;", FaultKind.RACE, "reuse"),
    ],
)
def test_stores_without_their_order(left_out: str, kind: FaultKind, marker: str):
    right = STORE.replace("OPCODE", COPY).replace("  st.shared.b32 [%r3], %r4;", "  @%p1 st.shared.b32 [%r3], %r4;")
    assert right.count(left_out) == 1
    array = np.zeros((8, 16), np.uint32)
    assert run(entry(right, 0), TensorMap(array, (8, 16))) == []
    ptx = entry(right.replace(left_out, ""), 0)
    (fault,) = run(ptx, TensorMap(array, (8, 16)))
    assert (fault.kind, fault.line) == (kind, line_of(ptx, marker))


def test_loads_without_a_wait():
    array = np.zeros((8, 16), np.uint32)
    ptx = (
        load_kernel((0, 0), 512)
        .replace("@!%p2 bra $wait;", "")
        .replace("mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3+16384], 0;", "")
    )
    (fault,) = run(ptx, TensorMap(array, (8, 16)), np.zeros((8, 16), np.uint32))
    assert (fault.kind, fault.line) == (FaultKind.RACE, line_of(ptx, "read"))
    assert "reads what the bulk copy of thread (0, 0, 0) of block (0, 0, 0) writes, with no wait" in str(fault)


def test_each_copy_needs_its_own_wait():
    """That the second of two copies is complete says nothing of the first one."""
    ptx = load_kernel((0, 0), 512)
    second = """
  @%p1 mbarrier.init.shared::cta.b64 [%r3+16392], 1;
  @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3+16392], 512;
  bar.sync 0;
  @%p1 cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%r3+512], [%rd1, {0, 0}], [%r3+16392];
"""
    ptx = ptx.replace("$wait:", second + "$wait:")
    arguments = TensorMap(np.zeros((8, 16), np.uint32), (8, 16)), np.zeros((8, 16), np.uint32)
    assert run(ptx, *arguments) == []
    ptx = ptx.replace("%p2, [%r3+16384], 0;", "%p2, [%r3+16392], 0;")
    assert [(fault.kind, fault.line) for fault in run(ptx, *arguments)] == [(FaultKind.RACE, line_of(ptx, "// read"))]


def test_bytes_that_do_not_come():
    array = np.zeros((8, 16), np.uint32)
    ptx = load_kernel((0, 0), 512, expected=640)
    faults = run(ptx, TensorMap(array, (8, 16)), np.zeros((8, 16), np.uint32))
    assert [(fault.kind, fault.line) for fault in faults] == [(FaultKind.NEVER_COMPLETE, line_of(ptx, "// wait"))]
    assert "lacks 0 arrivals and 128 bytes" in str(faults[0])


def made_on_the_device(**changed: str) -> str:
    """A kernel that makes a map of `%rd2`, 40 rows of 64 numbers of 16 bits, in shared memory, and uses it."""
    fields = {
        "global_address.shared::cta.b1024.b64": "%rd2",
        "rank.shared::cta.b1024.b32": "1",
        "box_dim.shared::cta.b1024.b32 0": "32",
        "box_dim.shared::cta.b1024.b32 1": "8",
        "global_dim.shared::cta.b1024.b32 0": "64",
        "global_dim.shared::cta.b1024.b32 1": "40",
        "global_stride.shared::cta.b1024.b64 0": "128",
        "element_stride.shared::cta.b1024.b32 0": "1",
        "element_stride.shared::cta.b1024.b32 1": "1",
        "elemtype.shared::cta.b1024.b32": "1",
        "interleave_layout.shared::cta.b1024.b32": "0",
        "swizzle_mode.shared::cta.b1024.b32": "0",
        "fill_mode.shared::cta.b1024.b32": "0",
    } | changed
    lines: list[str] = []
    for field, value in fields.items():
        name, _, number = field.partition(" ")
        lines.append(f"@%p1 tensormap.replace.tile.{name} [%r3+8192], {number + ', ' if number else ''}{value};")
    filled = "\n".join(lines)
    return f"""
  shl.b32 %r8, %r1, 2;
  add.u32 %r9, %r3, %r8;
  st.shared.b32 [%r9+8192], 0;
  bar.warp.sync -1;
  {filled}
  bar.warp.sync -1;
  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd4], [%r3+8192], 128;
  fence.proxy.tensormap::generic.acquire.gpu [%rd4], 128;
  bar.sync 0;
"""


def on_the_device(array: Array, **changed: str) -> tuple[Array, list[Fault]]:
    load = load_kernel((32, 5), 512)
    load = load.replace(START, START + made_on_the_device(**changed)).replace("[%rd1, {", "[%rd4, {")
    parameters = "".join(f",\n  .param .u64 .ptr .align 16 k_{number}" for number in (1, 2, 3))
    load = load.replace("k_0[128],\n  .param .u64 .ptr .align 16 k_1", f"k_0[128]{parameters}")
    load = load.replace(
        "ld.param.b64 %rd2, [k_1];\n",
        "ld.param.b64 %rd2, [k_2];\n  ld.param.b64 %rd4, [k_3];\n  ld.param.b64 %rd7, [k_1];\n",
    )
    load = load.replace("add.s64 %rd6, %rd2, %rd5;", "add.s64 %rd6, %rd7, %rd5;")
    out = np.zeros((8, 32), np.uint16)
    faults = run(load, TensorMap(array, (8, 32)), out, array, np.zeros(128, np.uint8))
    return out, faults


def test_maps_made_on_the_device():
    array = np.arange(40 * 64, dtype=np.uint16).reshape(40, 64)
    out, faults = on_the_device(array)
    assert faults == []
    np.testing.assert_array_equal(out, array[5:13, 32:])


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("rank.shared::cta.b1024.b32", "0", "uses a tensor map that has 1 dimensions, the instruction 2"),
        ("box_dim.shared::cta.b1024.b32 1", "300", "has a box of [300, 32] elements: each dimension has 1 to 256"),
        ("global_stride.shared::cta.b1024.b64 0", "-16", "of which one has more than 40 bits"),
        ("box_dim.shared::cta.b1024.b32 0", "31", "has a box with rows of 62 bytes, no multiple of 16"),
        ("global_stride.shared::cta.b1024.b64 0", "120", "strides [120] that are no multiples of 16 bytes"),
        ("swizzle_mode.shared::cta.b1024.b32", "1", "rows of 64 bytes, more than the 32 of its swizzle"),
        ("elemtype.shared::cta.b1024.b32", "14", "elements of type 14: there are no such ones"),
        ("element_stride.shared::cta.b1024.b32 1", "0", "has element strides of [0]: each is 1 to 8"),
        ("swizzle_mode.shared::cta.b1024.b32", "7", "has the unknown swizzle 7"),
    ],
)
def test_wrong_maps(field: str, value: str, message: str):
    _, faults = on_the_device(np.zeros((40, 64), np.uint16), **{field: value})
    (fault,) = [fault for fault in faults if fault.kind is FaultKind.DESCRIPTOR]
    assert message in str(fault)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("swizzle_mode.shared::cta.b1024.b32", "3", "rows of 64 bytes in a swizzle of 128 are not supported"),
        ("interleave_layout.shared::cta.b1024.b32", "1", "interleaved layouts"),
        ("elemtype.shared::cta.b1024.b32", "8", "types that flush|no multiple"),
    ],
)
def test_maps_that_are_not_supported(field: str, value: str, message: str):
    with pytest.raises(PtxError, match=message):
        on_the_device(np.zeros((40, 64), np.uint16), **{field: value})


@pytest.mark.parametrize(
    ("shape", "box", "swizzle", "message"),
    [
        ((8, 8), (8,), 0, "1 to 5 dimensions, as many as its box"),
        ((8, 16), (8, 16), 16, "a swizzle of 0, 32, 64 or 128 bytes, not 16"),
        ((8, 12), (8, 8), 0, r"strides \[24\] that are no multiples of 16 bytes"),
        ((8, 64), (8, 64), 64, "rows of 128 bytes, more than the 64 of its swizzle"),
    ],
)
def test_maps_that_cannot_be(shape: tuple[int, ...], box: tuple[int, ...], swizzle: int, message: str):
    array = np.zeros(shape, np.uint16)
    with pytest.raises(LaunchError, match=message):
        run(entry("", 0), TensorMap(array, box, swizzle))


def test_misaligned_boxes():
    ptx = load_kernel((0, 0), 512).replace("[%r3], [%rd1", "[%r3+64], [%rd1")
    faults = run(ptx, TensorMap(np.zeros((8, 16), np.uint32), (8, 16)), np.zeros((8, 16), np.uint32))
    assert faults[0].kind is FaultKind.MISALIGNED and "copies a box at address 64, no multiple of 128" in str(faults[0])


BULK = """
  @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3+16384], 256;
  @%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r3], [%rd2+16], 256, [%r3+16384]; // copy
$wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3+16384], 0;
  @!%p2 bra $wait;
  @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd3], [%r3+64], 128;
  @%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd3+128], [%r3+64], 128;
  @%p1 cp.async.bulk.commit_group;
  @%p1 cp.async.bulk.wait_group 0;
"""


def test_bulk_copies():
    source, out = np.arange(100, dtype=np.uint32), np.full(64, 7, np.uint32)
    dummy = TensorMap(np.zeros((8, 16), np.uint32), (8, 16))
    assert run(entry(BULK, 2), dummy, source, out) == []
    np.testing.assert_array_equal(out, [*range(20, 52), *(7 + number for number in range(20, 52))])


TWO_LOADS = """
  @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3+16384], 256;
  @%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r3], [%rd2], 128, [%r3+16384];
  @%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r3+64], [%rd2+64], 128, [%r3+16384]; // second
$wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3+16384], 0;
  @!%p2 bra $wait;
"""
WAIT = "mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3+16384], 0;"
TWO_STORES = """
  st.shared.b32 [%r3], 1;
  st.shared.b32 [%r3+4], 1;
  st.shared.b32 [%r3+8], 1;
  st.shared.b32 [%r3+12], 1;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r3], 16;
  @%p1 cp.async.bulk.commit_group;
  @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r3], 16; // second
  @%p1 cp.async.bulk.commit_group;
  @%p1 cp.async.bulk.wait_group 0;
"""
COMMIT = "@%p1 cp.async.bulk.commit_group;"


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (TWO_LOADS, TWO_LOADS.replace("[%r3+64], [%rd2+64]", "[%r3+128], [%rd2+64]")),
        (
            TWO_LOADS,
            TWO_LOADS.replace(", 256;", ", 128;")
            .replace(
                "  @%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r3+64]",
                f"$first:\n  {WAIT}\n  @!%p2 bra $first;\n"
                "  @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3+16384], 128;\n"
                "  @%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r3+64]",
            )
            .replace(f"$wait:\n  {WAIT}", f"$wait:\n  {WAIT.replace(', 0;', ', 1;')}"),
        ),
        (TWO_STORES, TWO_STORES.replace(COMMIT, f"{COMMIT}\n  @%p1 cp.async.bulk.wait_group 0;", 1)),
        (
            TWO_STORES.replace(COMMIT, f"{COMMIT}\n  @%p1 cp.async.bulk.wait_group.read 0;", 1),
            TWO_STORES.replace("cp.async.bulk.global", "cp.reduce.async.bulk.global").replace(
                "bulk_group [", "bulk_group.add.u32 ["
            ),
        ),
    ],
)
def test_two_bulk_copies_in_flight_to_one_place(wrong: str, right: str):
    """Source: PTX ISA, "Asynchronous Operations": copies of one thread are in no order."""
    out = np.zeros(64, np.uint32)
    dummy = TensorMap(np.zeros((8, 16), np.uint32), (8, 16))
    assert run(entry(right, 1), dummy, out) == []
    ptx = entry(wrong, 1)
    assert [(fault.kind, fault.line) for fault in run(ptx, dummy, out)] == [(FaultKind.RACE, line_of(ptx, "// second"))]


def test_traffic_of_bulk_copies():
    """
    A request has 128 bytes: four sectors of global memory, or one wavefront of shared memory.

    Here, those of global memory begin within a sector, and so touch five.
    """
    source, out = np.arange(100, dtype=np.uint32), np.full(64, 7, np.uint32)
    traffic = Traffic()
    arguments = TensorMap(np.zeros((8, 16), np.uint32), (8, 16)), source, out
    assert Machine(entry(BULK, 2)).run([1], [32], arguments, Options(observers=[traffic])) == []
    of_memory = {(found.region, found.kind): found for found in traffic.found.values() if found.bytes == 16}
    loaded, written = of_memory["k_1", AccessKind.LOAD], of_memory[SHARED, AccessKind.STORE]
    assert (loaded.requests, loaded.sectors, loaded.least_sectors, loaded.wavefronts) == (2, 10, 8, 0)
    assert (written.requests, written.sectors, written.wavefronts, written.least_wavefronts) == (2, 0, 2, 2)
    assert SHARED not in traffic.touched


@pytest.mark.parametrize(
    ("right", "wrong", "kind"),
    [
        ("[%r3], [%rd2+16], 256,", "[%r3], [%rd2+16], 248,", FaultKind.MISALIGNED),
        ("[%rd2+16]", "[%rd2+24]", FaultKind.MISALIGNED),
        ("[%r3], [%rd2+16], 256,", "[%r3], [%rd2+16], 0x7ffffff0,", FaultKind.OUT_OF_BOUNDS),
        ("[%rd2+16]", "[%rd2+160]", FaultKind.OUT_OF_BOUNDS),
        ("256, [%r3+16384]; // copy", "256, [%r3+16392]; // copy", FaultKind.MBARRIER),
        ("[%rd2+16]", "[%rd2+0x1000000000000]", FaultKind.OUT_OF_BOUNDS),
    ],
)
def test_wrong_bulk_copies(right: str, wrong: str, kind: FaultKind):
    ptx = entry(BULK.replace(right, wrong), 2)
    dummy = TensorMap(np.zeros((8, 16), np.uint32), (8, 16))
    faults = run(ptx, dummy, np.zeros(100, np.uint32), np.zeros(64, np.uint32))
    assert (kind, line_of(ptx, "copy")) in {(fault.kind, fault.line) for fault in faults}


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("[%r3+16384]; // copy", "[%r3+16384], 7;", "only copies to global memory have .cp_mask"),
        ("bulk.shared::cta.global.", "bulk.global.", "expected the state spaces of the destination and the source"),
    ],
)
def test_bulk_copies_that_there_are_not(right: str, wrong: str, message: str):
    body = BULK.replace(right, wrong)
    body = body.replace("complete_tx::bytes [", "complete_tx::bytes.cp_mask [") if ", 7;" in wrong else body
    dummy = TensorMap(np.zeros((8, 16), np.uint32), (8, 16))
    with pytest.raises(PtxError, match=message):
        run(entry(body, 2), dummy, np.zeros(100, np.uint32), np.zeros(64, np.uint32))


def test_prefetches_change_nothing():
    prefetch = "  @%p1 cp.async.bulk.prefetch.L2.global [%rd2+16], 256;\n"
    source, out = np.arange(100, dtype=np.uint32), np.full(64, 7, np.uint32)
    assert run(entry(prefetch + BULK, 2), TensorMap(np.zeros((8, 16), np.uint32), (8, 16)), source, out) == []
    np.testing.assert_array_equal(out, [*range(20, 52), *(7 + number for number in range(20, 52))])


def test_fields_of_maps_have_numbers_and_bits():
    for field, value in (
        ("box_dim.shared::cta.b1024.b32", "8"),
        ("box_dim.shared::cta.b1024.b32 5", "8"),
        ("rank.shared::cta.b1024.b64", "1"),
    ):
        with pytest.raises(PtxError, match=r"the field has \d values of 32 bits"):
            on_the_device(np.zeros((40, 64), np.uint16), **{field: value})


def test_elements_that_maps_have_not():
    with pytest.raises(LaunchError, match="a tensor map has no elements of type complex128"):
        TensorMap(np.zeros((8, 16), np.complex128), (8, 16)).encoded(0)


def test_boxes_larger_than_shared_memory():
    array = np.zeros((256, 256), np.uint32)
    faults = run(load_kernel((0, 0), 512), TensorMap(array, (256, 256)), np.zeros((8, 16), np.uint32))
    assert "copies 262144 bytes, but shared memory has 16400" in str(faults[0])


def test_other_modes_are_refused():
    ptx = load_kernel((0, 0), 512).replace("global.mbarrier", "global.im2col::w.mbarrier")
    with pytest.raises(PtxError, match=r"unknown modifier \.im2col::w"):
        run(ptx, TensorMap(np.zeros((8, 16), np.uint32), (8, 16)), np.zeros((8, 16), np.uint32))


PAIR = """
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  mov.u32 %r9, %cluster_ctarank;
  setp.eq.u32 %p4, %r9, 0;
  and.pred %p5, %p1, %p4;
  add.u32 %r8, %r3, 16384;
  and.b32 %r8, %r8, 0xfeffffff;
  @%p5 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3+16384], BYTES;
  shl.b32 %r5, %r9, 5;
  COPY
  @!%p4 bra $read;
$wait:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3+16384], 0;
  @!%p2 bra $wait;
$read:
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  shl.b32 %r4, %r1, 2;
  add.u32 %r6, %r3, %r4;
  ld.shared.b32 %r7, [%r6];
  mad.lo.u32 %r10, %r9, 128, %r4;
  cvt.u64.u32 %rd5, %r10;
  add.s64 %rd6, %rd2, %rd5;
  st.global.b32 [%rd6], %r7;
"""
PAIR_COPY = "cp.async.bulk.tensor.1d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes"
OWN = f"@%p1 {PAIR_COPY} [%r3], [%rd1, {{%r5}}], [%r8];"
TO_ALL = f"@%p5 {PAIR_COPY}.multicast::cluster [%r3], [%rd1, {{0}}], [%r8], 3;"


@pytest.mark.parametrize(("copy", "expected"), [(OWN, range(64)), (TO_ALL, [*range(32)] * 2)])
def test_pairs_of_blocks_count_bytes_in_the_first_one(copy: str, expected: list[int]):
    """`.cta_group::2`: a copy to the second block, also by multicast, counts where the address has an even rank."""
    numbers, out = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    ptx = entry(PAIR.replace("BYTES", "256").replace("COPY", copy), directives=".reqnctapercluster 2\n")
    assert run(ptx, TensorMap(numbers, (32,)), out, blocks=2) == []
    np.testing.assert_array_equal(out, np.array([*expected]))
