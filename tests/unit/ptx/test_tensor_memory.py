"""Tensor memory: allocation, loads and stores in every shape, copies from shared memory, and what is checked."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.strategies import sampled_from
from ptx_kernels import BLACKWELL, kernel, line_of
from tensor_kernels import copied, copy_kernel, registers, tensor_kernel, transfers

from xshardy.lowering.ptxas import assemble
from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import PtxError
from xshardy.ptx.faults import Fault, FaultError, FaultKind
from xshardy.ptx.machine import Machine, Options

WORDS = 64
"""Registers of a thread at most, in these tests."""


def run(ptx: str, *arguments: Array, checks: bool = True) -> list[Fault]:
    return Machine(ptx).run([1], [128], arguments, Options(checks=checks, collects_faults=True))


class Place(NamedTuple):
    lane: int
    column: int


def place(shape: str, thread: int, register: int, half: int) -> Place:
    """Where a register of a thread is, within the lanes of its warp."""
    in_four, group = thread % 4, thread // 4
    match shape:
        case "32x32b":
            return Place(thread, register)
        case "16x32bx2":
            return Place(thread % 16, register + (half if thread >= 16 else 0))
        case "16x64b":
            return Place(group + (8 if in_four % 2 else 0), 2 * register + (1 if in_four >= 2 else 0))
        case "16x128b":
            return Place(group + (8 if register % 2 else 0), register // 2 * 4 + in_four)
        case _:
            repeat, within = divmod(register, 4)
            return Place(group + (8 if within >= 2 else 0), repeat * 8 + 2 * in_four + within % 2)


PER_REPEAT = {"32x32b": 1, "16x32bx2": 1, "16x64b": 1, "16x128b": 2, "16x256b": 4}
FORMS = [
    (shape, repeats) for shape, each in PER_REPEAT.items() for repeats in (1, 2, 4, 8, 16, 32) if repeats * each <= 32
]


def moved(shape: str, repeats: int, packed: bool) -> tuple[str, str, int, int]:
    """Operands of a load of this shape: its address, the offset of the upper half, its registers and that offset."""
    count = PER_REPEAT[shape] * repeats
    half = count if shape == "16x32bx2" else 0
    return f"[%r31{'+1048576' if shape != '32x32b' else ''}]", f", {half}" if half else "", count, half


@pytest.mark.parametrize(("shape", "repeats"), FORMS)
def test_loads_of_each_shape(shape: str, repeats: int):
    """All cells are stored by rows; then each register holds the cell of its place, in the upper 16 lanes of a warp."""
    address, half_operand, count, half = moved(shape, repeats, packed=False)
    upper = 0 if shape == "32x32b" else 16
    body = f"""
.reg .b32 %v<128>;
{transfers("ld", WORDS, "%rd1")}
tcgen05.st.sync.aligned.32x32b.x64.b32 [%r31], {registers(WORDS)};
tcgen05.wait::st.sync.aligned;
tcgen05.ld.sync.aligned.{shape}.x{repeats}.b32 {registers(count)}, {address}{half_operand};
tcgen05.wait::ld.sync.aligned;
{transfers("st", count, "%rd2")}"""
    source = np.arange(128 * WORDS, dtype=np.uint32).reshape(128, WORDS)
    found = np.zeros((128, count), np.uint32)
    ptx = tensor_kernel(body)
    assemble(ptx, "sm_100a")
    assert run(ptx, source, found) == []
    for thread in range(128):
        for register in range(count):
            lane, column = place(shape, thread % 32, register, half)
            assert found[thread, register] == source[thread // 32 * 32 + upper + lane, column]


@settings(deadline=None, max_examples=12)
@given(form=sampled_from([form for form in FORMS if form[1] * PER_REPEAT[form[0]] <= 16]), packed=sampled_from([0, 1]))
def test_a_store_is_the_inverse_of_a_load(form: tuple[str, int], packed: int):
    """Also of pairs of 16 bits, which are in two columns."""
    shape, repeats = form
    address, half_operand, count, _ = moved(shape, repeats, bool(packed))
    half_operand = f", {2 * count}" if half_operand else ""
    load, store = (".pack::16b", ".unpack::16b") if packed else ("", "")
    body = f"""
.reg .b32 %v<128>;
{transfers("ld", count, "%rd1")}
tcgen05.st.sync.aligned.{shape}.x{repeats}{store}.b32 {address}{half_operand}, {registers(count)};
tcgen05.wait::st.sync.aligned;
tcgen05.ld.sync.aligned.{shape}.x{repeats}{load}.b32 {registers(count)}, {address}{half_operand};
tcgen05.wait::ld.sync.aligned;
{transfers("st", count, "%rd2")}"""
    source = np.random.default_rng(count).integers(0, 1 << 32, (128, count)).astype(np.uint32)
    found = np.zeros_like(source)
    assert run(tensor_kernel(body, columns=128), source, found) == []
    np.testing.assert_array_equal(found, source)


def test_packed_numbers_are_in_two_columns():
    body = f"""
.reg .b32 %v<128>;
{transfers("ld", 2, "%rd1")}
tcgen05.st.sync.aligned.32x32b.x2.unpack::16b.b32 [%r31], {registers(2)};
tcgen05.wait::st.sync.aligned;
tcgen05.ld.sync.aligned.32x32b.x4.b32 {registers(4)}, [%r31];
tcgen05.wait::ld.sync.aligned;
{transfers("st", 4, "%rd2")}"""
    source = np.random.default_rng(0).integers(0, 1 << 32, (128, 2)).astype(np.uint32)
    found = np.zeros((128, 4), np.uint32)
    ptx = tensor_kernel(body)
    assemble(ptx, "sm_100a")
    assert run(ptx, source, found) == []
    np.testing.assert_array_equal(found, source.view(np.uint16))


COPIES = {
    "128x256b": (128, 8, [0, 32, 64, 96]),
    "128x128b": (128, 4, [0, 32, 64, 96]),
    "64x128b.warpx2::02_13": (64, 4, [0, 32, 0, 32]),
    "64x128b.warpx2::01_23": (64, 4, [0, 0, 32, 32]),
    "32x128b.warpx4": (32, 4, [0, 0, 0, 0]),
}


@pytest.mark.parametrize("shape", COPIES)
def test_copies_from_shared_memory(shape: str):
    """Of eight rows of 16 bytes after another; each quarter of the lanes gets the rows of the table."""
    rows, words, firsts = COPIES[shape]
    matrix = np.random.default_rng(rows).integers(0, 1 << 32, (rows, words)).astype(np.uint32)
    held = np.zeros((rows // 8, words // 4, 8, 4), np.uint32)
    for row in range(rows):
        held[row // 8, :, row % 8] = matrix[row].reshape(-1, 4)
    stride, leading = 128 * (words // 4), 128
    bits = leading >> 4 << 16 | stride >> 4 << 32 | 1 << 46
    source = np.zeros(1024, np.uint32)
    source[: held.size] = held.reshape(-1)
    found = np.zeros((128, words), np.uint32)
    ptx = copy_kernel(f"tcgen05.cp.cta_group::1.{shape}", words, bits, copied(4096, "%rd1"))
    assemble(ptx, "sm_100a")
    assert run(ptx, source, found) == []
    for quarter, first in enumerate(firsts):
        np.testing.assert_array_equal(found[32 * quarter : 32 * quarter + 32], matrix[first : first + 32])


LOAD = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r10}, [%r31];\ntcgen05.wait::ld.sync.aligned;"
STORE = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r31], {%r1};"
STORED = f"{STORE}\ntcgen05.wait::st.sync.aligned;"


class Wrong(NamedTuple):
    """A kernel with a fault."""

    body: str
    line: str
    """The start of the line that is named."""
    kind: FaultKind
    message: str


WRONG = {
    "column behind the last": Wrong(
        STORE.replace("%r31", "%r31+512"), "tcgen05.st", FaultKind.OUT_OF_BOUNDS, "128 lanes of 512 columns"
    ),
    "column that is not allocated": Wrong(
        STORE.replace("%r31", "%r31+64"), "tcgen05.st", FaultKind.TENSOR_MEMORY, "column 64 of tensor memory, which is"
    ),
    "lanes of another warp": Wrong(
        STORE.replace("%r31", "%r30"), "tcgen05.st", FaultKind.TENSOR_MEMORY, "but its warp reaches lanes 32 to 63 only"
    ),
    "an address for each thread": Wrong(
        "add.u32 %r31, %r31, %r1;\n" + STORE, "tcgen05.st", FaultKind.TENSOR_MEMORY, "names another address"
    ),
    "read of nothing": Wrong(LOAD, "tcgen05.ld", FaultKind.UNINITIALIZED, "lane 0, column 0 of tensor memory"),
    "missing wait for a store": Wrong(f"{STORE}\n{LOAD}", "tcgen05.ld", FaultKind.RACE, "the tcgen05.st of thread"),
    "missing wait for a load": Wrong(
        f"{STORED}\n{LOAD.partition(chr(10))[0]}\ntcgen05.st.sync.aligned.32x32b.x2.b32 [%r31], {{%r1, %r1}};",
        "tcgen05.st.sync.aligned.32x32b.x2",
        FaultKind.RACE,
        "the tcgen05.ld of thread",
    ),
    "freed before a load is complete": Wrong(
        f"{STORED}\n{LOAD.partition(chr(10))[0]}", "@%p10 tcgen05.dealloc", FaultKind.RACE, "the tcgen05.ld of thread"
    ),
    "second allocation without the permit": Wrong(
        "@%p10 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r33], 32;//second",
        "@%p10 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r33], 32;//second",
        FaultKind.TENSOR_MEMORY,
        "has relinquished the permit",
    ),
    "freed twice": Wrong(
        "@%p10 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r30, 64;\nbar.sync 0;//end",
        "@%p10 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r30, 64;\n  ret",
        FaultKind.TENSOR_MEMORY,
        "which are no allocation",
    ),
    "fewer columns freed": Wrong(
        "@%p10 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r30, 32;",
        "@%p10 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r30, 32;",
        FaultKind.TENSOR_MEMORY,
        "frees 32 columns of tensor memory at 0x0, which are no allocation",
    ),
}


def test_a_copy_from_a_wrong_descriptor_leaves_tensor_memory_as_it_was():
    filled = f"{copied(4096, '%rd1')}\nmov.b32 %v0, 7;\n" + STORED.replace(
        "x1.b32 [%r31], {%r1}", "x4.b32 [%r31], {%v0, %v0, %v0, %v0}"
    )
    found = np.zeros((128, 4), np.uint32)
    ptx = copy_kernel("tcgen05.cp.cta_group::1.128x128b", 4, 8 << 16 | 16 << 32, filled + "\nbar.sync 0;")
    (fault,) = run(ptx, np.zeros(1024, np.uint32), found)
    assert fault.kind is FaultKind.DESCRIPTOR and "has 0 in bits 46 to 48, where sm_100 expects 1" in fault.message
    assert (found == 7).all()


def test_a_refused_allocation_allocates_nothing():
    """The second of two gets no columns, and what it stores its address to keeps 0."""
    body = f"""mov.b32 %r3, s;
{ALLOCATION.format(32)}
ld.shared.b32 %r10, [%r3];
{ALLOCATION.format(64)}
ld.shared.b32 %r11, [%r3];
tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r10, 32;
st.global.v2.b32 [%rd1], {{%r10, %r11}};"""
    found = np.full(2, 7, np.uint32)
    ptx = kernel(body, parameters=1, shared=64, header=BLACKWELL)
    (fault,) = Machine(ptx).run([1], [32], [found], Options(collects_faults=True))
    assert "later allocations may not be larger" in fault.message
    assert found.tolist() == [0, 0]


@pytest.mark.parametrize("name", WRONG)
def test_each_fault_has_its_line(name: str):
    wrong = WRONG[name]
    ptx = tensor_kernel(wrong.body)
    with pytest.raises(FaultError) as error:
        Machine(ptx).run([1], [128], [np.zeros(4, np.uint32)] * 2, Options(checks=True))
    assert error.value.fault.kind is wrong.kind
    assert wrong.message in error.value.fault.message
    assert error.value.fault.line == line_of(ptx, wrong.line)


ALLOCATION = "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r3], {};"


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((48,), "names 48 columns of tensor memory: expected a power of two from 32 to 512"),
        ((1024,), "names 1024 columns of tensor memory"),
        ((32, 64), "allocates 64 columns of tensor memory after 32: later allocations may not be larger"),
        ((64,), "has exited, and its block has not freed the 64 columns of tensor memory allocated here"),
        ((512, 512), "waits for 512 columns of tensor memory, of which 0 are free"),
    ],
)
def test_wrong_allocations(sizes: tuple[int, ...], message: str):
    body = "mov.b32 %r3, s;\n" + "\n".join(ALLOCATION.format(size) for size in sizes)
    ptx = kernel(body, parameters=0, shared=64, header=BLACKWELL)
    with pytest.raises(FaultError) as error:
        Machine(ptx).run([1], [32], [])
    assert message in error.value.fault.message
    assert error.value.fault.line == line_of(ptx, ALLOCATION.format(sizes[-1])) + (len(set(sizes)) < len(sizes))


def test_allocations_have_columns_of_their_own():
    """The second of two gets the next columns; what is freed can be had again."""
    free = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r{}, 32;"
    body = "mov.b32 %r3, s;\n"
    for register in (10, 11):
        body += ALLOCATION.format(32) + f"\nld.shared.b32 %r{register}, [%r3];\n"
    body += f"{free.format(10)}\n{ALLOCATION.format(32)}\nld.shared.b32 %r12, [%r3];\n"
    body += f"{free.format(11)}\n{free.format(12)}\n"
    body += "st.global.v2.b32 [%rd1], {%r10, %r11};\nst.global.b32 [%rd1+8], %r12;"
    ptx = kernel(body, parameters=1, shared=64, header=BLACKWELL)
    assemble(ptx, "sm_100a")
    found = np.full(4, 7, np.uint32)
    Machine(ptx).run([1], [32], [found])
    assert found.tolist() == [0, 32, 0, 7]


@pytest.mark.parametrize(
    ("instruction", "message"),
    [
        (
            "tcgen05.shift.cta_group::1.down [%r30];",
            "down: expected one of .alloc, .dealloc, ",
        ),
        ("tcgen05.ld.sync.aligned.16x256b.x64.b32 {%r10}, [%r31];", "it has 256 registers, more than 128"),
        ("tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r10}, [%r31];", "1 registers where the instruction has 2"),
        ("tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {%r10}, [%r31];", "expected the columns between the halves"),
        ("tcgen05.st.sync.aligned.32x32b.x2.b32 [%r31], {%r10};", "1 registers where the instruction has 2"),
        ("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r10}, [%r31], 4;", "32x32b takes no columns between halves"),
        (
            "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r32], %h1;",
            "expected an mbarrier, and a mask of ranks with .multicast::cluster only",
        ),
        ("tcgen05.cp.cta_group::1.32x128b [%r30], %rd10;", "there is no 32x128b, only 128x256b"),
        ("tcgen05.mma.cta_group::1.kind::mxf4 [%r30], %rd10, %rd11, %r10, %p1;", "needs .block_scale"),
        ("tcgen05.mma.cta_group::1.kind::f8f6f4 [%r30], %rd10, %rd11, %r10, %p1, 3;", "scale-input-d must be 0 to 15"),
    ],
)
def test_what_is_not_known_is_an_error_with_its_line(instruction: str, message: str):
    ptx = tensor_kernel(instruction)
    with pytest.raises(PtxError, match=message.replace(".", r"\.")) as error:
        Machine(ptx).run([1], [128], [np.zeros(4, np.uint32)] * 2)
    assert error.value.line == line_of(ptx, instruction)
