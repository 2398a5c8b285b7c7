"""What decides on the kernel of a scatter, and scatters of every form in place."""

import pytest
from emission import check, fusion_of
from test_choices import module
from xdsl.dialects import arith
from xdsl.dialects.builtin import BoolAttr, ModuleOp, i1, i8, i32

from xshardy.dialects.stablehlo.scatter import ScatterOp
from xshardy.dialects.xla_gpu.discardable import launch_dimensions
from xshardy.emitters import emit_fusion, explain
from xshardy.emitters.analysis import Fusion
from xshardy.emitters.scatter.distribution import _width, is_associative
from xshardy.emitters.scatter.kernel import ScatterFusion
from xshardy.emitters.scatter.slices import Slices
from xshardy.gpus.devices import Device
from xshardy.interpreters.simt import find_kernel

WINDOW = "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1"
POINTS = "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1"


def scatter(operand: str, indices: str, updates: str, dimensions: str, options: str = "", combine: str = "sum") -> str:
    """A fusion of a scatter of parameters of these shapes."""
    body = f"ROOT r = {operand} scatter(p0, p1, p2), {dimensions}{options}, to_apply={combine}"
    return module(f"{operand}; {indices}; {updates}", body, operand)


def points(count: int, options: str = "") -> str:
    return scatter("f32[30]", f"s32[{count},1]", f"f32[{count}]", POINTS, options)


def reason(text: str) -> str:
    choice = explain(fusion_of(text))
    return f"{choice.emitter}: {choice.reason}"


def op_of(text: str) -> ScatterOp:
    (op,) = (op for op in fusion_of(text).callee_function().walk() if isinstance(op, ScatterOp))
    return op


@pytest.mark.parametrize(
    ("count", "options", "is_unique"),
    [
        (5, "", False),
        (5, ", unique_indices=true", True),
        (5, ", unique_indices=false", False),
        (2, "", False),
        (1, "", True),
        (1, ", unique_indices=false", True),
    ],
)
def test_updates_are_atomic_unless_the_indices_differ(count: int, options: str, is_unique: bool):
    text = points(count, options)
    assert reason(text).startswith("scatter: ")
    assert reason(text).endswith("the indices differ" if is_unique else "updates of one element are atomic")
    check(text)


def test_without_a_statement_indices_may_be_equal():
    fusion = fusion_of(points(5))
    scatter_fusion = ScatterFusion.of(Fusion(fusion.callee_function(), Device()))
    assert scatter_fusion is not None
    for said, is_unique in ((None, False), (BoolAttr.from_bool(False), False), (BoolAttr.from_bool(True), True)):
        scatter_fusion.op.unique_indices = said
        assert scatter_fusion.is_unique == is_unique


PAIR = """pair {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  e = f32[] add(a, c)
  f = f32[] maximum(b, d)
  ROOT t = (f32[], f32[]) tuple(e, f)
}
fused {"""


@pytest.mark.parametrize(("options", "emitter"), [("", "loop"), (", unique_indices=true", "scatter")])
def test_two_tensors_are_not_updated_atomically(options: str, emitter: str):
    result = "(f32[30], f32[30])"
    body = f"ROOT r = {result} scatter(p0, p1, p2, p3, p3), {POINTS}{options}, to_apply=pair"
    text = module("f32[30]; f32[30]; s32[4,1]; f32[4]", body, result).replace("fused {", PAIR, 1)
    found = reason(text)
    assert found.startswith(emitter)
    assert ("no atomic operation updates elements of 2 tensors together" in found) == (emitter == "loop")


@pytest.mark.parametrize("other", ["n = f32[30] negate(p0)", None])
def test_an_operand_that_is_read_elsewhere_is_not_updated_in_place(other: str | None):
    if other is None:
        body = f"u = f32[4] slice(p0), slice={{[0:4]}}\nROOT r = f32[30] scatter(p0, p1, u), {POINTS}, to_apply=sum"
    else:
        body = f"{other}\nROOT r = f32[30] scatter(n, p1, p2), {POINTS}, to_apply=sum"
    text = module("f32[30]; s32[4,1]; f32[4]", body, "f32[30]")
    assert "an operand is not a parameter, or read for something else as well" in reason(text)


@pytest.mark.parametrize(
    ("instruction", "is_one"),
    [
        *(("multiply(a, b)", True), ("add(b, a)", True), ("maximum(a, b)", True), ("minimum(a, b)", True)),
        *(("subtract(a, b)", False), ("add(a, a)", False), ("divide(a, b)", False)),
    ],
)
def test_associative_computations(instruction: str, is_one: bool):
    text = points(5).replace("add(a, b)", instruction)
    assert is_associative(op_of(text)) == is_one


def test_elements_take_a_byte_at_least():
    assert [_width(type) for type in (i1, i8, i32)] == [8, 8, 32]


def test_starts_at_which_a_slice_is_inside():
    dimensions = WINDOW.replace("update_window_dims={1}, inserted_window_dims={0}", "update_window_dims={1,2}")
    dimensions += ", inserted_window_dims={}"
    assert Slices(op_of(scatter("f32[30,8]", "s32[5,1]", "f32[5,2,8]", dimensions))).possible_starts == 29


# -- Kernels ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("operand", "indices", "updates", "dimensions"),
    [
        ("f32[8]", "s32[0,1]", "f32[0]", POINTS),
        ("f32[0]", "s32[3,1]", "f32[3]", POINTS),
        ("f32[5,0]", "s32[3,1]", "f32[3,0]", WINDOW),
        ("f32[5,4]", "s32[3,1]", "f32[3,4]", WINDOW),
        ("f32[5,4]", "s32[3,1]", "f32[3,4]{0,1}", WINDOW),
        (
            "f32[3,5,2]",
            "s32[3,4,1]",
            "f32[3,4,2]",
            "update_window_dims={2}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, index_vector_dim=2, "
            "input_batching_dims={0}, scatter_indices_batching_dims={0}",
        ),
    ],
    ids=["no updates", "no elements", "empty slices", "slices", "interleaved slices", "batches"],
)
def test_scatters_in_place(operand: str, indices: str, updates: str, dimensions: str):
    text = scatter(operand, indices, updates, dimensions)
    assert reason(text).startswith("scatter")
    check(text)


def test_a_combining_computation_that_is_used_elsewhere_stays():
    """The updates are sums, too."""
    body = f"""z = f32[] constant(0)
  n = f32[4,3] negate(p2)
  u = f32[4] reduce(n, z), dimensions={{1}}, to_apply=sum
  ROOT r = f32[30] scatter(p0, p1, u), {POINTS}, to_apply=sum"""
    check(module("f32[30]; s32[4,1]; f32[4,3]", body, "f32[30]"))


def comparisons(kernel: ModuleOp) -> int:
    """How often the kernel asks whether a thread has a slice: `number < count`, without a sign."""
    return sum(isinstance(op, arith.CmpiOp) and op.predicate.value.data == 6 for op in kernel.walk())


@pytest.mark.parametrize(
    ("operand", "indices", "updates", "count"),
    [
        ("f32[500,4]", "s32[32,1]", "f32[32,4]", 0),
        ("f32[500,4]", "s32[50,1]", "f32[50,4]", 1),
        ("f32[500,4]", "s32[50,1]", "f32[50,4]{0,1}", 0),
    ],
    ids=["as many updates as threads", "fewer", "interleaved slices"],
)
def test_the_number_of_its_slice_tells_a_thread_whether_it_has_updates(
    operand: str, indices: str, updates: str, count: int
):
    assert comparisons(emit_fusion(fusion_of(scatter(operand, indices, updates, WINDOW)))) == count


@pytest.mark.parametrize(("layout", "blocks"), [("{1,0}", 16), ("{0,1}", 64)])
def test_a_thread_takes_several_updates_that_are_adjacent_in_one_slice(layout: str, blocks: int):
    text = scatter("f32[500,4]", "s32[2048,1]", f"f32[2048,4]{layout}", WINDOW)
    kernel = find_kernel(emit_fusion(fusion_of(text), Device(cores=1, threads_per_core=1024)))
    assert launch_dimensions(kernel) == ((128, 1, 1), (blocks, 1, 1))
