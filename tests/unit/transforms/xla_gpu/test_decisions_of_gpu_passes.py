"""What passes for GPUs decide by: sizes of bodies, divisions that round alike, places of constants."""

from math import log

import pytest
from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerAttr, bf16, f16, f32, f64, i32
from xdsl.dialects.func import FuncOp
from xdsl.dialects.scf import ForOp
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import Block, Region
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from xshardy.affine.expressions import add, constant, dim, floordiv
from xshardy.affine.indexing_map import IndexingMap, Variable
from xshardy.affine.interval import Interval
from xshardy.dialects.xla_gpu import ApplyIndexingOp
from xshardy.gpus.capability import parse_target
from xshardy.gpus.targets import target_of
from xshardy.lowering import libdevice
from xshardy.syntax import parse_module
from xshardy.transforms.xla_gpu.codegen_pipeline import expands_math
from xshardy.transforms.xla_gpu.expand_integer_power import multiplications
from xshardy.transforms.xla_gpu.index_values import index_constant, shared_constant
from xshardy.transforms.xla_gpu.inline_into_loops import is_small_reader
from xshardy.transforms.xla_gpu.lower_xla_gpu_loops_to_scf import LowerXlaGpuLoopsToScfPass
from xshardy.transforms.xla_gpu.optimize_loops import BodySizes, unroll_factor
from xshardy.transforms.xla_gpu.recover_exp2 import PRECISION, is_ln2
from xshardy.transforms.xla_gpu.simplify_affine import divides_no_negative, has_positive_divisors
from xshardy.universe import new_context

# -- Sizes of bodies --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("operation", "size"),
    [
        ("arith.addf %x, %x : f32", 1),
        ("math.fma %x, %x, %x : f32", 1),
        ("math.floor %x : f32", 1),
        ("math.exp %x : f32", 20),
        ("math.exp %v : vector<4xf32>", 80),
        ("arith.addf %v, %v : vector<4xf32>", 4),
        ("math.ctpop %i : i32", 1),
        ("math.absi %n : index", 1),
    ],
)
def test_long_functions_of_floats_count_as_20_operations(operation: str, size: int):
    module = parse_module(f"""
    func.func @f(%x: f32, %v: vector<4xf32>, %i: i32, %n: index) {{
      %r = {operation}
      func.return
    }}""")
    (function,) = module.ops
    assert BodySizes(module).of_region(function.regions[0]) == size + 1


def loop_of(bounds: str, body: str, functions: str = "") -> tuple[ForOp, BodySizes]:
    lines = "\n".join(f"%c{i} = arith.constant {i} : index" for i in (0, 1, 2, 6))
    module = parse_module(f"""
    {functions}
    func.func @f(%n: index, %x: f32, %v: vector<1024xf32>) {{
      {lines}
      scf.for %i = {bounds} step %c1 {{
        {body}
      }}
      func.return
    }}""")
    (loop,) = (op for op in module.walk() if isinstance(op, ForOp))
    return loop, BodySizes(module)


ADD = "%s = arith.addf %x, %x : f32"
RECURSIVE = """
func.func private @g(%x: f32) -> f32 {
  %0 = xla_gpu.pure_call @g(%x) : (f32) -> f32
  func.return %0 : f32
}"""


@pytest.mark.parametrize(
    ("bounds", "body", "functions", "factor"),
    [
        ("%c0 to %c6", ADD, "", 6),
        ("%c0 to %c2", ADD, "", 2),
        ("%c0 to %c1", ADD, "", 1),
        ("%c0 to %c0", ADD, "", 1),
        ("%c0 to %c0", "%s = vector.extract %v[%i] : f32 from vector<1024xf32>", "", 1),
        ("%c0 to %n", ADD, "", 1),
        ("%c0 to %c6", "%s = math.exp %v : vector<1024xf32>", "", 1),
        ("%c0 to %c6", "%s = xla_gpu.pure_call @g(%x) : (f32) -> f32", RECURSIVE, 1),
    ],
)
def test_loops_of_known_counts_are_unrolled(bounds: str, body: str, functions: str, factor: int):
    assert unroll_factor(*loop_of(bounds, body, functions)) == factor


def test_loops_keep_the_names_of_variables():
    module = parse_module("""
    func.func @f(%thread: index, %x: index) -> index {
      %r = xla_gpu.loop (%thread)[%lane] -> (%place) in
          #xla_gpu.indexing_map<"(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 7], s0 in [0, 3]">
          iter_args(%sum = %x) -> (index) {
        %next = arith.addi %sum, %place : index
        xla_gpu.yield %next : index
      }
      func.return %r : index
    }""")
    LowerXlaGpuLoopsToScfPass().apply(new_context(), module)
    (loop,) = (op for op in module.walk() if isinstance(op, ForOp))
    assert [argument.name_hint for argument in loop.body.block.args] == ["lane", "sum"]
    (place,) = (op.results[0] for op in loop.walk() if isinstance(op, ApplyIndexingOp))
    assert place.name_hint == "place"


def test_powers_take_a_square_per_bit_and_a_product_per_one():
    assert [multiplications(n) for n in (0, 1, 2, 3, 5, 15, 511)] == [0, 0, 1, 2, 3, 6, 16]


@pytest.mark.parametrize(("size", "is_small"), [(64, True), (65, False)])
def test_readers_of_up_to_64_operations_are_inlined_into_loops(size: int, is_small: bool):
    additions = "\n".join(f"%{i} = arith.addf %x, %x : f32" for i in range(size - 2))
    module = parse_module(f"""
    func.func @read(%t: tensor<4xf32>, %i: index) -> f32 {{
      %x = tensor.extract %t[%i] : tensor<4xf32>
      {additions}
      func.return %x : f32
    }}""")
    (function,) = module.ops
    assert isinstance(function, FuncOp)
    assert is_small_reader(function) is is_small


# -- Divisions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [1, -1])
def test_every_term_has_to_divide_numbers_that_are_not_negative(order: int):
    map = IndexingMap((), (Variable("", Interval(0, 9)), Variable("", Interval(-9, 9))))
    good, bad = floordiv(dim(0), constant(4)), floordiv(dim(1), constant(4))
    assert divides_no_negative(add(good, good), map)
    assert not divides_no_negative(add(*(good, bad)[::order]), map)


@pytest.mark.parametrize("order", [1, -1])
def test_every_divisor_has_to_be_a_positive_constant(order: int):
    good, bad = (
        AffineBinaryOpExpr(AffineBinaryOpKind.FloorDiv, dim(0), divisor) for divisor in (constant(4), constant(-4))
    )
    assert has_positive_divisors(AffineBinaryOpExpr(AffineBinaryOpKind.Add, good, good))
    first, second = (good, bad)[::order]
    assert not has_positive_divisors(AffineBinaryOpExpr(AffineBinaryOpKind.Add, first, second))


# -- Constants --------------------------------------------------------------------------------------------------------


def test_constants_are_shared_at_the_start_of_the_function():
    block = Block()
    builder = Builder(InsertPoint.at_end(block))
    first = builder.insert(arith.ConstantOp(IntegerAttr(1, i32)))
    FuncOp("f", ([], []), Region(block))
    assert shared_constant(IntegerAttr(1, i32), first, builder) is first.result
    second = shared_constant(IntegerAttr(2, i32), first, builder)
    user = builder.insert(AnyOp())
    third = shared_constant(IntegerAttr(3, i32), user, builder)
    assert list(block.ops) == [first, second.owner, third.owner, user]


def test_constants_are_named_unless_they_are_negative():
    block = Block()
    builder = Builder(InsertPoint.at_end(block))
    user = builder.insert(AnyOp())
    FuncOp("f", ([], []), Region(block))
    assert [index_constant(value, user, builder).name_hint for value in (0, 1, -1)] == ["c0", "c1", None]


def test_an_operation_outside_of_functions_has_no_place_for_constants():
    with pytest.raises(ValueError, match=r"test\.op is in no function that could hold its constants"):
        shared_constant(IntegerAttr(1, i32), AnyOp(), Builder(InsertPoint.at_end(Block())))


# -- Numbers and targets ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("type", [bf16, f16, f32, f64])
def test_ln2_is_that_of_the_type_or_an_adjacent_number(type: AnyFloat):
    bits = PRECISION[type]
    rounded = round(log(2) * 2**bits) / 2**bits
    assert [is_ln2(rounded + step / 2**bits, type) for step in (-2, -1, 0, 1, 2)] == [False, True, True, True, False]


def test_targets_are_known_from_sm_70_to_sm_121():
    known = [parse_target(target) for target in ("sm_70", "sm_121")]
    assert [(each.major, each.minor) for each in known] == [(7, 0), (12, 1)]
    for target in ("sm_62", "sm_122"):
        with pytest.raises(ValueError, match=f"unknown target '{target}'"):
            parse_target(target)


@pytest.mark.parametrize("is_installed", [True, False])
def test_functions_are_computed_by_libdevice_where_it_is_installed(is_installed: bool, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(libdevice, "is_installed", lambda: is_installed)
    gpu = target_of("sm_90")
    assert [expands_math(math, gpu) for math in ("auto", "libdevice", "expanded")] == [not is_installed, False, True]


def test_functions_are_arithmetic_on_gpus_without_libdevice():
    gpu = target_of("gfx942")
    assert [expands_math(math, gpu) for math in ("auto", "expanded")] == [True, True]
    with pytest.raises(PassFailedException, match="libdevice is for NVIDIA's GPUs"):
        expands_math("libdevice", gpu)
