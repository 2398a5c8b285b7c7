"""`xshardy compile --partition`: the program of each device of a mesh, and how these divide arguments and results."""

import argparse
from typing import Any

from xshardy.dialects.sdy.sharding_text import dimensions
from xshardy.engines.distributed_tensor import DistributedTensor
from xshardy.engines.mesh_sizes import resize_meshes
from xshardy.engines.program import PartitionedProgram, partition_module
from xshardy.hlo_text.shapes import print_type
from xshardy.tools.program_file import read_program
from xshardy.tools.source_program import imported_program
from xshardy.tools.stages.stage import place_at_lines
from xshardy.universe import new_context


def partitioned(args: argparse.Namespace) -> PartitionedProgram:
    """FILE, partitioned over its mesh with the sizes of `--mesh`. For `--html`, operations keep their lines."""
    context = new_context()
    with imported_program(read_program(args.file), args.file, context) as program:
        if args.html is not None:
            place_at_lines(program.names.spans)
        if args.mesh:
            resize_meshes(program.module, args.mesh, context)
        return partition_module(program.module, context)


def partitioning(program: PartitionedProgram) -> dict[str, Any]:
    """What `plan.json` says of the devices of `program`. Its keys are described in docs/launching.md."""
    return {
        "devices": program.devices,
        "mesh": None if program.mesh is None else str(program.mesh),
        "parameters": [*map(_tensor, program.arguments)],
        "results": [*map(_tensor, program.results)],
    }


def _tensor(tensor: DistributedTensor) -> dict[str, Any]:
    """The shape of a whole tensor, and how it is divided: None if each device has all of it."""
    return {"shape": print_type(tensor.type), "sharding": dimensions(tensor.sharding) or None}
