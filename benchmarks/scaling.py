"""
How the time of each part grows with the size of a program, for programs of one extreme shape each.

A cell is a shape and a pipeline: its CPU seconds at n and 4n of something (operations, functions, ...), and the ratio.
Linear time has the ratio 4; a ratio above MARKED is marked, and there is something to mend. Nothing here has a peer.
Run by `make bench`; `python benchmarks/scaling.py readers,results propagation` measures only some cells. With `--large`
there is a third size, 16n, which takes half an hour for all cells.
"""

import gc
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from time import process_time
from typing import Any

from rich.console import Console
from xdsl.passes import PassPipeline
from xdsl.utils.exceptions import DiagnosticException

from xshardy import compiler
from xshardy.dialects.discardable import verify
from xshardy.emitters import emit_fusion
from xshardy.hlo_text import parse_hlo, print_hlo, read_hlo
from xshardy.syntax import parse_module, print_module
from xshardy.tools.pipelines import passes_of
from xshardy.transforms.xla_gpu.codegen_pipeline import LEVELS
from xshardy.universe import installed_passes, new_context

SIZES = (400, 1600, 6400)
FEW = (40, 160, 640)
"""For shapes whose text or nesting limits them."""

MARKED = 6.0
SHORT = 0.02
"""CPU seconds of a step that says little about growth."""

LONG = 20.0
"""CPU seconds after which a cell gets no larger program."""

# -- Shapes of StableHLO -----------------------------------------------------------------------------------------------

T = "tensor<8x8xf32>"
MESH = 'sdy.mesh @mesh = <["x"=2, "y"=2]>\n'
SHARDED = '{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}'


def main_function(lines: Sequence[str], result: str, arguments: str = f"%x: {T} {SHARDED}", type: str = T) -> str:
    body = "\n".join(f"  {line}" for line in lines)
    return f"{MESH}func.func @main({arguments}) -> {type} {{\n{body}\n  return {result} : {type}\n}}\n"


def readers(n: int) -> str:
    """n operations read %a."""
    lines = [f"%a = stablehlo.tanh %x : {T}", f"%0 = stablehlo.add %a, %a : {T}"]
    lines += [f"%{i} = stablehlo.add %{i - 1}, %a : {T}" for i in range(1, n)]
    return main_function(lines, f"%{n - 1}")


def chain(n: int) -> str:
    """Each of n operations reads the one before."""
    lines = [f"%0 = stablehlo.tanh %x : {T}", *(f"%{i} = stablehlo.tanh %{i - 1} : {T}" for i in range(1, n))]
    return main_function(lines, f"%{n - 1}")


def mixed(n: int) -> str:
    """Constants, broadcasts, dots and transposes in a chain."""
    lines = [f"%0 = stablehlo.transpose %x, dims = [1, 0] : ({T}) -> {T}"]
    for i in range(1, n, 5):
        lines += [
            f"%{i} = stablehlo.dot_general %{i - 1}, %x, contracting_dims = [1] x [0] : ({T}, {T}) -> {T}",
            f"%{i + 1} = stablehlo.constant dense<{i}.0> : tensor<f32>",
            f"%{i + 2} = stablehlo.broadcast_in_dim %{i + 1}, dims = [] : (tensor<f32>) -> {T}",
            f"%{i + 3} = stablehlo.multiply %{i}, %{i + 2} : {T}",
            f"%{i + 4} = stablehlo.transpose %{i + 3}, dims = [1, 0] : ({T}) -> {T}",
        ]
    return main_function(lines, f"%{len(lines) - 1}")


def results(n: int) -> str:
    """A function with n results, each by another operation."""
    lines = [
        f"%{i} = stablehlo.tanh %x : {T}" if i == 0 else f"%{i} = stablehlo.add %x, %{i - 1} : {T}" for i in range(n)
    ]
    types = ", ".join([T] * n)
    body = "\n".join(f"  {line}" for line in lines)
    values = ", ".join(f"%{i}" for i in range(n))
    return f"{MESH}func.func @main(%x: {T} {SHARDED}) -> ({types}) {{\n{body}\n  return {values} : {types}\n}}\n"


def arguments(n: int) -> str:
    """A function with n arguments."""
    names = ", ".join(f"%x{i}: {T}" for i in range(1, n))
    lines = ["%0 = stablehlo.tanh %x0 : " + T, *(f"%{i} = stablehlo.add %{i - 1}, %x{i} : {T}" for i in range(1, n))]
    return main_function(lines, f"%{n - 1}", f"%x0: {T} {SHARDED}, {names}")


def functions(n: int, called: Callable[[int], int | None], calls: Sequence[str], result: str) -> str:
    """@main, and n functions, each of which calls one or none."""
    texts = [main_function(calls, result)]
    for i in range(n):
        callee = called(i)
        inner = f"stablehlo.tanh %x : {T}" if callee is None else f"func.call @f{callee}(%x) : ({T}) -> {T}"
        texts.append(f"func.func private @f{i}(%x: {T}) -> {T} {{\n  %0 = {inner}\n  return %0 : {T}\n}}\n")
    return "".join(texts)


def call_chain(n: int) -> str:
    """@main calls @f0, which calls @f1, and so on."""
    return functions(n, lambda i: i + 1 if i + 1 < n else None, [f"%0 = func.call @f0(%x) : ({T}) -> {T}"], "%0")


def calls_of_one(n: int) -> str:
    """@main calls @f0 n times."""
    lines = [f"%{i} = func.call @f0(%{i - 1 if i else 'x'}) : ({T}) -> {T}" for i in range(n)]
    return functions(1, lambda i: None, lines, f"%{n - 1}")


def located_calls(n: int) -> str:
    """The same with a location at each call, which the copies of the function get."""
    return re.sub(r"(func.call .*)", r'\1 loc("call")', calls_of_one(n))


def calls_of_many(n: int) -> str:
    """@main calls n functions, once each."""
    lines = [f"%{i} = func.call @f{i}(%{i - 1 if i else 'x'}) : ({T}) -> {T}" for i in range(n)]
    return functions(n, lambda i: None, lines, f"%{n - 1}")


def nested(n: int) -> str:
    """n regions, each in the one before."""
    opened = [f'%r{i} = "stablehlo.if"(%p) ({{' for i in range(n)]
    closed = [
        f"stablehlo.return %{'x' if i == n - 1 else f'r{i + 1}'} : {T}\n}}, {{\nstablehlo.return %x : {T}\n"
        f"}}) : (tensor<i1>) -> {T}"
        for i in reversed(range(n))
    ]
    return main_function([*opened, *closed], "%r0", f"%x: {T} {SHARDED}, %p: tensor<i1>")


def loops(n: int) -> str:
    """n while loops, one after the other."""
    lines = ["%c = stablehlo.constant dense<3> : tensor<i32>", "%one = stablehlo.constant dense<1> : tensor<i32>"]
    lines += [
        f"%v{i}:2 = stablehlo.while(%i = %c, %a = {f'%v{i - 1}#1' if i else '%x'}) : tensor<i32>, {T} cond {{\n"
        f"  %p = stablehlo.compare LT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        f"  stablehlo.return %p : tensor<i1>\n}} do {{\n  %j = stablehlo.add %i, %one : tensor<i32>\n"
        f"  %b = stablehlo.tanh %a : {T}\n  stablehlo.return %j, %b : tensor<i32>, {T}\n}}"
        for i in range(n)
    ]
    return main_function(lines, f"%v{n - 1}#1")


def wide_loop(n: int) -> str:
    """A while loop with n values."""
    values = ", ".join(f"%a{i} = %x" for i in range(n))
    types = ", ".join([T] * n)
    lines = [
        f"%v:{n} = stablehlo.while({values}) : {types} cond {{\n  stablehlo.return %p : tensor<i1>\n}} do {{",
        *(f"  %b{i} = stablehlo.tanh %a{i} : {T}" for i in range(n)),
        f"  stablehlo.return {', '.join(f'%b{i}' for i in range(n))} : {types}\n}}",
    ]
    return main_function(lines, f"%v#{n - 1}", f"%x: {T} {SHARDED}, %p: tensor<i1>")


def concatenation(n: int) -> str:
    """A concatenation of n operands, half of them the same value."""
    lines = [f"%{i} = stablehlo.tanh %x : {T}" for i in range(n // 2)]
    operands = [f"%{i}" for i in range(n // 2)] + ["%x"] * (n - n // 2)
    wide = f"tensor<8x{8 * n}xf32>"
    lines.append(f"%c = stablehlo.concatenate {', '.join(operands)}, dim = 1 : ({', '.join([T] * n)}) -> {wide}")
    return main_function(lines, "%c", type=wide)


def barrier(n: int) -> str:
    """An operation with n operands and n results."""
    types = ", ".join([T] * n)
    lines = [f"%b:{n} = stablehlo.optimization_barrier {', '.join(['%x'] * n)} : {types}"]
    return main_function(lines, f"%b#{n - 1}")


def constraints(n: int) -> str:
    """n sharding constraints of one value, each read once."""
    sharding = '<@mesh, [{"x"}, {?}]>'
    lines = [f"%0 = stablehlo.tanh %x : {T}"]
    for i in range(1, n):
        lines += [f"%c{i} = sdy.sharding_constraint %x {sharding} : {T}", f"%{i} = stablehlo.add %{i - 1}, %c{i} : {T}"]
    return main_function(lines, f"%{n - 1}")


def groups(n: int) -> str:
    """n values, each in two sharding groups."""
    lines = [f"%0 = stablehlo.tanh %x : {T}"]
    for i in range(1, n):
        lines += [f"%{i} = stablehlo.tanh %{i - 1} : {T}", f"sdy.sharding_group %{i} group_id={i} : {T}"]
        lines.append(f"sdy.sharding_group %{i} group_id={i // 2 + n} : {T}")
    return main_function(lines, f"%{n - 1}")


def manual(n: int) -> str:
    """n manual computations, one after the other."""
    sharding = '[<@mesh, [{"x"}, {}]>]'
    local = "tensor<4x8xf32>"
    lines = [
        f"%{i} = sdy.manual_computation(%{i - 1 if i else 'x'}) in_shardings={sharding} out_shardings={sharding} "
        f'manual_axes={{"x"}} (%a: {local}) {{\n  %b = stablehlo.tanh %a : {local}\n  sdy.return %b : {local}\n'
        f"}} : ({T}) -> {T}"
        for i in range(n)
    ]
    return main_function(lines, f"%{n - 1}")


def blocks(n: int) -> str:
    """n blocks, with values that all later ones read."""
    texts = ["func.func @main(%x: f32, %p: i1) -> f32 {\n  %0 = arith.negf %x : f32\n  cf.br ^bb1\n"]
    for i in range(1, n):
        following = f"cf.cond_br %p, ^bb{i + 1}, ^bb{n}" if i < n - 1 else f"cf.br ^bb{n}"
        texts.append(f"^bb{i}:\n  %{i} = arith.addf %{i - 1}, %0 : f32\n  {following}\n")
    return "".join(texts) + f"^bb{n}:\n  return %0 : f32\n}}\n"


def constants(n: int) -> str:
    """n constants, half of them equal."""
    lines = [f"%0 = stablehlo.tanh %x : {T}"]
    for i in range(1, n):
        lines.append(f"%c{i} = stablehlo.constant dense<{i if i % 2 else 0}.0> : {T}")
        lines.append(f"%{i} = stablehlo.add %{i - 1}, %c{i} : {T}")
    return main_function(lines, f"%{n - 1}")


# -- Shapes of HLO text ------------------------------------------------------------------------------------------------


def hlo(lines: Sequence[str], computations: str = "") -> str:
    body = "".join(f"  {line}\n" for line in lines)
    return f"HloModule m\n\n{computations}ENTRY main {{\n  x = f32[8] parameter(0)\n{body}}}\n"


def hlo_chain(n: int) -> str:
    """Each of n instructions reads the one before, and x."""
    return hlo([f"{'ROOT ' if i == n - 1 else ''}a{i} = f32[8] add({f'a{i - 1}' if i else 'x'}, x)" for i in range(n)])


def hlo_wide_tuple(n: int) -> str:
    """A tuple of n arrays, each of which is read."""
    lines = [f"a{i} = f32[8] negate(x)" for i in range(n)]
    lines.append(f"t = ({', '.join(['f32[8]'] * n)}) tuple({', '.join(f'a{i}' for i in range(n))})")
    lines += [f"g{i} = f32[8] get-tuple-element(t), index={i}" for i in range(n)]
    lines += [f"s{i} = f32[8] add({f's{i - 1}' if i else 'x'}, g{i})" for i in range(n)]
    lines[-1] = f"ROOT {lines[-1]}"
    return hlo(lines)


def hlo_deep_tuple(n: int) -> str:
    """A tuple in a tuple, n deep, and back."""
    shapes = ["f32[8]"]
    for _ in range(n):
        shapes.append(f"({shapes[-1]})")
    lines = [f"t{i} = {shapes[i]} tuple({f't{i - 1}' if i > 1 else 'x'})" for i in range(1, n + 1)]
    lines += [
        f"g{i} = {shapes[i]} get-tuple-element({f'g{i + 1}' if i < n - 1 else f't{n}'}), index=0"
        for i in reversed(range(n))
    ]
    lines[-1] = f"ROOT {lines[-1]}"
    return hlo(lines)


def hlo_call_chain(n: int) -> str:
    """n computations, each of which calls the one before."""
    texts = ["f0 {\n  p = f32[8] parameter(0)\n  ROOT r = f32[8] negate(p)\n}\n\n"]
    for i in range(1, n):
        texts.append(f"f{i} {{\n  p = f32[8] parameter(0)\n  ROOT r = f32[8] call(p), to_apply=f{i - 1}\n}}\n\n")
    return hlo([f"ROOT r = f32[8] call(x), to_apply=f{n - 1}"], "".join(texts))


def hlo_loops(n: int) -> str:
    """n while loops with their own conditions and bodies."""
    texts = [
        f"c{i} {{\n  p = (f32[8], pred[]) parameter(0)\n  ROOT r = pred[] get-tuple-element(p), index=1\n}}\n\n"
        f"b{i} {{\n  p = (f32[8], pred[]) parameter(0)\n  a = f32[8] get-tuple-element(p), index=0\n"
        f"  n = f32[8] negate(a)\n  q = pred[] constant(false)\n  ROOT r = (f32[8], pred[]) tuple(n, q)\n}}\n\n"
        for i in range(n)
    ]
    lines = ["q = pred[] constant(true)"]
    for i in range(n):
        lines.append(f"t{i} = (f32[8], pred[]) tuple({f'g{i - 1}' if i else 'x'}, q)")
        lines.append(f"w{i} = (f32[8], pred[]) while(t{i}), condition=c{i}, body=b{i}")
        lines.append(f"{'ROOT ' if i == n - 1 else ''}g{i} = f32[8] get-tuple-element(w{i}), index=0")
    return hlo(lines, "".join(texts))


# -- Fusions -----------------------------------------------------------------------------------------------------------


def fusion(lines: Sequence[str], parameters: int = 1) -> str:
    given = [f"p{i} = f32[256] parameter({i})" for i in range(parameters)]
    inner = "".join(f"  {line}\n" for line in (*given, *lines))
    root = lines[-1].split(" = ")[1].split(" ")[0]
    operands = ", ".join(f"p{i}" for i in range(parameters))
    outer = "".join(f"  {line}\n" for line in given)
    return (
        f"HloModule m\n\nfused {{\n{inner}}}\n\nENTRY main {{\n{outer}"
        f"  ROOT r = {root} fusion({operands}), kind=kLoop, calls=fused\n}}\n"
    )


def fused_chain(n: int) -> str:
    """n elementwise instructions."""
    lines = [f"a{i} = f32[256] add({f'a{i - 1}' if i else 'p0'}, p0)" for i in range(n)]
    lines[-1] = f"ROOT {lines[-1]}"
    return fusion(lines)


def fused_parameters(n: int) -> str:
    """n parameters."""
    lines = [f"a{i} = f32[256] add({f'a{i - 1}' if i else 'p0'}, p{i})" for i in range(n)]
    lines[-1] = f"ROOT {lines[-1]}"
    return fusion(lines, n)


def fused_diamonds(n: int) -> str:
    """n instructions that read the one before twice."""
    lines = [f"a{i} = f32[256] multiply(a{i - 1}, a{i - 1})" if i else "a0 = f32[256] tanh(p0)" for i in range(n)]
    lines[-1] = f"ROOT {lines[-1]}"
    return fusion(lines)


def fused_concatenation(n: int) -> str:
    """A concatenation of n operands."""
    lines = [f"a{i} = f32[256] negate(p0)" for i in range(n)]
    return fusion(
        [*lines, f"ROOT c = f32[{256 * n}] concatenate({', '.join(f'a{i}' for i in range(n))}), dimensions={{0}}"]
    )


@dataclass(frozen=True, slots=True)
class Shape:
    """A family of programs. `kind` says which pipelines take it."""

    kind: str
    text: Callable[[int], str]
    sizes: Sequence[int] = SIZES


SHAPES: Mapping[str, Shape] = {
    **{
        shape.__name__: Shape("stablehlo", shape)
        for shape in (
            *(readers, chain, mixed, results, arguments, calls_of_one, located_calls, calls_of_many, loops, wide_loop),
            *(concatenation, barrier, constraints, groups, manual, constants),
        )
    },
    "call_chain": Shape("stablehlo", call_chain, (100, 400, 1600)),  # nested named computations after import
    "nested": Shape("stablehlo", nested, FEW),
    "blocks": Shape("mlir", blocks),
    **{shape.__name__: Shape("hlo", shape) for shape in (hlo_chain, hlo_wide_tuple, hlo_call_chain, hlo_loops)},
    "hlo_deep_tuple": Shape("hlo", hlo_deep_tuple, (6, 24, 96)),
    **{shape.__name__: Shape("fusion", shape, FEW) for shape in (fused_chain, fused_parameters, fused_diamonds)},
    "fused_concatenation": Shape("fusion", fused_concatenation, (10, 40, 160)),
}

# -- Pipelines ---------------------------------------------------------------------------------------------------------


def passes(pipeline: str) -> Callable[[Any], object]:
    context = new_context()
    found = PassPipeline(passes_of(pipeline, installed_passes()))
    return lambda module: found.apply(context, module)


def parsed_then(pipeline: str = "") -> Callable[[str], Any]:
    def prepare(text: str) -> Any:
        module = parse_module(text)
        if pipeline:
            passes(pipeline)(module)
        return module

    return prepare


def only_fusion(text: str) -> Any:
    (fusion,) = compiler.select_fusions(parse_hlo(text))
    return fusion


@dataclass(frozen=True, slots=True)
class Pipeline:
    """What is timed: `run` of what `prepare` makes of the text, for shapes of `kinds`."""

    kinds: frozenset[str]
    prepare: Callable[[str], Any]
    run: Callable[[Any], object]


MLIR, STABLEHLO, HLO, FUSION = (
    frozenset({"mlir", "stablehlo"}),
    frozenset({"stablehlo"}),
    frozenset({"hlo"}),
    frozenset({"fusion"}),
)

PIPELINES: Mapping[str, Pipeline] = {
    "parse": Pipeline(MLIR, str, parse_module),
    "print": Pipeline(MLIR, parsed_then(), print_module),
    "verify": Pipeline(MLIR, parsed_then(), verify),
    "clone": Pipeline(MLIR, parsed_then(), lambda module: module.clone()),
    "canonicalize": Pipeline(MLIR, parsed_then(), passes("canonicalize")),
    "cse": Pipeline(MLIR, parsed_then(), passes("cse")),
    "inline": Pipeline(MLIR, parsed_then(), passes("inline")),
    "symbol-dce": Pipeline(MLIR, parsed_then(), passes("symbol-dce")),
    "licm": Pipeline(MLIR, parsed_then(), passes("licm")),
    "import": Pipeline(STABLEHLO, parsed_then(), passes("sdy-import-pipeline")),
    "propagation": Pipeline(STABLEHLO, parsed_then("sdy-import-pipeline"), passes("sdy-user-priority-propagate")),
    "export": Pipeline(
        STABLEHLO,
        parsed_then("sdy-import-pipeline,sdy-user-priority-propagate"),
        passes("sdy-export-pipeline{enable-insert-explicit-collectives=true}"),
    ),
    "local": Pipeline(
        STABLEHLO,
        parsed_then("sdy-propagation-pipeline{enable-insert-explicit-collectives=true}"),
        passes("sdy-convert-global-to-local,sdy-drop-sharding-and-mesh"),
    ),
    "whole": Pipeline(STABLEHLO, parsed_then(), passes("sdy-propagation-pipeline")),
    "partition": Pipeline(
        STABLEHLO,
        parsed_then("sdy-propagation-pipeline"),
        passes("sdy-partitioner-pipeline,sdy-drop-sharding-and-mesh"),
    ),
    "fuse": Pipeline(STABLEHLO, parsed_then("sdy-drop-sharding-and-mesh"), passes("hlo-fusion-pipeline")),
    "hlo read": Pipeline(HLO, str, read_hlo),
    "hlo print": Pipeline(HLO, read_hlo, print_hlo),
    "hlo verify": Pipeline(HLO, read_hlo, verify),
    "hlo import": Pipeline(HLO, str, parse_hlo),
    "hlo dissolve": Pipeline(HLO, read_hlo, passes("hlo-dissolve-tuples")),
    "emit": Pipeline(FUSION, only_fusion, emit_fusion),
    "lower": Pipeline(FUSION, compiler.emit, lambda module: compiler.lower(module, LEVELS[-1])),
}

# -- Measurement -------------------------------------------------------------------------------------------------------


def seconds(pipeline: Pipeline, text: str) -> float:
    """The CPU seconds without garbage collection: the least of three runs, or the first that is not short."""
    least = float("inf")
    for _ in range(3):
        prepared = pipeline.prepare(text)
        gc.collect()
        gc.disable()
        start = process_time()
        pipeline.run(prepared)
        least = min(least, process_time() - start)
        gc.enable()
        if least > 0.2:
            break
    return least


def cell(shape: Shape, pipeline: Pipeline, sizes: Sequence[int]) -> tuple[str, bool]:
    """The line of a cell for programs of these sizes, and whether it is marked."""
    times: list[float] = []
    for size in sizes:
        try:
            times.append(seconds(pipeline, shape.text(size)))
        except DiagnosticException as error:
            return f"refused: {error}"[:80], False
        except RecursionError:
            return f"nested too deeply at {size}", True
        if times[-1] > LONG:
            break
    ratios = [later / earlier for earlier, later in pairwise(times) if later > SHORT]
    marked = len(times) < len(sizes) or any(ratio > MARKED for ratio in ratios[-1:])
    shown = "  ".join(f"{size:>5}: {time:8.3f}" for size, time in zip(sizes, times, strict=False))
    return f"{shown}   x {', '.join(f'{ratio:.1f}' for ratio in ratios) or '-'}{'   <---' if marked else ''}", marked


def cells(shapes: Sequence[str], pipelines: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name in shapes or SHAPES:
        for step in pipelines or PIPELINES:
            if SHAPES[name].kind in PIPELINES[step].kinds:
                yield name, step


def main() -> None:
    sys.setrecursionlimit(10_000)  # as `xshardy-opt` does
    given = [argument for argument in sys.argv[1:] if argument != "--large"]
    chosen = [argument.split(",") if argument != "all" else [] for argument in (*given, "all", "all")[:2]]
    marked = 0
    for name, step in cells(*chosen):
        shape = SHAPES[name]
        line, is_marked = cell(shape, PIPELINES[step], shape.sizes if "--large" in sys.argv else shape.sizes[:2])
        marked += is_marked
        Console(highlight=False).print(f"{name:<20} {step:<13} {line}", markup=False, soft_wrap=True)
    print(f"{marked} marked: more than {MARKED} times the time for 4 times the size")


if __name__ == "__main__":
    main()
