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

from xshardy.search.problem import Problem


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
            usages=tuple(np.array(row, float) for row in nodes["usages"]),
            intervals=tuple((int(start), int(end)) for start, end in nodes["intervals"]),
            edges=pairs,
            tables=tuple(np.array(row, float).reshape(len(costs[a]), len(costs[b])) for row, (a, b) in tables),
            limit=float(fields.get("usage_limit", inf)),
        )
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError(f"{path}: not a problem of the IOPDDL contest ({error!r})") from error


def write_problem(problem: Problem, path: Path, name: str = "problem") -> None:
    """Write a problem to a file `.json` or `.json.gz`. Costs and usages that are integers are written as such."""
    fields: dict[str, Any] = {
        "name": name,
        "nodes": {
            "intervals": [list(interval) for interval in problem.intervals],
            "costs": [_numbers(costs) for costs in problem.costs],
            "usages": [_numbers(usages) for usages in problem.usages],
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


def _numbers(values: np.ndarray[Any, np.dtype[np.float64]]) -> list[int | float]:
    return [int(value) if float(value).is_integer() else float(value) for value in values]
