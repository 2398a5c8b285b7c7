"""How threads share the slices of a scatter with sorted indices. The launches of rows that fill a warp are XLA's."""

import pytest
from emission import fusion_of

from xshardy.emitters.analysis import Fusion
from xshardy.emitters.scatter.distribution import runs_of
from xshardy.emitters.scatter.kernel import ScatterFusion
from xshardy.gpus.devices import Device


def rows(
    type: str,
    operand: int,
    updates: int,
    row: int,
    index: str = "s32",
    operation: str = "add",
    combine: str | None = None,
    layout: str = "{1,0}",
) -> ScatterFusion:
    """A scatter of `updates` rows, which have a `layout`, into a tensor of `operand` of them."""
    combine = combine or f"ROOT r = {type}[] {operation}(a, b)"
    parameters = (
        (
            f"p = {type}[{operand},{row}] parameter(0) i = {index}[{updates}] parameter(1) "
            f"u = {type}[{updates},{row}]{layout} parameter(2)"
        )
        .replace(" i =", "\n i =")
        .replace(" u =", "\n u =")
    )
    fusion = fusion_of(
        f"""
        HloModule m
        combine {{
          a = {type}[] parameter(0)
          b = {type}[] parameter(1)
          {combine}
        }}
        fused {{
          {parameters}
          ROOT s = {type}[{operand},{row}] scatter(p, i, u),
            update_window_dims={{1}}, inserted_window_dims={{0}}, scatter_dims_to_operand_dims={{0}},
            index_vector_dim=1, indices_are_sorted=true, to_apply=combine
        }}
        ENTRY main {{
          {parameters}
          ROOT f = {type}[{operand},{row}] fusion(p, i, u), kind=kInput, calls=fused
        }}
        """
    )
    scatter = ScatterFusion.of(Fusion(fusion.callee_function(), Device()))
    assert scatter is not None
    return scatter


# operand, updates, row, lanes, slices, indices at once, steps, elements at once, blocks
SHARED = [
    ("f32", 4096, 100000, 64, 32, 28, 4, 1, 2, 893),
    ("f32", 69, 2008, 32, 32, 4, 1, 1, 1, 126),
    ("s32", 37, 2008, 64, 32, 4, 1, 1, 2, 126),
    ("f32", 10, 40000, 128, 32, 76, 4, 1, 4, 132),
    ("bf16", 10, 40000, 256, 32, 76, 4, 1, 8, 132),
    ("f32", 10, 40000, 100, 32, 76, 4, 2, 2, 132),
    ("f32", 10, 40000, 1024, 128, 304, 4, 2, 4, 132),
    ("f32", 10, 40000, 16, 4, 12, 4, 1, 4, 105),
    ("f32", 10, 40000, 3, 4, 12, 4, 1, 1, 105),
    ("pred", 10, 40000, 64, 32, 76, 4, 1, 2, 132),
]


@pytest.mark.parametrize(
    ("type", "operand", "updates", "row", "lanes", "slices", "vector_slices", "steps", "vector", "blocks"), SHARED
)
def test_slices_are_shared(type, operand, updates, row, lanes, slices, vector_slices, steps, vector, blocks):
    runs = runs_of(rows(type, operand, updates, row, operation="or" if type == "pred" else "add"))
    assert runs is not None
    assert (runs.lanes, runs.slices, runs.vector_slices, runs.steps, runs.vector) == (
        lanes,
        slices,
        vector_slices,
        steps,
        vector,
    )
    assert (runs.launch.threads, runs.launch.blocks) == (128, (blocks, 1))


def test_elements_of_columns_are_read_one_by_one():
    runs = runs_of(rows("f32", 10, 40000, 128, layout="{0,1}"))
    assert runs is not None
    assert (runs.lanes, runs.vector) == (32, 1)


def test_sums_of_narrow_floats_may_be_wide():
    wide = "a32 = f32[] convert(a)\n b32 = f32[] convert(b)\n sum = f32[] add(a32, b32)"
    runs = runs_of(rows("bf16", 10, 40000, 256, combine=f"{wide}\n ROOT r = bf16[] convert(sum)"))
    assert runs is not None


def test_wide_indices_are_fewer_at_once():
    runs = runs_of(rows("f32", 4096, 100000, 64, index="s64"))
    assert runs is not None
    assert (runs.slices, runs.vector_slices) == (26, 2)


@pytest.mark.parametrize(
    "scatter",
    [
        pytest.param(rows("f32", 10, 500, 64), id="few updates"),
        pytest.param(rows("f32", 50000, 50000, 64), id="as many places as updates"),
        pytest.param(rows("c64", 10, 40000, 64), id="complex numbers"),
        pytest.param(rows("s4", 10, 40000, 64), id="elements that share bytes"),
        pytest.param(rows("s32", 10, 40000, 64, operation="subtract"), id="an operation that is not associative"),
        pytest.param(rows("f32", 10, 40000, 0), id="rows of nothing"),
        pytest.param(
            rows("s32", 10, 40000, 64, combine="n = s32[] negate(b)\n ROOT r = s32[] add(a, n)"),
            id="a difference",
        ),
        pytest.param(
            rows("f32", 10, 40000, 64, combine="i = s8[] convert(b)\n j = f32[] convert(i)\n ROOT r = f32[] add(a, j)"),
            id="rounded updates",
        ),
    ],
)
def test_slices_are_not_shared(scatter: ScatterFusion):
    assert runs_of(scatter) is None
