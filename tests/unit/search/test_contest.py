"""The JSON of the contest: out and in again."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from choice_problems import problems
from hypothesis import given
from hypothesis import strategies as st

from xshardy.search.contest import read_problem, write_problem
from xshardy.search.problem import Buffer, Problem


@given(problems(), st.sampled_from(("a.json", "a.json.gz")))
def test_a_problem_that_is_written_is_read_back(problem: Problem, name: str):
    with TemporaryDirectory() as folder:
        path = Path(folder, name)
        write_problem(problem, path)
        again = read_problem(path)
    assert (again.edges, again.limit) == (problem.edges, problem.limit)
    assert [buffer.intervals for buffer in again.buffers] == [buffer.intervals for buffer in problem.buffers]
    for one, other in zip(again.buffers, problem.buffers, strict=True):
        assert np.array_equal(one.bytes, other.bytes)
    for fields in ("costs", "tables"):
        pairs = zip(getattr(again, fields), getattr(problem, fields), strict=True)
        assert all(np.array_equal(one, other) for one, other in pairs)


def test_a_node_with_two_buffers_is_not_written(tmp_path: Path):
    buffer = Buffer(0, np.array([1.0]), ((0, 1),))
    with pytest.raises(ValueError, match="node 0 has several buffers"):
        write_problem(Problem((np.zeros(1),), buffers=(buffer, buffer)), tmp_path / "a.json")


def test_a_file_of_another_format_is_refused(tmp_path: Path):
    path = tmp_path / "other.json"
    path.write_text('{"problem": {"nodes": {}}}')
    with pytest.raises(ValueError, match=r"other\.json: not a problem of the IOPDDL contest"):
        read_problem(path)
