"""A partitioned program: what each device executes, and how its arguments and results are divided."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from xshardy.dialects.checks import CheckOp
from xshardy.dialects.interpreter import RunParallelOp
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.shapes import is_tensor
from xshardy.display.html_parts import folded, shown
from xshardy.ir import clone_operation
from xshardy.programs.custom_partitioning import CustomPartitioningPass
from xshardy.programs.device_programs import refuse_program_of_devices
from xshardy.programs.distributed_tensor import DistributedTensor
from xshardy.programs.errors import EngineError
from xshardy.programs.garbage import collection_suspended
from xshardy.programs.meshes import mesh_of
from xshardy.programs.sharded import PREPARATION, PROPAGATION
from xshardy.rewriting.walk import operations_below, operations_from
from xshardy.syntax import print_module
from xshardy.transforms.pipeline_pass import IndexedPipeline
from xshardy.transforms.sdy.function_shardings import written_shardings
from xshardy.transforms.sdy.main_function import main_function
from xshardy.transforms.sdy_partition.partitioner_pipeline import PartitionerPipelinePass
from xshardy.transforms.stablehlo.erase_unused import EraseUnusedPass
from xshardy.transforms.stablehlo.inline_applied_calls import InlineAppliedCallsPass
from xshardy.transforms.xla_sdy.round_trip_dedup_meshes import RoundTripDedupMeshesPass

if TYPE_CHECKING:
    from xshardy.numerics.element_types import Array

BEFORE_PARTITIONING = (
    *(CustomPartitioningPass(), RoundTripDedupMeshesPass()),
    *(InlineAppliedCallsPass(), EraseUnusedPass()),
)
"""
The passes after propagation, which takes no notice of uses. Meshes that divide the same devices otherwise become one,
so that a tensor goes between them as between parts of axes.
"""
PARTITIONING = (*BEFORE_PARTITIONING, PartitionerPipelinePass())
"""The passes that make of it the program of each device."""


@dataclass(frozen=True, repr=False)
class PartitionedProgram:
    """
    The program of each of `devices` devices, and how its arguments and results are divided; `str` is its text.

    Device `i` is partition `i` of the only replica.
    """

    module: ModuleOp
    """StableHLO with its collectives. Types are those of parts; there are no meshes and no shardings."""
    mesh: MeshAttr | None
    """The mesh of the program: the first one with all devices. None if it has none."""
    devices: int
    arguments: tuple[DistributedTensor, ...]
    results: tuple[DistributedTensor, ...]
    propagated: ModuleOp | None = None
    """The module with propagated shardings, before it was partitioned, if it was kept."""
    origins: Mapping[Operation, Operation] = field(default_factory=dict[Operation, Operation])
    """For each operation of `propagated`, that of the module that was partitioned: diagnostics know its place."""

    @property
    def main(self) -> FuncOp:
        """The function that every device executes."""
        return main_function(self.module)

    @property
    def argument_shardings(self) -> tuple[TensorShardingAttr | None, ...]:
        """The sharding of each argument; None for one that every device has whole."""
        return tuple(argument.sharding for argument in self.arguments)

    @property
    def result_shardings(self) -> tuple[TensorShardingAttr | None, ...]:
        """The sharding of each result; None for one that every device has whole."""
        return tuple(result.sharding for result in self.results)

    def by_device(self, arguments: "Sequence[Array]") -> "list[list[Array]]":
        """The parts of whole `arguments`: `[device][argument]`."""
        given = [tensor.parts(array) for tensor, array in zip(self.arguments, arguments, strict=True)]
        return [[parts[device] for parts in given] for device in range(self.devices)]

    def by_result(self, results: "Sequence[Sequence[Array]]") -> "list[list[Array]]":
        """`[device][result]` -> `[result][device]`"""
        return [[parts[index] for parts in results] for index in range(len(self.results))]

    def __str__(self) -> str:
        return print_module(self.module)

    def __repr__(self) -> str:
        arguments, results = (", ".join(str(each.type) for each in part) for part in (self.arguments, self.results))
        return f"<program for {self.devices} devices: ({arguments}) -> ({results})>"

    def _repr_html_(self) -> str:
        """How arguments and results are divided, as pictures, and the program of a device, for notebooks."""
        parts = [f"<p>the program of each of {self.devices} devices</p>"]
        for what, tensors in (("argument", self.arguments), ("result", self.results)):
            for number, tensor in enumerate(tensors):
                parts.append(folded(f"{what} {number}", tensor._repr_html_()))
        return "".join((*parts, shown(str(self), "mlir", "program")))


@collection_suspended()
def partition_module(module: ModuleOp, context: Context, *, keep_propagated: bool = False) -> PartitionedProgram:
    """
    Propagate the shardings of `module`, in place, and make it the program of each device.

    With `keep_propagated`, the result also has a copy of the module before it was partitioned. Raises `EngineError` for
    meshes of different numbers of devices, and for a program that is written for each of several devices, and
    `PassFailedException` for what a pass refuses.

    A program with `interpreter.run_parallel` starts programs of single devices, and one without a mesh that checks its
    results is one: they are left as they are.
    """
    mesh, devices = mesh_of(module)
    refuse_program_of_devices(module, mesh)
    single = (RunParallelOp, CheckOp) if mesh is None else (RunParallelOp,)
    is_partitioned = bool(operations_below(module, *single))
    IndexedPipeline(PREPARATION if is_partitioned else (*PREPARATION, PROPAGATION)).apply(context, module)
    arguments, results = distributed_tensors(module, devices)
    kept = clone_operation(module) if keep_propagated else None
    origins = {} if kept is None else dict(zip(operations_from(kept), operations_from(module), strict=True))
    IndexedPipeline(() if is_partitioned else PARTITIONING).apply(context, module)
    return PartitionedProgram(module, mesh, devices, arguments, results, kept, origins)


def distributed_tensors(
    module: ModuleOp, devices: int
) -> tuple[tuple[DistributedTensor, ...], tuple[DistributedTensor, ...]]:
    """
    The arguments and the results of the main function of `module`, whose shardings are propagated.

    Raises `EngineError` for one that is no tensor of static shape.
    """
    main = main_function(module)
    return (
        _distributed(main, main.function_type.inputs.data, main.arg_attrs, devices),
        _distributed(main, main.function_type.outputs.data, main.res_attrs, devices),
    )


def _distributed(
    main: FuncOp, types: Sequence[Attribute], attributes: ArrayAttr[DictionaryAttr] | None, devices: int
) -> tuple[DistributedTensor, ...]:
    """The arguments or results of `main`, of these whole types. Raises `EngineError` for one that is no tensor."""
    tensors: list[DistributedTensor] = []
    for type, sharding in zip(types, written_shardings(attributes, len(types)), strict=True):
        if not is_tensor(type) or not type.has_static_shape():
            raise EngineError(f"@{main.sym_name.data} has a {type}: only tensors of static shape can be divided")
        tensors.append(DistributedTensor.under(type, sharding, main, devices))
    return tuple(tensors)
