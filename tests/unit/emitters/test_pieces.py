"""Loops in which a thread computes two vectors of elements, and those in which it computes one."""

import pytest
from test_random_fusions import check_exactly
from test_wide_unroll import SMALL, fusion_of, text

from xshardy.emitters import emit_fusion, explain
from xshardy.emitters.launch_dimensions import LaunchDimensions
from xshardy.emitters.loop import loop_launch
from xshardy.emitters.preparation import prepare
from xshardy.transforms.xla_gpu.codegen_pipeline import LEVELS


def launch(text: str) -> LaunchDimensions:
    return loop_launch(prepare(fusion_of(text).callee_function()), SMALL)


def row(size: int, *instructions: str, shape: str) -> str:
    """A fusion of `instructions`, the first of which is `p0` plus a row for all rows, which becomes `v2`."""
    values = f"{{{','.join(map(str, range(size)))}}}"
    constant = f"f32[{size}] constant({values})"
    return text("f32", constant, "broadcast(v0), dimensions={1}", "add(p0, v1)", *instructions, shape=shape, inputs=1)


TWO = {
    "rows that divide a block": (row(64, shape="16,64"), 1, 1),
    "rows of several blocks": (row(1024, "multiply(v2, v2)", shape="6,1024"), 6, 2),
    "rows that no block divides": (row(96, shape="32,96"), 3, 1),
    "divisions and roots": (text("f32", "divide(p0, p1)", "sqrt(v0)"), 1, 1),
    "halves, eight at once": (text("bf16", "add(p0, p1)", shape="32,64"), 1, 1),
}


@pytest.mark.parametrize(("text", "blocks", "apart"), TWO.values(), ids=TWO)
def test_a_thread_computes_two_vectors(text: str, blocks: int, apart: int):
    fusion = fusion_of(text)
    found = launch(text)
    assert (found.pieces, found.blocks, found.apart) == (2, (blocks, 1), apart)
    assert "a thread makes 2 vectors" in explain(fusion, SMALL).reason
    check_exactly(emit_fusion(fusion, SMALL), fusion.callee_function(), LEVELS)


ONE = {
    "much is computed": text("f32", "tanh(p0)"),
    "many operations": text("f32", *(f"add(p0, {f'v{i - 1}' if i else 'p1'})" for i in range(17))),
    "elements that two vectors do not divide": text("f32", "add(p0, p1)", shape="24,64"),
    "an odd number of rows of several blocks": row(1024, shape="3,1024"),
    "few elements": text("f32", "add(p0, p1)", shape="1,64"),
    "sixteen at once": text("s8", "add(p0, p1)", shape="64,64"),
    "what is read elsewhere": text("f32", "reverse(p0), dimensions={1}"),
}


@pytest.mark.parametrize("text", ONE.values(), ids=ONE)
def test_a_thread_computes_one_vector(text: str):
    assert launch(text).pieces == 1
    assert "vectors" not in explain(fusion_of(text), SMALL).reason
