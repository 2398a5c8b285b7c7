"""What objects show in notebooks: pictures, tables, and programs in colours."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import product_pairs as pairs
import pytest
from xdsl.dialects.builtin import ModuleOp

import xshardy
from xshardy.notebook import load_ipython_extension, value_html

EXAMPLES = Path(__file__).parents[2] / "examples"
MLP = str(EXAMPLES / "mlp.mlir")


def test_a_plan_shows_what_is_sent_by_cause_and_what_is_held():
    shown = xshardy.plan(MLP)._repr_html_()
    assert "<svg" in shown and "dot (line 10), model" in shown
    assert "memory at the peak" in shown and "argument 2 (%w1)" in shown


def test_a_kernel_shows_its_launch_its_arguments_and_its_code():
    kernel = xshardy.compile((EXAMPLES / "gelu.hlo").read_text(), math="expanded")
    shown = kernel._repr_html_()
    assert f">{kernel.entry}</td>" in shown and "[24576, 1, 1] x [128, 1, 1]" in shown
    assert "written, at least 25165824 bytes, aligned to 256" in shown
    assert f"PTX, {kernel.ptx.count(chr(10))} lines" in shown and "LLVM IR, " in shown


def test_a_verdict_shows_its_results_and_where_a_relation_ends():
    shown = xshardy.prove(pairs.WHOLE, pairs.WRONG)._repr_html_()
    assert ">refuted<" in shown and "on 2 devices" in shown
    assert "not related: %1 (line 5), stablehlo.tanh" in shown and ">device 0 has " in shown


def test_a_partitioned_program_shows_its_parts_and_its_text():
    program = xshardy.partition(MLP)
    shown = program._repr_html_()
    assert program.arguments[1]._repr_html_() in shown and "stablehlo.dot" in shown


@pytest.mark.parametrize(("check", "verdict"), [(True, "agrees"), (False, "not compared")])
def test_a_run_shows_its_verdict(check: bool, verdict: str):
    program = """
    sdy.mesh @mesh = <["x"=2]>
    func.func @f(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
      %0 = stablehlo.negate %x : tensor<4xf32>
      return %0 : tensor<4xf32>
    }"""
    shown = xshardy.run(program, check=check)._repr_html_()
    assert f">{verdict}<" in shown and ">ms<" in shown and "2 parts on 2 devices" in shown


def test_the_extension_shows_modules_and_sharded_values():
    registered: dict[type, Callable[..., str | None]] = {}
    html = SimpleNamespace(for_type=registered.__setitem__)
    load_ipython_extension(SimpleNamespace(display_formatter=SimpleNamespace(formatters={"text/html": html})))
    module = xshardy.propagate(MLP)
    assert "stablehlo.tanh" in registered[ModuleOp](module)
    tanh = next(op for op in module.walk() if op.name == "stablehlo.tanh")
    shown = registered[type(tanh.results[0])](tanh.results[0])
    assert shown is not None and "32 parts on 32 devices" in shown


def test_a_value_without_a_sharding_shows_itself_as_ever():
    module = xshardy.parse("func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> { return %x : tensor<8xf32> }")
    assert value_html(module.body.block.first_op.regions[0].block.args[0]) is None
