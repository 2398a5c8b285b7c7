"""`jax.lax.ragged_all_to_all`: planned with an upper bound, and run on the simulated mesh as numpy computes it."""

from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from xdsl.utils.exceptions import InterpretationError

import xshardy
from xshardy.tools.cli import main

DEVICES = 4
P = jax.sharding.PartitionSpec


def traced(rows: int, out_rows: int, slices: int) -> Any:
    """Each of 4 devices sends slices of its `rows` rows, and receives them among its `out_rows` rows."""
    mesh = jax.sharding.AbstractMesh((DEVICES,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))

    def exchange(*operands: Any) -> Any:
        return jax.lax.ragged_all_to_all(*operands, axis_name="x")

    on_mesh: Any = jax.shard_map(exchange, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False)
    rows_of = [jax.ShapeDtypeStruct((DEVICES * count, 2), np.float32) for count in (rows, out_rows)]
    return jax.jit(on_mesh).trace(*rows_of, *[jax.ShapeDtypeStruct((DEVICES * slices,), np.int32)] * 4)


@pytest.mark.parametrize(("seed", "per_device"), [(0, 1), (1, 1), (2, 2), (3, 3)])
def test_rows_go_where_the_tables_say(seed: int, per_device: int):
    rng = np.random.default_rng(seed)
    slices = DEVICES * per_device
    sizes = rng.integers(0, 4, (DEVICES, slices))  # [sender][slice]; the slices of a receiver are consecutive
    rows, out_rows = 4 * slices, 4 * slices + 3
    sent = rng.standard_normal((DEVICES, rows, 2)).astype(np.float32)
    old = rng.standard_normal((DEVICES, out_rows, 2)).astype(np.float32)
    starts = np.cumsum(sizes, 1) - sizes
    by_receiver = sizes.reshape(DEVICES, DEVICES, per_device).swapaxes(0, 1)  # [receiver][sender][number]
    received = by_receiver.reshape(DEVICES, slices)
    targets = (np.cumsum(received, 1) - received + 2).reshape(DEVICES, DEVICES, per_device).swapaxes(0, 1)
    wanted = old.copy()
    for receiver in range(DEVICES):
        place = 2
        for sender in range(DEVICES):
            for number in range(receiver * per_device, (receiver + 1) * per_device):
                start, size = starts[sender, number], sizes[sender, number]
                wanted[receiver, place : place + size] = sent[sender, start : start + size]
                place += size
    tables = [table.reshape(-1).astype(np.int32) for table in (starts, sizes, targets, received)]
    arguments = [sent.reshape(-1, 2), old.reshape(-1, 2), *tables]
    run = xshardy.run(traced(rows, out_rows, slices), arguments, check=True)
    np.testing.assert_array_equal(run.results[0], wanted.reshape(-1, 2))
    assert run.agrees


def test_a_plan_counts_the_most_that_devices_send(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    program = traced(8, 16, DEVICES)
    (collective,) = xshardy.plan(program).collectives
    assert (collective.kind, collective.axes, collective.bytes) == ("ragged-all-to-all", ("x",), 8 * 2 * 4)
    path = tmp_path / "ragged.mlir"
    path.write_text(program.lower(lowering_platforms=("cpu",)).as_text())
    assert main(["plan", str(path)]) == 0
    assert "at most: the sizes are known when it runs" in capsys.readouterr().out


def test_tables_out_of_bounds_are_refused():
    tables = [np.full(DEVICES * DEVICES, 9, np.int32)] * 4
    arguments = [np.zeros((32, 2), np.float32), np.zeros((64, 2), np.float32), *tables]
    with pytest.raises(InterpretationError, match="9 rows from 9 to 9 are out of bounds"):
        xshardy.run(traced(8, 16, DEVICES), arguments)
