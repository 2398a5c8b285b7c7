"""The row-wise emitter: which computations it takes, their tilings, and what its kernels compute."""

from collections.abc import Sequence

import pytest
from emission import check, check_kernel, fusion_of
from hypothesis import given
from hypothesis.strategies import integers, sampled_from
from reduction.test_reduction_tiling import SMALL
from reduction.test_reduction_tiling import check as check_tiling
from test_choices import module

from xshardy.dialects.stablehlo.reduction import ReduceOp
from xshardy.emitters import emit_fusion, explain
from xshardy.emitters.row_wise.choice import row_dimensions
from xshardy.emitters.row_wise.tiling import row_wise_tiling
from xshardy.gpus.devices import Device

REDUCERS = """
larger {
  a = TYPE[] parameter(0)
  b = TYPE[] parameter(1)
  ROOT m = TYPE[] maximum(a, b)
}
total {
  a = TYPE[] parameter(0)
  b = TYPE[] parameter(1)
  ROOT t = TYPE[] add(a, b)
}
"""


def filled(body: str, result: str, **values: str) -> str:
    """A module with a fusion of `body`, in which SHAPE, ROWS, TYPE and others stand for `values`."""
    text = module("SHAPE", body, result).replace("HloModule m\n", f"HloModule m\n{REDUCERS}")
    for name, value in values.items():
        text = text.replace(name, value)
    return text


def of_minor_rows(body: str, result: str, sizes: Sequence[int], type: str = "f32") -> str:
    """`filled` for the reduction of the minor dimension of a shape of these sizes."""
    *kept, minor = map(str, sizes)
    return filled(
        body,
        result,
        SHAPE=f"{type}[{','.join([*kept, minor])}]",
        ROWS=f"{type}[{','.join(kept)}]",
        REDUCED=f"{{{len(kept)}}}",
        KEPT=f"{{{','.join(map(str, range(len(kept))))}}}",
        COUNT=minor,
        TYPE=type,
    )


POWERS = """
  lowest = TYPE[] constant(-inf)
  zero = TYPE[] constant(0)
  m = ROWS reduce(p0, lowest), dimensions=REDUCED, to_apply=larger
  mb = SHAPE broadcast(m), dimensions=KEPT
  d = SHAPE subtract(p0, mb)
  e = SHAPE exponential(d)
  s = ROWS reduce(e, zero), dimensions=REDUCED, to_apply=total
"""
SOFTMAX = f"{POWERS}sb = SHAPE broadcast(s), dimensions=KEPT\nROOT r = SHAPE divide(e, sb)"
LOG_SUM_EXP = f"{POWERS}l = ROWS log(s)\nROOT r = ROWS add(l, m)"
MOMENTS = """
  zero = TYPE[] constant(0)
  one = TYPE[] constant(1)
  count = TYPE[] constant(COUNT)
  ns = ROWS broadcast(count), dimensions={}
  ones = ROWS broadcast(one), dimensions={}
  s = ROWS reduce(p0, zero), dimensions=REDUCED, to_apply=total
  mean = ROWS divide(s, ns)
  mb = SHAPE broadcast(mean), dimensions=KEPT
  d = SHAPE subtract(p0, mb)
  q = SHAPE multiply(d, d)
  v = ROWS reduce(q, zero), dimensions=REDUCED, to_apply=total
  var = ROWS divide(v, ns)
  w = ROWS add(var, ones)
  k = ROWS rsqrt(w)
  kb = SHAPE broadcast(k), dimensions=KEPT
  y = SHAPE multiply(d, kb)
  ROOT r = (ROWS, SHAPE, ROWS) tuple(mean, y, var)
"""
RANGE = """
  lowest = TYPE[] constant(-inf)
  zero = TYPE[] constant(0)
  n = SHAPE negate(p0)
  m = ROWS reduce(p0, lowest), dimensions=REDUCED, to_apply=larger
  k = ROWS reduce(n, lowest), dimensions=REDUCED, to_apply=larger
  w = ROWS add(m, k)
  wb = SHAPE broadcast(w), dimensions=KEPT
  ROOT r = SHAPE multiply(p0, wb)
"""
SPREAD = """
  lowest = TYPE[] constant(-inf)
  n = SHAPE negate(p0)
  m = ROWS reduce(p0, lowest), dimensions=REDUCED, to_apply=larger
  k = ROWS reduce(n, lowest), dimensions=REDUCED, to_apply=larger
  ROOT r = ROWS add(m, k)
"""
PROGRAMS = {
    "softmax": (SOFTMAX, "SHAPE"),
    "logarithm of the sum of powers": (LOG_SUM_EXP, "ROWS"),
    "moments and normalization": (MOMENTS, "(ROWS, SHAPE, ROWS)"),
    "two reductions at once": (RANGE, "SHAPE"),
    "a number of two reductions": (SPREAD, "ROWS"),
}
TYPES = ("f32", "f64", "bf16", "f16")


@given(sampled_from([*PROGRAMS.values()]), sampled_from(TYPES), integers(1, 5), integers(1, 9), integers(16, 700))
def test_programs(program: tuple[str, str], type: str, outer: int, inner: int, minor: int):
    text = of_minor_rows(*program, (outer, inner, minor), type)
    assert explain(fusion_of(text)).emitter == "row_wise"
    check(text)


@pytest.mark.parametrize(("rows", "minor"), [(1, 40000), (2, 8192), (700, 24), (3, 16)])
@pytest.mark.parametrize("device", [Device(), Device(cores=1, threads_per_core=64)])
def test_few_and_many_rows(rows: int, minor: int, device: Device):
    """A block or a part of a warp for each row, and threads with one element of it or with a loop of them."""
    fusion = fusion_of(of_minor_rows(SOFTMAX, "SHAPE", (rows, minor)))
    check_kernel(emit_fusion(fusion, device), fusion.callee_function())


@pytest.mark.parametrize(
    ("shape", "rows", "reduced", "kept"),
    [
        ("f32[3,5,8,20]", "f32[3,5]", "{2,3}", "{0,1}"),
        ("f32[50,40]{0,1}", "f32[40]", "{0}", "{1}"),
        ("f32[3,32,5]{1,2,0}", "f32[3,5]", "{1}", "{0,2}"),
        ("f32[400]", "f32[]", "{0}", "{}"),
    ],
)
def test_rows_are_contiguous_in_memory(shape: str, rows: str, reduced: str, kept: str):
    text = filled(SOFTMAX, "SHAPE", SHAPE=shape, ROWS=rows, REDUCED=reduced, KEPT=kept, TYPE="f32")
    assert explain(fusion_of(text)).emitter == "row_wise"
    check(text)


def test_results_of_several_reduced_values_are_computed_once_for_each_row():
    choice = explain(fusion_of(of_minor_rows(SPREAD, "ROWS", (8, 64))))
    assert choice.emitter == "row_wise" and "computes results from several reduced values" in choice.reason


HEAD = """
  zero = TYPE[] constant(0)
  s = ROWS reduce(p0, zero), dimensions=REDUCED, to_apply=total
"""
OTHERS = {
    "a row needs the sum of another one": (
        HEAD + "t = ROWS reverse(s), dimensions={0}\nb = SHAPE broadcast(t), dimensions=KEPT\n"
        "ROOT r = SHAPE add(p0, b)",
        "SHAPE",
        "loop",
    ),
    "a row needs its own sum and that of another one": (
        HEAD + "t = ROWS reverse(s), dimensions={0}\nu = ROWS add(s, t)\nb = SHAPE broadcast(u), dimensions=KEPT\n"
        "ROOT r = SHAPE add(p0, b)",
        "SHAPE",
        "loop",
    ),
    "no row is read again": (HEAD + "ROOT r = ROWS negate(s)", "ROWS", "row_reduction"),
    "a result has another size": (
        HEAD + "b = SHAPE broadcast(s), dimensions=KEPT\nd = SHAPE add(p0, b)\n"
        "ROOT r = TYPE[4,16] slice(d), slice={[0:4],[0:16]}",
        "TYPE[4,16]",
        "loop",
    ),
    "columns": (
        "zero = TYPE[] constant(0)\ns = TYPE[64] reduce(p0, zero), dimensions={0}, to_apply=total\n"
        "b = SHAPE broadcast(s), dimensions={1}\nROOT r = SHAPE add(p0, b)",
        "SHAPE",
        "loop",
    ),
}


@pytest.mark.parametrize(("body", "result", "emitter"), OTHERS.values(), ids=OTHERS)
def test_other_fusions_have_other_emitters(body: str, result: str, emitter: str):
    text = of_minor_rows(body, result, (8, 64))
    assert explain(fusion_of(text)).emitter == emitter
    check(text)


def test_no_row_is_reduced_from_a_value_of_another_row():
    body = (
        HEAD + "i = TYPE[1] slice(s), slice={[0:1]}\nj = TYPE[] reshape(i)\n"
        "t = ROWS reduce(p0, j), dimensions=REDUCED, to_apply=total\nb = SHAPE broadcast(t), dimensions=KEPT\n"
        "ROOT r = SHAPE add(p0, b)"
    )
    assert explain(fusion_of(of_minor_rows(body, "SHAPE", (8, 64)))).emitter == "loop"


def test_short_rows_are_reduced_by_each_thread():
    assert explain(fusion_of(of_minor_rows(SOFTMAX, "SHAPE", (8, 15)))).emitter == "loop"


@pytest.mark.parametrize(
    ("shape", "dimensions", "sizes"),
    [
        ("f32[8,16]", "{1}", (1, 8, 16)),
        ("f32[8,15]", "{1}", None),
        ("f32[4,2,16]", "{2}", (1, 8, 16)),
        ("f32[4,8,16]", "{0,2}", None),
        ("f32[8,64]", "{0}", None),
        ("f32[4,8,64]", "{1}", None),
        ("f32[0,64]", "{1}", None),
        ("f32[4,8,4,16]", "{1,3}", None),
    ],
)
def test_which_reductions_are_of_rows(shape: str, dimensions: str, sizes: tuple[int, int, int] | None):
    """The last one keeps and reduces dimensions in turns."""
    kept = [size for d, size in enumerate(shape[4:-1].split(",")) if str(d) not in dimensions]
    result = f"f32[{','.join(kept)}]"
    body = f"zero = f32[] constant(0)\nROOT r = {result} reduce(p0, zero), dimensions={dimensions}, to_apply=sum"
    computation = fusion_of(module(shape, body, result)).callee_function()
    (op,) = (op for op in computation.walk() if isinstance(op, ReduceOp))
    found = row_dimensions(op)
    assert (found and found.sizes) == sizes and (found is None or found.is_row)


@pytest.mark.parametrize(
    ("rows", "minor", "width", "threads", "blocks", "vector"),
    [
        (4096, 1000, 32, 128, 4096, 4),
        (65536, 512, 16, 128, 16384, 8),
        (8, 65536, 32, 1024, 8, 4),
        (99, 33, 32, 128, 25, 1),
        (1000, 16, 8, 128, 8, 16),  # a row is one access of one thread
    ],
)
def test_launches(rows: int, minor: int, width: int, threads: int, blocks: int, vector: int):
    tiling = row_wise_tiling(rows, minor, width, width, Device())
    assert (tiling.launch.threads, tiling.launch.blocks) == (threads, (blocks, 1))
    assert tiling.input.symbol_intervals[-1].size == vector


@given(integers(1, 19), integers(1, 300), sampled_from([None, 8, 16, 32, 64]), sampled_from([0, 4, 32, 128]))
def test_tilings(rows: int, minor: int, narrowest_input: int | None, widest_output: int):
    check_tiling(row_wise_tiling(rows, minor, narrowest_input, widest_output, SMALL))
