"""A core as a mixed-integer program for HiGHS, with rows of memory added where a solution exceeds the limit."""

import os
import sys
from collections.abc import Sequence
from itertools import pairwise
from dataclasses import dataclass
from math import inf
from time import perf_counter

import highspy
import numpy as np

from xshardy.search.core import Core, Infeasible
from xshardy.search.problem import Floats, Ints


@dataclass(frozen=True, slots=True)
class Answer:
    """A choice of a core (None: none was found in time), and the bound that HiGHS proves, without the core's constant."""

    choice: tuple[int, ...] | None
    bound: float


def optimum(core: Core, until: float, points: Sequence[int] = (), start: Sequence[int] | None = None) -> Answer:
    """
    The best choice of a core, by the time `until` of `perf_counter`. `points` of time get their row from the start;
    `start` is a choice that is known.

    A binary per strategy, a variable per allowed entry of a table whose sums by row and by column are the binaries (the
    local polytope). Raises `Infeasible` where there is no choice.
    """
    if not core.costs:
        return Answer((), 0.0)
    program = _Program(core)
    program.points.update(points)
    bound = -inf
    while (left := until - perf_counter()) > 0:
        highs = program.solver()
        highs.setOptionValue("time_limit", left)
        highs.setOptionValue("mip_rel_gap", 1e-9)
        if start is not None:
            columns = np.arange(program.offsets[-1], dtype=np.int32)
            values = np.zeros(len(columns))
            values[program.offsets[:-1] + start] = 1.0
            highs.setSolution(len(columns), columns, values)
        highs.run()
        if highs.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
            raise Infeasible
        info = highs.getInfo()
        bound = max(bound, float(info.mip_dual_bound) * program.scale)
        if info.primal_solution_status != 2:
            break
        values = np.array(highs.getSolution().col_value)
        choice = tuple(int(values[start:end].argmax()) for start, end in pairwise(program.offsets))
        if not program.add_points(choice):
            return Answer(choice, bound)
    return Answer(None, bound)


class _Program:
    """The rows and columns of a core, and the points of time that have a row."""

    def __init__(self, core: Core):
        self.core = core
        self.offsets = np.cumsum([0, *map(len, core.costs)])
        self.points: set[int] = set()
        costs = [np.concatenate([*core.costs, np.zeros(0)])]
        rows = [np.repeat(np.arange(len(core.costs)), np.diff(self.offsets))]
        columns = [np.arange(self.offsets[-1])]
        values = [np.ones(self.offsets[-1])]
        row, column = len(core.costs), int(self.offsets[-1])
        for a, tables in enumerate(core.tables):
            for b, table in tables.items():
                if a > b:
                    continue
                s, t = np.nonzero(np.isfinite(table))
                count, (height, width) = len(s), table.shape
                ids = column + np.arange(count)
                costs.append(table[s, t])
                rows += [row + s, row + height + t, row + np.arange(height + width)]
                columns += [ids, ids, self.offsets[a] + np.arange(height), self.offsets[b] + np.arange(width)]
                values += [np.ones(2 * count), -np.ones(height + width)]
                row, column = row + height + width, column + count
        self.rows, self.columns = row, column
        self.costs = np.concatenate(costs)
        self.scale = max(1.0, float(np.abs(self.costs).max(initial=0.0)) / 1e6)
        self.right = np.concatenate([np.ones(len(core.costs)), np.zeros(row - len(core.costs))])
        self.entries = tuple(map(np.concatenate, (rows, columns, values)))

    def solver(self) -> highspy.Highs:
        """A solver with the rows so far."""
        highs = _silent_solver()
        for option, value in (("output_flag", False), ("threads", 2)):
            highs.setOptionValue(option, value)
        rows, columns, values = self.entries
        order = np.argsort(rows, kind="stable")
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = self.columns, self.rows
        program.col_cost_ = self.costs / self.scale
        program.col_lower_, program.col_upper_ = np.zeros(self.columns), np.ones(self.columns)
        program.row_lower_ = program.row_upper_ = self.right
        program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        program.a_matrix_.start_ = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=self.rows))])
        program.a_matrix_.index_ = columns[order]
        program.a_matrix_.value_ = values[order]
        binaries = int(self.offsets[-1])
        kinds = [highspy.HighsVarType.kInteger] * binaries
        program.integrality_ = kinds + [highspy.HighsVarType.kContinuous] * (self.columns - binaries)
        highs.passModel(program)
        for point in sorted(self.points):
            self._add_point(highs, point)
        return highs

    def _add_point(self, highs: highspy.Highs, point: int) -> None:
        columns: list[Ints] = []
        values: list[Floats] = []
        for node, usages in enumerate(self.core.usages):
            for (start, end), usage in usages.items():
                if start <= point < end:
                    columns.append(self.offsets[node] + np.flatnonzero(usage))
                    values.append(usage[usage > 0])
        order = np.concatenate(columns)
        scale = max(1.0, float(self.core.room[point]))
        weights = np.bincount(order, np.concatenate(values) / scale, minlength=self.columns)
        index = np.unique(order)
        highs.addRow(
            -highspy.kHighsInf, float(self.core.room[point]) / scale, len(index), index.astype(np.int32), weights[index]
        )

    def add_points(self, choice: tuple[int, ...], most: int = 40) -> bool:
        """Add rows for points at which a choice exceeds the limit: the highest of each stretch. Returns whether some did."""
        over = -self.core.slack(choice)
        bad = np.concatenate([[False], over > 0, [False]])
        starts, ends = np.flatnonzero(bad[1:] & ~bad[:-1]), np.flatnonzero(bad[:-1] & ~bad[1:])
        peaks = [int(start + over[start:end].argmax()) for start, end in zip(starts, ends)]
        new = sorted({*peaks} - self.points, key=lambda point: -over[point])[:most]
        self.points.update(new)
        return bool(new)


def _silent_solver() -> highspy.Highs:
    """A solver without the banner that the first one of a process prints, from C, when it is made."""
    sys.stdout.flush()
    output, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        return highspy.Highs()
    finally:
        os.dup2(output, 1)
        os.close(output)
        os.close(nowhere)
