"""`xshardy trace`: what a script compiles, whatever else it does."""

import json
from pathlib import Path

import pytest

from xshardy.tools.cli import main
from xshardy.tools.tracing.script import compiled_in

SCRIPT = """\
import sys
import jax
from jax.sharding import NamedSharding, PartitionSpec

print("arguments", *sys.argv[1:])
mesh = jax.make_mesh((2, 5), ("data", "model"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
x = jax.device_put(jax.numpy.ones((4, 10)), NamedSharding(mesh, PartitionSpec("data", "model")))

@jax.jit
def product(x):
    return x @ x.T

print("sum", product(x).sum(), file=sys.stderr)
if "--fail" in sys.argv:
    raise SystemExit(3)
"""


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    return str(path)


@pytest.mark.processes
def test_a_script_runs_as_it_is_and_its_functions_are_planned(
    script: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    assert main(["trace", "--check", "--executions", "--html", str(tmp_path / "pages"), script, "--check", "4"]) == 0
    shown = capfd.readouterr()
    assert shown.out.startswith("arguments --check 4\n")
    (product,) = (line.split() for line in shown.out.splitlines() if line.startswith("product  "))
    assert product[1:6] == ["1", "all-gather,", "1", "all-reduce", "10"] and "agrees" in product
    assert product[-4:-1] == ["1", "x", product[-2]] and product[-1] in ("us", "ms", "s")
    assert "script.py:13" in shown.out  # the line that needs the collectives
    index = (tmp_path / "pages" / "index.html").read_text()
    assert "<th>executed</th>" in index
    assert '<a href="function0.html">product</a>' in index
    assert "all-gather" in (tmp_path / "pages" / "function0.html").read_text()


@pytest.mark.processes
def test_the_failure_of_a_script_is_its_own(script: str, capfd: pytest.CaptureFixture[str]):
    assert main(["trace", "--json", "--mesh", "data=4", script, "--fail"]) == 3
    shown = capfd.readouterr()
    found = json.loads(shown.out)
    assert "arguments --fail\n" in shown.err and "Traceback" not in shown.err
    assert shown.err.endswith("script.py: error: the script ended with exit status 3\n")
    product = found["functions"][0]
    assert (found["status"], product["function"], product["plan"]["devices"]) == (3, "product", 20)
    assert {*product["compilations"][0]} == {"traced", "lowered", "compiled"} and "executions" not in product


def test_a_missing_script_is_a_diagnostic(capfd: pytest.CaptureFixture[str]):
    assert main(["trace", "nowhere.py"]) == 1
    assert capfd.readouterr().err == "nowhere.py: error: there is no such file\n"


def dump(folder: Path, number: int, name: str, devices: int, text: str = "") -> None:
    module = f"module @{name} attributes {{mhlo.num_partitions = {devices} : i32}} {{{text}}}"
    (folder / f"jax_ir{number:04}_{name}_compile.mlir").write_text(module)


def test_equal_programs_are_one_function_and_equal_names_are_told_apart(tmp_path: Path):
    dump(tmp_path, 0, "jit_step", 4)
    dump(tmp_path, 1, "jit_convert_element_type", 1)
    dump(tmp_path, 2, "jit__lambda", 4)
    dump(tmp_path, 3, "jit_step", 4)
    dump(tmp_path, 4, "jit_step", 4, " // another one\n")
    events = [
        *(("jaxpr_trace", 1, "step"), ("jaxpr_to_mlir_module", 2, "jit(step)"), ("backend_compile", 3, "jit(step)")),
        *(("jaxpr_trace", 50, "nested"), ("backend_compile", 4, "jit(<lambda>)")),
        *(("backend_compile", 5, "jit(step)"), ("backend_compile", 6, "jit(step)")),
    ]
    lines = [json.dumps([f"/jax/core/compile/{event}_duration", *rest]) for event, *rest in events]
    executed = [json.dumps(["executed", *rest]) for rest in ((7, "jit_step"), (8, "jit__lambda"), (9, "jit__lambda"))]
    (tmp_path / "times.jsonl").write_text("\n".join([*lines, *executed, '["/jax/other", 1, null]']))
    step, function, other = compiled_in(tmp_path)
    assert [each.name for each in (step, function, other)] == ["step", "<lambda>", "step (2)"]
    assert [each.seconds("compiled") for each in (step, function, other)] == [8, 4, 6]
    assert [each.executions for each in (step, function, other)] == [(), [8, 9], ()]  # which step is not known
    assert (step.seconds("traced"), step.seconds("lowered"), len(step.times)) == (1, 2, 2)


def test_a_program_whose_compilation_was_not_timed_is_a_function_too(tmp_path: Path):
    dump(tmp_path, 0, "jit_step", 4)
    (step,) = compiled_in(tmp_path)
    assert (step.name, step.seconds("compiled")) == ("step", 0)
