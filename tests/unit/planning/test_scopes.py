"""`plan --by scope`: sums by JAX's names, the layers of a model as one."""

import json
from pathlib import Path

import pytest

import xshardy
from xshardy.planning.scopes import ScopeSum, sums_by_scope
from xshardy.planning.topology import H100
from xshardy.tools.cli import main

MLP = Path(__file__).parents[3] / "examples" / "mlp.mlir"
LAYERS = 3
T = "tensor<8x8xf32>"


def program() -> str:
    """Layers of three operations by name, two of them products whose results are all-reduced; then a gradient."""
    lines, last = [], "%x"
    for layer in range(LAYERS):
        for name, op in (
            (f"jvp(Block_{layer})/attn/dot_general", "dot"),
            (f"jvp(Block_{layer})/mlp/Dense_0/dot_general", "dot"),
            (f"jvp(Block_{layer})/mlp/Dense_1/tanh", "tanh"),
            (f"jvp(Block_{layer})/tanh", "tanh"),
        ):
            value = f"%v{len(lines)}"
            operands, types = (f"{last}, %w", f"({T}, {T}) -> {T}") if op == "dot" else (last, T)
            lines.append(f'{value} = stablehlo.{op} {operands} : {types} loc("jit(step)/{name}")')
            last = value
    lines.append(f'%g = stablehlo.dot {last}, %w : ({T}, {T}) -> {T} loc("jit(step)/transpose(jvp(Block_0))/attn/dot")')
    lines.append(f"%end = stablehlo.tanh %g : {T}")
    body = "\n  ".join(lines)
    return (
        'sdy.mesh @mesh = <["x"=4]>\n'
        f'func.func @main(%x: {T}, %w: {T} {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}}) -> {T} {{\n'
        f"  {body}\n  return %end : {T}\n}}\n"
    )


def test_layers_are_one_and_products_in_a_layer_are_not():
    plan = xshardy.plan(program())
    sums = {each.scope: each for each in sums_by_scope(plan, H100)}
    assert {scope: each.layers for scope, each in sums.items()} == {
        "Block_*/attn": LAYERS,
        "Block_*/mlp/Dense_0": LAYERS,
        "Block_*/mlp/Dense_1": LAYERS,
        "Block_*": LAYERS,
        "Block_*/attn (backward)": 1,
        "": 1,
    }
    assert sums["Block_*/attn"].collectives == LAYERS and sums["Block_*/attn (backward)"].collectives == 1
    assert sum(each.sent for each in sums.values()) == plan.bytes > 0
    assert sum(each.seconds for each in sums.values()) == pytest.approx(plan.estimate(H100).total)
    assert sum(each.flops for each in sums.values()) == plan.estimate(H100).compute.flops
    times = [each.seconds for each in sums_by_scope(plan, H100)]
    assert times == sorted(times, reverse=True)


def test_the_command_prints_a_table_or_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "step.mlir"
    file.write_text(program())
    assert main(["plan", str(file), "--by", "scope", "--top", "2"]) == 0
    table = capsys.readouterr().out.splitlines()[-3:]
    assert [line.split("  ")[0] for line in table] == ["scope", "Block_*/attn", "Block_*/mlp/Dense_0"]
    assert main(["plan", str(file), "--by", "scope", "--json"]) == 0
    first = ScopeSum(**json.loads(capsys.readouterr().out)["scopes"][0])
    assert (first.scope, first.layers) == ("Block_*/attn", LAYERS)


def test_a_text_without_names_is_one_scope():
    (whole,) = sums_by_scope(xshardy.plan(MLP), H100)
    assert (whole.scope, whole.collectives) == ("", 1)
