"""How much of the memory that a warp touches it uses: rows, columns, strides, vectors, broadcasts."""

from xdsl.dialects.builtin import DenseArrayBase, TensorType, bf16, f32, i1, i64
from xdsl.dialects.func import FuncOp
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import SSAValue
from xdsl.parser import Parser

from xshardy.affine.text import parse_indexing_map
from xshardy.dialects import hlo
from xshardy.indexing.coalescing import Footprint, footprint, read_footprints
from xshardy.universe import new_context


def tensor(*shape: int, of=f32, order: tuple[int, ...] | None = None) -> SSAValue:
    op = AnyOp(result_types=[TensorType(of, shape)])
    if order is not None:
        op.attributes[hlo.LAYOUT] = DenseArrayBase.from_list(i64, order)
    return op.results[0]


THREADS = "domain: th_x in [0, 127], bl_x in [0, 7]"
ROWS = parse_indexing_map(f"(th_x, bl_x) -> (bl_x, th_x), {THREADS}")
COLUMNS = parse_indexing_map(f"(th_x, bl_x) -> (th_x, bl_x), {THREADS}")


def test_neighbours_share_sectors():
    access = footprint(ROWS, tensor(8, 128))
    assert access == Footprint(elements=32, bits=32, sectors=4)
    assert access.efficiency == 1 and access.is_coalesced


def test_a_column_takes_a_sector_per_thread():
    access = footprint(COLUMNS, tensor(128, 8))
    assert access == Footprint(32, 32, 32)
    assert access.efficiency == 1 / 8 and not access.is_coalesced


def test_the_layout_decides():
    assert footprint(COLUMNS, tensor(128, 8, order=(0, 1))).efficiency == 1
    assert not footprint(ROWS, tensor(8, 128, order=(0, 1))).is_coalesced


def test_narrow_elements_and_truth_values():
    assert footprint(ROWS, tensor(8, 128, of=bf16)) == Footprint(32, 16, 2)
    assert footprint(ROWS, tensor(8, 128, of=i1)) == Footprint(32, 8, 1)


def test_one_element_for_all_is_coalesced():
    map = parse_indexing_map(f"(th_x, bl_x) -> (bl_x), {THREADS}")
    access = footprint(map, tensor(8))
    assert access == Footprint(1, 32, 1) and access.is_coalesced


def test_vectors():
    """Four elements per thread, one by one, leave gaps; as a vector they leave none."""
    map = parse_indexing_map(f"(th_x, bl_x)[v] -> (bl_x, th_x * 4 + v), {THREADS}, v in [0, 3]")
    assert footprint(map, tensor(8, 512)).efficiency == 1 / 4
    assert footprint(map, tensor(8, 512), together=[0]).efficiency == 1


def test_threads_outside_of_the_domain_touch_nothing():
    map = parse_indexing_map(f"(th_x, bl_x) -> (bl_x, th_x), {THREADS}, th_x + bl_x in [0, 7]")
    assert footprint(map, tensor(8, 128)) == Footprint(8, 32, 1)
    nobody = parse_indexing_map(f"(th_x, bl_x) -> (bl_x, th_x), {THREADS}, th_x + bl_x in [500, 501]")
    assert footprint(nobody, tensor(8, 128)).efficiency == 1


def test_reads_of_a_fusion():
    """`x + transpose(y) + z`: one parameter is read along rows, one along columns, one with broadcast."""
    text = """
    func.func @f(%x: tensor<64x128xf32>, %y: tensor<128x64xf32>, %z: tensor<64xf32>, %u: tensor<f32>)
        -> tensor<64x128xf32> {
      %t = stablehlo.transpose %y, dims = [1, 0] : (tensor<128x64xf32>) -> tensor<64x128xf32>
      %b = stablehlo.broadcast_in_dim %z, dims = [0] : (tensor<64xf32>) -> tensor<64x128xf32>
      %s = stablehlo.add %x, %t : tensor<64x128xf32>
      %r = stablehlo.add %s, %b : tensor<64x128xf32>
      func.return %r : tensor<64x128xf32>
    }
    """
    (f,) = Parser(new_context(), text).parse_module().ops
    assert isinstance(f, FuncOp)
    threads = parse_indexing_map("(th_x, bl_x) -> (bl_x, th_x), domain: th_x in [0, 127], bl_x in [0, 63]")
    x, y, z, unused = read_footprints(threads, f).values()
    assert x == (Footprint(32, 32, 4),)
    assert y == (Footprint(32, 32, 32),)
    assert z == (Footprint(1, 32, 1),)
    assert unused == ()
