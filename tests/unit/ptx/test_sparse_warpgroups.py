"""`wgmma` of sparse matrices and of single bits, with A in shared memory and in registers, beside numpy."""

import numpy as np
import pytest
from ptx_matrices import accepted_by_ptxas, is_taken
from ptx_warpgroups import SCALES, SECOND, TYPES, assembled, image, product_kernel, signed

from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import PtxError
from xshardy.ptx.faults import Fault, FaultKind
from xshardy.ptx.machine import Machine, Options

CODES = [code for code in range(16) if code & 3 != code >> 2]


class Case:
    """A sparse A of 64 rows, B of 24 columns, and the metadata that each thread holds."""

    def __init__(self, name: str, selector: int, columns: int = 24):
        self.name, self.selector, self.columns = name, selector, columns
        self.written = selector
        """The selector in the instruction."""
        self.dtype, dense = TYPES[name]
        self.depth = 2 * dense
        rng = np.random.default_rng(selector)
        chunk, stored = (2, 1) if name == "tf32" else (4, 2)
        low = 0 if name == "u8" else -4
        self.codes = rng.choice([4, 14] if name == "tf32" else CODES, (64, self.depth // chunk))
        self.stored = rng.integers(low, 5, (64, self.depth // 2))
        self.b = rng.integers(low, 5, (columns, self.depth))
        self.a = np.zeros((64, self.depth), np.int64)
        for (row, number), code in np.ndenumerate(self.codes):
            places = [code >> 3] if name == "tf32" else [code & 3, code >> 2]
            for at, place in enumerate(places):
                self.a[row, number * chunk + place] = self.stored[row, number * stored + at]

    def metadata(self) -> Array:
        """[128 threads]: in each warp as for `mma.sp`, of its 16 rows."""
        words = np.random.default_rng(9).integers(0, 1 << 32, 128, np.uint64)
        split = self.depth <= 32
        count = 4 if split else 8
        for (row, number), code in np.ndenumerate(self.codes):
            warp, half, g = row // 16, row // 8 % 2, row % 8
            block, at = divmod(number, count)
            if split:
                lane, bit = 4 * g + 2 * self.selector + block, 16 * half + 4 * at
            else:
                lane, bit = 4 * g + half + 2 * block, 4 * at
            word = int(words[32 * warp + lane]) & ~(15 << bit)
            words[32 * warp + lane] = word | int(code) << bit
        return words.astype(np.uint32)

    def run(
        self, spans: tuple[int, int], *, transposed: bool = False, in_registers: bool = False
    ) -> tuple[Array, list[Fault]]:
        stored, b = self.stored.astype(self.dtype), self.b.astype(self.dtype)
        left, of_left, _ = image(stored, spans[0], False, self.depth // 2)
        right, of_right, _ = image(b, spans[1], transposed, self.depth)
        held = np.zeros((128, 4), np.uint32)
        size = 4 // np.dtype(self.dtype).itemsize
        for thread in range(128):
            for register in range(4):
                row = thread // 32 * 16 + thread % 32 // 4 + register % 2 * 8
                first = thread % 4 * size + register // 2 * 4 * size
                held[thread, register] = np.ascontiguousarray(stored[row, first : first + size]).view(np.uint32)[0]
        result = np.int32 if self.name in ("s8", "u8") else np.float32
        form = f"m64n{self.columns}k{self.depth}.{'s32' if result is np.int32 else 'f32'}.{self.name}.{self.name}"
        trailing = SCALES.get(self.name, ", 1, 1")
        if trailing.endswith("0"):
            trailing = f", 1, 1{'' if in_registers else ', 0'}, {int(transposed)}"
        of_a = "{%r20, %r21, %r22, %r23}" if in_registers else str(signed(of_left))
        of_b = f"{signed(of_right + (SECOND >> 4))}, %r24, {self.written}"
        ptx = product_kernel(self.columns, form, [(of_a, of_b)], trailing, self.columns // 2, ".sp")
        load = "mul.wide.u32 %rd8, %r1, 4;\nadd.s64 %rd8, %rd1, %rd8;\nld.global.b32 %r24, [%rd8+65536];\n"
        ptx = ptx.replace("fence.proxy.async", load + "fence.proxy.async")
        source = np.concatenate([np.frombuffer(left + right, np.uint8), self.metadata().view(np.uint8)])
        out = np.zeros((128, self.columns // 2), np.uint32)
        options = Options(checks=True, collects_faults=True)
        faults = Machine(ptx).run([1], [128], [source, held, out], options)
        return assembled(out.view(result), self.columns), [*faults]


@pytest.mark.parametrize("in_registers", [False, True])
@pytest.mark.parametrize("spans", [(0, 0), (32, 64), (128, 128)])
@pytest.mark.parametrize("name", TYPES)
def test_products(name: str, spans: tuple[int, int], in_registers: bool):
    for selector in (0, 1) if TYPES[name][1] <= 16 else (0,):
        case = Case(name, selector)
        found, faults = case.run(spans, in_registers=in_registers)
        assert faults == []
        np.testing.assert_array_equal(found, case.a @ case.b.T)


@pytest.mark.parametrize("span", [0, 32, 64, 128])
def test_b_by_columns(span: int):
    case = Case("f16", 1, columns=128)
    found, faults = case.run((64, span), transposed=True)
    assert faults == []
    np.testing.assert_array_equal(found, case.a @ case.b.T)


def test_invalid_metadata_of_a_warp_are_a_fault():
    case = Case("f16", 0)
    case.codes[39, 0] = 0b1111
    _, (fault,) = case.run((64, 64))
    assert fault.kind is FaultKind.METADATA and fault.threads == 1
    assert "thread (92, 0, 0)" in fault.message


def test_rows_of_b_are_no_longer_than_their_atoms():
    with pytest.raises(PtxError, match="rows of 64 bytes in atoms of 32 are not supported"):
        Case("f16", 0).run((32, 32))


@pytest.mark.parametrize("name, selector", [("f16", 2), ("s8", 1)])
def test_selectors(name: str, selector: int):
    case = Case(name, 0)
    case.written = selector
    with pytest.raises(PtxError, match="the sparsity selector must be a constant below"):
        case.run((64, 64))


def test_single_bits():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, (64, 256)), rng.integers(0, 2, (24, 256))
    (left, of_left, _), (right, of_right, _) = (
        image(np.packbits(matrix.astype(np.uint8), axis=1, bitorder="little"), 32, False, 32) for matrix in (a, b)
    )
    operands = [(str(signed(of_left)), str(signed(of_right + (SECOND >> 4))))]
    ptx = product_kernel(24, "m64n24k256.s32.b1.b1.and.popc", operands, "", 12)
    out = np.zeros((128, 12), np.int32)
    source = np.frombuffer(left + right, np.uint8).copy()
    Machine(ptx).run([1], [128], [source, np.zeros(512, np.uint32), out])
    np.testing.assert_array_equal(assembled(out, 24), a @ b.T)


def test_forms_are_those_of_ptxas():
    depths = {"f16": 16, "bf16": 16, "tf32": 8, "e4m3": 32, "e5m2": 32, "s8": 32, "u8": 32, "b1": 256}
    forms, registers = list[str](), ".reg .b32 %r<99>; .reg .pred %p<3>; .reg .b64 %rd<9>;"
    for name, depth in depths.items():
        for sparse in ("", ".sp"):
            for result in ("f16", "f32", "s32"):
                for columns in (8, 24, 40, 48):
                    count = columns // 2 // (2 if result == "f16" else 1)
                    d = "{" + ", ".join(f"%r{number}" for number in range(count)) + "}"
                    shape = f"m64n{columns}k{depth * 2 if sparse else depth}"
                    further, trailing = (
                        ", %r90, 0" if sparse else "",
                        SCALES.get(name, ", 1, 1" if name != "b1" else ""),
                    )
                    bit = ".and.popc" if name == "b1" else ""
                    opcode = f"wgmma.mma_async{sparse}.sync.aligned.{shape}.{result}.{name}.{name}{bit}"
                    forms.append(f"{opcode} {d}, %rd1, %rd2{further}, %p1{trailing};")
    assert [is_taken(form, registers) for form in forms] == accepted_by_ptxas(forms, registers)
