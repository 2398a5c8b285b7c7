"""`xshardy auto --diff`: constraints at expressions of a Python file."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from xshardy.planning.plan import Plan, plan_or_none
from xshardy.programs.program import Program
from xshardy.tools import source_lines
from xshardy.tools.cli import main
from xshardy.tools.source_file import read_source
from xshardy.tools.source_lines import Constraint, with_constraints

pytest.importorskip("jax")

TWO_PRODUCTS = '''"""Two products."""
from __future__ import annotations
import jax.numpy as np
from jax import jit, ShapeDtypeStruct as S

def f(x, w1, w2):
    return np.tanh(x @ w1) @ w2

def lowered():
    return jit(f).lower(S((512, 1024), "float32"), S((1024, 8192), "float32"), S((8192, 512), "float32"))
'''

EXPLICIT = """
import jax
from jax.sharding import AbstractMesh, AxisType

mesh = AbstractMesh((2, 4), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)

def given(shape, *axes):
    return jax.ShapeDtypeStruct(shape, "float32", sharding=jax.NamedSharding(mesh, jax.P(*axes)))

def f(x, w):
    return jax.numpy.tanh(x @ w)

def lowered():
    return jax.jit(f).trace(given((512, 1024), "data"), given((1024, 8192))).lower(lowering_platforms=("cpu",))

def lowered_in_a_mesh():
    with jax.sharding.use_abstract_mesh(mesh):
        return lowered()
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.py").write_text(TWO_PRODUCTS)
    (tmp_path / "explicit.py").write_text(EXPLICIT)
    return tmp_path


MODEL = """import jax

class Block:
    def __call__(self, x, w1, w2):
        return jax.numpy.tanh(x @ w1) @ w2
"""

LAYERS = """from parts.model import Block

block = Block()
"""

STEP = """import jax
from parts.layers import block

def argument(*shape):  # as flax.nnx.eval_shape makes it
    mesh = jax.sharding.get_abstract_mesh()
    return jax.ShapeDtypeStruct(shape, "float32", sharding=None if mesh.empty else jax.NamedSharding(mesh, jax.P()))

def lowered():
    return jax.jit(block.__call__).lower(argument(512, 1024), argument(1024, 8192), argument(8192, 512))
"""

HERE = Path("two.py")

SHARDED = ["--mesh", "data=2,model=4", "--time", "2"]


def test_a_constraint_that_the_plan_needs(folder: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["auto", "two.py:lowered", *SHARDED, "--diff", "two.diff", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    diff = (folder / "two.diff").read_text()
    assert printed["diff"]["text"] == diff and printed["diff"]["constraints"] == 1
    added = [line[1:] for line in diff.splitlines() if line.startswith("+") and not line.startswith("+++")]
    (name, constrained) = added
    assert name == "import jax" and constrained.startswith(
        "    return jax.lax.with_sharding_constraint(np.tanh(x @ w1)"
    )
    assert printed["diff"]["time"] <= printed["seconds_before"] * 1.02


def test_the_diff_makes_a_file_that_lowers_with_the_constraints(folder: Path, capsys: pytest.CaptureFixture[str]):
    import jax

    assert main(["auto", "two.py:lowered", *SHARDED, "--diff", "two.diff"]) == 0
    assert "the diff has 1 constraint, for a mesh set by jax.set_mesh" in capsys.readouterr().out
    subprocess.run(["git", "apply", "-p0", "two.diff"], cwd=folder, check=True)
    mesh = jax.sharding.AbstractMesh((2, 4), ("data", "model"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
    with jax.sharding.use_abstract_mesh(mesh):
        assert read_source("two.py:lowered").text.count("sdy.sharding_constraint") == 1


@pytest.fixture
def parts(folder: Path) -> Iterator[Path]:
    """A model in a package of two files, which `step.py` imports."""
    (parts := folder / "parts").mkdir()
    (parts / "model.py").write_text(MODEL)
    (parts / "layers.py").write_text(LAYERS)
    (folder / "step.py").write_text(STEP)
    yield parts
    for name in [name for name in sys.modules if name.partition(".")[0] == "parts"]:
        del sys.modules[name]


def test_constraints_in_files_that_are_imported(folder: Path, parts: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["auto", "step.py:lowered", *SHARDED, "--diff", "step.diff", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)["diff"]
    assert printed["constraints"] == 1 and "+++ parts/model.py" in printed["text"]
    subprocess.run(["git", "apply", "-p0", "step.diff"], cwd=folder, check=True)
    assert "with_sharding_constraint" in (parts / "model.py").read_text()


def test_what_was_imported_stays(parts: Path):
    read_source("step.py:lowered")
    model = sys.modules["parts.model"]
    assert main(["auto", "step.py:lowered", *SHARDED, "--diff", "-"]) == 0
    assert sys.modules["parts.model"] is model and type(sys.modules["parts.layers"].block) is model.Block


def test_files_outside_of_the_folder_stay_as_they_are(
    folder: Path, parts: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    parts.rename(elsewhere / "parts")
    monkeypatch.syspath_prepend(elsewhere)
    assert main(["auto", "step.py:lowered", *SHARDED, "--diff", "step.diff"]) == 0
    assert not (folder / "step.diff").read_text()


@pytest.mark.parametrize("name", ["lowered", "lowered_in_a_mesh"])
def test_explicit_axes_are_an_error_behind_the_answer(name: str, capsys: pytest.CaptureFixture[str]):
    assert main(["auto", f"explicit.py:{name}", "--free", "--time", "2", "--diff", "-"]) == 1
    out, err = capsys.readouterr()
    assert "estimated time on h100x8" in out
    assert "no diff: explicit.py does not run with constraints: the axes of its mesh are explicit" in err


def test_lines_that_fit_no_memory(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def too_large(program: Program) -> Plan | None:
        plan = plan_or_none(program)
        return None if plan is None else replace(plan, peak_bytes=1 << 40)

    monkeypatch.setattr(source_lines, "plan_or_none", too_large)
    assert main(["auto", "two.py:lowered", *SHARDED, "--memory", "1GiB", "--diff", "two.diff"]) == 1
    assert "no diff: with constraints in two.py, the plan does not fit the memory" in capsys.readouterr().err
    assert not Path("two.diff").exists()


def test_only_files_of_python_have_lines(capsys: pytest.CaptureFixture[str]):
    assert main(["auto", "found.mlir", "--diff", "-"]) == 2
    assert "--diff changes a Python file, as in FILE.py:NAME, and found.mlir is none" in capsys.readouterr().err


CHANGES: dict[str, tuple[str, Sequence[Constraint], str]] = {
    "none": ("x = f(1)\n", [], "x = f(1)\n"),
    "nested, from one place": (
        "import jax\ny = a + b + c\n",
        [Constraint(HERE, (2, 4, 2, 9), 'P("x")'), Constraint(HERE, (2, 4, 2, 13), 'P(None, "y")')],
        'import jax\ny = jax.lax.with_sharding_constraint(jax.lax.with_sharding_constraint(a + b, jax.P("x")) + c, '
        'jax.P(None, "y"))\n',
    ),
    "nested, to one place": (
        "import jax\ny = a + f(b)\n",
        [Constraint(HERE, (2, 8, 2, 12), 'P("x")'), Constraint(HERE, (2, 4, 2, 12), "P()")],
        "import jax\ny = jax.lax.with_sharding_constraint(a + "
        'jax.lax.with_sharding_constraint(f(b), jax.P("x")), jax.P())\n',
    ),
    "several lines": (
        "import jax\ny = f(\n    a,\n)\n",
        [Constraint(HERE, (2, 4, 4, 1), 'P(("x", "y"))')],
        'import jax\ny = jax.lax.with_sharding_constraint(f(\n    a,\n), jax.P(("x", "y")))\n',
    ),
    "columns are bytes": (
        'import jax\ny = {"ä": a + b}\n',
        [Constraint(HERE, (2, 11, 2, 16), 'P("x")')],
        'import jax\ny = {"ä": jax.lax.with_sharding_constraint(a + b, jax.P("x"))}\n',
    ),
    "another name for jax": (
        '"""Text."""\nfrom __future__ import annotations\nimport jax as j\ny = f(a)\n',
        [Constraint(HERE, (4, 4, 4, 8), 'P("x")')],
        '"""Text."""\nfrom __future__ import annotations\nimport jax\nimport jax as j\n'
        'y = jax.lax.with_sharding_constraint(f(a), jax.P("x"))\n',
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_constraints_are_written_around_expressions(name: str):
    before, constraints, after = CHANGES[name]
    assert with_constraints(before, constraints) == after
