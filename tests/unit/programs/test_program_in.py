"""Which module of a file is the program, if the file holds several."""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import xshardy
from xshardy.tools.cli import main

jax: Any = import_module("jax")  # without its types, which are incomplete


def module(name: str, size: int, attributes: str = "") -> str:
    return f"""module @{name} {attributes} {{
  func.func public @main(%x: tensor<{size}xf32>) -> tensor<{size}xf32> {{
    %0 = stablehlo.sine %x : tensor<{size}xf32>
    return %0 : tensor<{size}xf32>
  }}
}}
"""


PRIVATE = 'attributes {sym_visibility = "private"}'
TWO = module("helper", 2, PRIVATE) + module("first", 4) + module("second", 8)


@pytest.mark.parametrize("text", [TWO, f"module @outer {{\n{TWO}}}\n"], ids=["side by side", "in a module"])
def test_functions_take_the_first_public_module(text: str):
    given = xshardy.parse(text)
    for source in (text, given):
        assert xshardy.plan(source).argument_bytes == 16
        assert xshardy.partition(source).arguments[0].shape == (4,)
        assert xshardy.run(source, [np.zeros(4, np.float32)], check=True).agrees
    assert xshardy.print_module(given).count("module @") == text.count("module @")  # it is copied from there


COMMANDS = (
    ["plan"],
    ["shard", "--top", "9"],
    ["explain", "--arg", "0"],
    ["run", "--on", "simulated"],
    ["run", "--fuse"],
    ["emit", "--fuse-entry"],
    ["compile", "--fuse-entry", "-o", "-"],
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_commands_take_the_first_public_module_or_the_named_one(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.mlir").write_text(TWO)

    def output(*arguments: str) -> str:
        assert main([*command, *arguments]) == 0
        return capsys.readouterr().out

    for name, size in (("first", 4), ("second", 8), ("helper", 2)):
        (tmp_path / "alone.mlir").write_text(module(name, size))
        shown = output("two.mlir", *(() if name == "first" else ("--module", name)))
        if command[0] in ("emit", "compile"):
            assert shown == output("alone.mlir")
        elif command[0] in ("shard", "run"):
            assert f"tensor<{size}xf32>" in shown
        elif command[0] == "plan":
            assert f"arguments {4 * size} B" in shown
        else:
            assert "argument 0" in shown


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (TWO, ["--module", "frist"], "no module 'frist' with functions: did you mean first?"),
        (TWO, ["--module", "x"], "no module 'x' with functions: it has helper, first, second"),
        (module("a", 2, PRIVATE), [], None),
        (module("a", 2, PRIVATE) + module("b", 2, PRIVATE), [], "none of its modules is public (a, b): name one"),
        ("module @a {} module @b {}", [], "the module has no functions"),
    ],
)
def test_diagnostics(
    text: str, options: list[str], message: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """A module that is alone in its file is the program, whatever its visibility."""
    (tmp_path / "f.mlir").write_text(text)
    status = main(["plan", str(tmp_path / "f.mlir"), *options])
    assert status == (0 if message is None else 1)
    if message is not None:
        assert f"f.mlir: error: {message}" in capsys.readouterr().err


@pytest.mark.parametrize("order", [0, 1, 2])
def test_an_export_that_can_be_differentiated_is_that_of_the_function(order: int):
    def function(x: Any) -> Any:
        return jax.numpy.sum(jax.numpy.sin(x))

    exported = jax.export.export(jax.jit(function))(np.ones(4, np.float32))
    serialized = bytes(exported.serialize(vjp_order=order))
    assert xshardy.print_module(xshardy.parse(serialized)) == xshardy.print_module(xshardy.parse(exported))
