"""Loops over lanes that are split at their branches and loops compute the same, lane by lane."""

import numpy as np
from hypothesis import given
from hypothesis.strategies import DrawFn, composite, integers, sampled_from

from xshardy.interpreters.simt import run_kernel
from xshardy.syntax import parse_module
from xshardy.transforms.xla_gpu.unswitch_loops import UnswitchLoopsPass
from xshardy.universe import new_context

DOMAIN = "d0 in [0, 2], d1 in [0, 2], d2 in [0, 3]"
ELEMENT = f'#xla_gpu.indexing_map<"(d0, d1, d2) -> (d0 * 12 + d1 * 4 + d2), domain: {DOMAIN}">'


@composite
def bodies(draw: DrawFn, total: str = "%x", counters: tuple[str, ...] = ("%c1",)) -> tuple[str, str]:
    """Operations that add loads of a lane to `total`, under branches and in loops, and the value that they compute."""
    depth = len(counters)
    kind = draw(sampled_from(["load", "branch", "loop"])) if depth < 4 else "load"
    if kind == "load":
        text = f"""
            %at{depth} = xla_gpu.apply_indexing {ELEMENT}(%th, {draw(sampled_from(counters))}, %lane)
            %element{depth} = tensor.extract %t[%at{depth}] : tensor<36xf32>
            %sum{depth} = arith.addf %element{depth}, {draw(sampled_from((total, "%before")))} : f32"""
        return text, f"%sum{depth}"
    if kind == "branch":
        inner, value = draw(bodies(total, (*counters, draw(sampled_from(counters)))))
        text = f"""
            %holds{depth} = arith.cmpi sle, {draw(sampled_from(("%th", *counters)))}, %c{draw(integers(0, 3))} : index
            %result{depth} = scf.if %holds{depth} -> (f32) {{ {inner} scf.yield {value} : f32 }}
            else {{ scf.yield {draw(sampled_from(("%x", total)))} : f32 }}"""
        return text, f"%result{depth}"
    inner, value = draw(bodies(f"%carried{depth}", (*counters, f"%k{depth}")))
    text = f"""
            %result{depth} = scf.for %k{depth} = %c0 to %c3 step %c1 iter_args(%carried{depth} = {total}) -> (f32)
            {{ {inner} scf.yield {value} : f32 }}"""
    return text, f"%result{depth}"


def kernel(body: tuple[str, str]) -> str:
    """A kernel of three threads, each with a loop over four lanes of `body`."""
    return f"""
    func.func @kernel(%t: tensor<36xf32>, %out: tensor<12xf32>) -> tensor<12xf32>
        attributes {{xla.entry, gpu.known_block_size = array<i32: 3, 1, 1>,
                     gpu.known_grid_size = array<i32: 1, 1, 1>}} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %x = arith.constant 5.0 : f32
      %th = gpu.thread_id x
      %r = scf.for %lane = %c0 to %c4 step %c1 iter_args(%o = %out) -> (tensor<12xf32>) {{
        %before = tensor.extract %t[%lane] : tensor<36xf32>
        {body[0]}
        %place = xla_gpu.apply_indexing
          #xla_gpu.indexing_map<"(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 2], d1 in [0, 3]">(%th, %lane)
        %s = tensor.insert {body[1]} into %o[%place] : tensor<12xf32>
        scf.yield %s : tensor<12xf32>
      }}
      func.return %r : tensor<12xf32>
    }}"""


@given(bodies())
def test_split_loops_compute_the_same(body: tuple[str, str]):
    module = parse_module(kernel(body))
    inputs = [np.arange(36, dtype=np.float32), np.zeros(12, dtype=np.float32)]
    expected = run_kernel(module, inputs)
    UnswitchLoopsPass().apply(new_context(), module)
    module.verify()
    np.testing.assert_array_equal(run_kernel(module, inputs), expected)
