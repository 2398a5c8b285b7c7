"""Operations that preparation expands, executed against the evaluator's own rules for them."""

import pytest
from emission import check, fusion_of
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.utils.exceptions import PassFailedException

from xshardy import compiler
from xshardy.emitters import emit_fusion
from xshardy.tools.execution import execute_fusion
from xshardy.transforms.xla_gpu.codegen_pipeline import LEVELS

COMPUTATIONS = """
add { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT r = TYPE[] add(a, b) }
maximum { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT r = TYPE[] maximum(a, b) }
ge { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT r = pred[] compare(a, b), direction=GE }
lt { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }
"""


def module(parameters: list[str], result: str, body: str, computations: str = "") -> str:
    """An HLO module with one fusion; in `body`, the parameters are `p0`, `p1`, ..."""
    declared = "\n".join(f"  p{i} = {type} parameter({i})" for i, type in enumerate(parameters))
    operands = ", ".join(f"p{i}" for i in range(len(parameters)))
    return (
        f"HloModule m\n{computations}\nfused {{\n{declared}\n{body}\n}}\n\nENTRY main {{\n{declared}\n"
        f"  ROOT f = {result} fusion({operands}), kind=kLoop, calls=fused\n}}\n"
    )


def check_levels(text: str) -> None:
    """All levels, and PTX."""
    fusion = fusion_of(text)
    for output in execute_fusion(fusion, emit_fusion(fusion), LEVELS, check=True):
        assert output.comparison, f"level {output.level}: {output.comparison or output.not_compared}"
    assert ".entry" in compiler.compile(text).ptx


def shape(type: str, sizes: list[int]) -> str:
    return f"{type}[{','.join(map(str, sizes))}]"


# -- Batch normalization ----------------------------------------------------------------------------------------------

BATCH_NORMS = {
    "inference": ("batch-norm-inference(p0, p1, p2, p3, p4)", "XFFFF", "X"),
    "training": ("batch-norm-training(p0, p1, p2)", "XFF", "XFF"),
    "grad": ("batch-norm-grad(p0, p1, p2, p3, p4)", "XFFFX", "XFF"),
}
"""The instruction, and which operands and results have the shape of the data (X) or a number per feature (F)."""


def batch_norm(name: str, type: str, sizes: list[int], feature: int) -> str:
    instruction, operands, results = BATCH_NORMS[name]
    shapes = {"X": shape(type, sizes), "F": shape(type, [sizes[feature]])}
    result = ", ".join(shapes[each] for each in results)
    result = result if len(results) == 1 else f"({result})"
    body = f"  ROOT r = {result} {instruction}, epsilon=0.001, feature_index={feature}"
    return module([shapes[each] for each in operands], result, body)


@settings(max_examples=12, deadline=None)
@given(st.data())
def test_batch_norm(data: st.DataObject):
    name = data.draw(st.sampled_from(sorted(BATCH_NORMS)))
    # The sums of f64 cancel, and the reference adds in another order.
    types = ["f32", "bf16", "f16", *(["f64"] if name == "inference" else [])]
    type = data.draw(st.sampled_from(types))
    sizes = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    check(batch_norm(name, type, sizes, data.draw(st.integers(0, len(sizes) - 1))))


@pytest.mark.parametrize("name", BATCH_NORMS)
def test_batch_norm_at_all_levels(name: str):
    check_levels(batch_norm(name, "f32", [4, 3, 5], 1))


# -- Select and scatter -----------------------------------------------------------------------------------------------


def select_and_scatter(type: str, windows: list[tuple[int, int, int, int, int]], select: str, scatter: str) -> str:
    """Windows are (size of the operand, size of the window, stride, low and high padding) per dimension."""
    positions = [(n + low + high - window) // stride + 1 for n, window, stride, low, high in windows]
    sizes, strides = ("x".join(map(str, column)) for column in list(zip(*windows, strict=True))[1:3])
    pads = "x".join(f"{low}_{high}" for *_, low, high in windows)
    operand = shape(type, [n for n, *_ in windows])
    return module(
        [operand, shape(type, positions), f"{type}[]"],
        operand,
        f"  ROOT r = {operand} select-and-scatter(p0, p1, p2), window={{size={sizes} stride={strides} pad={pads}}}, "
        f"select={select}, scatter={scatter}",
        COMPUTATIONS.replace("TYPE", type),
    )


@st.composite
def windows(draw: st.DrawFn) -> tuple[int, int, int, int, int]:
    """A dimension of a window that is nowhere on padding alone."""
    size = draw(st.integers(1, 7))
    window = draw(st.integers(1, min(3, size)))
    low, high = draw(st.integers(0, window - 1)), draw(st.integers(0, window - 1))
    return size, window, draw(st.integers(1, 3)), low, high


@given(
    st.sampled_from(["f32", "s32", "u8"]),
    st.lists(windows(), min_size=1, max_size=3),
    st.sampled_from(["ge", "lt"]),
    st.sampled_from(["add", "maximum"]),
)
def test_select_and_scatter(type: str, windows: list[tuple[int, int, int, int, int]], select: str, scatter: str):
    """Overlapping windows and gaps, padding, ties; each element of the source goes to one element."""
    check(select_and_scatter(type, windows, select, scatter))


def test_select_and_scatter_at_all_levels():
    check_levels(select_and_scatter("f32", [(8, 3, 2, 1, 0), (6, 2, 2, 0, 0)], "ge", "add"))


def test_large_windows_are_refused():
    text = select_and_scatter("f32", [(64, 32, 32, 0, 0), (64, 32, 32, 0, 0)], "ge", "add")
    with pytest.raises(PassFailedException, match="windows of 1024 elements cannot be emitted: at most 256"):
        emit_fusion(fusion_of(text))


# -- Control flow -----------------------------------------------------------------------------------------------------

BRANCHES = """
first { x = f32[5] parameter(0) ROOT r = f32[5] negate(x) }
second { x = f32[5] parameter(0) y = f32[5] sine(x) ROOT r = f32[5] add(x, y) }
third { x = f32[5] parameter(0) ROOT r = f32[5] multiply(x, x) }
"""


@pytest.mark.parametrize("branches", [["first"], ["first", "second"], ["first", "second", "third"]])
@pytest.mark.parametrize("seed", range(4))
def test_conditional_by_index(branches: list[str], seed: int):
    """Indices without a branch, negative ones included, choose the last one."""
    operands = ", ".join(["p0", *["p1"] * len(branches)])
    body = f"  ROOT r = f32[5] conditional({operands}), branch_computations={{{', '.join(branches)}}}"
    check(module(["s32[]", "f32[5]"], "f32[5]", body, BRANCHES), seed)


def test_conditional_by_predicate():
    body = "  ROOT r = f32[5] conditional(p0, p1, p1), true_computation=first, false_computation=second"
    check_levels(module(["pred[]", "f32[5]"], "f32[5]", body, BRANCHES))


LOOP = """
less { s = (s32[], f32[6]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(LIMIT)
  ROOT r = pred[] compare(i, n), direction=LT }
step { s = (s32[], f32[6]) parameter(0) i = s32[] get-tuple-element(s), index=0
  x = f32[6] get-tuple-element(s), index=1 one = s32[] constant(1) j = s32[] add(i, one)
  f = f32[] convert(i) b = f32[6] broadcast(f), dimensions={} y = f32[6] sine(x) z = f32[6] add(y, b)
  ROOT r = (s32[], f32[6]) tuple(j, z) }
"""
LOOP_BODY = """
  i = s32[] constant(1)
  t = (s32[], f32[6]) tuple(START, p0)
  w = (s32[], f32[6]) while(t), condition=less, body=step
  ROOT r = f32[6] get-tuple-element(w), index=1
"""


@pytest.mark.parametrize("limit", [0, 2, 5])
def test_counted_loop(limit: int):
    text = module(["f32[6]"], "f32[6]", LOOP_BODY.replace("START", "i"), LOOP.replace("LIMIT", str(limit)))
    check_levels(text)


def test_other_loops_are_refused():
    unknown = module(["f32[6]", "s32[]"], "f32[6]", LOOP_BODY.replace("START", "p1"), LOOP.replace("LIMIT", "5"))
    with pytest.raises(PassFailedException, match="the number of its iterations is not known; leave the loop"):
        emit_fusion(fusion_of(unknown))
    long = module(["f32[6]"], "f32[6]", LOOP_BODY.replace("START", "i"), LOOP.replace("LIMIT", "5000"))
    with pytest.raises(PassFailedException, match="4999 iterations of 7 operations are more than 2048"):
        emit_fusion(fusion_of(long))


# -- Results of several sizes -----------------------------------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 400), min_size=2, max_size=4))
def test_results_of_several_sizes(sizes: list[int]):
    """A loop for each size, also for empty results."""
    types = [f"f32[{size}]" for size in sizes]
    lines = [f"  r{i} = {type} negate(p{i})" for i, type in enumerate(types)]
    result = f"({', '.join(types)})"
    lines.append(f"  ROOT r = {result} tuple({', '.join(f'r{i}' for i in range(len(sizes)))})")
    check(module(types, result, "\n".join(lines)))


@pytest.mark.parametrize(
    ("algorithm", "state"), [("rng_three_fry", 2), ("rng_philox", 2), ("rng_philox", 3), ("rng_default", 2)]
)
@pytest.mark.parametrize("numbers", ["u32[10]", "u64[3,5]", "s16[33]"])
def test_random_bits_and_the_next_state(algorithm: str, state: int, numbers: str):
    result = f"(u64[{state}], {numbers})"
    check(module([f"u64[{state}]"], result, f"  ROOT r = {result} rng-bit-generator(p0), algorithm={algorithm}"))


# -- Complex cube roots -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("type", ["c64", "c128"])
def test_complex_cube_root(type: str):
    check_levels(module([f"{type}[200]"], f"{type}[200]", f"  ROOT r = {type}[200] cbrt(p0)"))
