"""Matrix instructions that the machine takes are those that ptxas takes: each shape is tried with all types."""

import re
from itertools import product

from ptx_matrices import accepted_by_ptxas, is_taken

BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1, "e4m3": 8, "e5m2": 8}
RESULT_BITS = {"f16": 16, "f32": 32, "s32": 32, "f64": 64}
REGISTERS = ".reg .b32 %r<99>; .reg .f64 %fd<99>; .reg .b64 %rd<9>; .shared .align 128 .b8 s[4096];"
BEYOND_THE_ISA = (
    re.compile(r"mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.tf32.*"),
    re.compile(r"mma\.sp\S*\.(?:m16n8k32\.row\.col\.f\d\d\.f16|m16n8k16\.row\.col\.f32\.tf32).*, [23];"),
)
"""What ptxas takes: products that the PTX ISA does not have, and selectors for which it leaves the behaviour open."""


def registers(count: int, first: int, bits: int) -> str:
    return "{" + ", ".join(f"%{'fd' if bits == 64 else 'r'}{first + number}" for number in range(count)) + "}"


def products() -> list[str]:
    """Every product of these shapes and types whose registers can be counted."""
    found = list[str]()
    shapes = product((8, 16), (4, 8, 16, 32, 64, 128, 256), BITS, RESULT_BITS, ("", "sp.", "sp::ordered_metadata."))
    for rows, depth, name, result, sparse in shapes:
        bits, of_result = BITS[name], RESULT_BITS[result]
        of_a, of_b = rows * (depth // 2 if sparse else depth), depth * 8
        width = 64 if bits == 64 else 32
        if of_a * bits % (32 * width) or of_b * bits % (32 * width) or (bits == 64) != (of_result == 64):
            continue
        if (rows, depth, name) == (8, 4, "f16"):
            continue
        counts = [of_a * bits // (32 * width), of_b * bits // (32 * width), rows * 8 * of_result // (32 * width)]
        a, b, c = (registers(count, first, bits) for count, first in zip(counts, (10, 30, 50), strict=True))
        opcode = f"mma.{sparse}sync.aligned.m{rows}n8k{depth}.row.col.{result}.{name}.{name}.{result}"
        for selector in range(4 if sparse and name in ("f16", "s8", "s4", "tf32") else 1):
            end = f", %r70, {selector}" if sparse else ""
            found.append(f"{opcode}{'.xor.popc' if name == 'b1' else ''} {c}, {a}, {b}, {c}{end};")
    return found


def test_products():
    forms = products()
    further = [form for form in forms if any(pattern.fullmatch(form) for pattern in BEYOND_THE_ISA)]
    assert further and not any(is_taken(form, REGISTERS) for form in further)
    forms = [form for form in forms if form not in further]
    expected = accepted_by_ptxas(forms, REGISTERS, "sm_120a")
    assert sum(expected) > 60
    assert [form for form, is_right in zip(forms, expected, strict=True) if is_right != is_taken(form, REGISTERS)] == []


NARROW = ("e4m3", "e3m2", "e2m1", "f16")
KINDS = ("f8f6f4", "mxf8f6f4", "mxf4", "mxf4nvf4")
VECTORS = ("", ".scale_vec::1X", ".scale_vec::2X", ".scale_vec::4X")
SELECTORS = ("{0, 0}, %r81, {0, 0}", "{1, 0}, %r81, {0, 0}", "{2, 1}, %r81, {2, 3}", "{0, 2}, %r81, {0, 0}")
IGNORED_KINDS = re.compile(r".*(?:m16n8k16.*kind::f8f6f4|kind::mxf8f6f4\.f(?:32|16)\.e4m3).*")
"""ptxas takes products of f8 that are right without `.kind`; the PTX ISA does not have them with it."""


def narrow_products() -> list[str]:
    """Products of floats of 8, 6 and 4 bits, with and without scale factors."""
    found = list[str]()
    shapes = product(KINDS, NARROW, ("f32", "f16"), (16, 32, 64, 128), ("", "sp.", "sp::ordered_metadata."))
    for kind, name, result, depth, sparse in shapes:
        bits = 4 if kind.startswith("mxf4") else BITS.get(name, 8)
        registers_of_a, registers_of_b = (size * depth * bits // 1024 for size in (8 if sparse else 16, 8))
        if not registers_of_a or not registers_of_b:
            continue
        counts = [registers_of_a, registers_of_b, 4 if result == "f32" else 2]
        a, b, c = (registers(count, first, 32) for count, first in zip(counts, (10, 30, 50), strict=True))
        metadata = ", %r70, 0" if sparse else ""
        scaled = product((".block_scale",), VECTORS, ("", ".ue8m0", ".ue4m3"))
        for block, vector, scale in [("", "", ""), ("", ".scale_vec::2X", ""), ("", "", ".ue8m0"), *scaled]:
            tried = SELECTORS if (name, result) == ("e2m1", "f32") else SELECTORS[:1]
            for selectors in tried if scale and block else [""]:
                end = f", %r80, {selectors}" if selectors else ""
                opcode = f"mma.{sparse}sync.aligned.m16n8k{depth}.row.col.kind::{kind}{block}{vector}"
                found.append(f"{opcode}.{result}.{name}.{name}.{result}{scale} {c}, {a}, {b}, {c}{metadata}{end};")
    return found


def test_narrow_products():
    forms = [form for form in narrow_products() if not IGNORED_KINDS.match(form)]
    expected = accepted_by_ptxas(forms, REGISTERS, "sm_120a")
    assert sum(expected) > 40
    assert [form for form, is_right in zip(forms, expected, strict=True) if is_right != is_taken(form, REGISTERS)] == []


def test_operands_of_scale_factors():
    form = "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e2m1.e2m1.f32.ue8m0 "
    form += "{%r0, %r1, %r2, %r3}, {%r0, %r1, %r2, %r3}, {%r0, %r1}, {%r0, %r1, %r2, %r3}, "
    forms = [
        f"{form}%r4, {{%h0, %h1}}, %r5, {{%h0, %h1}};",
        f"{form}%r4, {{%r0, %r1}}, %r5, {{%h0, %h1}};",
        f"{form}%r4, %h0, %r5, %h1;",
        f"{form}%r4, {{%h0}}, %r5, {{%h0}};",
    ]
    declared = f"{REGISTERS} .reg .b16 %h<4>;"
    assert accepted_by_ptxas(forms, declared, "sm_120a") == [is_taken(form, declared) for form in forms]
    assert is_taken(forms[0], declared) and not is_taken(forms[2], declared)


SHAPES = ("m16n16k16", "m8n32k16", "m32n8k16", "m16n16k8", "m8n8k4", "m8n8k32", "m8n8k128")


def fragments() -> list[str]:
    """Every load and store of these shapes, layouts and types, with each number of registers."""
    found = list[str]()
    types = {**BITS, **RESULT_BITS}
    for shape, layout, (name, bits), count in product(SHAPES, ("row", "col"), types.items(), (1, 2, 4, 8)):
        vector = registers(count, 0, bits)
        found += [f"wmma.load.{role}.sync.aligned.{layout}.{shape}.{name} {vector}, [%rd1];" for role in "abc"]
        found.append(f"wmma.store.d.sync.aligned.{layout}.{shape}.{name} [%rd1], {vector};")
    return found


def products_of(loads: list[str]) -> list[str]:
    """Every product of fragments that are loaded so."""
    held = dict[tuple[str, ...], int]()
    for load in loads:
        _, _, role, _, _, _, shape, name = load.split(" ")[0].split(".")
        held[role, shape, name] = load.count("%") - 1
    found = list[str]()
    for shape, layouts, name, result in product(SHAPES, product(("row", "col"), repeat=2), BITS, RESULT_BITS):
        middle = "" if name == "f16" else f".{name}.{name}"
        bit = ".xor.popc" if name == "b1" else ""
        opcode = f"wmma.mma{bit}.sync.aligned.{'.'.join(layouts)}.{shape}.{result}{middle}.{result}"
        if all((role, shape, element) in held for role, element in (("a", name), ("b", name), ("c", result))):
            a, b, c = held["a", shape, name], held["b", shape, name], held["c", shape, result]
            vectors = [registers(c, 40, BITS[name]), registers(a, 0, BITS[name]), registers(b, 20, BITS[name])]
            found.append(f"{opcode} {', '.join([*vectors, vectors[0]])};")
    return found


def test_wmma():
    """ptxas takes more: products of f64 of larger shapes, and accumulators that there are no products for."""
    forms = [form for form in fragments() if is_taken(form, REGISTERS)]
    further = products_of([form for form in forms if ".load." in form])
    forms += [form for form in further if is_taken(form, REGISTERS)]
    assert len({form.partition(" ")[0] for form in forms}) > 120
    refused = [form for form, right in zip(forms, accepted_by_ptxas(forms, REGISTERS), strict=True) if not right]
    assert refused == []
