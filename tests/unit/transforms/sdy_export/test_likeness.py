"""What is worked out once for operations that are alike is what each of them would get."""

import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Operation

from xshardy.programs.partitioned import partition_module
from xshardy.rewriting.operation_index import index_over, indexed
from xshardy.rewriting.rewriter import MovingRewriter
from xshardy.sharding.rules import registry
from xshardy.syntax import parse_module, print_module
from xshardy.transforms.failures import OperationFailedException, OperationWarning
from xshardy.transforms.sdy_export.likeness import Likeness, alike
from xshardy.transforms.sdy_partition.local.convert_global_to_local import ConvertGlobalToLocalPass
from xshardy.universe import new_context

PROGRAM = """\
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @f(
  %a: tensor<8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}]>}}, %b: tensor<8xf32>, %n: tensor<8xi32>
) {{
  {}
  {}
  return
}}
"""
X = '{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}'
Y = X.replace('"x"', '"y"')


@pytest.mark.parametrize(
    ("first", "second", "are_alike"),
    {
        "the same": (
            f"%0 = stablehlo.add %a, %b {X} : tensor<8xf32>",
            f"%1 = stablehlo.add %a, %b {X} : tensor<8xf32>",
            True,
        ),
        "other operands, sharded alike": (
            "%0 = stablehlo.add %b, %b : tensor<8xf32>",
            "%1 = stablehlo.add %0, %b : tensor<8xf32>",
            True,
        ),
        "another class": (
            "%0 = stablehlo.add %a, %b : tensor<8xf32>",
            "%1 = stablehlo.multiply %a, %b : tensor<8xf32>",
            False,
        ),
        "an operand sharded otherwise": (
            "%0 = stablehlo.add %a, %b : tensor<8xf32>",
            "%1 = stablehlo.add %b, %b : tensor<8xf32>",
            False,
        ),
        "a result sharded otherwise": (
            f"%0 = stablehlo.add %b, %b {X} : tensor<8xf32>",
            f"%1 = stablehlo.add %b, %b {Y} : tensor<8xf32>",
            False,
        ),
        "another type": (
            "%0 = stablehlo.add %b, %b : tensor<8xf32>",
            "%1 = stablehlo.add %n, %n : tensor<8xi32>",
            False,
        ),
        "another type of the result": (
            "%0 = stablehlo.convert %n : (tensor<8xi32>) -> tensor<8xf32>",
            "%1 = stablehlo.convert %n : (tensor<8xi32>) -> tensor<8xf64>",
            False,
        ),
        "another property": (
            "%0 = stablehlo.slice %b [0:4] : (tensor<8xf32>) -> tensor<4xf32>",
            "%1 = stablehlo.slice %b [4:8] : (tensor<8xf32>) -> tensor<4xf32>",
            False,
        ),
        "another attribute": (
            "%0 = stablehlo.add %b, %b {one} : tensor<8xf32>",
            "%1 = stablehlo.add %b, %b {other} : tensor<8xf32>",
            False,
        ),
    }.values(),
)
def test_likeness(first: str, second: str, are_alike: bool):
    function = list(parse_module(PROGRAM.format(first, second)).ops)[1]
    one, other, _ = function.regions[0].block.ops
    assert (alike(one) == alike(other)) == are_alike
    assert None not in (alike(one), alike(other))


@pytest.mark.parametrize(
    "op",
    {
        "a region": '%1 = "stablehlo.map"(%0) ({^bb0(%x: tensor<f32>): "stablehlo.return"(%x) : (tensor<f32>) -> ()}) '
        "{dimensions = array<i64: 0>} : (tensor<8xf32>) -> tensor<8xf32>",
        "definitions of operands": "%1 = stablehlo.concatenate %0, %0, dim = 0 : "
        "(tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>",
        "what is before a barrier": "%1 = stablehlo.add %0, %b : tensor<8xf32>",
    }.values(),
)
def test_operations_that_depend_on_more_are_like_no_other(op: str):
    barrier = "%0 = sdy.propagation_barrier %a allowed_direction=NONE : tensor<8xf32>"
    function = list(parse_module(PROGRAM.format(barrier, op)).ops)[1]
    _, last, _ = function.regions[0].block.ops
    assert alike(last) is None


def test_a_rule_of_ones_own_may_read_anything():
    text = PROGRAM.format("%0 = stablehlo.add %a, %b : tensor<8xf32>", "")
    op = list(parse_module(text).ops)[1].regions[0].block.first_op
    assert op is not None and alike(op) is not None
    with patch("xshardy.sharding.rules.registry._registered", {type(op): registry.row_of(type(op))}):
        assert alike(op) is None


def with_attribute(first: Operation, last: Operation) -> Operation:
    last.attributes["one"] = UnitAttr()
    return last


def with_sharding_of_the_result(first: Operation, last: Operation) -> Operation:
    last.attributes.update(first.attributes)
    return last


def without_sharding_of_an_operand(first: Operation, last: Operation) -> Operation:
    first.attributes.clear()
    return first


def without_sharding_of_an_argument(first: Operation, last: Operation) -> Operation | None:
    function = last.parent_op()
    assert function is not None
    del function.properties["arg_attrs"]
    return function


def with_other_operands(first: Operation, last: Operation) -> None:
    """Nothing is reported: the operands are looked at."""
    last.operands = first.operands


@pytest.mark.parametrize(
    "change",
    [
        with_attribute,
        with_sharding_of_the_result,
        without_sharding_of_an_operand,
        without_sharding_of_an_argument,
        with_other_operands,
    ],
)
def test_a_known_operation_has_another_number_after_a_change(
    change: Callable[[Operation, Operation], Operation | None],
):
    lines = f"%0 = stablehlo.add %b, %b {X} : tensor<8xf32>", "%1 = stablehlo.add %0, %a : tensor<8xf32>"
    module = parse_module(PROGRAM.format(*lines))
    first, last, _ = list(module.ops)[1].regions[0].block.ops
    with indexed(module):
        likeness = Likeness(module)
        number = likeness.of(last)
        assert number is not None and likeness.of(last) == number
        if (modified := change(first, last)) is not None:
            MovingRewriter(modified, index_over(module)).notify_op_modified(modified)
        assert likeness.of(last) not in (number, None)


def each_by_itself() -> AbstractContextManager[object]:
    """A context in which no operation is like another."""
    return patch("xshardy.transforms.sdy_export.likeness.has_own_rule", return_value=True)


def partitioned(text: str) -> tuple[str, list[str]]:
    """The program of each device, or why there is none; and the warnings."""
    module = parse_module(text)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", OperationWarning)
        try:
            result = print_module(partition_module(module, new_context()).module)
        except OperationFailedException as refused:
            result = str(refused)
    return result, sorted(str(warning.message) for warning in caught)


SQUARE, TALL, ROW, FLAT = "tensor<8x8xf32>", "tensor<9x8xf32>", "tensor<8xf32>", "tensor<64xf32>"
OPERATIONS = {
    "stablehlo.add {}, {}": SQUARE,
    "stablehlo.maximum {}, {}": SQUARE,
    "stablehlo.dot_general {}, {}, contracting_dims = [1] x [0]": f"({SQUARE}, {SQUARE}) -> {SQUARE}",
    "stablehlo.dot_general {}, {}, contracting_dims = [0] x [0]": f"({SQUARE}, {SQUARE}) -> {SQUARE}",
    "stablehlo.transpose {}, dims = [1, 0]": f"({SQUARE}) -> {SQUARE}",
    "stablehlo.reverse {}, dims = [0]": SQUARE,
    "stablehlo.custom_call @layer({}, {})": f"({SQUARE}, {SQUARE}) -> {SQUARE}",
    "stablehlo.iota dim = 0": SQUARE,
    "stablehlo.pad {}, %{init}, low = [1, 0], high = [0, 0], interior = [0, 0]": f"({SQUARE}, tensor<f32>) -> {TALL}",
    "stablehlo.reshape {}": f"({SQUARE}) -> {FLAT}",
    "stablehlo.reduce({} init: %{init}) applies stablehlo.{combiner} across dimensions = [0]": (
        f"({SQUARE}, tensor<f32>) -> {ROW}"
    ),
}
"""Operations on values of one type, so that many of a program are alike but for their shardings. Others end there."""

INITS = {"zero": 0.0, "one": 1.0}
DIMENSIONS_OF_ROWS = ("{}", '{"x"}', '{"y"}', '{"y", "x"}')
DIMENSIONS = ("{}, {}", '{"x"}, {}', '{}, {"x"}', '{"x"}, {"y"}', '{"y", "x"}, {}')


@st.composite
def programs(draw: st.DrawFn) -> str:
    def sharding(dimensions: Sequence[str] = DIMENSIONS) -> str:
        return f"<@mesh, [{draw(st.sampled_from(dimensions))}]>"

    head = ", ".join(f"%{name}: {SQUARE} {{sdy.sharding = #sdy.sharding{sharding()}}}" for name in "ab")
    lines = ['sdy.mesh @mesh = <["x"=2, "y"=2]>', f"func.func @f({head}) -> {SQUARE} {{"]
    lines += [f"  %{name} = stablehlo.constant dense<{value}> : tensor<f32>" for name, value in INITS.items()]
    names = ["%a", "%b"]
    for number in range(draw(st.integers(4, 16))):
        op = draw(st.sampled_from(sorted(OPERATIONS)))
        is_row = OPERATIONS[op].endswith((ROW, FLAT))
        attributes = (
            f"{{sdy.sharding = #sdy.sharding_per_value<[{sharding(DIMENSIONS_OF_ROWS if is_row else DIMENSIONS)}]>}}"
        )
        of = draw(st.lists(st.sampled_from(names[-3:]), min_size=2, max_size=2))
        init, combiner = draw(st.sampled_from(sorted(INITS))), draw(st.sampled_from(("add", "maximum", "multiply")))
        written = op.format(*of, init=init, combiner=combiner)
        lines.append(f"  %{number} = {written} {attributes} : {OPERATIONS[op]}")
        if OPERATIONS[op].endswith(SQUARE):
            names.append(f"%{number}")
        else:
            type = OPERATIONS[op].split()[-1]
            lines.append(f"  stablehlo.custom_call @use(%{number}) {{has_side_effect = true}} : ({type}) -> ()")
    return "\n".join([*lines, f"  return {names[-1]} : {SQUARE}", "}"])


@settings(max_examples=12, suppress_health_check=[*HealthCheck])
@given(programs())
def test_programs_are_partitioned_as_without_likeness(text: str):
    with each_by_itself():
        alone = partitioned(text)
    assert partitioned(text) == alone


SUMMED = f"""\
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @f(
  %a: {SQUARE} {{{{sdy.sharding = #sdy.sharding<@mesh, [{{{{"x"}}}}, {{{{}}}}]>}}}}, %s: {SQUARE}
) -> ({{}}, {{}}) {{{{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  {{}}
  {{}}
  return %0, %1 : {{}}, {{}}
}}}}
"""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("zero", "add"), ("one", "add")),
        (("one", "add"), ("zero", "add")),
        (("zero", "add"), ("zero", "maximum")),
        (("zero", "add"), ("zero", "multiply")),
    ],
)
def test_reductions_that_differ_in_what_they_start_from_or_combine_by(first: tuple[str, str], second: tuple[str, str]):
    lines = [
        f"%{number} = stablehlo.reduce(%a init: %{init}) applies stablehlo.{combiner} across dimensions = [0] "
        f": ({SQUARE}, tensor<f32>) -> {ROW}"
        for number, (init, combiner) in enumerate((first, second))
    ]
    text = SUMMED.format(ROW, ROW, *lines, ROW, ROW)
    with each_by_itself():
        alone = partitioned(text)
    assert partitioned(text) == alone


ROWS = '{{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{"x"}}, {{}}]>]>}}'
DOT = f"""\
%s{{number}} = stablehlo.add %a, %a {ROWS} : {SQUARE}
%p{{number}} = stablehlo.pad %s{{number}}, %{{padding}}, low = [0, 0], high = [0, 0], interior = [0, 0]
  {ROWS} : ({SQUARE}, tensor<f32>) -> {SQUARE}
%d{{number}} = stablehlo.dot_general %a, %p{{number}}, contracting_dims = [0] x [0] : ({SQUARE}, {SQUARE}) -> {SQUARE}
%{{number}} = sdy.all_reduce {{reduction}} {{axes}} %d{{number}} out_sharding=<@mesh, [{{{{}}}}, {{{{}}}}]> : {SQUARE}
"""
COMPLETE = {"padding": "zero", "axes": '{"x"}', "reduction": ""}


@pytest.mark.parametrize(
    ("second", "refused"),
    [
        (COMPLETE, ""),
        ({**COMPLETE, "padding": "one"}, "Padding value must be zero"),
        ({**COMPLETE, "axes": '{"y"}'}, "axes of the sdy.all_reduce should match"),
        ({**COMPLETE, "reduction": "max"}, "The reduction of the sdy.all_reduce should be sum"),
    ],
)
def test_products_that_differ_in_what_is_around_them(second: dict[str, str], refused: str):
    """Those that need more are refused, as if no product before were right."""
    lines = [DOT.format(number=number, **around) for number, around in enumerate((COMPLETE, second))]
    module = parse_module(SUMMED.format(SQUARE, SQUARE, *lines, SQUARE, SQUARE))
    with pytest.raises(OperationFailedException, match=refused) if refused else nullcontext():
        ConvertGlobalToLocalPass().apply(new_context(), module)
