"""Operations in kernels at their edges: bounds of index types, empty parts, one element, several results."""

import pytest
from emission import check, fusion_of
from test_choices import module
from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import IndexType, NoneAttr, TensorType, f32
from xdsl.dialects.func import FuncOp
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import Block, Operation, SSAValue

from xshardy.affine.expressions import dim, sym
from xshardy.affine.indexing_map import IndexingMap, Variable
from xshardy.affine.interval import Interval
from xshardy.dialects import hlo
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.indices import domain_checks, loop_over
from xshardy.emitters.kernel import Kernel
from xshardy.emitters.launch_dimensions import LaunchDimensions, grid_of
from xshardy.emitters.partition import RootGroup, roots_of
from xshardy.emitters.preparation import prepare
from xshardy.emitters.signatures import emitted_tensor_type
from xshardy.emitters.subgraph import SubgraphEmitter
from xshardy.gpus.devices import Device


def emitted(parameters: str, body: str, result: str) -> list[Operation]:
    """All operations of a fusion's kernel, which computes what the reference does."""
    return list(check(module(parameters, body, result)).walk())


def functions(ops: list[Operation]) -> list[str]:
    return [op.sym_name.data for op in ops if isinstance(op, FuncOp)]


def has(ops: list[Operation], kind: type[Operation]) -> bool:
    return any(isinstance(op, kind) for op in ops)


@pytest.mark.parametrize("size", [3, 100, 131, 203, 258, 300])
@pytest.mark.parametrize("index", ["s8", "u8"])
def test_dynamic_slice_clamps_starts_that_the_index_type_can_hold(size: int, index: str):
    """The last start may exceed the largest index: then no limit of that type is needed."""
    emitted(f"f32[{size}]; {index}[]", "ROOT r = f32[3] dynamic-slice(p0, p1), dynamic_slice_sizes={3}", "f32[3]")


@pytest.mark.parametrize(
    ("index", "size", "is_limited"), [("s8", 129, True), ("s8", 130, False), ("u8", 257, True), ("u8", 258, False)]
)
def test_starts_are_limited_unless_the_last_one_is_the_largest_index(index: str, size: int, is_limited: bool):
    ops = emitted(f"f32[{size}]; {index}[]", "ROOT r = f32[3] dynamic-slice(p0, p1), dynamic_slice_sizes={3}", "f32[3]")
    assert (has(ops, arith.MinSIOp) or has(ops, arith.MinUIOp)) == is_limited


def test_dynamic_update_slice_compares_only_along_dimensions_that_are_updated_in_part():
    body = """  n = f32[4,6] negate(p0)
  z = s32[] constant(0)
  ROOT r = f32[4,6] dynamic-update-slice(n, p1, {starts})"""
    whole = emitted("f32[4,6]; f32[4,6]; s32[]", body.format(starts="p2, z"), "f32[4,6]")
    assert not has(whole, scf.IfOp)
    part = emitted("f32[4,6]; f32[2,6]; s32[]", body.format(starts="p2, z"), "f32[4,6]")
    assert has(part, scf.IfOp)
    comparisons = [op for op in part if op.name == "arith.cmpi"]
    assert len(comparisons) == 2


def test_a_parameter_is_updated_in_place_behind_bitcasts():
    body = """  b = f32[4,6] bitcast(p0)
  ROOT r = f32[4,6] dynamic-update-slice(b, p1, p2, p3)"""
    ops = emitted("f32[24]; f32[2,3]; s32[]; s32[]", body, "f32[4,6]")
    inserted = [op for op in ops if isinstance(op, tensor.InsertOp)]
    assert inserted and not has(ops, scf.IfOp), "only the slice is written"


def test_gather_by_vectors_of_one_component_reads_it_at_once():
    """The index vectors need no function of their own."""
    body = """  i = s32[3,1] negate(p1)
  j = s32[3,1] add(i, p1)
  ROOT r = f32[3,2] gather(p0, j), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},
    index_vector_dim=1, slice_sizes={1,2}"""
    assert len(functions(emitted("f32[5,2]; s32[3,1]", body, "f32[3,2]"))) == 2


def test_concatenate_of_many_skips_empty_operands():
    body = "ROOT r = f32[10] concatenate(p0, p1, p0, p1, p0, p1, p0), dimensions={0}"
    ops = emitted("f32[2]; f32[0]", body.replace("f32[10]", "f32[8]"), "f32[8]")
    assert sum(isinstance(op, scf.IfOp) for op in ops) == 3


def test_reduce_window_and_reduce_read_initial_values_before_the_loop():
    zero = "c = f32[] constant(2)\nz = f32[] subtract(c, c)\n"
    emitted("f32[6]", zero + "ROOT r = f32[6] reduce-window(p0, z), window={size=3 pad=1_1}, to_apply=sum", "f32[6]")
    emitted("f32[3,5]", zero + "ROOT r = f32[3] reduce(p0, z), dimensions={1}, to_apply=sum", "f32[3]")


PAIR = """pair {
  a = f32[] parameter(0)
  b = s32[] parameter(1)
  c = f32[] parameter(2)
  d = s32[] parameter(3)
  e = f32[] add(a, c)
  f = s32[] maximum(b, d)
  ROOT t = (f32[], s32[]) tuple(e, f)
}
fused {"""


def test_reduce_of_two_tensors_of_other_types():
    """Each has its own initial value."""
    body = """  x = f32[] constant(0)
  y = s32[] constant(-2147483648)
  ROOT r = (f32[3], s32[3]) reduce(p0, p1, x, y), dimensions={1}, to_apply=pair"""
    text = module("f32[3,5]; s32[3,5]", body, "(f32[3], s32[3])").replace("fused {", PAIR, 1)
    check(text)


def test_dot_of_doubles_is_as_exact_as_doubles():
    body = """  ROOT r = f64[2,2] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}"""
    emitted("f64[2,2]; f64[2,2]", body, "f64[2,2]")


def test_scatter_without_updates_returns_its_operand():
    body = """  n = f32[4] negate(p0)
  ROOT r = f32[4] scatter(n, p1, p2), update_window_dims={}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum"""
    emitted("f32[4]; s32[0,1]; f32[0]", body, "f32[4]")


def test_deep_branches_continue_in_functions_of_their_own():
    """Each pad reads its operand in a branch; at most 16 are nested."""
    lines = ["z = f32[] constant(0)", "a0 = f32[2] negate(p0)"]
    for i in range(20):
        lines += [f"b{i} = f32[{i + 3}] pad(a{i}, z), padding=1_0", f"a{i + 1} = f32[{i + 3}] sine(b{i})"]
    body = "\n".join(lines) + "\nROOT r = f32[22] negate(a20)"
    assert len(functions(emitted("f32[2]", body, "f32[22]"))) == 3


def test_row_major_layouts_are_no_encoding():
    computation = fusion_of(module("f32[2,3]", "ROOT r = f32[2,3] negate(p0)", "f32[2,3]")).callee_function()
    (root,) = roots_of(computation)
    for order, has_encoding in (((1, 0), False), ((0, 1), True)):
        root.owner.attributes[hlo.LAYOUT] = integers(order)
        assert (emitted_tensor_type(root).encoding != NoneAttr()) == has_encoding


def test_an_operand_without_elements_is_never_read():
    body = """  n = f32[0,4] negate(p0)
  z = f32[] constant(0)
  ROOT r = f32[4] reduce(n, z), dimensions={0}, to_apply=sum"""
    emitted("f32[0,4]", body, "f32[4]")


def test_barriers_between_operations_are_emitted_as_nothing():
    body = """  n = f32[4] negate(p0)
  b = f32[4] opt-barrier(n)
  ROOT r = f32[4] exponential(b)"""
    emitted("f32[4]", body, "f32[4]")


HALF_IN_TWICE = """half {
  a = f32[] parameter(0)
  b = f32[] constant(0.5)
  ROOT c = f32[] multiply(a, b)
}
twice_half {
  d = f32[] parameter(0)
  e = f32[] map(d), dimensions={}, to_apply=half
  ROOT f = f32[] multiply(e, e)
}
fused {"""


def test_a_computation_applied_by_the_fusion_and_by_another_computation_is_one_function():
    body = """  g = f32[8] map(p0), dimensions={0}, to_apply=half
  ROOT h = f32[8] map(g), dimensions={0}, to_apply=twice_half"""
    ops = list(check(module("f32[8]", body, "f32[8]").replace("fused {", HALF_IN_TWICE, 1)).walk())
    assert sorted(functions(ops)) == ["fused_h", "half_c", "main", "twice_half_f"]


# -- Indices and the entry --------------------------------------------------------------------------------------------


def block_with_indices(count: int) -> tuple[Scalars, tuple[SSAValue, ...]]:
    block = Block(arg_types=[IndexType()] * count)
    return Scalars.at_end(block), tuple(block.args)


def variables(*bounds: tuple[int, int]) -> tuple[Variable, ...]:
    return tuple(Variable("", Interval(*each)) for each in bounds)


@pytest.mark.parametrize(
    ("bounds", "shape", "checks"),
    [
        ((0, 0), 1, []),
        ((0, 4), 5, []),
        ((2, 2), 5, ["eq"]),
        ((0, 0), 5, ["eq"]),
        ((1, 4), 5, ["sge"]),
        ((0, 3), 5, ["sle"]),
        ((1, 3), 5, ["sge", "sle"]),
    ],
)
def test_only_bounds_that_the_shape_does_not_imply_are_checked(bounds: tuple[int, int], shape: int, checks: list[str]):
    s, indices = block_with_indices(1)
    map = IndexingMap((dim(0),), variables(bounds))
    found = [value.owner for value in domain_checks(s, map, [shape], indices)]
    predicates = ["eq", "ne", "slt", "sle", "sgt", "sge"]
    assert [predicates[op.predicate.value.data] for op in found if isinstance(op, Operation)] == checks


def test_a_range_of_one_value_is_a_constant_in_the_loop():
    s, dims = block_with_indices(1)
    types = [TensorType(f32, [8, 8])]
    output, value = AnyOp(result_types=types).results[0], s.constant(0.0, f32)
    seen: list[SSAValue] = []

    def body(inner: Scalars, ivs: tuple[SSAValue, ...], indices: tuple[SSAValue, ...], carried):
        seen.extend(ivs)
        return [inner(tensor.InsertOp(value, carried[0], ivs))]

    map = IndexingMap((sym(0), sym(1)), variables((0, 3)), variables((0, 7), (5, 5)))
    (result,) = loop_over(s, map, dims, [output], body)
    loop = result.owner
    assert isinstance(loop, Operation)
    constant = seen[1].owner
    assert isinstance(constant, Operation) and constant.parent is loop.regions[0].block
    assert len(loop.regions[0].block.args) == 1 + 2 + 1


def test_grids_go_along_x_as_far_as_they_can():
    assert grid_of(2**31 - 1, Device()) == (2**31 - 1, 1)
    assert grid_of(2**31, Device()) == (2**30, 2)


def test_given_elements_are_no_indices():
    """The function of an epilogue takes the parameters, the indices, and the elements that it is given."""
    body = "c = f32[8] concatenate(p0, p0), dimensions={0}\nROOT r = f32[8] negate(c)"
    computation = prepare(fusion_of(module("f32[4]", body, "f32[8]")).callee_function())
    root = RootGroup.all_results(computation).roots[0]
    hero = root.owner.operands[0]
    group = RootGroup.same_place([root], [hero])
    kernel = Kernel(computation, [group], LaunchDimensions(8, (1, 1)), "main")
    part = kernel.parts.subgraphs[0]
    function = FuncOp("f", ([TensorType(f32, [4]), IndexType(), f32], [f32]))
    emitter = SubgraphEmitter(kernel.parts, part, function)
    assert list(emitter.indices) == [function.body.block.args[1]]
    assert list(emitter.given.values()) == [function.body.block.args[2]]
