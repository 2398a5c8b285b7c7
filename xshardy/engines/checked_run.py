"""A program partitioned, run and, if asked for, compared with the same program on one device."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import InterpretationError

from xshardy.display.html_parts import facts
from xshardy.engines.callbacks import refuse_callbacks
from xshardy.engines.engine import Engine, run_program
from xshardy.engines.first_difference import Difference, first_difference
from xshardy.engines.simulated import Simulated
from xshardy.interpreters.check import Comparison
from xshardy.interpreters.inputs import inputs_of
from xshardy.interpreters.reference import Reference
from xshardy.ir import clone_operation
from xshardy.numerics.element_types import Array, stored_dtype
from xshardy.programs.custom_partitioning import CustomPartitioningPass
from xshardy.programs.distributed_tensor import DistributedTensor
from xshardy.programs.errors import EngineError
from xshardy.programs.meshes import MeshSizes, resize_meshes
from xshardy.programs.partitioned import PartitionedProgram, partition_module
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.hlo.pad_dynamic_dimensions import PadDynamicDimensionsPass
from xshardy.transforms.hlo.split_dynamic_borders import SplitDynamicBordersPass
from xshardy.transforms.sdy.function_body import body_of
from xshardy.transforms.sdy.main_function import main_function


@dataclass(frozen=True, repr=False)
class ProgramRun:
    """The results of a run, as whole tensors."""

    program: PartitionedProgram
    results: Sequence[Array]
    seconds: float
    """The time of the engine, with compilation."""
    comparisons: Sequence[Comparison | str] | None = None
    """
    For each result, the comparison of the devices' copies with the program on one device, or the reason why HLO leaves
    the result open. None if it was not asked for.
    """
    difference: Difference | None = None
    """The first operation with a wrong part, if a result is wrong and the engine is the simulated one."""
    is_fault_of_engine: bool = False
    """Whether a result is wrong and the engine is another one, but all results of the simulated one are right."""

    @property
    def agrees(self) -> bool:
        """Whether no result that was compared is wrong."""
        return not any(isinstance(comparison, Comparison) and not comparison for comparison in self.comparisons or ())

    @property
    def _verdict(self) -> str:
        return "not compared" if self.comparisons is None else "agrees" if self.agrees else "differs"

    def __repr__(self) -> str:
        results = ", ".join(str(tensor.type) for tensor in self.program.results)
        milliseconds = f"{self.seconds * 1000:.0f} ms"
        return f"<run on {self.program.devices} devices in {milliseconds}: ({results}), {self._verdict}>"

    def _repr_html_(self) -> str:
        """The devices, the time and the verdict, and how each result is divided, for notebooks."""
        found = {"devices": self.program.devices, "ms": f"{self.seconds * 1000:.0f}", "results": self._verdict}
        return facts(found) + "".join(tensor._repr_html_() for tensor in self.program.results)


def run_module(
    module: ModuleOp,
    engine: Engine,
    context: Context,
    *,
    arguments: Sequence[Array] | None = None,
    mesh: MeshSizes | None = None,
    seed: int = 0,
    indices_in_bounds: bool = True,
    check: bool = False,
) -> ProgramRun:
    """
    Partition `module`, in place, for its meshes with the sizes of `mesh`, and run it with whole `arguments`.

    An argument or result with dynamic dimensions is one of its largest sizes, followed by the sizes in use. By default,
    arguments are random ones that depend on `seed` only. Some indices are out of bounds if these need not be in bounds:
    what programs of JAX read there is NaN, and one NaN among the elements of a sum leaves nothing to compare. With
    `check`, the results are compared with those of the program on one device by our evaluator. Raises `EngineError`,
    `InterpretationError`, `VerifyException` and `PassFailedException`.
    """
    refuse_callbacks(module)
    for function in functions_of(module).values():
        if function.body.blocks:
            body_of(function)  # inputs are drawn by what the block does with them
    resize_meshes(module, mesh, context)
    SplitDynamicBordersPass().rewrite_module(module)
    main = main_function(module)
    if arguments is None:
        arguments = inputs_of(main, seed, only_plain=True, indices_in_bounds=indices_in_bounds)
    PadDynamicDimensionsPass().rewrite_module(module)  # after sizes were drawn: propagation takes static shapes only
    if (whole := clone_operation(module) if check else None) is not None:
        CustomPartitioningPass().apply(context, whole)
    program = partition_module(module, context, keep_propagated=check and isinstance(engine, Simulated))
    check_arguments(program, arguments)
    start = perf_counter()
    parts = run_program(engine, program, arguments)
    seconds = perf_counter() - start
    results = [tensor.whole(of_result) for tensor, of_result in zip(program.results, parts, strict=True)]
    if whole is None:
        return ProgramRun(program, results, seconds)
    reference = Reference(main_function(whole), arguments, sums_in_parts=True)
    comparisons = _comparisons(reference, program, parts)
    run = ProgramRun(program, results, seconds, comparisons)
    if run.agrees:
        return run
    if isinstance(engine, Simulated):
        return replace(run, difference=first_difference(program, arguments))
    return replace(run, is_fault_of_engine=_simulation_agrees(reference, program, arguments))


def check_arguments(program: PartitionedProgram, arguments: Sequence[Array]) -> None:
    """Raises `EngineError` for another number of arguments than that of `program`, or other types."""
    if len(arguments) != len(program.arguments):
        raise EngineError(f"the program has {len(program.arguments)} arguments, but got {len(arguments)}")
    for index, (tensor, array) in enumerate(zip(program.arguments, arguments, strict=True)):
        if array.shape != tensor.shape or array.dtype != stored_dtype(tensor.type):
            raise EngineError(
                f"argument {index} is a {tensor.type}, but the array given for it is {array.dtype}{list(array.shape)}"
            )


def _simulation_agrees(reference: Reference, program: PartitionedProgram, arguments: Sequence[Array]) -> bool:
    """Whether the simulated mesh runs `program`, and all results that can be compared are right."""
    try:
        parts = run_program(Simulated(), program, arguments)
    except InterpretationError:
        return False
    return all(_comparisons(reference, program, parts))


def _comparisons(
    reference: Reference, program: PartitionedProgram, parts: Sequence[Sequence[Array]]
) -> Sequence[Comparison | str]:
    """The comparison of each result of `program`, given its `parts` by device."""
    return [_compare(reference, i, tensor, parts[i]) for i, tensor in enumerate(program.results)]


def _compare(reference: Reference, index: int, tensor: DistributedTensor, parts: Sequence[Array]) -> Comparison | str:
    """The comparison of the whole tensor, for the copies that agree least."""
    if (reason := reference.undefined.get(index)) is not None:
        return reason
    found: Comparison | None = None
    for whole in _copies(tensor, parts):
        comparison = reference.compare(index, whole)
        if found is None or comparison.wrong > found.wrong:
            found = comparison
    assert found is not None
    return found


def _copies(tensor: DistributedTensor, parts: Sequence[Array]) -> Iterator[Array]:
    """
    The whole tensor from the first copy of each part, and from further copies if one of these has other bits.

    Parts along unreduced axes are combined first.
    """
    parts = tensor.reduced(parts)
    places: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for device, place in enumerate(tensor.slices):
        places.setdefault(tuple((dim.start, dim.stop) for dim in place), []).append(device)
    first = [parts[devices[0]] for devices in places.values()]
    for copy in range(len(next(iter(places.values())))):
        chosen = [parts[devices[copy]] for devices in places.values()]
        if copy == 0 or any(a.tobytes() != b.tobytes() for a, b in zip(chosen, first, strict=True)):
            by_place = dict(zip(places, chosen, strict=True))
            ordered = [by_place[tuple((dim.start, dim.stop) for dim in place)] for place in tensor.slices]
            yield tensor.put_together(ordered)
