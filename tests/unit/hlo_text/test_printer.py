"""Printing HLO text: XLA reads what we print as the module that it reads in the original."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from jaxlib_versions import OF_AUTUMN_2026, since
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Block, Region
from xdsl.utils.exceptions import InterpretationError
from xla_canonical import assert_round_trips, canonical
from xla_oracle import xla_errors

from xshardy import run_passes
from xshardy.dialects import stablehlo
from xshardy.hlo_text import HLOError, HLOPrintError, parse_hlo, print_hlo, read_hlo
from xshardy.interpreters.stablehlo import evaluate
from xshardy.syntax import parse_module
from xshardy.transforms.hlo.to_opcodes import write_hlo

FILES = sorted((Path(__file__).parents[2] / "filecheck" / "hlo_text").glob("*.hlo"))
VALID = {path.stem: path.read_text() for path in FILES if path.stem != "errors"}


def test_files_of_the_tests_round_trip():
    texts = {name: text if "HloModule" in text else f"HloModule m\n{text}" for name, text in VALID.items()}
    # An unknown opcode is kept, but XLA does not read it. A generator without its state is read as one with it, and a
    # vector of start indices as scalars.
    for name in ("opaque", "bits_without_state", "vector_of_start_indices"):
        del texts[name]
    if not since(OF_AUTUMN_2026):
        del texts["elements_of_tuples"], texts["order_of_comparisons"]
    assert_round_trips(texts, {name: print_hlo(read_hlo(text, name)) for name, text in texts.items()})


@pytest.mark.parametrize("name", VALID)
def test_printing_is_idempotent(name: str):
    once = print_hlo(read_hlo(VALID[name]))
    assert print_hlo(read_hlo(once)) == once


def jax_programs() -> dict[str, tuple[Callable[..., object], tuple[object, ...]]]:
    """Programs that have loops, branches, sorting, random numbers, convolutions, scatters and linear algebra."""
    jax = pytest.importorskip("jax")
    jnp, lax = jax.numpy, jax.lax
    x, y = jnp.ones((4, 4)), jnp.ones(4)

    def loop(x: object) -> object:
        return lax.scan(lambda c, _: (jnp.tanh(c @ x), c.sum()), x, None, length=3)  # pyright: ignore

    def convolve(x: object) -> object:
        image = jnp.ones((1, 8, 8, 3)) * jnp.sum(x)
        return lax.conv_general_dilated(
            image,
            jnp.ones((3, 3, 3, 4)),
            (2, 1),
            "SAME",
            rhs_dilation=(1, 2),
            dimension_numbers=("NHWC", "HWIO", "NHWC"),
        )

    return {
        "loop": (loop, (x,)),
        "branch": (lambda x: lax.cond(x[0] > 0, jnp.sin, jnp.cos, x), (y,)),
        "switch": (lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, jnp.tan], x), (1, y)),
        "sort": (lambda x, y: lax.sort([x, y], num_keys=1), (y, y)),
        "random": (lambda x: x + jax.random.normal(jax.random.key(0), (4,)), (y,)),
        "convolve": (convolve, (x,)),
        "gather_scatter": (lambda x, i: x.at[i].add(x[i]), (x, jnp.array([1, 2]))),
        "linear_algebra": (lambda x: jnp.linalg.cholesky(x @ x.T + 4 * jnp.eye(4)), (x,)),
        "transform": (lambda x: jnp.fft.ifft2(jnp.fft.fft2(x)), (x,)),
        "window": (lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (1, 2), "SAME"), (x,)),
        "gradient": (jax.grad(lambda x: jnp.sum(jnp.log1p(jnp.exp(x @ x)))), (x,)),
        "small_floats": (
            lambda x: (x.astype(jnp.float8_e4m3fn) @ x.astype(jnp.float8_e4m3fn)).astype(jnp.bfloat16),
            (x,),
        ),
        "constants": (lambda x: x + jnp.array([[1.5, jnp.nan, -jnp.inf, 1e-40]] * 4), (x,)),
    }


def test_programs_of_jax_round_trip_before_and_after_optimization():
    jax = pytest.importorskip("jax")
    texts: dict[str, str] = {}
    for name, (program, arguments) in jax_programs().items():
        lowered = jax.jit(program).lower(*arguments)
        texts[f"{name} before"] = lowered.compiler_ir("hlo").as_hlo_text(print_large_constants=True)
        texts[f"{name} after"] = lowered.compile().as_text()
    assert_round_trips(texts, {name: write_hlo(read_hlo(text, name)) for name, text in texts.items()})


@pytest.mark.parametrize("name", ["loop", "branch", "sort", "gather_scatter"])
def test_programs_without_tuples_are_printed_with_them(name: str):
    """What is read for the emitters has lost its tuples; XLA reads it all the same when it is printed."""
    jax = pytest.importorskip("jax")
    program, arguments = jax_programs()[name]
    text = jax.jit(program).lower(*arguments).compiler_ir("hlo").as_hlo_text()
    (found,) = canonical({name: write_hlo(parse_hlo(text))}).values()
    assert "ENTRY" in found


NANS = "HloModule m\nENTRY e {{ ROOT c = {type}[4] constant({{{values}}}) }}"


@pytest.mark.parametrize(
    ("type", "values"),
    [
        ("f32", "nan, -nan, nan(0x1), -nan(0x400001)"),
        ("bf16", "inf, -inf, nan(0x3), 0.1"),
        ("f8e4m3fn", "nan, -nan, 448, -0.0"),
        ("f64", "1e308, -1e-308, 0.1, nan(0x123456)"),
        ("u64", "0, 1, 18446744073709551615, 2"),
        ("s4", "-8, 7, 0, 1"),
        ("pred", "true, false, 1, 0"),
        ("c64", "(1, -0.0), (inf, 2), (0.1, 1e-30), (0, 0)"),
    ],
)
def test_values_of_constants(type: str, values: str):
    text = NANS.format(type=type, values=values)
    assert_round_trips({type: text}, {type: print_hlo(read_hlo(text))})


def test_number_without_braces_is_read_as_by_xla():
    text = "HloModule m\n\nENTRY e {\n  ROOT c = s32[2,3] constant(7)\n}\n"
    assert_round_trips({"bare": text}, {"bare": print_hlo(read_hlo(text))})


def test_large_splat_is_broadcast():
    text = write_hlo(
        parse_module(
            """func.func @main() -> (tensor<300x400xf32>, tensor<300x400xcomplex<f32>>) {
  %0 = stablehlo.constant dense<5.0> : tensor<300x400xf32>
  %1 = stablehlo.constant dense<(1.0, 2.0)> : tensor<300x400xcomplex<f32>>
  func.return %0, %1 : tensor<300x400xf32>, tensor<300x400xcomplex<f32>>
}"""
        )
    )
    assert xla_errors([text]) == [""]
    assert "constant(5.0)" in text and "constant((1.0, 2.0))" in text
    assert text.count("[300,400]{1,0} broadcast(") == 2


def test_any_stablehlo_becomes_hlo():
    module = parse_module(
        """
        func.func @main(%x: tensor<4x5xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
          %zero = stablehlo.constant dense<0.0> : tensor<f32>
          %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
            : (tensor<4x5xf32>, tensor<f32>) -> tensor<4xf32>
          %i = stablehlo.iota dim = 0 : tensor<4xi32>
          %s:2 = "stablehlo.sort"(%sum, %i) ({
          ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
            %lt = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
            stablehlo.return %lt : tensor<i1>
          }) : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
          return %s#0, %s#1 : tensor<4xf32>, tensor<4xi32>
        }""",
        "test",
    )
    before = str(module)
    (found,) = canonical({"m": write_hlo(module)}).values()
    assert "sort(" in found and "reduce(" in found and "ROOT %tuple" in found
    assert str(module) == before


def test_operations_without_hlo_equivalent():
    block = Block(arg_types=[i32])
    block.add_op(func.ReturnOp())
    module = ModuleOp([func.FuncOp("main", ((i32,), ()), Region(block)), stablehlo.ReturnOp()])
    with pytest.raises(HLOPrintError, match=r"HLO has no 'stablehlo\.return' at the top of a module"):
        write_hlo(module)


def test_meshes_name_the_pipeline_that_writes_them():
    module = parse_module('sdy.mesh @mesh = <["x"=2]>\nfunc.func @main() { return }', "test")
    with pytest.raises(HLOPrintError, match=r"'sdy\.mesh' at the top of a module: run xla-sdy-round-trip-export-pipe"):
        write_hlo(module)
    run_passes(module, "xla-sdy-round-trip-export-pipeline")
    assert "xla.sdy.meshes" in write_hlo(module)


def test_names_that_are_types_get_an_underscore():
    module = parse_module("""module @s32 {
  func.func @f32(%pred: tensor<f32>, %token: tensor<f32>) -> tensor<f32> {
    %f8E5M2 = stablehlo.add %pred, %token : tensor<f32>
    func.return %f8E5M2 : tensor<f32>
  }
}""")
    text = print_hlo(module)
    assert "%f8E5M2 = f32[] add(%pred_, %token_)" in text
    assert text.startswith("HloModule s32_") and "ENTRY %f32 {" in text
    assert xla_errors([text]) == [""]


def test_names_of_an_underscore_and_digits_are_kept_in_copies():
    text = "HloModule m\n\nENTRY %_1 {\n  %_0 = f32[] parameter(0)\n  ROOT %_2 = f32[] negate(%_0)\n}\n"
    assert print_hlo(read_hlo(text).clone()) == text


def test_nested_state_of_a_loop_is_flat_as_what_its_functions_return():
    state = "((f32[16], u32[], token[]), f32[16])"
    text = f"""HloModule m
body {{
  p = {state} parameter(0)
  before = (f32[16], u32[], token[]) get-tuple-element(p), index=0
  x = f32[16] get-tuple-element(p), index=1
  done = token[] send-done(before), channel_id=1
  t = token[] after-all()
  sent = (f32[16], u32[], token[]) send(x, t), channel_id=1
  ROOT r = {state} tuple(sent, x)
}}
cond {{
  p = {state} parameter(0)
  ROOT c = pred[] constant(true)
}}
ENTRY main {{
  x = f32[16] parameter(0)
  t = token[] after-all()
  sent = (f32[16], u32[], token[]) send(x, t), channel_id=1
  i = {state} tuple(sent, x)
  w = {state} while(i), condition=cond, body=body
  last = (f32[16], u32[], token[]) get-tuple-element(w), index=0
  ROOT done = token[] send-done(last), channel_id=1
}}
"""
    printed = write_hlo(parse_hlo(text))
    assert "= (f32[16]{0}, u32[], token[], f32[16]{0}) while(" in printed
    parse_hlo(printed)


@pytest.mark.parametrize("result", [0, 1])
def test_the_root_may_be_an_element_that_an_earlier_instruction_reads(result: int):
    module = parse_module(f"""func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {{
      %r:2 = stablehlo.optimization_barrier %x, %y : tensor<2xf32>, tensor<2xf32>
      %0 = stablehlo.add %r#0, %r#1 : tensor<2xf32>
      %1 = stablehlo.negate %0 : tensor<2xf32>
      return %r#{result} : tensor<2xf32>
    }}""")
    printed = print_hlo(module)
    assert f"ROOT %r.element{'.1' * result} = f32[2]{{0}} get-tuple-element(%r), index={result}" in printed
    assert printed.count("ROOT") == 1
    (main,) = (op for op in parse_hlo(printed).ops if isinstance(op, func.FuncOp))
    arguments = [np.array([1, 2], np.float32), np.array([3, 4], np.float32)]
    np.testing.assert_array_equal(evaluate(main, arguments)[0], arguments[result])


def test_the_entry_is_the_public_function_that_is_not_called():
    body = "func.func @body(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}\n"
    caller = """func.func @f.3(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = call @body(%x) : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }"""
    assert "ENTRY %f.3 {" in print_hlo(parse_module(body + caller))
    with pytest.raises(HLOPrintError, match="this one has 2 public functions: make one @main"):
        print_hlo(parse_module(body + body.replace("@body", "@other")))


def test_recursion_cannot_be_said():
    text = (
        "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n%0 = func.call @main(%x) : (tensor<f32>) -> tensor<f32>\n"
    )
    with pytest.raises(HLOPrintError, match="HLO has no recursion"):
        print_hlo(parse_module(text + "return %0 : tensor<f32>\n}", "test"))


NOT_EXPRESSIBLE = {
    "llvm.unreachable": "function @main does not end in a return",
    "cf.br ^a\n^a:\nreturn %x : tensor<8xf32>": "function @main has 2 blocks: HLO has no branches between blocks",
    "%r = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0] : "
    "(tensor<8xf32>, tensor<f32>) -> tensor<f32>": "'stablehlo.reduce': its region has no computation of its own: "
    "outline it first",
    '"stablehlo.while"() ({ stablehlo.return %p : tensor<i1> }, { stablehlo.return }) : () -> ()': "'stablehlo.while': "
    "its region does more than call a computation: outline it first",
    "%0 = func.call @g(%x) : (tensor<8xf32>) -> tensor<8xf32>": "computation @g is called, but not defined",
    '%0 = "hlo.tuple_constant"(%c) : (tensor<f32>) -> tuple<tensor<f32>>': "'hlo.tuple_constant': its operands are not "
    "constants: make it a tuple",
}


@pytest.mark.parametrize("line", NOT_EXPRESSIBLE)
def test_what_hlo_cannot_say_is_refused_with_the_reason(line: str):
    arguments = "%x: tensor<8xf32>, %c: tensor<f32>, %p: tensor<i1>"
    end = "" if "^a" in line or "llvm" in line else "return %x : tensor<8xf32>"
    module = parse_module(f"func.func @main({arguments}) -> tensor<8xf32> {{\n{line}\n{end}\n}}")
    with pytest.raises(HLOPrintError) as refused:
        print_hlo(module)
    assert str(refused.value) == NOT_EXPRESSIBLE[line]


def test_functions_whose_names_become_one_get_different_names():
    returns_x = "(%x: tensor<f32>) -> tensor<f32> {\nreturn %x : tensor<f32>\n}\n"
    calls = "%0 = func.call @a_b(%x) : (tensor<f32>) -> tensor<f32>\nreturn %0 : tensor<f32>"
    text = f'func.func private @"a b"{returns_x}func.func private @a_b{returns_x}'
    printed = print_hlo(parse_module(f"{text}func.func @main(%x: tensor<f32>) -> tensor<f32> {{\n{calls}\n}}"))
    assert "\n%a_b {" in printed and "\n%a_b.0 {" in printed
    assert "call(%x), to_apply=%a_b.0" in printed


def test_operations_without_values_take_and_give_an_empty_tuple():
    barrier = '"stablehlo.optimization_barrier"() : () -> ()'
    module = parse_module(f"func.func @main(%p: tensor<i1>) -> tensor<i1> {{\n{barrier}\nreturn %p : tensor<i1>\n}}")
    printed = write_hlo(module)
    assert "%tuple = () tuple()\n  %opt-barrier = () opt-barrier(%tuple)" in printed


@pytest.mark.parametrize(
    "instruction",
    [
        'f32[8]{0} custom-call(%x), custom_call_target="f", literal=s32[2]{0} {1, 2}',
        'f32[8]{0} custom-call(%x), custom_call_target="f", literal=(s32[] 1, f32[2] {1, 2})',
        'f32[8]{0} custom-call(%x), custom_call_target="f", to_apply=%f',
        'f32[8]{0} custom-call(%x), custom_call_target="f", called_computations={%f}',
        "f32[8]{0} scaled-dot(%x, %x, %x, %x), lhs_batch_dims={0}, rhs_batch_dims={0}",
        'f32[?]{0} custom-call(%x), custom_call_target="f"',
        "(f32[8]{0}) copy-start(%x)",
    ],
)
def test_attributes_are_written_as_they_are_read(instruction: str):
    computation = "%f {\n  ROOT %a = f32[8]{0} parameter(0)\n}"
    text = (
        f"HloModule m\n\n{computation}\n\nENTRY %e {{\n  %x = f32[8]{{0}} parameter(0)\n  ROOT %y = {instruction}\n}}\n"
    )
    assert print_hlo(read_hlo(text)) == text


def test_one_called_computation_needs_no_braces():
    text = "HloModule m\nf {\nROOT a = f32[] parameter(0)\n}\nENTRY e {\nx = f32[] parameter(0)\n"
    call = 'ROOT y = f32[] custom-call(x), custom_call_target="f", called_computations=f\n}'
    assert "called_computations={%f}" in print_hlo(read_hlo(text + call))


def test_names_and_positions_of_parameters_are_kept():
    text = "HloModule m\n\nENTRY %e {\n  %zero_0 = f32[] constant(0.0)\n  ROOT %p_1 = f32[] parameter(0)\n}\n"
    assert print_hlo(read_hlo(text)) == text


def test_an_elided_constant_is_kept_for_printing_and_an_error_for_evaluation():
    text = "HloModule m\nENTRY e { ROOT c = f32[100] constant({...}) }"
    assert "f32[100]{0} constant({...})" in print_hlo(read_hlo(text))
    with pytest.raises(InterpretationError, match="left out"):
        evaluate(parse_hlo(text), [])


def test_programs_of_jax_in_stablehlo_become_hlo():
    jax = pytest.importorskip("jax")
    printed: dict[str, str] = {}
    programs = jax_programs()
    del programs["random"]  # has operations of chlo
    for name, (program, arguments) in programs.items():
        module = parse_module(jax.jit(program).lower(*arguments).as_text(), name)
        printed[name] = write_hlo(module)
    for name, found in canonical(printed).items():
        assert "ENTRY" in found, f"{name}: {found}"


STRINGS = (
    "a\\001z",
    "\\377\\376",
    "\\xffq",
    "tab\\tq",
    "\\u00e9",
    "é",
    '\\"x\\"',
    "\\\\n",
    "\\'",
    "\\303\\251",
    "\\U0001F600",
)


def test_strings_have_the_escapes_of_c():
    """XLA prints what is no ASCII in octal: names of Python, and kernels in binary formats."""
    texts = {
        text: f"""HloModule m
ENTRY e {{
  x = f32[2] parameter(0)
  y = f32[2] negate(x), metadata={{op_name="{text}"}}, frontend_attributes={{a="{text}"}}
  ROOT r = f32[2] custom-call(y), custom_call_target="f", backend_config="{text}"
}}
"""
        for text in STRINGS
    }
    assert_round_trips(texts, {name: print_hlo(read_hlo(text)) for name, text in texts.items()})


def test_a_target_that_is_no_text_is_refused():
    call = 'ROOT r = f32[2] custom-call(x), custom_call_target="\\377"'
    with pytest.raises(HLOError, match="this string is not in UTF-8"):
        read_hlo(f"HloModule m\nENTRY e {{\n  x = f32[2] parameter(0)\n  {call}\n}}")


def test_a_constant_without_bytes_is_refused():
    module = parse_module("""func.func @main() -> tensor<2xf32> {
      %0 = stablehlo.constant dense_resource<weights> : tensor<2xf32>
      return %0 : tensor<2xf32>
    }""")
    with pytest.raises(HLOPrintError, match=r"'stablehlo\.constant': the module has no bytes for its value"):
        print_hlo(module)


LOOP_OF_CALLS = """
func.func private @body(%p: tuple<tuple<tensor<4xf32>, tensor<i32>>>) -> tuple<tuple<tensor<4xf32>, tensor<i32>>> {
  return %p : tuple<tuple<tensor<4xf32>, tensor<i32>>>
}
func.func private @cond(%p: tuple<tuple<tensor<4xf32>, tensor<i32>>>) -> tensor<i1> {
  %c = stablehlo.constant dense<false> : tensor<i1>
  return %c : tensor<i1>
}
func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %0:2 = stablehlo.while(%a = %x, %i = %n) : tensor<4xf32>, tensor<i32>
  cond {
    %t = stablehlo.tuple %a, %i {hlo.implicit} : tuple<tensor<4xf32>, tensor<i32>>
    %u = stablehlo.tuple %t {hlo.implicit} : tuple<tuple<tensor<4xf32>, tensor<i32>>>
    %1 = func.call @cond(%u) : (tuple<tuple<tensor<4xf32>, tensor<i32>>>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %t = stablehlo.tuple %a, %i {hlo.implicit} : tuple<tensor<4xf32>, tensor<i32>>
    %u = stablehlo.tuple %t {hlo.implicit} : tuple<tuple<tensor<4xf32>, tensor<i32>>>
    %1 = func.call @body(%u) : (tuple<tuple<tensor<4xf32>, tensor<i32>>>) -> tuple<tuple<tensor<4xf32>, tensor<i32>>>
    %2 = stablehlo.get_tuple_element %1[0] {hlo.implicit}
        : (tuple<tuple<tensor<4xf32>, tensor<i32>>>) -> tuple<tensor<4xf32>, tensor<i32>>
    %3 = stablehlo.get_tuple_element %2[0] {hlo.implicit} : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<4xf32>
    %4 = stablehlo.get_tuple_element %2[1] {hlo.implicit} : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<i32>
    stablehlo.return %3, %4 : tensor<4xf32>, tensor<i32>
  }
  return %0#0 : tensor<4xf32>
}
"""


def test_a_loop_has_the_tuple_that_its_body_gives():
    """Also where no operation packs its results, so that only its computations say that the tuple is nested."""
    text = print_hlo(parse_module(LOOP_OF_CALLS))
    assert "%while = ((f32[4]{0}, s32[])) while(%tuple)" in text
    assert print_hlo(read_hlo(text)) == text
