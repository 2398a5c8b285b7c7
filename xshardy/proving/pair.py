"""A whole program and the program of each device, with the parts that devices have of arguments and results."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.passes import PassPipeline

from xshardy.programs.device_programs import declared_grid, device_count
from xshardy.programs.distributed_tensor import DistributedTensor
from xshardy.programs.errors import InputError
from xshardy.programs.meshes import mesh_of
from xshardy.programs.names import SourceNames
from xshardy.programs.partitioned import distributed_tensors, partition_module
from xshardy.programs.program import Program
from xshardy.programs.sharded import PREPARATION, PROPAGATION
from xshardy.transforms.sdy.main_function import main_function


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
    tensors with a mesh, as one with `shard_map` is, which is partitioned, and whose own shardings say that. Raises
    `InputError` if arguments, results or numbers of devices do not fit, and what the passes raise.
    """
    if mesh_of(local.module)[0] is not None:
        with local.failures_placed():
            made = partition_module(local.module, local.context)
        pair = Pair(whole.module, made.module, made.arguments, made.results, made.devices, local.names)
        _check(pair, whole, local, "whole")
        return pair
    with whole.failures_placed():
        PassPipeline((*PREPARATION, PROPAGATION)).apply(whole.context, whole.module)
    devices = _devices(whole, local)
    arguments, results = distributed_tensors(whole.module, devices)
    pair = Pair(whole.module, local.module, arguments, results, devices, local.names)
    _check(pair, whole, local, "part")
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


def _check(pair: Pair, whole: Program, local: Program, what: str) -> None:
    """Raises `InputError` if both programs have other numbers or shapes of arguments or results."""
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
