"""`wmma` beside numpy: loads, products and stores of all shapes, in both layouts, with strides, and what is wrong."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from ptx_kernels import kernel, line_of
from ptx_matrices import packed

from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import PtxError
from xshardy.ptx.faults import Fault, FaultKind
from xshardy.ptx.machine import Machine, Options

DTYPES: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "tf32": np.float32,
    "f32": np.float32,
    "f64": np.float64,
    "s8": np.int8,
    "u8": np.uint8,
    "s32": np.int32,
}
BITS = {"s4": 4, "u4": 4, "b1": 1}
RANGES = {"s8": (-128, 128), "u8": (0, 256), "s4": (-8, 8), "u4": (0, 16), "b1": (0, 2)}
REGISTERS = {
    ("m16n16k16", "f16"): (8, 8),
    ("m8n32k16", "f16"): (8, 8),
    ("m32n8k16", "f16"): (8, 8),
    ("m16n16k16", "bf16"): (4, 4),
    ("m8n32k16", "bf16"): (2, 8),
    ("m32n8k16", "bf16"): (8, 2),
    **{("m16n16k16", name): (2, 2) for name in ("s8", "u8")},
    **{("m8n32k16", name): (1, 4) for name in ("s8", "u8")},
    **{("m32n8k16", name): (4, 1) for name in ("s8", "u8")},
    ("m16n16k8", "tf32"): (4, 4),
    ("m8n8k4", "f64"): (1, 1),
    **{("m8n8k32", name): (1, 1) for name in ("s4", "u4")},
    ("m8n8k128", "b1"): (1, 1),
}
"""Of A and B."""
RESULTS = {"f16": ("f16", "f32"), "bf16": ("f32",), "tf32": ("f32",), "f64": ("f64",)}


def names(letter: str, count: int) -> str:
    return "{" + ", ".join(f"%{letter}{number}" for number in range(count)) + "}"


def bits_of(name: str) -> int:
    return BITS.get(name, 8 * np.dtype(DTYPES.get(name, np.uint8)).itemsize)


def in_memory(matrix: Array, name: str, layout: str, stride: int) -> Array:
    """A matrix with rows or columns that are `stride` elements apart, as words."""
    lines = matrix if layout == "row" else matrix.T
    wide = np.zeros((len(lines), stride), np.float64 if matrix.dtype.kind == "f" else np.int64)
    wide[:, : lines.shape[1]] = lines
    if name in BITS:
        return packed(wide, BITS[name])
    return wide.astype(DTYPES[name])


class Case:
    """A kernel of one warp: A and B in global memory, C and the result in global or shared memory."""

    def __init__(
        self, shape: str, of_a: str, of_c: str, of_result: str, layouts: str = "row col row row", **options: Any
    ):
        self.shape, self.of_a, self.of_c, self.of_result = shape, of_a, of_c, of_result
        self.layouts = layouts.split()
        self.pad, self.operation = options.get("pad", 0), options.get("operation", "")
        self.suffix = options.get("suffix", "")
        sizes = [int(size) for size in shape[1:].replace("n", " ").replace("k", " ").split()]
        self.rows, self.columns, self.depth = sizes
        self.shapes = [(sizes[0], sizes[2]), (sizes[2], sizes[1]), (sizes[0], sizes[1]), (sizes[0], sizes[1])]
        self.types = [of_a, of_a, of_c, of_result]
        self.strides = [
            shape[1 if layout == "row" else 0] + self.pad * 128 // bits_of(name)
            for shape, layout, name in zip(self.shapes, self.layouts, self.types, strict=True)
        ]

    def ptx(self) -> str:
        counts = [*REGISTERS[self.shape, self.of_a]]
        counts += [
            self.rows * self.columns * bits_of(name) // (64 if name == "f64" else 32) // 32 for name in self.types[2:]
        ]
        lines = [
            f".reg .b{64 if bits_of(name) == 64 else 32} %{letter}<{count}>;"
            for letter, count, name in zip(("xa", "xb", "xc", "xd"), counts, self.types, strict=True)
        ]
        for number, (letter, role) in enumerate((("xa", "a"), ("xb", "b"), ("xc", "c"))):
            stride = f", {self.strides[number]}" if self.pad else ""
            lines.append(
                f"wmma.load.{role}.sync.aligned.{self.layouts[number]}.{self.shape}.global.{self.types[number]} "
                f"{names(letter, counts[number])}, [%rd{number + 1}]{stride};"
            )
        types = ".".join([self.of_result, *([] if self.of_a == "f16" else [self.of_a] * 2), self.of_c])
        operation = f".{self.operation}.popc" if self.operation else ""
        vectors = ", ".join(
            names(*pair) for pair in (("xd", counts[3]), ("xa", counts[0]), ("xb", counts[1]), ("xc", counts[2]))
        )
        lines.append(
            f"wmma.mma{operation}.sync.aligned.{self.layouts[0]}.{self.layouts[1]}.{self.shape}.{types}{self.suffix} "
            f"{vectors};"
        )
        stride = f", {self.strides[3]}" if self.pad else ""
        lines.append(
            f"wmma.store.d.sync.aligned.{self.layouts[3]}.{self.shape}.global.{self.of_result} "
            f"[%rd4], {names('xd', counts[3])}{stride}; // store"
        )
        return kernel("\n".join(lines), parameters=4)

    def run(self, a: Array, b: Array, c: Array) -> Array:
        held = [
            in_memory(matrix, name, layout, stride)
            for matrix, name, layout, stride in zip((a, b, c), self.types, self.layouts, self.strides, strict=False)
        ]
        out = in_memory(np.zeros(self.shapes[3]), self.of_result, self.layouts[3], self.strides[3])
        assert Machine(self.ptx()).run([1], [32], [*held, out], Options(checks=True)) == []
        lines = out[:, : self.shapes[3][1 if self.layouts[3] == "row" else 0]]
        assert not out[:, lines.shape[1] :].any()
        return lines if self.layouts[3] == "row" else lines.T

    def operands(self) -> list[Array]:
        rng = np.random.default_rng(self.rows + self.depth)
        low, high = RANGES.get(self.of_a, (-4, 5))
        return [
            *(rng.integers(low, high, shape) for shape in self.shapes[:2]),
            rng.integers(-100, 100, self.shapes[2]),
        ]


FORMS = [
    (shape, of_a, of_c, of_result)
    for shape, of_a in REGISTERS
    for of_c in RESULTS.get(of_a, ("s32",))
    for of_result in RESULTS.get(of_a, ("s32",))
    if of_a != "b1"
]


@pytest.mark.parametrize("shape, of_a, of_c, of_result", FORMS)
def test_products(shape: str, of_a: str, of_c: str, of_result: str):
    every = ["row col row row"] if of_a in BITS else ["row col row row", "col row col row", "row row row col"]
    for layouts in every:
        for pad in (0, 1):
            case = Case(shape, of_a, of_c, of_result, layouts, pad=pad)
            a, b, c = case.operands()
            np.testing.assert_array_equal(case.run(a, b, c), a @ b + c)


@pytest.mark.parametrize("operation", ["xor", "and"])
def test_single_bits(operation: str):
    case = Case("m8n8k128", "b1", "s32", "s32", operation=operation)
    a, b, c = case.operands()
    combined = a[:, :, None] ^ b[None] if operation == "xor" else a[:, :, None] & b[None]
    np.testing.assert_array_equal(case.run(a, b, c), combined.sum(axis=1) + c)


def test_sums_saturate():
    case = Case("m16n16k16", "s8", "s32", "s32", suffix=".satfinite")
    a, b, c = np.full((16, 16), 127), np.full((16, 16), 127), np.full((16, 16), 2**31 - 1)
    assert (case.run(a, b, c) == 2**31 - 1).all()


def shared(body: str, blocks: int = 1) -> list[Fault]:
    text = kernel(".reg .b32 %x<8>;\nmov.b32 %r3, s;\n" + body, parameters=1, shared=2048)
    options = Options(checks=True, collects_faults=True)
    return Machine(text).run([blocks], [64], [np.zeros(512, np.float32)], options)


VECTOR = names("x", 8)


def test_a_race_of_two_warps_is_found():
    """Both warps store to the same shared memory; with a barrier and a load behind, the load is in order."""
    zeros = "\n".join(f"mov.b32 %x{number}, %r1;" for number in range(8))
    text = f"{zeros}\nwmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%r3], {VECTOR}, 16; // store"
    (fault,) = shared(text)
    assert fault.kind is FaultKind.RACE
    own = "shr.u32 %r4, %r1, 5;\nshl.b32 %r4, %r4, 10;\nadd.u32 %r5, %r3, %r4;\n"
    load = "\nwmma.load.c.sync.aligned.row.m16n16k16.shared.f32 " + f"{VECTOR}, [%r3], 16; // load"
    assert not shared(own + text.replace("[%r3]", "[%r5]") + "\nbar.sync 0;" + load)
    (fault,) = shared(own + text.replace("[%r3]", "[%r5]") + load)
    assert fault.kind is FaultKind.RACE


@pytest.mark.parametrize(
    "setup, stride, kind, message",
    [
        ("add.u32 %r3, %r3, 1280;", "16", FaultKind.OUT_OF_BOUNDS, "of shared memory, which has 2048"),
        ("add.u32 %r3, %r3, 16;", "16", FaultKind.MISALIGNED, "has the address 16, no multiple of 32"),
        ("", "18", FaultKind.MISALIGNED, "has the stride in bytes 72, no multiple of 16"),
        ("shl.b32 %r4, %r1, 5;\nadd.u32 %r3, %r3, %r4;", "16", FaultKind.OPERANDS, "has another address or stride"),
        ("add.u32 %r4, %r1, 16;\nand.b32 %r4, %r4, 16;", "%r4", FaultKind.OPERANDS, "has another address or stride"),
    ],
)
def test_faults(setup: str, stride: str, kind: FaultKind, message: str):
    faults = shared(f"{setup}\nwmma.load.c.sync.aligned.row.m16n16k16.shared.f32 {VECTOR}, [%r3], {stride};")
    assert any(fault.kind is kind and message in fault.message for fault in faults), faults


def test_a_store_behind_the_buffer_is_a_fault():
    case = Case("m16n16k16", "f16", "f32", "f32")
    arrays = [np.zeros((16, 16), np.float16)] * 2 + [np.zeros((16, 16), np.float32), np.zeros(255, np.float32)]
    (fault,) = Machine(case.ptx()).run([1], [32], arrays, Options(collects_faults=True))
    assert (fault.kind, fault.line) == (FaultKind.OUT_OF_BOUNDS, line_of(case.ptx(), "// store"))


def test_all_threads_of_a_warp_take_part():
    text = "setp.lt.u32 %p1, %r1, 7;\n@%p1 bra $out;\n"
    text += f"wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 {VECTOR}, [%r3];\n$out:"
    assert FaultKind.DIVERGENT_WARP in {fault.kind for fault in shared(text)}


@pytest.mark.parametrize(
    "text, message",
    [
        ("load.a.sync.aligned.row.m16n16k16.f32 $8, [%rd1]", "A of .m16n16k16 has elements of .f16, .bf16, .s8, .u8"),
        ("load.a.sync.aligned.col.m8n8k32.s4 $1, [%rd1]", "A of .s4 must have the layout .row"),
        ("load.b.sync.aligned.row.m8n8k128.b1 $1, [%rd1]", "B of .b1 must have the layout .col"),
        ("load.a.sync.aligned.row.m16n16k16.f16 $4, [%rd1]", "4 where it takes 8"),
        ("load.a.sync.aligned.m16n16k16.f16 $8, [%rd1]", "expected one of .row, .col"),
        ("store.d.sync.aligned.row.m16n16k16.f64 [%rd1], $8", "D of .m16n16k16 has elements of .f16, .f32, .s32"),
        ("mma.sync.aligned.row.col.m16n16k16.f32.f16.f16.f32 $8, $8, $8, $8", ".f16 is not written"),
        ("mma.sync.aligned.row.col.m16n16k16.s32.s8.u8.s32 $8, $2, $2, $8", "A and B have one type"),
        ("mma.sync.aligned.row.col.m16n16k16.f32.s8.s8.s32 $8, $2, $2, $8", "no product of .s8 has this shape, or"),
        ("mma.sync.aligned.row.m16n16k16.f32.f32 $8, $8, $8, $8", "expected the layouts of A and B"),
        ("mma.sync.aligned.col.col.m8n8k32.s32.s4.s4.s32 $2, $1, $1, $2", "of fewer than 8 bits .row.col"),
        ("mma.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 $2, $1, $1, $2", "combined by .xor.popc or .and.popc"),
        ("mma.sync.aligned.row.col.m16n16k16.f32.f32.satfinite $8, $8, $8, $8", "only sums of integers"),
        ("multiply.sync $8, $8, $8, $8", "expected one of .load, .store, .mma"),
    ],
)
def test_refused_forms(text: str, message: str):
    for count in (8, 4, 2, 1):
        text = text.replace(f"${count}", names("x", count))
    with pytest.raises(PtxError) as error:
        Machine(kernel(f".reg .b32 %x<8>;\nwmma.{text};", parameters=1)).run([1], [32], [np.zeros(4096, np.uint8)])
    assert message in str(error.value)
