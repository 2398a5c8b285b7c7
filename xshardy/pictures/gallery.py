"""
The pictures of the gallery: what each shows, the file that it is about, and the function that draws it.

`python -m xshardy.pictures NAME FILE -o PICTURE.svg` draws one of another file.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from xshardy.api import read_hlo
from xshardy.display.svg import Drawing
from xshardy.pictures.accesses import bank_picture, sector_picture
from xshardy.pictures.indexing import indexing_picture
from xshardy.pictures.levels import levels_picture, passes_picture
from xshardy.pictures.liveness import liveness_picture
from xshardy.pictures.memory import memory_picture
from xshardy.pictures.mesh import mesh_picture
from xshardy.pictures.propagation import propagation_picture
from xshardy.pictures.rule import contraction, rule_picture
from xshardy.planning.cause_picture import cause_picture
from xshardy.planning.plan import Plan, plan_program
from xshardy.programs.partitioned import partition_module
from xshardy.programs.program import read_program
from xshardy.programs.sharded import shard
from xshardy.tools.placed_diagnostics import imported_program
from xshardy.tools.source_file import read_source
from xshardy.transforms.hlo_async.schedule import AsyncSchedulePass
from xshardy.transforms.hlo_async.wrap import AsyncWrapPass
from xshardy.universe import new_context


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of the gallery."""

    title: str
    text: str
    """What to see in it."""
    files: tuple[str, ...]
    """What the gallery draws: paths from the root of the repository, `FILE.py:FUNCTION` for a program of JAX."""
    draw: Callable[[tuple[str, ...]], Drawing]
    """Draws a picture of other files."""


def _of_hlo(draw: Callable[[ModuleOp], Drawing]) -> Callable[[tuple[str, ...]], Drawing]:
    return lambda files: draw(read_hlo(Path(files[0])))


def _mesh(files: tuple[str, ...]) -> Drawing:
    with imported_program(read_source(files[0])) as program:
        divided = partition_module(program.module, program.context)
    if divided.mesh is None:
        raise ValueError(f"{files[0]} has no mesh")
    arguments = {f"argument {number}": tensor for number, tensor in enumerate(divided.arguments)}
    return mesh_picture(divided.mesh, arguments | {f"result {n}": tensor for n, tensor in enumerate(divided.results)})


def _propagation(files: tuple[str, ...]) -> Drawing:
    with imported_program(read_source(files[0])) as program:
        return propagation_picture(shard(program))


def _causes(files: tuple[str, ...]) -> Drawing:
    return cause_picture({file: _planned(file).collectives for file in files})


def _planned(file: str) -> Plan:
    with imported_program(read_source(file)) as program:
        return plan_program(program)


def _rule(files: tuple[str, ...]) -> Drawing:
    return rule_picture(contraction(read_program(read_source(files[0])).module))


def _liveness(files: tuple[str, ...]) -> Drawing:
    module, context = read_hlo(Path(files[0])), new_context()
    AsyncWrapPass(opcodes=("slice",)).apply(context, module)
    AsyncSchedulePass(max_in_flight=1).apply(context, module)
    return liveness_picture(module)


GALLERY: Mapping[str, Picture] = {
    "propagation": Picture(
        "Shardings propagate",
        "Two arguments are annotated. Axes arrive at the other tensors one after the other, along the factors of the "
        "operations between them.",
        ("examples/mlp.mlir",),
        _propagation,
    ),
    "mesh": Picture(
        "A mesh, and which device has what",
        "32 devices along two axes, and the arguments and the result of a program after propagation. A part has the "
        "colour of the first device that holds it.",
        ("examples/mlp.mlir",),
        _mesh,
    ),
    "rule": Picture(
        "A sharding rule",
        "An operation is a nest of loops, its factors. If `k` is sharded, each device has a part of each sum.",
        ("examples/mlp.mlir",),
        _rule,
    ),
    "causes": Picture(
        "What a plan communicates, and why",
        "One training step with three ways to shard the weights. Bars are the bytes that each device sends, by the "
        "operation that needs them; all have one scale.",
        ("examples/fit.py:data_parallel", "examples/fit.py:last_dimensions", "examples/fit.py:megatron"),
        _causes,
    ),
    "indexing": Picture(
        "Indexing maps of a fusion",
        "Three elements of the result, and the elements of both operands that each of them reads: through a window, a "
        "concatenation and a transpose.",
        ("examples/pictures/smooth.hlo",),
        _of_hlo(indexing_picture),
    ),
    "levels": Picture(
        "GELU at every level",
        "An operation a line, in the colour of its dialect: from one `xla_gpu.loop` to instructions of LLVM.",
        ("examples/gelu.hlo",),
        _of_hlo(levels_picture),
    ),
    "passes": Picture(
        "GELU after each pass",
        "How many operations of which dialect each pass of the pipeline leaves.",
        ("examples/gelu.hlo",),
        _of_hlo(passes_picture),
    ),
    "sectors": Picture(
        "Lanes and sectors of memory",
        "One warp takes every third element of rows. Numbers are lanes. Memory moves sectors of 32 bytes: three times "
        "as many for the load as for the store, because most of each sector is not used.",
        ("examples/pictures/stride.hlo",),
        _of_hlo(sector_picture),
    ),
    "banks": Picture(
        "Lanes and banks of shared memory",
        "One warp transposes a matrix of `bf16` through shared memory. Numbers are lanes. It writes rows and reads "
        "columns; rows are padded, so that no two lanes need words of one bank.",
        ("examples/pictures/transpose.hlo",),
        _of_hlo(bank_picture),
    ),
    "liveness": Picture(
        "Asynchronous operations and live buffers",
        "The weights of the second layer are fetched while the first one is computed. A coloured buffer belongs to an "
        "operation in flight, and must not be written until that is done.",
        ("examples/async_layers.hlo",),
        _liveness,
    ),
    "memory": Picture(
        "The memory of a whole module",
        "Allocations from top to bottom, steps of the launch plan from left to right. The cache is updated in place "
        "in each iteration; small buffers share memory one after the other.",
        ("examples/decode_loop.hlo",),
        _of_hlo(memory_picture),
    ),
}
"""The pictures by their names."""
