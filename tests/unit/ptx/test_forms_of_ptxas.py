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
