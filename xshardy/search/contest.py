"""
Problems in the JSON of the IOPDDL contest (ASPLOS 2025), plain or compressed by gzip.

Source: https://github.com/asplos-contest/2025/blob/main/IOPDDL.md, "Input format"; tables are flat there, row by row.
"""

import gzip
import json
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from xshardy.search.problem import Buffer, Problem


def read_problem(path: Path) -> Problem:
    """The problem in a file `.json` or `.json.gz`. Raises `ValueError` where a file is not of the format."""
    text = path.read_bytes()
    try:
        fields: dict[str, Any] = json.loads(gzip.decompress(text) if path.suffix == ".gz" else text)["problem"]
        nodes, edges = fields["nodes"], fields["edges"]
        costs = tuple(np.array(row, float) for row in nodes["costs"])
        pairs = tuple((int(a), int(b)) for a, b in edges["nodes"])
        tables = zip(edges["costs"], pairs, strict=True)
        return Problem(
            costs=costs,
            buffers=tuple(
                Buffer(node, np.array(usages, float), ((int(start), int(end)),))
                for node, (usages, (start, end)) in enumerate(zip(nodes["usages"], nodes["intervals"], strict=True))
            ),
            edges=pairs,
            tables=tuple(np.array(row, float).reshape(len(costs[a]), len(costs[b])) for row, (a, b) in tables),
            limit=float(fields.get("usage_limit", inf)),
        )
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError(f"{path}: not a problem of the IOPDDL contest ({error!r})") from error


def write_problem(problem: Problem, path: Path, name: str = "problem") -> None:
    """
    Write a problem to a file `.json` or `.json.gz`. Costs and sizes that are integers are written as such.

    Raises `ValueError` for a node with several buffers or intervals, which the format lacks.
    """
    buffers = _one_of_each_node(problem)
    fields: dict[str, Any] = {
        "name": name,
        "nodes": {
            "intervals": [buffer.intervals[0] for buffer in buffers],
            "costs": [_numbers(costs) for costs in problem.costs],
            "usages": [_numbers(buffer.bytes) for buffer in buffers],
        },
        "edges": {
            "nodes": [list(edge) for edge in problem.edges],
            "costs": [_numbers(table.reshape(-1)) for table in problem.tables],
        },
    }
    if problem.limit != inf:
        fields["usage_limit"] = _numbers(np.array([problem.limit]))[0]
    text = json.dumps({"problem": fields}).encode()
    path.write_bytes(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)


def _one_of_each_node(problem: Problem) -> list[Buffer]:
    buffers = [Buffer(node, np.zeros(len(costs)), ((0, 0),)) for node, costs in enumerate(problem.costs)]
    for buffer in problem.buffers:
        if len(buffer.intervals) != 1 or buffers[buffer.node].bytes.any():
            raise ValueError(f"node {buffer.node} has several buffers or intervals, which the format lacks")
        buffers[buffer.node] = buffer
    return buffers


def _numbers(values: np.ndarray[Any, np.dtype[np.float64]]) -> list[int | float]:
    return [int(value) if float(value).is_integer() else float(value) for value in values]
