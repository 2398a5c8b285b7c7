"""Which devices of an optimised module have the same argument."""

from collections.abc import Sequence

import pytest

from xshardy.axes.grid import Grid
from xshardy.hlo_text import parse_hlo
from xshardy.launch.device_arguments import device_arguments
from xshardy.launch.module_devices import grid_of
from xshardy.launch.prepared_program import entry_of
from xshardy.syntax import parse_module
from xshardy.transforms.failures import OperationFailedException

HEADERS = {
    ", is_scheduled=true, num_partitions=4": Grid(1, 4),
    ", is_scheduled=true, replica_count=2, num_partitions=2": Grid(2, 2),
    ", is_scheduled=true, replica_count=4": Grid(4, 1),
    ", is_scheduled=true": Grid(1, 1),
    ", num_partitions=4": Grid(1, 4),
    ", replica_count=2": Grid(2, 1),
}


def text_of(header: str, sharding: str = "") -> str:
    parameter = f"x = f32[2,3] parameter(0){sharding}"
    return f"HloModule m{header}\nENTRY main {{\n  {parameter}\n  ROOT y = f32[2,3] copy(x)\n}}\n"


@pytest.mark.parametrize("header", HEADERS)
def test_a_module_runs_on_the_devices_of_its_header(header: str):
    assert grid_of(parse_hlo(text_of(header))) == HEADERS[header]


def test_a_program_that_shardings_divide_is_whole():
    header = ", replica_count=2, num_partitions=4"
    sharding = ", sharding={devices=[2,2]<=[4]}"
    assert grid_of(parse_hlo(text_of(header, sharding))) == Grid(2, 1)
    assert grid_of(parse_hlo(text_of(f"{header}, is_scheduled=true", sharding))) == Grid(2, 4)
    attributes = "attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 2 : i32}"
    of_jax = f"module {attributes} {{ func.func @main() {{ return }} }}"
    assert grid_of(parse_module(of_jax)) == Grid(2, 4)
    meshed = of_jax.replace("{ func", '{ sdy.mesh @mesh = <["x"=4]> func')
    assert grid_of(parse_module(meshed)) == Grid(2, 1)


TILES = {
    "": [0, 0, 0, 0],
    "{replicated}": [0, 0, 0, 0],
    "{manual}": [0, 1, 2, 3],
    "{devices=[4,1]<=[4]}": [0, 1, 2, 3],
    "{devices=[2,2]<=[2,2]T(1,0)}": [0, 2, 1, 3],
    "{devices=[2,1,2]<=[4] last_tile_dim_replicate}": [0, 0, 1, 1],
    "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}": [0, 1, 0, 1],
}


@pytest.mark.parametrize(("sharding", "tiles"), TILES.items())
def test_partitions_with_the_same_tile_have_the_same_argument(sharding: str, tiles: Sequence[int]):
    annotation = f", sharding={sharding}" if sharding else ""
    module = parse_hlo(text_of(", is_scheduled=true, num_partitions=4", annotation))
    arguments = device_arguments(entry_of(module), grid_of(module), seed=0)
    contents = [x.tobytes() for (x,) in arguments]
    assert [[a == b for b in contents] for a in contents] == [[a == b for b in tiles] for a in tiles]


def test_replicas_have_arguments_of_their_own():
    module = parse_hlo(text_of(", is_scheduled=true, replica_count=2, num_partitions=2", ", sharding={replicated}"))
    a, b, c, d = (x.tobytes() for (x,) in device_arguments(entry_of(module), grid_of(module), seed=0))
    assert a == b != c == d


def test_an_annotation_that_is_none_is_refused():
    module = parse_hlo(text_of(", is_scheduled=true, num_partitions=4", ", sharding={tiled}"))
    with pytest.raises(OperationFailedException, match="is no sharding: expected a property of a sharding"):
        device_arguments(entry_of(module), grid_of(module), seed=0)
