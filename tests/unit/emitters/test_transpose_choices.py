"""What decides on the emitter of a transposition: its normal form, its tile, its vectors."""

import pytest
from emission import fusion_of
from test_choices import module
from xdsl.ir import Operation

from xshardy.emitters import explain
from xshardy.emitters.partition import roots_of
from xshardy.emitters.transpose.normal_form import Transposition, is_tiled, transposition
from xshardy.emitters.transpose.packed import is_packed, packed_tile
from xshardy.emitters.transpose.tiling import transpose_tiling
from xshardy.gpus.devices import Device
from xshardy.gpus.targets import device_of

DEVICE = Device()


def hero(operand: str, instruction: str, result: str) -> Operation:
    """The operation of a fusion that consists of `instruction` alone."""
    computation = fusion_of(module(operand, f"ROOT r = {result} {instruction}", result)).callee_function()
    (root,) = roots_of(computation)
    assert isinstance(root.owner, Operation)
    return root.owner


def transposed(type: str, shape: tuple[int, ...], permutation: tuple[int, ...]) -> Operation:
    operand, result = (
        f"{type}[{','.join(map(str, sizes))}]" for sizes in (shape, tuple(shape[d] for d in permutation))
    )
    return hero(operand, f"transpose(p0), dimensions={{{','.join(map(str, permutation))}}}", result)


@pytest.mark.parametrize(
    ("type", "shape", "permutation", "tiled"),
    [
        ("f32", (64, 64), (1, 0), True),
        ("f32", (64, 8), (1, 0), True),
        ("f32", (64, 7), (1, 0), False),
        ("f32", (8, 31), (1, 0), False),
        ("f32", (6, 5, 64), (2, 1, 0), True),
        ("f32", (4, 5, 64), (2, 1, 0), True),
        ("f32", (3, 5, 128), (2, 1, 0), False),
        ("f32", (0, 64, 64), (0, 2, 1), False),
        ("s4", (64, 64), (1, 0), False),
        ("f32", (64, 64, 2), (1, 0, 2), True),
        ("f32", (64, 64, 3), (1, 0, 2), False),
        ("s8", (64, 64, 8), (1, 0, 2), True),
    ],
)
def test_tiles_pay_off_for_long_dimensions(
    type: str, shape: tuple[int, ...], permutation: tuple[int, ...], tiled: bool
):
    assert is_tiled(transposed(type, shape, permutation)) == tiled


def test_nothing_is_transposed_where_the_order_in_memory_stays():
    assert transposition(hero("f32[64,64]", "copy(p0)", "f32[64,64]")) is None
    assert transposition(transposed("f32", (1, 64), (1, 0))) is None
    assert transposition(hero("f32[64,32]", "negate(p0)", "f32[64,32]")) is None
    copied = hero("f32[64,32]", "copy(p0)", "f32[64,32]{0,1}")
    assert transposition(copied) == Transposition((64, 32), (1, 0))


def test_adjacent_dimensions_that_stay_together_are_one():
    assert transposition(transposed("f32", (2, 3, 5, 7), (2, 3, 0, 1))) == Transposition((6, 35), (1, 0))


def test_a_kept_minor_dimension_is_not_swapped():
    assert Transposition((8, 6), (1, 0)).swapped == (0, 1)
    assert Transposition((8, 6, 2), (1, 0, 2)).swapped == (0, 1)


# -- Tilings ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "width", "heroes", "side"),
    [
        ((64, 64), 8, 1, 32),
        ((8192, 4224), 8, 1, 128),
        ((8192, 4192), 8, 1, 64),
        ((8192, 4224), 8, 2, 128),
        ((8192, 4224), 8, 3, 64),
        ((8194, 4232), 8, 1, 64),
        ((8232, 4226), 8, 1, 64),
        ((8192, 4224), 16, 1, 64),
        ((8192, 4224), 32, 1, 32),
        ((8192, 4224), 4, 1, 128),
    ],
)
def test_vectors_are_of_four_bytes_with_enough_work_and_shared_memory(
    shape: tuple[int, int], width: int, heroes: int, side: int
):
    """Both sizes have to consist of whole vectors."""
    tiling = transpose_tiling(Transposition(shape, (1, 0)), width, heroes, DEVICE)
    assert tiling is not None
    assert tiling.tile == (side, side + 1)


@pytest.mark.parametrize(("size", "width", "side"), [(2048, 32, 32), (16384, 32, 64), (16384, 8, 128)])
def test_eight_rows_and_longer_vectors_on_an_amd_gpu(size: int, width: int, side: int):
    """Vectors of f32 too, with enough work; 4 of them need more shared memory than a block has."""
    tiling = transpose_tiling(Transposition((size, size), (1, 0)), width, 1, device_of("gfx942"))
    assert tiling is not None
    assert tiling.launch.threads == 256
    assert tiling.tile == (side, side + 1)


def test_elements_of_a_kept_dimension_move_together():
    tiling = transpose_tiling(Transposition((64, 96, 2), (1, 0, 2)), 32, 1, DEVICE)
    assert tiling is not None
    assert tiling.tile == (32, 33, 2)


@pytest.mark.parametrize(("heroes", "is_possible"), [(46, True), (47, False)])
def test_the_tiles_of_all_tensors_are_in_shared_memory(heroes: int, is_possible: bool):
    """48 KiB without opt-in; a tile has 32 rows of 33 bytes."""
    tiling = transpose_tiling(Transposition((64, 64), (1, 0)), 8, heroes, DEVICE)
    assert (tiling is not None) == is_possible


def test_packed_tiles():
    assert packed_tile(Transposition((64, 64), (1, 0)), 16).size(16) == 2 * 32 * 66 * 2
    assert is_packed(transposed("f16", (64, 64), (1, 0)))
    assert not is_packed(transposed("f16", (0, 64, 64), (0, 2, 1)))
    assert not is_packed(transposed("f32", (64, 64), (1, 0)))


# -- Fusions ----------------------------------------------------------------------------------------------------------


def emitter_of(parameters: str, body: str, result: str) -> str:
    return explain(fusion_of(module(parameters, body, result))).emitter


TRANSPOSED = "a = {0}[64,128] transpose(p0), dimensions={{1,0}}\n"


def test_narrow_elements_are_packed():
    for type, emitter in (("f16", "packed_transpose"), ("f32", "transpose")):
        body = TRANSPOSED.format(type) + f"ROOT r = {type}[64,128] negate(a)"
        assert emitter_of(f"{type}[128,64]", body, f"{type}[64,128]") == emitter


def test_all_results_have_as_many_elements_as_the_transposed_one():
    for size, emitter in ((8192, "transpose"), (8, "loop")):
        result = f"(f32[64,128], f32[{size}])"
        body = TRANSPOSED.format("f32") + f"b = f32[{size}] negate(p1)\nROOT t = {result} tuple(a, b)"
        assert emitter_of(f"f32[128,64]; f32[{size}]", body, result) == emitter


def test_other_transpositions_are_not_emitted_together():
    body = """  a = f32[64,128] transpose(p0), dimensions={1,0}
  b = f32[128,64] transpose(p1), dimensions={1,0}
  ROOT t = (f32[64,128], f32[128,64]) tuple(a, b)"""
    assert emitter_of("f32[128,64]; f32[64,128]", body, "(f32[64,128], f32[128,64])") == "loop"


@pytest.mark.parametrize(("count", "emitter"), [(5, "transpose"), (6, "loop")])
def test_five_tensors_of_doubles_have_their_tiles_in_shared_memory(count: int, emitter: str):
    type = "f64[64,64]"
    body = "\n".join(f"a{i} = {type} transpose(p{i}), dimensions={{1,0}}" for i in range(count))
    result = f"({', '.join([type] * count)})"
    body += f"\nROOT t = {result} tuple({', '.join(f'a{i}' for i in range(count))})"
    assert emitter_of("; ".join([type] * count), body, result) == emitter
