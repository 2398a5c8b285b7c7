"""Messages about a program speak of the program: who runs, plans or shards one cannot choose the passes."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import xshardy
from xshardy.universe import PASSES

ROOT = Path(xshardy.__file__).parent

OF_PIPELINES = {
    "transforms/sdy_export/drop_sharding_and_mesh.py",
    "transforms/sdy_partition/local/compatible_shardings.py",
    "transforms/sdy_partition/local/reshards.py",
    "transforms/sdy_partition/pad/pad_for_divisibility.py",
    "transforms/xla_sdy/import_named_shardings.py",
    "transforms/xla_sdy/round_trip_export_ops.py",
}
"""Modules with messages that only a pipeline without the pass that they name shows, in `xshardy-opt`."""

ROOMS = ("engines", "interpreters/stablehlo", "programs", "sharding", "transforms/sdy", "transforms/xla_sdy")


def messages(path: Path) -> Iterator[str]:
    """The texts in the arguments of calls, and of constants in capitals, in the module at `path`."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) or (
            isinstance(node, ast.Assign) and isinstance(target := node.targets[0], ast.Name) and target.id.isupper()
        ):
            for inner in ast.walk(node):
                if isinstance(inner, ast.Constant) and isinstance(inner.value, str) and " " in inner.value:
                    yield inner.value


@pytest.mark.parametrize("room", ROOMS)
def test_messages_name_no_pass(room: str):
    folder = ROOT / room
    for path in sorted(folder.parent.glob(f"{folder.name}*/**/*.py")):
        named = {
            word for text in messages(path) for word in re.findall(r"[\w-]+", text) if word in PASSES and "-" in word
        }
        assert not named or path.relative_to(ROOT).as_posix() in OF_PIPELINES, (path, named)
