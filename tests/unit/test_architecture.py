"""Which room may import which: each from itself and from the rows below it; and no circle of files."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from inspect import get_annotations
from pathlib import Path

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.core import Use

PACKAGE = Path(__file__).parents[2] / "xshardy"

ROOMS = """
__main__
xshardy
jax pytest_plugin
notebook pictures testing
api
tools
planning
proving
engines
fusing
launch
compiler
emitters
programs
transforms.sdy_propagation transforms.xla_sdy
transforms.sdy_partition
transforms.sdy_import transforms.sdy_export transforms.xla_gpu transforms.hlo_async transforms.hlo
transforms.sdy
transforms
ptx
interpreters
lowering
hlo_text
sharding
indexing
syntax
facts
numerics
dialects
rewriting
ir
axes affine gpus display search
universe
"""
"""From top to bottom; rooms of one row do not import each other. What is in no inner room is in the one around it."""

ROW = {room: row for row, rooms in enumerate(ROOMS.split("\n")) for room in rooms.split()}


def modules() -> dict[str, Path]:
    """Every module of the package by its name without `xshardy.`."""
    names = {
        path: path.relative_to(PACKAGE).with_suffix("").as_posix().replace("/", ".") for path in PACKAGE.rglob("*.py")
    }
    return {name.removesuffix("__init__").removesuffix(".") or "xshardy": path for path, name in names.items()}


MODULES = modules()


def imports_of(name: str, path: Path) -> Iterator[str]:
    """The modules that `name` imports, also inside of functions and for type checkers."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.removeprefix("xshardy.") for alias in node.names if alias.name.startswith("xshardy"))
        elif (
            isinstance(node, ast.ImportFrom) and node.level == 0 and (node.module or "").partition(".")[0] == "xshardy"
        ):
            module = (node.module or "").partition(".")[2]
            for alias in node.names:
                inner = f"{module}.{alias.name}" if module else alias.name
                yield inner if inner in MODULES else module or "xshardy"


@cache
def imports() -> Mapping[str, Sequence[str]]:
    """For each module, the others that it imports: read once, and only by processes that run these tests."""
    return {name: sorted(set(imports_of(name, path)) - {name}) for name, path in MODULES.items()}


def room_of(name: str) -> str:
    """The longest room whose folder, or file, `name` is in."""
    parts = name.split(".")
    prefixes = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next(prefix for prefix in prefixes if prefix in ROW)


def test_rooms_import_from_rows_below_only():
    wrong = [
        f"{name} ({room_of(name)}) imports {imported} ({room_of(imported)})"
        for name, others in imports().items()
        for imported in others
        if room_of(name) != room_of(imported) and ROW[room_of(name)] >= ROW[room_of(imported)]
    ]
    assert not wrong, "\n".join(wrong)


def test_no_files_import_each_other_in_a_circle():
    """Remove files that import none of the others, until no more go: those left are in a circle, or import one."""
    left = {name: set(others) & set(imports()) for name, others in imports().items()}
    while done := {name for name, others in left.items() if not others & left.keys()}:
        left = {name: others for name, others in left.items() if name not in done}
    in_circle = sorted(name for name in left if _reaches(name, name, left))
    assert not in_circle, "\n".join(f"{name}: {sorted(left[name] & left.keys())}" for name in in_circle)


def _reaches(start: str, goal: str, graph: dict[str, set[str]]) -> bool:
    pending, seen = [start], set[str]()
    while pending:
        for following in graph.get(pending.pop(), set()) - seen:
            if following == goal:
                return True
            seen.add(following)
            pending.append(following)
    return False


PRIVATE = {
    name for owner in (Operation, SSAValue, Block, Region, Use) for name in get_annotations(owner) if name[0] == "_"
}
GENERAL = {"_args", "_index", "_operation"}
"""Of these, the names that other classes may give to fields of their own."""


def private_fields_in(path: Path) -> Iterator[str]:
    """Where a module reads or writes private fields of xDSL, as far as their names say."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute) and node.attr in PRIVATE:
            is_own = isinstance(node.value, ast.Name) and node.value.id == "self" and node.attr in GENERAL
            if not is_own:
                yield f"{path.relative_to(PACKAGE)}:{node.lineno} {node.attr}"


def test_private_fields_of_xdsl_are_in_one_room():
    assert {"_operands", "_type", "_next_op", "_first_block", "_next_use"} <= PRIVATE
    assert [*private_fields_in(MODULES["ir.operations"])]
    outside = [path for name, path in MODULES.items() if room_of(name) != "ir"]
    wrong = [place for path in outside for place in private_fields_in(path)]
    assert not wrong, "use `ir/fields.py`: " + ", ".join(wrong)
