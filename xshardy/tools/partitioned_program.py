"""`xshardy compile --partition`: the program of each device of a mesh."""

import argparse

from xshardy.engines.mesh_sizes import resize_meshes
from xshardy.engines.program import PartitionedProgram, partition_module
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
