"""Which called functions stay functions of elements, what they read, and what is left of calls and tuples."""

from itertools import pairwise

import pytest
from emission import check as check_fusion
from test_operations_numerics import check, computation_of
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects import hlo
from xshardy.emitters.applied_computations import AppliedComputations, element_functions_of
from xshardy.emitters.elemental.support import require_emittable
from xshardy.emitters.preparation import called_functions, prepare
from xshardy.emitters.preparation.called_functions import element_functions, element_maps_of
from xshardy.indexing.element_calls import element_maps

T = "tensor<4x2xf32>"


def function(name: str, lines: str, result: str = "%r", type: str = T, results: str | None = None) -> str:
    returned = f"func.return {result} : {results or type}"
    return f"func.func private @{name}(%x: {type}) -> ({results or type}) {{\n{lines}\n{returned}\n}}\n"


def chain(length: int) -> str:
    """So many operations, the last of which is %r."""
    names = ["%x", *(f"%v{i}" for i in range(length - 1)), "%r"]
    return "\n".join(f"{after} = stablehlo.negate {before} : {T}" for before, after in pairwise(names))


def twice(callee: str) -> str:
    return f"%a = func.call @{callee}(%x) : ({T}) -> {T}\n%r = func.call @{callee}(%a) : ({T}) -> {T}"


def staying(text: str) -> list[str]:
    """The functions that stay functions, where nothing is prepared."""
    computation = computation_of(text)
    module = computation.parent_op()
    assert isinstance(module, ModuleOp)
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
    return list(element_functions(computation, functions, lambda function, found: function))


@pytest.mark.parametrize(("operations", "stays"), [(31, []), (32, ["big"])])
def test_functions_of_32_operations_are_inlined_and_larger_ones_stay(operations: int, stays: list[str]):
    """The return is one of them."""
    assert staying(function("big", chain(operations)) + function("main", twice("big"))) == stays


def test_functions_that_are_called_once_are_inlined():
    call = f"%r = func.call @big(%x) : ({T}) -> {T}"
    assert staying(function("big", chain(40)) + function("main", call)) == []


REVERSED = f"%b = stablehlo.reverse %r, dims = [0] : {T}\n%s = stablehlo.add %b, %x : {T}"


@pytest.mark.parametrize(("operations", "is_refused"), [(1365, False), (1366, True)])
def test_inlining_may_add_4096_operations(operations: int, is_refused: bool):
    """A function that reads its parameter at two indices is inlined at each of four calls."""
    calls = "\n".join(f"%r{i} = func.call @reads_two(%x) : ({T}) -> {T}" for i in range(4))
    text = function("reads_two", chain(operations - 3) + "\n" + REVERSED, "%s")
    text += function("main", calls, "%r3")
    if is_refused:
        with pytest.raises(PassFailedException, match=r"@main has 5469 operations .*: @reads_two cannot stay"):
            staying(text)
    else:
        assert staying(text) == []


def test_the_function_that_adds_most_is_named():
    small = function("small", chain(1) + "\n" + REVERSED, "%s")
    large = function("large", chain(2000) + "\n" + REVERSED, "%s")
    calls = f"%a = func.call @small(%x) : ({T}) -> {T}\n"
    calls += "\n".join(f"%r{i} = func.call @large(%x) : ({T}) -> {T}" for i in range(5))
    with pytest.raises(PassFailedException, match="@large cannot stay"):
        staying(small + large + function("main", calls, "%r4"))


def test_functions_that_ask_for_a_size_below_are_inlined():
    """The size may be set where they are called."""
    asks = function("asks", "%r = stablehlo.get_dimension_size %x, dim = 0 : (tensor<4x2xf32>) -> tensor<i32>", "%r", T)
    asks = asks.replace(f"func.return %r : {T}", "func.return %r : tensor<i32>").replace(f"-> ({T})", "-> tensor<i32>")
    body = chain(40) + f"\n%s = func.call @asks(%x) : ({T}) -> tensor<i32>"
    for above, is_called in ((body, False), (chain(40), True)):
        prepared = prepare(computation_of(asks + function("above", above) + function("main", twice("above"))))
        assert any(isinstance(op, CallOp) for op in prepared.walk()) == is_called


SUM = f"""%z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : ({T}, tensor<f32>) -> tensor<4xf32>
  %r = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<4xf32>) -> {T}"""


@pytest.mark.parametrize(
    "lines",
    [
        SUM,
        f"%c = stablehlo.concatenate %x, %x, dim = 0 : ({T}, {T}) -> tensor<8x2xf32>\n"
        f"%r = stablehlo.slice %c [0:4, 0:2] : (tensor<8x2xf32>) -> {T}",
        f"%c = stablehlo.constant dense<0.0> : {T}\n"
        f"%d = stablehlo.concatenate %x, %c, dim = 0 : ({T}, {T}) -> tensor<8x2xf32>\n"
        f"%r = stablehlo.slice %d [0:4, 0:2] : (tensor<8x2xf32>) -> {T}",
        f"%b = stablehlo.bitcast_convert %x : ({T}) -> tensor<4xf64>\n"
        f"%c = stablehlo.convert %b : (tensor<4xf64>) -> tensor<4xf32>\n"
        f"%r = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<4xf32>) -> {T}",
        f"%b = stablehlo.reverse %x, dims = [0] : {T}\n%r = stablehlo.add %x, %b : {T}",
    ],
    ids=["reduce", "concatenate", "part of a concatenation", "bitcast_convert", "two indices"],
)
def test_parameters_read_several_times_or_under_conditions_have_no_map(lines: str):
    assert element_maps_of(computation_of(function("main", lines))) is None


def test_parameters_read_once_have_the_map_of_that_read():
    lines = f"%b = stablehlo.reverse %x, dims = [0] : {T}\n%r = stablehlo.multiply %b, %b : {T}"
    (map,) = element_maps_of(computation_of(function("main", lines))) or ()
    assert map.evaluate((1, 1), ()) == (2, 1)


# -- Prepared calls ---------------------------------------------------------------------------------------------------

INNER = function("inner", chain(2))
OUTER = function("outer", twice("inner") + f"\n%s = stablehlo.reverse %r, dims = [1] : {T}", "%s")
NESTED = INNER + OUTER + function("main", twice("outer"))


def test_functions_of_elements_are_listed_behind_those_that_they_call(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(called_functions, "SMALL", 1)
    prepared = prepare(computation_of(NESTED))
    calls = [op for op in prepared.walk() if isinstance(op, CallOp)]
    assert [op.callee.string_value() for op in calls] == ["outer", "outer"]
    assert [maps[0].evaluate((1, 0), ()) for op in calls if (maps := element_maps(op))] == [(1, 1), (1, 1)]
    found = element_functions_of(prepared)
    assert list(found) == ["inner", "outer"]
    (outer,) = {AppliedComputations(functions=found).of(op) for op in calls}
    assert outer is found["outer"]
    check(NESTED)


def test_other_calls_are_not_of_functions_of_elements():
    assert element_functions_of(computation_of(NESTED)) == {}


def test_names_in_use_get_the_first_free_number():
    names = AppliedComputations(taken={"a", "a_0"})
    assert [names.unique("a"), names.unique("a"), names.unique("b"), names.unique("b")] == ["a_1", "a_2", "b", "b_0"]


def test_calls_state_the_layout_of_each_result(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(called_functions, "SMALL", 1)
    (call, _) = (op for op in prepare(computation_of(NESTED)).walk() if isinstance(op, CallOp))
    assert str(call.attributes[hlo.LAYOUT]) == "array<i64: 1, 0>"
    body = chain(2) + f"\n%s = stablehlo.cosine %r : {T}"
    text = function("two", body, "%r, %s", results=f"{T}, {T}")
    lines = f"%a:2 = func.call @two(%x) : ({T}) -> ({T}, {T})\n%r:2 = func.call @two(%a#0) : ({T}) -> ({T}, {T})"
    (call, _) = (
        op for op in prepare(computation_of(text + function("main", lines, "%r#1"))).walk() if isinstance(op, CallOp)
    )
    assert str(call.attributes[hlo.LAYOUT]) == "[array<i64: 1, 0>, array<i64: 1, 0>]"


# -- Other rewrites ---------------------------------------------------------------------------------------------------


def prepared_names(lines: str, result: str = "%r") -> list[str]:
    return [op.name for op in prepare(computation_of(function("main", lines, result))).body.block.ops]


def test_tuples_and_barriers_are_looked_through():
    pair = f"%t = stablehlo.tuple %x, %x : tuple<{T}, {T}>\n"
    element = f"%r = stablehlo.get_tuple_element %t[1] : (tuple<{T}, {T}>) -> {T}"
    assert prepared_names(pair + element) == ["func.return"]
    assert prepared_names(f"%r = stablehlo.optimization_barrier %x : {T}") == ["func.return"]
    assert prepared_names(pair, "%x") == ["func.return"]


def test_results_of_nested_tuples_are_results_of_their_own():
    pair, type = "%t = stablehlo.tuple %x, %x : tuple<T, T>", "tuple<T, T>"
    text = function("main", pair.replace("T", T), "%x, %t", results=f"{T}, {type.replace('T', T)}")
    prepared = prepare(computation_of(text))
    assert [str(type) for type in prepared.function_type.outputs] == [T] * 3


def test_symbols_beside_functions_are_no_callees():
    text = f"builtin.module {{}}\n{INNER}" + function("main", twice("inner"))
    assert "func.call" not in [op.name for op in prepare(computation_of(text)).walk()]


def test_sizes_of_dimensions():
    """Sizes that were set come from the last setter of the same dimension."""
    size = "%r = stablehlo.get_dimension_size %x, dim = {} : (tensor<0x3xf32>) -> tensor<i32>"
    for dimension, expected in ((0, 0), (1, 3)):
        text = function("main", size.format(dimension), "%r", "tensor<0x3xf32>").replace(
            "func.return %r : tensor<0x3xf32>", "func.return %r : tensor<i32>"
        )
        computation = computation_of(text.replace("-> (tensor<0x3xf32>)", "-> tensor<i32>"))
        (constant, _) = prepare(computation).body.block.ops
        assert str(constant.properties["value"]) == f"dense<{expected}> : tensor<i32>"
    text = """func.func @main(%x: tensor<4x2xf32>, %n: tensor<i32>, %m: tensor<i32>) -> tensor<i32> {
      %a = stablehlo.set_dimension_size %x, %n, dim = 1
          : (tensor<4x2xf32>, tensor<i32>) -> tensor<4x?xf32, #stablehlo.bounds<?, 2>>
      %b = stablehlo.set_dimension_size %a, %m, dim = 0
          : (tensor<4x?xf32, #stablehlo.bounds<?, 2>>, tensor<i32>) -> tensor<?x?xf32, #stablehlo.bounds<4, 2>>
      %r = stablehlo.get_dimension_size %b, dim = 1 : (tensor<?x?xf32, #stablehlo.bounds<4, 2>>) -> tensor<i32>
      func.return %r : tensor<i32>
    }"""
    prepared = prepare(computation_of(text))
    assert prepared.body.block.last_op.operands[0] is prepared.body.block.args[1]


def test_unknown_custom_calls_stay():
    computation = computation_of(function("main", f"%r = stablehlo.custom_call @mine(%x) : ({T}) -> {T}"))
    prepared = prepare(computation)
    with pytest.raises(PassFailedException, match=r"stablehlo\.custom_call"):
        require_emittable(prepared)


@pytest.mark.parametrize(("source", "target"), [("f32[2,3]{0,1}", "s8[2,12]{0,1}"), ("s8[2,12]{0,1}", "f32[2,3]{0,1}")])
def test_bitcasts_between_widths_keep_the_layout(source: str, target: str):
    check_fusion(f"""HloModule m
fused {{
  x = {source} parameter(0)
  ROOT r = {target} bitcast(x)
}}
ENTRY main {{
  x = {source} parameter(0)
  ROOT f = {target} fusion(x), kind=kLoop, calls=fused
}}
""")
