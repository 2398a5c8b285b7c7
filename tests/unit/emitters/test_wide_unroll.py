"""Loops in which a thread makes as many elements as 16 bytes hold, and those in which it does not."""

import pytest
from test_random_fusions import check_exactly

from xshardy import compiler
from xshardy.dialects.hlo import FusionOp
from xshardy.emitters import emit_fusion, explain
from xshardy.emitters.loop import loop_launch
from xshardy.emitters.preparation import prepare
from xshardy.gpus.devices import Device
from xshardy.hlo_text import parse_hlo
from xshardy.transforms.xla_gpu.codegen_pipeline import LEVELS

SMALL = Device(cores=1, threads_per_core=128)
"""A device that 128 threads fill."""
ROW = f"{{{','.join(map(str, range(64)))}}}"


def text(type: str, *instructions: str, shape: str = "16,64", inputs: int = 2) -> str:
    """
    A fusion of the instructions `v0`, `v1`, ... on so many parameters `p0`, `p1`, ... of that type and shape.

    An instruction is its opcode and operands, of type `T[S]`, that of the parameters, if it does not state another.
    """
    lines = [f"p{i} = T[S] parameter({i})" for i in range(inputs)]
    for i, instruction in enumerate(instructions):
        typed = instruction if "[" in instruction.split("(")[0] else f"T[S] {instruction}"
        lines.append(f"{'ROOT ' if i == len(instructions) - 1 else ''}v{i} = {typed}")
    body = "\n  ".join(lines).replace("T[", f"{type}[").replace("[S]", f"[{shape}]")
    return f"HloModule m\nENTRY f {{\n  {body}\n}}\n"


def fusion_of(text: str) -> FusionOp:
    (fusion,) = compiler.select_fusions(parse_hlo(text))
    return fusion


def unroll(text: str) -> int:
    return loop_launch(prepare(fusion_of(text).callee_function()), SMALL).unroll


WIDE = {
    "halves": (text("bf16", "add(p0, p1)"), 8),
    "bytes": (text("s8", "add(p0, p1)"), 16),
    "truth values": (text("pred", "and(p0, p1)"), 16),
    "the widest in memory counts": (text("s8", "s16[S] convert(p0)"), 8),
    "what is wide in between does not": (
        text("bf16", "f32[S] convert(p0)", "f32[S] multiply(v0, v0)", "convert(v1)"),
        8,
    ),
    "a row for all rows": (
        text("f16", f"f16[64] constant({ROW})", "broadcast(v0), dimensions={1}", "multiply(p0, v1)"),
        8,
    ),
    "as many inputs and operations as may be": (
        text("s8", "add(p0, p1)", "add(v0, p2)", *["negate(v1)"] * 14, inputs=3),
        16,
    ),
}


@pytest.mark.parametrize(("text", "elements"), WIDE.values(), ids=WIDE)
def test_a_thread_makes_as_many_as_it_stores_at_once(text: str, elements: int):
    fusion = fusion_of(text)
    assert unroll(text) == elements
    assert f"a thread makes {elements} elements" in explain(fusion, SMALL).reason
    check_exactly(emit_fusion(fusion, SMALL), fusion.callee_function(), LEVELS)


NARROW = {
    "wide elements": text("f32", "add(p0, p1)"),
    "much is computed": text("bf16", "tanh(p0)"),
    "small floats": text("f8e5m2", "f16[S] convert(p0)"),
    "rows that end within": text("bf16", "add(p0, p1)", shape="64,20"),
    "another order in memory": text("bf16", "T[S]{0,1} add(p0, p1)", shape="64,64"),
    "few elements": text("bf16", "add(p0, p1)", shape="3,64"),
    "what is read elsewhere": text("bf16", "reverse(p0), dimensions={1}"),
    "many inputs": text("s8", "add(p0, p1)", "add(v0, p2)", "add(v1, p3)", inputs=4),
    "many operations": text("s8", *(f"add(p0, {f'v{i - 1}' if i else 'p1'})" for i in range(17))),
}


@pytest.mark.parametrize("text", NARROW.values(), ids=NARROW)
def test_a_thread_makes_no_more_than_in_other_loops(text: str):
    assert unroll(text) <= 4
    assert "elements at once" not in explain(fusion_of(text), SMALL).reason
