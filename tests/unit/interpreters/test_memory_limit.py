"""What takes more memory than the machine has is refused before it is made."""

import resource
import sys
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import TensorType, f32, i8

from xshardy.interpreters import memory_limit
from xshardy.interpreters.memory_limit import limited_memory, machine_memory, require_memory
from xshardy.interpreters.random_elements import random_inputs
from xshardy.tools.cli import main

GIB = 2**30

MATMULS = """HloModule matmuls
ENTRY main {
  x = f32[64,64] parameter(0)
  squared = f32[64,64] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT cubed = f32[64,64] dot(squared, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}"""


def test_needs_are_compared_with_the_memory_of_the_machine(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(memory_limit, "machine_memory", lambda: 2 * GIB)
    require_memory(2 * GIB, "the inputs")
    with pytest.raises(MemoryError, match=r"^the buffers take 2.5 GiB, this machine has 2.0 GiB$"):
        require_memory(5 * GIB // 2, "the buffers")


@pytest.mark.parametrize(("text", "limit"), [("max\n", None), ("4096\n", 4096), (None, None)])
def test_containers_have_less_memory(
    text: str | None, limit: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(memory_limit, "CONTAINER_LIMITS", ())
    whole = machine_memory()
    file = tmp_path / "memory.max"
    if text is not None:
        file.write_text(text)
    monkeypatch.setattr(memory_limit, "CONTAINER_LIMITS", (str(file),))
    assert machine_memory() == (limit or whole)


def test_inputs_are_measured_together_before_any_is_drawn(monkeypatch: pytest.MonkeyPatch):
    types = [TensorType(f32, [8]), TensorType(i8, [3]), f32]
    monkeypatch.setattr(memory_limit, "machine_memory", lambda: 39)
    assert [array.nbytes for array in random_inputs(types, 0)] == [32, 3, 4]
    monkeypatch.setattr(memory_limit, "machine_memory", lambda: 38)
    with pytest.raises(MemoryError, match="the inputs take"):
        random_inputs(types, 0)


def test_a_program_with_buffers_beyond_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """A parameter, a temporary tensor and a result of 16 KiB each."""
    file = tmp_path / "matmuls.hlo"
    file.write_text(MATMULS)
    monkeypatch.setattr("xshardy.tools.commands.run.limited_memory", nullcontext)  # this process has more already
    monkeypatch.setattr(memory_limit, "machine_memory", lambda: 3 * 2**14 - 1)
    assert main(["run", "--fuse", str(file)]) == 1
    message = capsys.readouterr().err
    assert "matmuls.hlo: error: out of memory (the buffers of the program take 0.0 GiB" in message
    assert "as `xshardy shrink` makes them" in message
    monkeypatch.setattr(memory_limit, "machine_memory", lambda: 3 * 2**14)
    assert main(["run", "--fuse", str(file)]) == 0


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS does not know this limit")
def test_allocations_fail_under_the_limit(monkeypatch: pytest.MonkeyPatch):
    """The system would grant a terabyte, and kill the process when it is used."""
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with limited_memory():
        assert resource.getrlimit(resource.RLIMIT_DATA) == (machine_memory(), before[1])
        with pytest.raises(MemoryError):
            np.empty(2**40, np.uint8)
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


def test_a_lower_limit_of_the_user_stays():
    before = resource.getrlimit(resource.RLIMIT_DATA)
    lower = machine_memory() - 1
    resource.setrlimit(resource.RLIMIT_DATA, (lower, before[1]))
    try:
        with limited_memory():
            assert resource.getrlimit(resource.RLIMIT_DATA)[0] == lower
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)
