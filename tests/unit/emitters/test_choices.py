"""Which emitter a fusion gets, and why."""

import pytest
from emission import check, fusion_of

from xshardy.dialects.stablehlo.shape import ConcatenateOp
from xshardy.dialects.stablehlo.slicing import SliceOp
from xshardy.dialects.xla_gpu.discardable import launch_dimensions
from xshardy.dialects.xla_gpu.ops import PureCallOp
from xshardy.emitters import emit_fusion, explain
from xshardy.gpus.devices import Device
from xshardy.interpreters.simt import find_kernel


def module(parameters: str, body: str, result: str) -> str:
    """A module with one fusion: the shapes of its parameters p0, p1, ..., its other instructions, its result shape."""
    shapes = parameters.split("; ") if parameters else []
    declared = "\n".join(f"  p{i} = {shape} parameter({i})" for i, shape in enumerate(shapes))
    names = ", ".join(f"p{i}" for i in range(len(shapes)))
    return f"""HloModule m
sum {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}}
fused {{
{declared}
{body}
}}
ENTRY main {{
{declared}
  ROOT fusion = {result} fusion({names}), kind=kLoop, calls=fused
}}
"""


def emitter_of(parameters: str, body: str, result: str) -> str:
    """The emitter of a fusion, which also computes what the reference does."""
    text = module(parameters, body, result)
    check(text)
    return explain(fusion_of(text)).emitter


FOUR = "f32[4]; f32[4]; f32[8]"
CONCATENATION = "c = f32[8] concatenate(p0, p1), dimensions={0}\n"


@pytest.mark.parametrize(
    ("operations", "emitter"),
    [
        ("ROOT r = f32[8] negate(c)", "concatenate"),
        ("n = f32[8] negate(c)\nROOT r = f32[8] add(c, n)", "concatenate"),
        ("q = pred[8] compare(c, p2), direction=LT\nROOT r = f32[8] select(q, c, p2)", "concatenate"),
        ("b = f32[2,4] bitcast(c)\nROOT r = f32[2,4] negate(b)", "concatenate"),
        ("b = f32[2,4] reshape(c)\nROOT r = f32[2,4] negate(b)", "concatenate"),
        ("b = f32[8] copy(c)\nROOT r = f32[8] negate(b)", "concatenate"),
        ("d = f32[8] concatenate(p1, p0), dimensions={0}\nROOT r = f32[8] add(c, d)", "loop"),
        ("ROOT r = f32[8] reverse(c), dimensions={0}", "loop"),
        ("b = f32[8] reverse(c), dimensions={0}\nROOT r = f32[8] add(c, b)", "loop"),
        ("b = f32[8] broadcast(p2), dimensions={0}\nROOT r = f32[8] add(c, b)", "concatenate"),
    ],
)
def test_elementwise_operations_may_lie_between_a_hero_and_the_result(operations: str, emitter: str):
    result = "f32[2,4]" if "f32[2,4]" in operations else "f32[8]"
    assert emitter_of(FOUR, CONCATENATION + operations, result) == emitter


def test_heroes_behind_other_operations_do_not_count():
    body = """  c = f32[8] concatenate(p0, p1), dimensions={0}
    d = f32[8] concatenate(p1, p0), dimensions={0}
    b = f32[8] reverse(d), dimensions={0}
    ROOT r = f32[8] add(b, c)"""
    choice = explain(fusion_of(module(FOUR, body, "f32[8]")))
    assert isinstance(choice.hero, ConcatenateOp)
    assert choice.hero.result.name_hint == "c"


def test_reshapes_of_other_layouts_are_not_elementwise():
    """The elements of a transposed tensor are in another order than those of the row that they become."""
    body = """  c = f32[2,4]{0,1} concatenate(p0, p1), dimensions={1}
    ROOT r = f32[8] reshape(c)"""
    assert emitter_of("f32[2,2]{0,1}; f32[2,2]{0,1}", body, "f32[8]") == "loop"


def test_copies_to_other_layouts_are_not_elementwise():
    body = """  c = f32[2,4] concatenate(p0, p1), dimensions={1}
    ROOT r = f32[2,4]{0,1} copy(c)"""
    assert emitter_of("f32[2,2]; f32[2,2]", body, "f32[2,4]{0,1}") == "loop"


@pytest.mark.parametrize(("count", "emitter"), [(1, "concatenate"), (4, "concatenate"), (5, "loop")])
def test_at_most_four_tensors_are_concatenated_by_loops_of_their_own(count: int, emitter: str):
    names = ", ".join(f"p{i}" for i in range(count))
    body = f"ROOT c = f32[{3 * count}] concatenate({names}), dimensions={{0}}"
    assert emitter_of("; ".join(["f32[3]"] * count), body, f"f32[{3 * count}]") == emitter


def test_empty_concatenations_are_loops():
    body = "ROOT c = f32[0] concatenate(p0, p1), dimensions={0}"
    assert emitter_of("f32[0]; f32[0]", body, "f32[0]") == "loop"


# -- Slices of inputs -------------------------------------------------------------------------------------------------

SLICES = """  a = f32[3] slice(p0), slice={[1:4]}
  b = f32[2] slice(p0), slice={[0:2]}
"""


@pytest.mark.parametrize(
    ("operations", "result", "emitter"),
    [
        ("ROOT t = (f32[3], f32[2]) tuple(a, b)", "(f32[3], f32[2])", "input_slices"),
        ("c = f32[0] slice(p0), slice={[3:3]}\nROOT t = (f32[3], f32[0]) tuple(a, c)", "(f32[3], f32[0])", None),
        ("c = f32[5] negate(p0)\nROOT t = (f32[5], f32[3], f32[2]) tuple(c, a, b)", None, "loop"),
        ("c = f32[2] slice(p1), slice={[1:3]}\nROOT t = (f32[3], f32[2]) tuple(a, c)", "(f32[3], f32[2])", "loop"),
        ("c = f32[2] slice(p0), slice={[0:3:2]}\nROOT t = (f32[3], f32[2]) tuple(a, c)", "(f32[3], f32[2])", "loop"),
        ("ROOT c = f32[3] slice(p0), slice={[1:4]}", "f32[3]", "loop"),
    ],
)
def test_slices_of_inputs(operations: str, result: str | None, emitter: str | None):
    """They are of one shape, contiguous, and all results."""
    text = module("f32[5]; f32[6]", SLICES + operations, result or "(f32[5], f32[3], f32[2])")
    assert explain(fusion_of(text)).emitter == (emitter or "input_slices")


def test_an_empty_slice_beside_another_is_not_written():
    body = """  a = f32[3] slice(p0), slice={[1:4]}
    b = f32[0] slice(p0), slice={[3:3]}
    ROOT t = (f32[3], f32[0]) tuple(a, b)"""
    text = module("f32[5]", body, "(f32[3], f32[0])")
    choice = explain(fusion_of(text))
    assert isinstance(choice.hero, SliceOp)
    assert choice.hero.result.name_hint == "a"
    check(text)


# -- Dynamic update slices --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("operations", "result", "emitter"),
    [
        ("ROOT d = f32[8] dynamic-update-slice(p0, p1, p2)", "f32[8]", "in_place_dynamic_update_slice"),
        (
            "d = f32[8] dynamic-update-slice(p0, p1, p2)\nROOT b = f32[2,4] bitcast(d)",
            "f32[2,4]",
            "in_place_dynamic_update_slice",
        ),
        (
            "b = f32[2,4] bitcast(p0)\nc = f32[8] bitcast(b)\nROOT d = f32[8] dynamic-update-slice(c, p1, p2)",
            "f32[8]",
            "in_place_dynamic_update_slice",
        ),
        (
            "d = f32[8] dynamic-update-slice(p0, p1, p2)\nROOT t = (f32[8], f32[8]) tuple(d, d)",
            "(f32[8], f32[8])",
            "loop",
        ),
        (
            "d = f32[8] dynamic-update-slice(p0, p1, p2)\ne = f32[8] negate(p0)\nROOT t = (f32[8], f32[8]) tuple(d, e)",
            "(f32[8], f32[8])",
            "loop",
        ),
    ],
)
def test_dynamic_update_slices(operations: str, result: str, emitter: str):
    """Each updates a parameter of its own, which nothing else reads."""
    assert emitter_of("f32[8]; f32[3]; s32[]", operations, result) == emitter


def test_slices_that_differ_in_shape_are_not_written_together():
    body = """  d = f32[8] dynamic-update-slice(p0, p2, p4)
    e = f32[8] dynamic-update-slice(p1, p3, p4)
    ROOT t = (f32[8], f32[8]) tuple(d, e)"""
    assert emitter_of("f32[8]; f32[8]; f32[3]; f32[2]; s32[]", body, "(f32[8], f32[8])") == "loop"
    assert emitter_of("f32[8]; f32[8]; f32[2]; f32[2]; s32[]", body, "(f32[8], f32[8])") != "loop"


def test_several_scalars_are_updated():
    body = """  d = f32[] dynamic-update-slice(p0, p2)
    e = f32[] dynamic-update-slice(p1, p2)
    ROOT t = (f32[], f32[]) tuple(d, e)"""
    assert emitter_of("f32[]; f32[]; f32[]", body, "(f32[], f32[])") == "in_place_dynamic_update_slice"


SUM = """  n = f32[4] negate(p1)
    z = f32[] constant(0)
    s = f32[] reduce(n, z), dimensions={0}, to_apply=sum
    """


def test_the_update_may_be_computed_by_several_functions():
    """The sum reads every element, so that there is a function beside those of the update and of the start index."""
    body = SUM + "u = f32[1] reshape(s)\n  ROOT d = f32[8] dynamic-update-slice(p0, u, p2)"
    assert emitter_of("f32[8]; f32[4]; s32[]", body, "f32[8]") == "in_place_dynamic_update_slice"


def test_the_update_may_read_a_value_at_two_indices():
    """The logarithm is read forwards and backwards, so that it has a function of its own."""
    body = """  l = f32[4] log(p1)
    b = f32[4] reverse(l), dimensions={0}
    u = f32[4] subtract(l, b)
    ROOT d = f32[8] dynamic-update-slice(p0, u, p2)"""
    assert emitter_of("f32[8]; f32[4]; s32[]", body, "f32[8]") == "in_place_dynamic_update_slice"


def test_a_scalar_is_updated_without_a_start_index():
    """Of the functions, only that of the update is called."""
    text = module("f32[]; f32[4]", SUM + "ROOT d = f32[] dynamic-update-slice(p0, s)", "f32[]")
    assert explain(fusion_of(text)).emitter == "in_place_dynamic_update_slice"
    kernel = find_kernel(check(text))
    assert [op.callee.string_value() for op in kernel.walk() if isinstance(op, PureCallOp)] == ["fused_s"]


# -- The device -------------------------------------------------------------------------------------------------------


def test_small_devices_get_more_elements_per_thread():
    fusion = fusion_of(module("f32[4096]", "ROOT r = f32[4096] sine(p0)", "f32[4096]"))
    small = Device(cores=1, threads_per_core=1024)
    for device, blocks in ((None, 32), (small, 8)):
        assert launch_dimensions(find_kernel(emit_fusion(fusion, device))) == ((128, 1, 1), (blocks, 1, 1))


def test_little_computation_takes_more_elements_than_xla_gives_a_thread():
    small = Device(cores=1, threads_per_core=1)
    wide = fusion_of(module("s8[4096]", "ROOT r = s8[4096] negate(p0)", "s8[4096]"))
    assert "a thread makes 16 elements at once, XLA's 4" in explain(wide, small).reason
    narrow = fusion_of(module("f32[4096]", "ROOT r = f32[4096] negate(p0)", "f32[4096]"))
    assert "at once" not in explain(narrow, small).reason


@pytest.mark.parametrize(("operands", "expected"), [(4, "concatenate"), (5, "loop")])
def test_few_tensors_are_concatenated_by_threads_of_their_own(operands: int, expected: str):
    names = ", ".join(f"p{i}" for i in range(operands))
    body = f"ROOT c = f32[{4 * operands}] concatenate({names}), dimensions={{0}}"
    assert emitter_of("; ".join(["f32[4]"] * operands), body, f"f32[{4 * operands}]") == expected


def test_a_fusion_of_several_results_is_not_computed_from_one_concatenation():
    body = f"{CONCATENATION}n = f32[8] negate(p2)\nROOT r = (f32[8], f32[8]) tuple(c, n)"
    assert emitter_of("f32[4]; f32[4]; f32[8]", body, "(f32[8], f32[8])") == "loop"
