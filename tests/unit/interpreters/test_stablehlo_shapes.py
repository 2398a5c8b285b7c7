"""Ops that move elements, reductions and calls, against XLA on the CPU; and rejected programs."""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from special_values import assert_same
from xdsl.utils.exceptions import InterpretationError

from xshardy.interpreters.random_elements import random_inputs
from xshardy.interpreters.stablehlo import evaluate
from xshardy.syntax import parse_module


def programs(file: str) -> dict[str, str]:
    """The modules of an input file by their names, which are in the comments on top of them."""
    chunks = (Path(__file__).parent / "Inputs" / file).read_text().split("// -----\n")
    return {chunk.strip().splitlines()[0].removeprefix("// "): chunk for chunk in chunks}


PROGRAMS = programs("shapes.mlir")


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_computes_what_xla_computes(name: str, run_on_xla):
    module = parse_module(PROGRAMS[name])
    arguments = random_inputs([argument.type for argument in next(iter(module.ops)).body.block.args], seed=7)
    arguments = [np.nan_to_num(a, posinf=3, neginf=-3) if a.dtype.kind == "f" else a for a in arguments]
    arguments = [np.clip(a, -9, 9) if a.dtype in (np.float32, np.float64) else a for a in arguments]
    expected = run_on_xla(PROGRAMS[name], arguments)
    for position, (ours, theirs) in enumerate(zip(evaluate(module, arguments), expected, strict=True)):
        assert_same(ours, theirs, f"result {position} of {name}", steps=16)


def test_tuples_fusions_and_layouts():
    """XLA's CPU client takes no `hlo` ops: the expected values are numpy's."""
    module = parse_module(
        """
      func.func private @fused(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<6xf32>) {
        %0 = stablehlo.tuple %x, %x : tuple<tensor<2x3xf32>, tensor<2x3xf32>>
        %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<2x3xf32>, tensor<2x3xf32>>) -> tensor<2x3xf32>
        %2 = hlo.copy %1 {hlo.layout = array<i64: 0, 1>} : tensor<2x3xf32>
        %3 = hlo.bitcast %2 : (tensor<2x3xf32>) -> tensor<6xf32>
        return %2, %3 : tensor<2x3xf32>, tensor<6xf32>
      }
      func.func @main(%x: tensor<2x3xf32>) -> tuple<tensor<2x3xf32>, tensor<6xf32>> {
        %0:2 = hlo.fusion loop @fused(%x) : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<6xf32>)
        %1 = stablehlo.tuple %0#0, %0#1 : tuple<tensor<2x3xf32>, tensor<6xf32>>
        return %1 : tuple<tensor<2x3xf32>, tensor<6xf32>>
      }""".replace(' {xla_shape = ""}', "")
    )
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    copied, flat = evaluate(module, [x])
    assert (copied == x).all()
    assert flat.tolist() == [0, 3, 1, 4, 2, 5]


def test_function_of_a_module_is_evaluated_with_its_calls():
    module = parse_module(PROGRAMS["calls"])
    x = np.ones(4, np.float32)
    private = list(module.ops)[1]
    assert len(evaluate(private, [x])) == 2


def test_every_op_rounds_to_its_own_type():
    module = parse_module("""func.func @main(%x: tensor<bf16>, %y: tensor<bf16>) -> tensor<bf16> {
      %0 = stablehlo.add %x, %y : tensor<bf16>
      %1 = stablehlo.subtract %0, %x : tensor<bf16>
      return %1 : tensor<bf16>
    }""")
    one, small = (np.array(value, ml_dtypes.bfloat16) for value in (1.0, 2.0**-9))
    assert evaluate(module, [one, small])[0] == 0


def test_bits_of_elements_narrower_than_a_byte():
    """The first element has the lowest bits."""
    join, split = (
        parse_module(
            f"func.func @main(%x: tensor<{source}>) -> tensor<{target}> {{\n"
            f" %0 = stablehlo.bitcast_convert %x : (tensor<{source}>) -> tensor<{target}>\n"
            f" return %0 : tensor<{target}> }}"
        )
        for source, target in (("2xi4", "i8"), ("i8", "2xi4"))
    )
    parts, whole = np.array([3, -2], ml_dtypes.int4), np.array(-29, np.int8)  # 0x3, 0xe and 0xe3
    assert evaluate(join, [parts])[0] == whole
    assert (evaluate(split, [whole])[0] == parts).all()


ONE_OP = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }"


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        (ONE_OP, [], "@main has 1 arguments, but got 0 arrays"),
        (
            ONE_OP,
            [np.zeros(5, np.float32)],
            r"is a tensor<4xf32>, but the array given for it is float32\[5\]",
        ),
        (ONE_OP, [np.zeros(4)], r"the array given for it is float64\[4\]"),
        ("func.func private @f() { return }", [], "expected one public function, or one called @main"),
        (
            "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
            " %0 = func.call @main(%x) : (tensor<f32>) -> tensor<f32>\n return %0 : tensor<f32> }",
            [np.float32(1)],
            "call of @main: it calls itself, by way of main",
        ),
        (
            "func.func private @f(tensor<f32>) -> tensor<f32>\nfunc.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
            " %0 = func.call @f(%x) : (tensor<f32>) -> tensor<f32>\n return %0 : tensor<f32> }",
            [np.float32(1)],
            "call of @f: the module has no body for it",
        ),
        (
            "func.func @main(%x: f32) -> f32 {\n %0 = arith.addf %x, %x : f32\n return %0 : f32 }",
            [np.float32(1)],
            "an argument of @main is a f32",
        ),
        (
            "func.func @main(%x: tensor<8xi1>) -> tensor<i8> {\n"
            " %0 = stablehlo.bitcast_convert %x : (tensor<8xi1>) -> tensor<i8>\n return %0 : tensor<i8> }",
            [np.zeros(8, np.bool_)],
            "stablehlo.bitcast_convert: no bitcast from bool to int8: convert to a type of 8 bits first",
        ),
        (
            "func.func @main() -> tensor<2xf32> {\n %0 = tensor.empty() : tensor<2xf32>\n return %0 : tensor<2xf32> }",
            [],
            "tensor.empty: the interpreter has no rule for this op",
        ),
    ],
)
def test_bad_programs_and_arguments_are_refused(text: str, arguments: list, message: str):
    with pytest.raises(InterpretationError, match=message):
        evaluate(parse_module(text), arguments)
