"""
`xshardy auto FILE.py:NAME --diff`: shardings that were found, as constraints in the files that lower the program.

The constraints of the search cannot be copied: many are for tensors of the backward pass, which have no line. But JAX
gives the constraint of a tensor to its gradient, too. So each expression whose value is in the forward pass may get the
sharding that the search has for it. The files are run with these constraints, and those are left out without which the
plan is as good. The files are FILE.py and the user's files in its folder, in the current folder, and below.
"""

import ast
import difflib
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from os.path import relpath
from pathlib import Path
from time import perf_counter
from typing import Any
from unittest.mock import patch

from xdsl.ir import Operation

from xshardy.dialects.sdy.sharding_text import spec_text
from xshardy.dialects.shapes import shape_of
from xshardy.planning.auto.annotations import Annotations, annotated
from xshardy.planning.auto.few import fewest
from xshardy.planning.auto.find import AS_GOOD, FoundShardings
from xshardy.planning.auto.prepared import prepare
from xshardy.planning.auto.second_best import SecondBest
from xshardy.planning.plan import Plan, plan_or_none
from xshardy.programs.errors import EngineError, InputError
from xshardy.programs.jax_functions import import_jax
from xshardy.programs.meshes import mesh_of
from xshardy.programs.program import read_program
from xshardy.programs.source import Source
from xshardy.rewriting.walk import operations_in
from xshardy.syntax.locations.names import operation_name, users_place
from xshardy.syntax.locations.values import FileRangeLoc
from xshardy.tools.changed_imports import ProjectFiles, changed_imports
from xshardy.tools.source_file import read_source

Range = tuple[int, int, int, int]
"""Where an expression is in a file: its first line and column, its last line, and the column behind it, in bytes."""

EXPLICIT = "the axes of its mesh are explicit: jax.reshard and out_sharding divide values there, not constraints"


@dataclass(frozen=True, slots=True)
class Constraint:
    """An expression of a file, and the sharding of its value: `P("data", None, ("x", "y"))`."""

    path: Path
    """Of the file, resolved."""
    range: Range
    spec: str


@dataclass(frozen=True, slots=True)
class SourceLines:
    """Files with constraints, and what they lower then."""

    file: str
    """The one that lowers the program."""
    changed: Mapping[Path, tuple[str, str]]
    """By resolved path, the text of a file before and after."""
    constraints: int
    plan: Plan
    """With the arguments divided as the search found."""
    time: float
    """The estimated seconds of the plan."""

    @property
    def diff(self) -> str:
        """From the files to those with constraints, in unified form, with paths from the current folder."""
        lines: list[str] = []
        for path, texts in sorted(self.changed.items()):
            before, after = (text.splitlines(keepends=True) for text in texts)
            name = relpath(path)
            lines += difflib.unified_diff(before, after, name, name)
        return "".join(lines)


def source_lines(found: FoundShardings, source: Source, seconds: float) -> SourceLines:
    """
    Constraints for the shardings that were `found` for `source`, which FILE.py:NAME lowers; about `seconds` are spent
    on leaving out some.

    Raises `EngineError` if the files cannot be run with constraints, or if the plan does not fit the memory then.
    """
    trials = _Trials(found, source)
    candidates = constraints_in(found, trials.project)
    starts = [trials.of(()), trials.of(candidates)]
    best = min(starts, key=lambda lines: lines.time)
    if best.time == inf:
        raise EngineError(f"no diff: with constraints in {trials.path}, the plan does not fit the memory")
    until = perf_counter() + seconds

    def is_as_good(kept: Sequence[Constraint]) -> bool:
        nonlocal best
        if perf_counter() > until or (lines := trials.of(kept)).time > AS_GOOD * trials.least:
            return False
        best = lines
        return True

    if best is not starts[0]:
        fewest(candidates, is_as_good)
    return best


class _Trials:
    """Files with constraints, run and planned."""

    def __init__(self, found: FoundShardings, source: Source):
        self._found, self._source = found, source
        self.path = source.name.rpartition(":")[0]
        self.project = ProjectFiles([Path(self.path).parent, Path.cwd()])
        self.least = inf
        """The least estimated seconds so far of a plan that fits the memory."""
        jax = import_jax()
        mesh, _ = mesh_of(read_program(source).module)
        sizes = (mesh or found.prepared.axes.attribute).sizes
        self._mesh = jax.sharding.AbstractMesh(
            tuple(sizes.values()), tuple(sizes), axis_types=(jax.sharding.AxisType.Auto,) * len(sizes)
        )
        """That of the program, for constraints that name axes only."""

    def of(self, constraints: Sequence[Constraint]) -> SourceLines:
        """
        The files with `constraints`. The time is infinite if the plan does not fit the memory.

        Raises `EngineError` if a file fails, or the partitioner refuses what they lower.
        """
        found = self._found
        by_path: dict[Path, list[Constraint]] = {}
        for constraint in constraints:
            by_path.setdefault(constraint.path, []).append(constraint)
        before = {path: path.read_text() for path in by_path}
        after = {path: with_constraints(before[path], inside) for path, inside in by_path.items()}
        try:
            with _mesh_for_constraints(self._mesh), changed_imports(self.project, after):
                python = after.get(Path(self.path).resolve())
                program = read_program(read_source(self._source.name, self._source.module, python)).named()
        except InputError as error:
            raise EngineError(f"no diff: {self.path} does not run with constraints: {error}") from error
        program.import_shardings()
        program.resize(found.prepared.axes.attribute.sizes)
        given = Annotations() if found.annotations is None else Annotations(found.annotations.arguments)
        plan = plan_or_none(annotated(prepare(program), given)[0])
        if plan is None:
            raise EngineError(f"no diff: the partitioner refuses what {self.path} lowers with constraints")
        time = plan.estimate(found.topology).total if plan.peak_bytes <= found.memory else inf
        self.least = min(self.least, time)
        changed = {path: (before[path], text) for path, text in after.items()}
        return SourceLines(self.path, changed, len(constraints), plan, time)


@contextmanager
def _mesh_for_constraints(mesh: Any) -> Generator[None]:
    """
    `jax.lax.with_sharding_constraint` takes the axes of a spec from `mesh`, unless the program has set a mesh.

    Under `jax.sharding.use_abstract_mesh`, `flax.nnx.eval_shape` would give the mesh to parameters, too, and JAX lowers
    arguments over a mesh without devices for no device. A constraint of a value over a mesh with explicit axes raises
    `InputError`.
    """
    jax = import_jax()
    written = jax.lax.with_sharding_constraint

    def constrained(x: Any, shardings: Any) -> Any:
        if isinstance(shardings, jax.P):
            axes = (axis for leaf in jax.tree.leaves(x) for axis in jax.typeof(leaf).sharding.mesh.axis_types)
            if jax.sharding.AxisType.Explicit in axes:
                raise InputError(EXPLICIT)
            if jax.sharding.get_abstract_mesh().empty:
                shardings = jax.NamedSharding(mesh, shardings)
        return written(x, shardings)

    with patch.object(jax.lax, "with_sharding_constraint", constrained):
        yield


def constraints_in(found: FoundShardings, project: ProjectFiles) -> Sequence[Constraint]:
    """
    The expressions of files whose values are computed in the forward pass, with the shardings that the search has for
    them; those first whose second best is not much slower. Values of one expression, such as those of all layers, have
    the most frequent sharding of them; there is none if their types differ.
    """
    if (choice := found.solution.choice) is None:
        return ()
    layout, second_best = found.space.layout(choice).values, SecondBest(found.space, choice)
    axes, names = found.prepared.axes, found.prepared.program.names
    computed: dict[tuple[str, Range], list[Operation]] = {}
    for op in operations_in(found.prepared.program.module):
        location = names.location(op)
        place = users_place(location)
        if (
            isinstance(place, FileRangeLoc)
            and "transpose(" not in (operation_name(location) or "")
            and len(op.results) == 1
        ):
            start, end = (place.line.data, place.column.data), (place.end_line.data, place.end_column.data)
            computed.setdefault((place.filename.data, (*start, *end)), []).append(op)
    files = {name for name, _ in computed}
    expressions = {name: _expressions_of(Path(name)) for name in files if name in project}
    constraints: list[tuple[float, Constraint]] = []
    for (name, range), ops in computed.items():
        last = [op.results[0] for op in ops if op.name == ops[-1].name]  # the others compute parts of the value
        values = [value for value in last if value in layout]
        types = {value.type for value in values}
        if range not in expressions.get(name, ()) or len(types) != 1 or not all(map(shape_of, types)):
            continue
        ((placement, _),) = Counter(layout[value] for value in values).most_common(1)
        first = next(value for value in values if layout[value] == placement)
        if (spec := spec_text(axes.sharding(placement))) is not None:
            constraint = Constraint(Path(name).resolve(), range, spec)
            constraints.append((second_best.of_value(first, placement) or 0.0, constraint))
    return [constraint for _, constraint in sorted(constraints, key=lambda pair: pair[0])]


def _expressions_of(path: Path) -> set[Range]:
    """Where the expressions of a file are."""
    return {
        (node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.expr)
    }


def with_constraints(text: str, constraints: Sequence[Constraint]) -> str:
    """`f(x)` -> `jax.lax.with_sharding_constraint(f(x), jax.P(...))` for each of `constraints`, and `import jax`."""
    lines = text.encode().splitlines(keepends=True)
    inserted: dict[tuple[int, int], list[str]] = {}
    # Outer expressions begin before inner ones at one place, and end behind them.
    for constraint in sorted(constraints, key=lambda each: each.range[2:]):
        line, column, end_line, end_column = constraint.range
        inserted.setdefault((line, column), []).insert(0, "jax.lax.with_sharding_constraint(")
        inserted.setdefault((end_line, end_column), []).append(f", jax.{constraint.spec})")
    for (line, column), texts in sorted(inserted.items(), reverse=True):
        written = lines[line - 1]
        lines[line - 1] = written[:column] + "".join(texts).encode() + written[column:]
    if constraints and (line := _line_for_import(ast.parse(text))) is not None:
        lines.insert(line - 1, b"import jax\n")
    return b"".join(lines).decode()


def _line_for_import(module: ast.Module) -> int | None:
    """The line of the first statement that may follow `import jax`; None if the module has that."""
    imports = [name for node in module.body if isinstance(node, ast.Import) for name in node.names]
    if any(name.name.partition(".")[0] == "jax" and name.asname is None for name in imports):
        return None
    first = (
        node
        for number, node in enumerate(module.body)
        if not (isinstance(node, ast.ImportFrom) and node.module == "__future__")
        and not (number == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    )
    return next(node.lineno for node in first)
