"""`wgmma` on matrices that the test lays out in shared memory element by element, beside numpy."""

from typing import Any

import numpy as np
import pytest
from ptx_kernels import kernel, line_of
from ptx_warpgroups import MODES, SCALES, SECOND, TYPES, assembled, image, product_kernel, signed

from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import PtxError
from xshardy.ptx.faults import FaultError, FaultKind
from xshardy.ptx.machine import Machine, Options


def run(
    form: str,
    a: Array,
    b: Array,
    spans: tuple[int, int],
    transposed: tuple[bool, bool],
    trailing: str,
    result: type[Any],
    depth: int,
) -> Array:
    """`a @ b.T` in steps of `depth`, with both in shared memory."""
    columns = len(b)
    (left, left_bits, left_steps), (right, right_bits, right_steps) = (
        image(matrix, span, turned, depth) for matrix, span, turned in zip((a, b), spans, transposed, strict=True)
    )
    source = np.frombuffer(left + right, np.uint8).copy()
    per_thread = columns // 2 * np.dtype(result).itemsize // 4
    operands = [
        (str(signed(left_bits + step * left_steps[0])), str(signed(right_bits + (SECOND >> 4) + step * right_steps[0])))
        for step in range(a.shape[1] // depth)
    ]
    ptx = product_kernel(columns, form, operands, trailing, per_thread)
    out = np.zeros((128, per_thread), np.uint32)
    machine = Machine(ptx)
    assert machine.run([1], [128], [source, np.zeros(512, np.uint32), out], Options(checks=True)) == []
    return assembled(out.view(result), columns)


def numbers(dtype: type[Any], *shape: int) -> Array:
    low = 0 if np.dtype(dtype).kind == "u" else -4
    return np.random.default_rng(sum(shape)).integers(low, 5, shape).astype(dtype)


@pytest.mark.parametrize("span", MODES)
@pytest.mark.parametrize("name", TYPES)
def test_types_and_swizzles(name: str, span: int):
    dtype, depth = TYPES[name]
    whole = max(depth, span // np.dtype(dtype).itemsize)  # all chunks of a row, in steps
    a, b = numbers(dtype, 64, whole), numbers(dtype, 24, whole)
    result = np.int32 if np.dtype(dtype).kind in "iu" else np.float32
    form = f"m64n24k{depth}.{'s32' if result is np.int32 else 'f32'}.{name}.{name}"
    found = run(form, a, b, (span, span), (False, False), SCALES.get(name, ", 1, 1"), result, depth)
    np.testing.assert_array_equal(found, a.astype(np.int64) @ b.astype(np.int64).T)


@pytest.mark.parametrize("transposed", [(True, False), (False, True), (True, True)])
@pytest.mark.parametrize("span", MODES)
def test_transposed_matrices(span: int, transposed: tuple[bool, bool]):
    """Of 64 rows and 128 columns, more than an atom has, and two steps of depth."""
    a, b = numbers(np.float16, 64, 32), numbers(np.float16, 128, 32)
    spans = (span if transposed[0] else max(span, 64), span if transposed[1] else max(span, 64))
    trailing = f", 1, 1, {int(transposed[0])}, {int(transposed[1])}"
    found = run("m64n128k16.f32.f16.f16", a, b, spans, transposed, trailing, np.float32, 16)
    np.testing.assert_array_equal(found, a.astype(np.int64) @ b.astype(np.int64).T)


@pytest.mark.parametrize(("trailing", "sign"), [(", -1, 1, 0, 0", -1), (", 1, -1, 0, 0", -1), (", -1, -1, 0, 0", 1)])
def test_signs_and_results_in_f16(trailing: str, sign: int):
    a, b = numbers(np.float16, 64, 16), numbers(np.float16, 16, 16)
    found = run("m64n16k16.f16.f16.f16", a, b, (32, 32), (False, False), trailing, np.float16, 16)
    np.testing.assert_array_equal(found, sign * (a.astype(np.int64) @ b.astype(np.int64).T))


def test_tf32_is_cut_not_rounded():
    a, b = np.zeros((64, 8), np.float32), np.ones((8, 8), np.float32)
    a[:, 0] = 1 + 3 * 2.0**-12  # between two numbers with ten digits behind the point, nearer to the upper one
    found = run("m64n8k8.f32.tf32.tf32", a, b, (0, 0), (False, False), ", 1, 1", np.float32, 8)
    assert (found == 1).all()


def test_sums_that_are_limited():
    a, b = np.full((64, 32), 127, np.int8), np.full((8, 32), 127, np.int8)
    for modifier, expected in ((".satfinite", 2**31 - 1), ("", 32 * 127**2 + 2**31 - 1 - 2**32)):
        (left, left_bits, _), (right, right_bits, _) = (image(matrix, 0, False, 32) for matrix in (a, b))
        operands = [(str(signed(left_bits)), str(signed(right_bits + (SECOND >> 4))))]
        ptx = product_kernel(8, f"m64n8k32{modifier}.s32.s8.s8", operands, "", 4)
        for number in range(4):
            ptx = ptx.replace(f"mov.b32 %d{number}, 0;", f"mov.b32 %d{number}, {2**31 - 1};")
        out = np.zeros((128, 4), np.int32)
        source = np.frombuffer(left + right, np.uint8).copy()
        Machine(ptx).run([1], [128], [source, np.zeros(512, np.uint32), out])
        assert (out == expected).all()


def test_a_predicate_that_drops_the_accumulator():
    a, b = numbers(np.float16, 64, 16), numbers(np.float16, 8, 16)
    (left, left_bits, _), (right, right_bits, _) = (image(matrix, 32, False, 16) for matrix in (a, b))
    operands = [(str(signed(left_bits)), str(signed(right_bits + (SECOND >> 4))))] * 3
    ptx = product_kernel(8, "m64n8k16.f32.f16.f16", operands, ", 1, 1, 0, 0", 4)
    source = np.frombuffer(left + right, np.uint8).copy()
    product = a.astype(np.int64) @ b.astype(np.int64).T
    for predicate, times in (("1", 3), ("0", 1)):
        out = np.zeros((128, 4), np.float32)
        text = ptx.replace("mov.pred %p2, 1;", f"mov.pred %p2, {predicate};")
        Machine(text).run([1], [128], [source, np.zeros(512, np.uint32), out])
        np.testing.assert_array_equal(assembled(out, 8), times * product)


@pytest.mark.parametrize("name", ["f16", "tf32", "e4m3"])
def test_a_in_registers(name: str):
    dtype, depth = TYPES[name]
    size = np.dtype(dtype).itemsize
    a, b = numbers(dtype, 64, depth), numbers(dtype, 16, depth)
    per_register = 4 // size
    held = np.zeros((128, 4, per_register), dtype)
    for thread in range(128):
        for register in range(4):
            row = thread // 32 * 16 + thread % 32 // 4 + register % 2 * 8
            first = thread % 4 * per_register + register // 2 * 4 * per_register
            held[thread, register] = a[row, first : first + per_register]
    right, bits, _ = image(b, 32, False, depth)
    trailing = ", 1, 1, 0" if name == "f16" else ", 1, 1"
    operands = [("{%r20, %r21, %r22, %r23}", str(signed(bits)))]
    ptx = product_kernel(16, f"m64n16k{depth}.f32.{name}.{name}", operands, trailing, 8)
    out = np.zeros((128, 8), np.float32)
    source = np.frombuffer(right.ljust(2 * SECOND, b"\0"), np.uint8).copy()
    Machine(ptx).run([1], [128], [source, held, out])
    np.testing.assert_array_equal(assembled(out, 16), a.astype(np.int64) @ b.astype(np.int64).T)


GOOD = str(signed(8 << 16 | 8 << 32))


@pytest.mark.parametrize(
    ("form", "left", "right", "trailing", "message"),
    [
        ("m64n16k16.f32.f16.f16", GOOD, GOOD, ", 1, 1", "takes 4 constants behind the accumulator's predicate"),
        ("m64n16k16.f32.f16.f16", GOOD, GOOD, ", 2, 1, 0, 0", "scale_a must be 1 or -1"),
        ("m64n16k32.f32.f16.f16", GOOD, GOOD, ", 1, 1, 0, 0", r"no product of .f16 and .f16 has this shape"),
        ("m64n24k16.f32.f16.f16", GOOD, GOOD, ", 1, 1, 0, 0", "8 registers for 12 of the accumulator"),
        ("m64n16k16.f32.f16.f16", "{%r1, %r2}", GOOD, ", 1, 1, 0", "2 registers for the 4 of A"),
        ("m64n16k16.s32.f16.f16", GOOD, GOOD, ", 1, 1, 0, 0", "no product of .f16 has this shape and a result of .s32"),
        ("m64n16k16.satfinite.f32.f16.f16", GOOD, GOOD, ", 1, 1, 0, 0", "only sums of integers of 8 bits saturate"),
        ("m64n40k32.s32.s8.s8", GOOD, GOOD, "", "no product of .s8 has this shape"),
        ("m64n16k256.s32.b1.b1", GOOD, GOOD, "", "expected one of .and"),
        ("m64n16k16.rn.f32.f16.f16", GOOD, GOOD, ", 1, 1, 0, 0", "unknown modifier .rn"),
        ("m64n16k16.f32.f16.f16", str(signed(1 << 49 | 1 << 62)), GOOD, ", 1, 1, 0, 0", "base offset"),
    ],
)
def test_what_is_refused(form: str, left: str, right: str, trailing: str, message: str):
    ptx = product_kernel(16, form, [(left, right)], trailing, 8)
    arguments = [np.zeros(2 * SECOND, np.uint8), np.zeros(512, np.uint32), np.zeros((128, 8), np.float32)]
    with pytest.raises(PtxError, match=message):
        Machine(ptx).run([1], [128], arguments)


def test_a_matrix_behind_the_end_of_shared_memory():
    behind = str(signed(0x3FFF | 8 << 16 | 8 << 32))
    ptx = product_kernel(16, "m64n16k16.f32.f16.f16", [(behind, GOOD)], ", 1, 1, 0, 0", 8)
    arguments = [np.zeros(2 * SECOND, np.uint8), np.zeros(512, np.uint32), np.zeros((128, 8), np.float32)]
    with pytest.raises(
        FaultError, match=r"access out of bounds: thread .* accesses 16 bytes at address 0x.* of shared"
    ):
        Machine(ptx).run([1], [128], arguments)


def test_three_warps_are_no_warpgroup():
    ptx = product_kernel(16, "m64n16k16.f32.f16.f16", [(GOOD, GOOD)], ", 1, 1, 0, 0", 8)
    arguments = [np.zeros(2 * SECOND, np.uint8), np.zeros(512, np.uint32), np.zeros((128, 8), np.float32)]
    with pytest.raises(FaultError, match="is not in one of the groups of 4 warps that the block has"):
        Machine(ptx).run([1], [96], arguments)


SHARED_BY_GROUPS = """
  .reg .b32 %d<4>;
  mov.b32 %r3, s;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 mbarrier.init.shared::cta.b64 [%r3+4096], ARRIVALS;
  mov.b32 %r4, 0;
  shl.b32 %r5, %r1, 3;
  add.u32 %r5, %r3, %r5;
  mov.b32 %d0, 0;
  mov.b32 %d1, 0;
  mov.b32 %d2, 0;
  mov.b32 %d3, 0;
  setp.ge.u32 %p2, %r1, 256;
  @!%p2 st.shared.v2.b32 [%r5], {%r4, %r4};
  @!%p2 st.shared.v2.b32 [%r5+2048], {%r4, %r4};
  fence.proxy.async.shared::cta;
  bar.sync 0;
  @%p2 bra $write;
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, A, B, 1, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  and.b32 %r6, %r1, 127;
  setp.eq.u32 %p3, %r6, 96;
  @%p3 mbarrier.arrive.shared::cta.b64 _, [%r3+4096];
  bra.uni $done;
$write:
  mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r3+4096], 0;
  @!%p4 bra $write;
  and.b32 %r6, %r1, 31;
  shl.b32 %r6, %r6, 2;
  add.u32 %r6, %r3, %r6;
  st.shared.b32 [%r6], %r4; // here
$done:
"""


@pytest.mark.parametrize(
    ("left_out", "wrong", "is_race"),
    [
        ("", "", False),
        ("  wgmma.wait_group.sync.aligned 0;\n", "", True),
        ("setp.eq.u32 %p3, %r6, 96;", "setp.eq.u32 %p3, %r1, 96;", True),
    ],
)
def test_a_matrix_that_two_groups_read(left_out: str, wrong: str, is_race: bool):
    """One thread of each group tells that its four warps have waited; then a ninth warp writes the matrix."""
    bits = str(signed(64 << 16 | 8 << 32))
    body = SHARED_BY_GROUPS.replace("A, B", f"{bits}, {bits}").replace("ARRIVALS", "1" if wrong else "2")
    ptx = kernel(body.replace(left_out, wrong) if left_out else body, parameters=0, shared=4112)
    faults = Machine(ptx).run([1], [288], [], Options(checks=True, collects_faults=True))
    expected = [(FaultKind.RACE, line_of(ptx, "here"))] if is_race else []
    assert [(fault.kind, fault.line) for fault in faults] == expected
    assert not is_race or "writes what the wgmma of thread" in str(faults[0])


TWO_PRODUCTS = """
  .reg .b32 %d<4>;
  .reg .b32 %e<4>;
  mov.b32 %r4, 0;
  mov.b32 %r5, 0;
  mov.b32 %r6, 0;
  mov.b32 %r7, 0;
  mov.b32 %d0, 0;
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, B, B, 0, 1, 1, 0, 0;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, B, B, 1, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%e0, %e1, %e2, %e3}, {%r4, %r5, %r6, %r7}, B, 0, 1, 1, 0;
  wgmma.commit_group.sync.aligned;
  mov.b32 %r8, %r3;
  wgmma.wait_group.sync.aligned 1;
  mov.b32 %r8, %d2;
  wgmma.wait_group.sync.aligned 0;
  mov.b32 %r8, %e2;
  mov.b32 %r5, %r8;
"""


@pytest.mark.parametrize(
    ("right", "wrong", "register"),
    [
        ("mov.b32 %r8, %r3;", "mov.b32 %r8, %d1; // here", "%d1"),
        ("mov.b32 %r8, %r3;", "mov.b32 %d3, %r3; // here", "%d3"),
        ("mov.b32 %r8, %r3;", "mov.b32 %r6, %r3; // here", "%r6"),
        ("mov.b32 %r8, %d2;", "mov.b32 %r8, %e0; // here", "%e0"),
        ("mov.b32 %r8, %d2;", "st.shared.b32 [%r7], %r3; // here", "%r7"),
        ("mov.b32 %r8, %d2;", "mov.b64 %rd5, {%e1, %r3}; // here", "%e1"),
        ("mov.b32 %r8, %d2;", "shfl.sync.down.b32 %e2|%p5, %r3, 1, 31, -1; // here", "%e2"),
        (
            "mov.b32 %r8, %d2;",
            "suld.b.2d.v4.b32.trap {%r20, %r21, %r22, %e3}, [%rd6, {%r3, %r3}]; // here",
            "%e3",
        ),
    ],
)
def test_registers_of_products_that_are_not_complete(right: str, wrong: str, register: str):
    body = TWO_PRODUCTS.replace("B", str(signed(64 << 16 | 8 << 32)))
    fill = (
        "shl.b32 %r9, %r1, 4;\nmov.b32 %r10, s;\nadd.u32 %r9, %r9, %r10;\nst.shared.v4.b32 [%r9], {%r3, %r3, %r3, %r3};"
    )
    fill += "\nfence.proxy.async;\nbar.sync 0;"
    options = Options(checks=True, collects_faults=True)
    assert Machine(kernel(fill + body, 0, 2048)).run([1], [128], [], options) == []
    ptx = kernel(fill + body.replace(right, wrong), 0, 2048)
    found = [fault for fault in Machine(ptx).run([1], [128], [], options) if fault.kind is FaultKind.PENDING]
    assert [fault.line for fault in found] == [line_of(ptx, "here")]
    assert f"uses {register} before it has waited for the wgmma" in str(found[0])
