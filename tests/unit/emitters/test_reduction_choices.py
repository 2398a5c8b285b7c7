"""What decides on the emitter of a reduction: its dimensions, its groups of results, its vectors."""

from collections.abc import Sequence

import pytest
from emission import check, fusion_of
from test_choices import module
from xdsl.dialects import arith
from xdsl.dialects.func import FuncOp

from xshardy.dialects.stablehlo.reduction import ReduceOp
from xshardy.emitters import explain
from xshardy.emitters.analysis import Fusion
from xshardy.emitters.partition import roots_of
from xshardy.emitters.preparation import prepare
from xshardy.emitters.reduction.choice import _elements, find_reduction
from xshardy.emitters.reduction.dimensions import is_race_free, pays_off
from xshardy.emitters.reduction.groups import reduction_groups
from xshardy.emitters.reduction.multi_row import _vector_size, _widest_vector
from xshardy.emitters.reduction.row import row_tiling, rows_per_block
from xshardy.emitters.reduction.tiling import Elements, vector_size
from xshardy.gpus.devices import Device
from xshardy.indexing.reduction_dimensions import ReductionDimensions, reduction_dimensions

DEVICE = Device()
F32 = Elements(32, 32, False)


def dimensions_of(shape: str, reduced: str, result: str) -> ReductionDimensions | None:
    body = f"z = f32[] constant(0)\nROOT r = {result} reduce(p0, z), dimensions={{{reduced}}}, to_apply=sum"
    (op,) = (op for op in fusion_of(module(shape, body, result)).callee_function().walk() if isinstance(op, ReduceOp))
    return reduction_dimensions(op)


@pytest.mark.parametrize(
    ("shape", "reduced", "result", "is_row", "sizes"),
    [
        ("f32[6,4]", "0,1", "f32[]", True, (1, 1, 24)),
        ("f32[6,4]", "1", "f32[6]", True, (1, 6, 4)),
        ("f32[6,4]", "0", "f32[4]", False, (1, 6, 4)),
        ("f32[6,4]{0,1}", "0", "f32[4]", True, (1, 4, 6)),
        ("f32[6,5,4]", "1", "f32[6,4]", False, (6, 5, 4)),
        ("f32[6,5,4]", "0,2", "f32[5]", True, (6, 5, 4)),
        ("f32[6,5,1]", "1", "f32[6,1]", True, (1, 6, 5)),
        ("f32[6,1,4]", "0,2", "f32[1]", True, (1, 1, 24)),
        ("f32[3,6,5,4]", "1,2", "f32[3,4]", False, (3, 30, 4)),
    ],
)
def test_dimensions_are_merged(shape: str, reduced: str, result: str, is_row: bool, sizes: tuple[int, int, int]):
    assert dimensions_of(shape, reduced, result) == ReductionDimensions(is_row, sizes)


def test_scattered_dimensions_are_neither_rows_nor_columns():
    assert dimensions_of("f32[3,6,5,4]", "0,2", "f32[6,4]") is None


@pytest.mark.parametrize(
    ("reduced", "columns", "pays"),
    [
        (31, 100, False),
        (32, 32, True),
        (63, 31, False),
        (64, 31, True),
        (127, 7, False),
        (127, 8, True),
        (128, 7, True),
        (255, 2, False),
        (255, 3, True),
        (256, 2, True),
    ],
)
def test_fewer_columns_have_to_be_longer(reduced: int, columns: int, pays: bool):
    assert pays_off(ReductionDimensions(False, (1, reduced, columns)), DEVICE) == pays


@pytest.mark.parametrize(("size", "pays"), [(0, False), (1, True), (3, False), (16, True), (31, False), (33, True)])
def test_short_rows_have_to_divide_a_warp(size: int, pays: bool):
    assert pays_off(ReductionDimensions(True, (1, 100, size)), DEVICE) == pays


def test_one_block_takes_at_most_eight_batches_of_rows():
    assert is_race_free(ReductionDimensions(True, (8, 5, 64)), DEVICE)
    assert not is_race_free(ReductionDimensions(True, (9, 5, 64)), DEVICE)


# -- Vectors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("minor", "width", "size"),
    [
        (128, 8, 4),
        (64, 8, 2),
        (62, 8, 1),
        (130, 8, 2),
        (63, 8, 1),
        (128, 16, 4),
        (128, 32, 2),
        (128, 64, 1),
        (128, None, 1),
    ],
)
def test_vectors_of_columns_leave_work_for_each_thread(minor: int, width: int | None, size: int):
    assert vector_size(minor, 32, Elements(width, 32, False)) == size


def test_complex_numbers_are_no_vectors():
    assert vector_size(128, 32, Elements(32, 32, True)) == 1


@pytest.mark.parametrize(
    ("minor", "read", "written", "size"),
    [
        (64, 8, 8, 8),
        (4, 8, 8, 4),
        (64, 16, 16, 4),
        (64, 32, 32, 2),
        (64, 64, 64, 1),
        (64, 128, 128, 1),
        (64, 8, 32, 4),
        (64, 8, 64, 2),
        (64, 8, 16, 8),
        (64, None, 16, 4),
    ],
)
def test_vectors_of_short_rows_are_of_8_bytes_or_of_16_for_wide_elements(
    minor: int, read: int | None, written: int, size: int
):
    assert _widest_vector(minor, Elements(read, written, False)) == size


def test_vectors_of_short_rows_leave_a_block_for_each_core():
    device = Device(cores=4)
    assert _vector_size(64, 32, 2, device) == 2
    assert _vector_size(48, 32, 2, device) == 1


def test_rows_share_a_block_of_256_threads():
    assert [rows_per_block(100, threads) for threads in (2, 32, 128, 160, 256, 1024)] == [100, 8, 2, 1, 1, 1]
    assert rows_per_block(3, 32) == 3
    assert row_tiling(ReductionDimensions(True, (1, 100, 2048)), F32, DEVICE).launch.threads == 256
    assert row_tiling(ReductionDimensions(True, (1, 100, 8192)), F32, DEVICE).launch.threads == 512


# -- Groups -----------------------------------------------------------------------------------------------------------

SHAPE = "f32[40,64]"


def groups_of(parameters: str, body: str, roots: Sequence[str]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The numbers of reduced results and of side outputs in each group; results that end in `_sum` are sums of rows."""
    lines, shapes = [body, "z = f32[] constant(0)"], list[str]()
    for root in roots:
        if root.endswith("_sum"):
            lines.append(f"{root} = f32[40] reduce({root.removesuffix('_sum')}, z), dimensions={{1}}, to_apply=sum")
        shapes.append("f32[40]" if root.endswith("_sum") else SHAPE)
    result = f"({', '.join(shapes)})"
    lines.append(f"ROOT t = {result} tuple({', '.join(roots)})")
    computation = fusion_of(module(parameters, "\n".join(lines), result)).callee_function()
    values = roots_of(computation)
    groups = reduction_groups(values, [find_reduction(root, DEVICE) for root in values])
    return [(group.reduced, group.side_outputs) for group in groups]


ONE = f"{SHAPE}"
TWO = f"{SHAPE}; {SHAPE}"
NEGATED = f"a = {SHAPE} negate(p0)\nb = {SHAPE} negate(p1)"


def test_reductions_of_one_tensor_are_one_group_and_those_of_two_are_two():
    body = f"a = {SHAPE} negate(p0)\nb = {SHAPE} sine(p0)"
    assert groups_of(ONE, body, ["a_sum", "b_sum"]) == [((0, 1), ())]
    assert groups_of(TWO, NEGATED, ["a_sum", "b_sum"]) == [((0,), ()), ((1,), ())]


def test_all_side_outputs_are_in_one_group():
    assert groups_of(TWO, NEGATED, ["a_sum", "b_sum", "a", "b"]) == [((0, 1), (2, 3))]
    assert groups_of(TWO, NEGATED, ["a_sum", "b"]) == [((0,), ()), ((), (1,))]


@pytest.mark.parametrize(
    "shared",
    [
        "s = f32[40,64] broadcast(p2), dimensions={}",
        "n = f32[] negate(p2)\ns = f32[40,64] broadcast(n), dimensions={}",
        f"c = f32[64] constant({{{', '.join(map(str, range(64)))}}})\ns = f32[40,64] broadcast(c), dimensions={{1}}",
    ],
    ids=["a scalar", "a computed scalar", "a constant tensor"],
)
def test_what_is_computed_again_joins_no_groups(shared: str):
    body = f"{shared}\na = {SHAPE} add(p0, s)\nb = {SHAPE} add(p1, s)"
    assert groups_of(f"{TWO}; f32[]", body, ["a_sum", "b_sum"]) == [((0,), ()), ((1,), ())]


def test_a_side_output_joins_the_first_reduction_that_reads_the_same_scalar():
    body = f"""s = {SHAPE} broadcast(p3), dimensions={{}}
  a = {SHAPE} add(p0, s)
  b = {SHAPE} add(p1, s)
  c = {SHAPE} add(p2, s)"""
    assert groups_of(f"{TWO}; {SHAPE}; f32[]", body, ["c", "a_sum", "b_sum"]) == [((1,), (0,)), ((2,), ())]


def test_reductions_of_other_dimensions_are_not_emitted_together():
    body = """  z = f32[] constant(0)
  a = f32[40] reduce(p0, z), dimensions={1}, to_apply=sum
  b = f32[80] reduce(p1, z), dimensions={1}, to_apply=sum
  ROOT t = (f32[40], f32[80]) tuple(a, b)"""
    result = "(f32[40], f32[80])"
    assert explain(fusion_of(module("f32[40,64]; f32[80,64]", body, result))).emitter == "loop"
    same = module("f32[40,64]; f32[40,64]", body.replace("80", "40"), result.replace("80", "40"))
    assert explain(fusion_of(same)).emitter == "row_reduction"


def test_a_side_output_of_another_parameter_is_a_group_without_reductions():
    body = """  z = f32[] constant(0)
  n = f32[4,64] negate(p0)
  a = f32[4] reduce(n, z), dimensions={1}, to_apply=sum
  b = f32[4,64] add(p1, p1)
  ROOT t = (f32[4], f32[4,64]) tuple(a, b)"""
    kernel = check(module("f32[4,64]; f32[4,64]", body, "(f32[4], f32[4,64])"))
    relaxed = {
        function.sym_name.data
        for function in kernel.ops
        if isinstance(function, FuncOp)
        for op in function.walk()
        if isinstance(op, arith.AddfOp) and "nsz" in str(op.fastmath)
    }
    assert relaxed == {"sum_s"}


def test_sums_are_no_side_outputs():
    """Results that are as many as the inputs narrow the vectors of a row: here those of f32, not the sums of f64."""
    body = """z = f32[] constant(0)
  s = f32[8] reduce(p0, z), dimensions={1}, to_apply=sum
  wide = f64[8] convert(s)
  side = f32[8,4096] negate(p0)
  ROOT t = (f64[8], f32[8,4096]) tuple(wide, side)"""
    computation = prepare(fusion_of(module("f32[8,4096]", body, "(f64[8], f32[8,4096])")).callee_function())
    fusion = Fusion(computation, DEVICE)
    heroes = [find_reduction(root, DEVICE) for root in fusion.roots]
    assert [hero is None for hero in heroes] == [False, True]
    assert _elements(fusion, heroes).widest_side_output == 32
