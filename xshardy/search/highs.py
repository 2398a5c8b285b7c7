"""A core as a mixed-integer program for HiGHS, with rows of memory added where a solution exceeds the limit."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from time import perf_counter
from typing import NamedTuple

import highspy
import numpy as np

from xshardy.search.core import Core, Infeasible
from xshardy.search.problem import Floats, Ints

POINTS = 40
"""Rows of memory that are added at a time, at most."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What HiGHS says of a core, without its constant."""

    choice: tuple[int, ...] | None
    """The best one within the limit; the last one that was found, if the time was over. None: none was found."""
    bound: float
    points: tuple[int, ...] = ()
    """The points of time that have a row of memory."""


def optimum(core: Core, until: float, points: Sequence[int] = (), start: Sequence[int] | None = None) -> Answer:
    """
    The best choice of a core, by the time `until` of `perf_counter`.

    A binary per strategy, and a variable per allowed entry of a table, whose sums by row and by column are the binaries
    (the local polytope). `points` of time have a row of memory from the start; `start` is a choice that is known.
    Raises `Infeasible` where there is no choice.
    """
    if not core.costs:
        return Answer((), 0.0)
    program = _Program(core, points)
    bound, choice = -inf, None
    while (left := until - perf_counter()) > 0:
        highs = program.solver(left)
        if start is not None:
            columns = np.arange(program.binaries, dtype=np.int32)
            highs.setSolution(len(columns), columns, np.isin(columns, program.offsets[:-1] + start).astype(float))
        highs.run()
        if highs.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
            raise Infeasible
        info = highs.getInfo()
        bound = max(bound, float(info.mip_dual_bound) * program.scale)
        if info.primal_solution_status != 2:
            break
        values = np.array(highs.getSolution().col_value)
        choice = tuple(int(values[first:last].argmax()) for first, last in pairwise(program.offsets.tolist()))
        if not program.add_points(choice):
            break
    return Answer(choice, bound, tuple(sorted(program.points)))


class _Entries(NamedTuple):
    """Entries of the matrix: row, column and value of each."""

    rows: Ints
    columns: Ints
    values: Floats


class _Program:
    """The rows and columns of a core, and the points of time that have a row."""

    def __init__(self, core: Core, points: Sequence[int]):
        self.core, self.points = core, set(points)
        self.offsets: Ints = np.cumsum([0, *map(len, core.costs)])
        """By node, the column of its first strategy."""
        self.binaries = int(self.offsets[-1])
        owners = np.repeat(np.arange(len(core.costs)), np.diff(self.offsets))
        parts = [_Entries(owners, np.arange(self.binaries), np.ones(self.binaries))]
        costs = list(core.costs)
        row, column = len(core.costs), self.binaries
        for a, b, table in core.pairs():
            s, t = np.nonzero(np.isfinite(table))
            height, width = len(core.costs[a]), len(core.costs[b])
            entries = column + np.arange(len(s))
            ends = np.concatenate([self.offsets[a] + np.arange(height), self.offsets[b] + np.arange(width)])
            parts.append(_Entries(row + s, entries, np.ones(len(s))))
            parts.append(_Entries(row + height + t, entries, np.ones(len(s))))
            parts.append(_Entries(row + np.arange(height + width), ends, -np.ones(height + width)))
            costs.append(table[s, t])
            row, column = row + height + width, column + len(s)
        self.rows, self.columns = row, column
        self.costs = np.concatenate(costs)
        self.scale = max(1.0, float(np.abs(self.costs).max(initial=0.0)) / 1e6)
        """The cost that is 1 for HiGHS, whose tolerances are absolute."""
        self.entries = _Entries(*map(np.concatenate, zip(*parts, strict=True)))

    def solver(self, seconds: float) -> highspy.Highs:
        """A solver with the rows so far."""
        rows, columns, values = self.entries
        order = np.argsort(rows, kind="stable")
        right = (np.arange(self.rows) < len(self.core.costs)).astype(float)
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = self.columns, self.rows
        program.col_cost_ = self.costs / self.scale
        program.col_lower_, program.col_upper_ = np.zeros(self.columns), np.ones(self.columns)
        program.row_lower_ = program.row_upper_ = right
        program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        program.a_matrix_.start_ = np.cumsum([0, *np.bincount(rows, minlength=self.rows)])
        program.a_matrix_.index_ = columns[order]
        program.a_matrix_.value_ = values[order]
        kinds = [highspy.HighsVarType.kInteger] * self.binaries
        program.integrality_ = kinds + [highspy.HighsVarType.kContinuous] * (self.columns - self.binaries)
        highs = _silent_solver()
        for option, value in (("output_flag", False), ("threads", 2), ("time_limit", seconds), ("mip_rel_gap", 1e-9)):
            highs.setOptionValue(option, value)
        highs.passModel(program)
        for point in sorted(self.points):
            self._add_point(highs, point)
        return highs

    def _add_point(self, highs: highspy.Highs, point: int) -> None:
        weights = np.zeros(self.binaries)
        for node, usages in enumerate(self.core.usages):
            for (start, end), usage in usages.items():
                if start <= point < end:
                    weights[self.offsets[node] : self.offsets[node + 1]] += usage
        room = float(self.core.room[point])
        scale = max(1.0, room)
        columns = np.flatnonzero(weights)
        highs.addRow(-inf, room / scale, len(columns), columns.astype(np.int32), weights[columns] / scale)

    def add_points(self, choice: tuple[int, ...]) -> bool:
        """Add points at which a choice exceeds the limit, the highest of each stretch. Returns whether it does."""
        over = -self.core.slack(choice)
        is_over = np.concatenate([[False], over > 0, [False]])
        starts, ends = np.flatnonzero(is_over[1:] & ~is_over[:-1]), np.flatnonzero(is_over[:-1] & ~is_over[1:])
        peaks = {int(start + over[start:end].argmax()) for start, end in zip(starts, ends, strict=True)}
        new = sorted(peaks - self.points, key=lambda point: -over[point])[:POINTS]
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
