"""A whole program and the program of each device, with the parts that devices have of arguments and results."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.utils.hints import isa

from xshardy.dialects import sdy
from xshardy.dialects.declared_grid import declared_grid
from xshardy.dialects.stablehlo.replica_groups import integer_table
from xshardy.interpreters.stablehlo.collectives import channel_of
from xshardy.programs.device_programs import OF_DEVICES, device_count
from xshardy.programs.distributed_tensor import DistributedTensor
from xshardy.programs.errors import InputError
from xshardy.programs.meshes import mesh_of
from xshardy.programs.names import SourceNames
from xshardy.programs.partitioned import distributed_tensors, partition_module
from xshardy.programs.program import Program
from xshardy.programs.sharded import PREPARATION, PROPAGATION
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.pipeline_pass import IndexedPipeline
from xshardy.transforms.sdy.main_function import main_function
from xshardy.transforms.xla_sdy.frontend_attributes import frontend_entries

UNREDUCED = "xla.sdy.has_unreduced_axes"
"""The frontend attribute of HLO that stands for unreduced axes."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The claim: on each device, `local` computes its parts of the results of `whole`, if it has those of arguments."""

    whole: ModuleOp
    local: ModuleOp
    arguments: Sequence[DistributedTensor]
    results: Sequence[DistributedTensor]
    devices: int
    names: SourceNames
    """The names of the values of `local` in the user's text."""
    are_of_devices: bool = False
    """Whether `whole` is the program of a device too: both get the same tensors on each device, whatever these are."""

    @property
    def functions(self) -> tuple[FuncOp, FuncOp]:
        """The main functions of both programs."""
        return main_function(self.whole), main_function(self.local)


def partitioned_pair(program: Program) -> Pair:
    """
    The program and its partition by our passes, which change its module in place.

    The whole program is the one with propagated shardings. Raises what `partition_module` does, and `InputError` for a
    program without a mesh: it has no devices, so that there is nothing to prove.
    """
    if device_count(program.module) == 1 and mesh_of(program.module)[0] is None:
        raise InputError(
            f"{program.source.name}: error: the program has no mesh, so that there are no devices: give it shardings, "
            "or the program of each device as a second file"
        )
    made = partition_module(program.module, program.context, keep_propagated=True)
    assert made.propagated is not None
    return Pair(made.propagated, made.module, made.arguments, made.results, made.devices, program.names)


def pair_of(whole: Program, local: Program) -> Pair:
    """
    Two programs that were written apart; both modules are changed in place.

    `local` is the program of a device, and the shardings of `whole` say which parts it has; or it is a program of whole
    tensors with a mesh, as one with `shard_map` is, which is partitioned, and whose own shardings say that. A `whole`
    of MLIR is propagated; HLO text is what XLA's partitioner takes, whose shardings are final. Raises `InputError` if
    arguments, results or numbers of devices do not fit, and what the passes raise.
    """
    if mesh_of(local.module)[0] is not None:
        with local.failures_placed():
            made = partition_module(local.module, local.context)
        pair = Pair(whole.module, made.module, made.arguments, made.results, made.devices, local.names)
        check_types(pair, whole, local, "whole")
        return pair
    passes = PREPARATION if whole.source.is_hlo else (*PREPARATION, PROPAGATION)
    with whole.failures_placed():
        IndexedPipeline(passes).apply(whole.context, whole.module)
    return divided_pair(whole, local)


def divided_pair(whole: Program, local: Program) -> Pair:
    """A program whose shardings are final, and that of a device. Raises `InputError` as `pair_of` does."""
    if is_of_device(whole.module):
        raise InputError(
            f"{whole.source.name}: error: its result depends on the device, outside of manual computations: give the "
            "whole program first, then that of a device"
        )
    for op in whole.module.walk():
        if UNREDUCED in frontend_entries(op.attributes):
            raise InputError(
                f"{whole.place(op)}: error: {UNREDUCED} says that devices have summands of its result, and not along "
                "which axes: give the program as MLIR with shardings of sdy"
            )
    devices = _devices(whole, local)
    arguments, results = distributed_tensors(whole.module, devices)
    pair = Pair(whole.module, local.module, arguments, results, devices, local.names)
    check_types(pair, whole, local, "part")
    return pair


def import_local(program: Program) -> None:
    """
    Make a program that may be that of a device one of StableHLO, in place.

    HLO text is taken for the program of a device, whatever shardings it has left.
    """
    if not program.source.is_hlo:
        program.import_shardings()
        return
    from xshardy.hlo_text.dissolve_tuples import dissolve_tuples
    from xshardy.transforms.hlo.canonicalize_from_hlo_import import CanonicalizeFromHloImportPass

    dissolve_tuples(program.module)
    CanonicalizeFromHloImportPass().rewrite_module(program.module)


def is_of_device(module: ModuleOp) -> bool:
    """Whether the main function depends on the device, or on others, where no manual computation does."""
    main = main_function(module)
    manual = operations_of(main, sdy.ManualComputationOp)
    inside = {op for computation in manual for op in operations_of(computation, *OF_DEVICES)}
    return any(op not in inside and not _is_of_one(op) for op in operations_of(main, *OF_DEVICES))


def _is_of_one(op: Operation) -> bool:
    """Whether each group of a collective is one device, or the only replica."""
    groups = op.properties.get("source_target_pairs", op.properties.get("replica_groups"))
    if not isa(groups, DenseIntOrFPElementsAttr):
        return False
    shape, numbers = integer_table("replica_groups", groups)
    rows = np.array(numbers, np.int64).reshape(shape)
    return (bool(rows.size) and bool((rows == rows[:, :1]).all())) or (channel_of(op) == 0 and not rows.size)


def _devices(whole: Program, local: Program) -> int:
    """How many devices run `local`. Raises `InputError` if the programs say different numbers, or none."""
    of_mesh, declared = device_count(whole.module), declared_grid(local.module).size
    if of_mesh == declared == 1 and mesh_of(whole.module)[0] is None:
        raise InputError(
            f"{local.source.name}: error: neither this program nor {whole.source.name} says how many devices there "
            f"are: give {whole.source.name} shardings, or this one the attribute mhlo.num_partitions"
        )
    if 1 != of_mesh != declared != 1:
        raise InputError(
            f"{local.source.name}: error: the program is for {declared} devices, and the mesh of {whole.source.name} "
            f"has {of_mesh}: give one of them the number of the other"
        )
    return max(of_mesh, declared)


def check_types(pair: Pair, whole: Program, local: Program, what: str) -> None:
    """
    Raises `InputError` if both programs have other numbers or shapes of arguments or results.

    `what` says whether those of `local` are to be the whole tensors, or parts of them.
    """
    functions = pair.functions
    name, other = local.source.name, whole.source.name
    for kind, tensors, types in (
        ("argument", pair.arguments, [function.function_type.inputs.data for function in functions]),
        ("result", pair.results, [function.function_type.outputs.data for function in functions]),
    ):
        if len(types[0]) != len(types[1]):
            raise InputError(
                f"{name}: error: the program has {_count(len(types[1]), kind)}, and {other} has {len(types[0])}: give "
                "two programs that take and return the same tensors"
            )
        for number, (tensor, mine, found) in enumerate(zip(tensors, *types, strict=True)):
            expected = TensorType(tensor.type.element_type, tensor.local_shape)
            if what == "part" and found != expected:
                raise InputError(
                    f"{name}: error: {kind} {number} is a {found}, but by the shardings of {other} a device has a "
                    f"{expected} of the {mine}: change its sharding there, or the type here"
                )
            if what == "whole" and tensor.type != mine:
                raise InputError(
                    f"{name}: error: {kind} {number} is a {tensor.type}, but in {other} it is a {mine}: give two "
                    "programs that take and return the same tensors"
                )


def _count(number: int, kind: str) -> str:
    return f"{number} {kind}{'' if number == 1 else 's'}"
