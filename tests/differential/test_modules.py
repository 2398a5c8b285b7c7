"""Whole modules, as JAX lowers them and as a generator writes them: what we print of them is what MLIR prints."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
import pytest
from jax import lax
from jax._src.interpreters.mlir import make_ir_context
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
from jaxlib.mlir import ir

from xshardy.dialects.discardable import verify
from xshardy.syntax import parse_module, print_module
from xshardy.tools.xshardy_opt import run

MESH = AbstractMesh((2, 4), ("x", "y"), axis_types=(AxisType.Auto, AxisType.Auto))


def array(*shape: int, dtype=jnp.float32, spec: P | None = None) -> jax.ShapeDtypeStruct:
    sharding = None if spec is None else NamedSharding(MESH, spec)
    return jax.ShapeDtypeStruct(shape, dtype, sharding=sharding)


def mlp(x, w, b):
    return jnp.square(jax.nn.gelu(x @ w + b, approximate=False)).mean(axis=-1)


def train_step(x, w, b):
    loss, gradients = jax.value_and_grad(lambda w, b: mlp(x, w, b).sum(), argnums=(0, 1))(w, b)
    return loss, *(lax.with_sharding_constraint(g, NamedSharding(MESH, P("x"))) for g in gradients)


def convolutions(x, k):
    def f(x, k):
        y = lax.conv_general_dilated(x, k, (2, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        return lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID").sum()

    return jax.grad(f, argnums=(0, 1))(x, k)


def places(x, i):
    ranked, order = lax.top_k(x, 3)
    return ranked, order, jnp.sort(x, axis=0), x[i], x.at[i].add(1.0), jnp.argmax(x, axis=1), jnp.cumsum(x, axis=0)


def special_functions(x):
    return lax.erf(x), lax.erf_inv(x), lax.lgamma(x), lax.digamma(x), jnp.isinf(x), jnp.sinh(x), lax.nextafter(x, -x)


def control_flow(x, n):
    x = lax.fori_loop(0, 5, lambda i, x: x * i + 1, x)
    x, ys = lax.scan(lambda carry, row: (carry + row, jnp.tanh(carry)), x[0], x)
    x = lax.while_loop(lambda x: x.sum() < 100, lambda x: x + 1, x)
    return lax.switch(n, [jnp.sin, jnp.cos, lambda x: x], x), ys


def calls(x):
    @jax.jit
    def helper(x):
        return jnp.where(x > 0, x, 0.1 * x)

    return helper(x), helper(x.T), jax.checkpoint(helper)(x)


PROGRAMS: dict[str, tuple[Callable, Sequence[jax.ShapeDtypeStruct]]] = {
    "train_step": (train_step, [array(8, 16, spec=P("x")), array(16, 32, spec=P(None, "y")), array(32)]),
    "convolutions": (convolutions, [array(2, 8, 8, 3), array(3, 3, 3, 4)]),
    "places": (places, [array(6, 8), array(2, dtype=jnp.int32)]),
    "special_functions": (special_functions, [array(4, dtype=jnp.bfloat16)]),
    "control_flow": (control_flow, [array(4, 4), array(dtype=jnp.int32)]),
    "calls": (calls, [array(4, 4, dtype=jnp.float16)]),
}


@dataclass
class Writer:
    """Writes a function of random operations, each on values that are there."""

    choose: random.Random
    lines: list[str] = field(default_factory=list)
    values: list[tuple[str, tuple[int, ...], str]] = field(default_factory=list)

    def emit(self, text: str, shape: Sequence[int], element: str) -> None:
        name = f"%v{len(self.values)}"
        self.lines.append(f"{name} = {text}")
        self.values.append((name, tuple(shape), element))

    def pick(self) -> tuple[str, tuple[int, ...], str]:
        return self.choose.choice(self.values)


def tensor(shape: Sequence[int], element: str) -> str:
    return f"tensor<{'x'.join(map(str, (*shape, element)))}>"


def write_unary(w: Writer) -> None:
    name, shape, element = w.pick()
    ops = ["negate", "sign"] if element == "i32" else ["negate", "exponential", "logistic", "tanh", "floor"]
    w.emit(f"stablehlo.{w.choose.choice(ops)} {name} : {tensor(shape, element)}", shape, element)


def write_binary(w: Writer) -> None:
    name, shape, element = w.pick()
    op, type = w.choose.choice(["add", "multiply", "maximum", "divide"]), tensor(shape, element)
    w.emit(f'stablehlo.{op} {name}, {name} {{mhlo.note = "{op}"}} : {type}', shape, element)


def write_transpose(w: Writer) -> None:
    name, shape, element = w.pick()
    dims = w.choose.sample(range(len(shape)), len(shape))
    result = [shape[i] for i in dims]
    w.emit(
        f"stablehlo.transpose {name}, dims = {dims} : ({tensor(shape, element)}) -> {tensor(result, element)}",
        result,
        element,
    )


def write_broadcast(w: Writer) -> None:
    name, shape, element = w.pick()
    result = [w.choose.randint(1, 3), *shape]
    dims = list(range(1, len(result)))
    types = f"({tensor(shape, element)}) -> {tensor(result, element)}"
    w.emit(f"stablehlo.broadcast_in_dim {name}, dims = {dims} : {types}", result, element)


def write_convert(w: Writer) -> None:
    name, shape, element = w.pick()
    target = w.choose.choice(["f32", "bf16", "f64", "i32"])
    w.emit(f"stablehlo.convert {name} : ({tensor(shape, element)}) -> {tensor(shape, target)}", shape, target)


def write_constant(w: Writer) -> None:
    value = w.choose.choice([0.1, 1e-30, -3.0, 12345.678, float(w.choose.randint(-9, 9)), w.choose.gauss(0, 1e6)])
    shape = [w.choose.randint(1, 4) for _ in range(w.choose.randint(0, 2))]
    w.emit(f"stablehlo.constant dense<{value:e}> : {tensor(shape, 'f32')}", shape, "f32")


def write_reduce(w: Writer) -> None:
    name, shape, element = w.pick()
    zero = "0" if element == "i32" else "0.0"
    w.emit(f"stablehlo.constant dense<{zero}> : {tensor((), element)}", (), element)
    init = w.values[-1][0]
    dims = sorted(w.choose.sample(range(len(shape)), w.choose.randint(0, len(shape))))
    result = [size for i, size in enumerate(shape) if i not in dims]
    types = f"({tensor(shape, element)}, {tensor((), element)}) -> {tensor(result, element)}"
    op = f"stablehlo.reduce({name} init: {init}) applies stablehlo.add across dimensions = {dims} : {types}"
    w.emit(op, result, element)


def write_dot(w: Writer) -> None:
    name, shape, element = w.pick()
    contracted = sorted(w.choose.sample(range(len(shape)), w.choose.randint(0, len(shape))))
    result = [size for i, size in enumerate(shape) if i not in contracted] * 2
    types = f"({tensor(shape, element)}, {tensor(shape, element)}) -> {tensor(result, element)}"
    w.emit(
        f"stablehlo.dot_general {name}, {name}, contracting_dims = {contracted} x {contracted}, "
        f"precision = [HIGHEST, DEFAULT] : {types}",
        result,
        element,
    )


def write_sort(w: Writer) -> None:
    name, shape, element = w.pick()
    if not shape:
        return
    scalar = tensor((), element)
    w.emit(
        f"""\"stablehlo.sort\"({name}) <{{dimension = {w.choose.randrange(len(shape))} : i64}}> ({{
        ^bb0(%a: {scalar}, %b: {scalar}):
          %p = stablehlo.compare LT, %a, %b : ({scalar}, {scalar}) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        }}) : ({tensor(shape, element)}) -> {tensor(shape, element)}""",
        shape,
        element,
    )


WRITERS = (
    write_unary,
    write_binary,
    write_transpose,
    write_broadcast,
    write_convert,
    write_constant,
    write_reduce,
    write_dot,
    write_sort,
)


def random_module(seed: int) -> str:
    """A function of a dozen operations; its arguments and results are sharded, or not, at random."""
    choose = random.Random(seed)
    w = Writer(choose)
    shapes = [tuple(choose.randint(1, 4) for _ in range(choose.randint(0, 3))) for _ in range(3)]
    w.values = [(f"%v{i}", shape, choose.choice(["f32", "bf16", "i32"])) for i, shape in enumerate(shapes)]
    arguments = list(w.values)
    for _ in range(12):
        choose.choice([writer for writer in WRITERS if writer is not write_broadcast or len(w.values[-1][1]) < 4])(w)

    def sharded(shape: Sequence[int], element: str) -> str:
        axes = choose.choice(["x", "y"])
        dims = ", ".join(choose.choice(["{}", "{?}"]) for _ in shape[1:])
        first = f'{{"{axes}"}}' + (f", {dims}" if dims else "") if shape else ""
        note = f" {{sdy.sharding = #sdy.sharding<@mesh, [{first}]>}}" if choose.random() < 0.5 else ""
        return tensor(shape, element) + note

    names = ", ".join(f"{name}: {sharded(shape, element)}" for name, shape, element in arguments)
    name, shape, element = w.values[-1]
    body = "\n  ".join(w.lines)
    return f"""sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func public @main({names}) -> ({sharded(shape, element)}) {{
  {body}
  return {name} : {tensor(shape, element)}
}}"""


def assert_same_text(text: str) -> None:
    """MLIR and we print the same for `text`, and MLIR reads either form of ours as the module that it reads there."""
    module = parse_module(text)
    verify(module)
    ours = print_module(module)
    code, generic, error = run(["--print-op-generic"], text)
    assert code == 0, error
    with make_ir_context():
        theirs = ir.Module.parse(text)
        assert ours.strip() == str(theirs).strip()
        expected = theirs.operation.get_asm(print_generic_op_form=True)
        for mine in (ours, generic):
            assert ir.Module.parse(mine).operation.get_asm(print_generic_op_form=True) == expected


@pytest.mark.parametrize("name", PROGRAMS)
def test_modules_that_jax_lowers(name: str):
    f, arguments = PROGRAMS[name]
    assert_same_text(jax.jit(f).trace(*arguments).lower(lowering_platforms=("cpu",)).as_text())


@pytest.mark.parametrize("seed", range(25))
def test_random_modules(seed: int):
    assert_same_text(random_module(seed))


def test_functions_with_empty_dictionaries():
    assert_same_text("""func.func private @none(i32 {}) -> (i32 {})
func.func @one(%x: i32 {}, %y: i32 {jax.note}) -> (i32 {}, i32 {jax.note}) {
  return %x, %y : i32, i32
}""")
    properties = 'function_type = (i32) -> i32, res_attrs = [{}], sym_name = "f", sym_visibility = "private"'
    generic = f'"func.func"() <{{{properties}}}> ({{}}) : () -> ()'
    with make_ir_context():
        expected = str(ir.Module.parse(generic)).strip()
    assert print_module(parse_module(generic)).strip() == expected
