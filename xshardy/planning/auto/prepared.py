"""A program as the search takes it: one function, one mesh, and only the annotations that are to stay."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from xshardy.dialects.discardable import verify
from xshardy.dialects.function_attributes import add_argument_attributes, attributes_of_argument
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.dialects.sdy.ops import ShardingConstraintOp
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.dialects.shapes import shape_of
from xshardy.planning.auto.placements import SearchAxes
from xshardy.programs.device_programs import refuse_program_of_devices
from xshardy.programs.errors import EngineError
from xshardy.programs.meshes import mesh_of
from xshardy.programs.program import Program
from xshardy.programs.sharded import PREPARATION
from xshardy.rewriting.walk import attributes_on, operations_of
from xshardy.syntax.close_names import did_you_mean
from xshardy.transforms.hlo_async.buffer_reuse import DONATED_TO
from xshardy.transforms.inline import InlinePass
from xshardy.transforms.pipeline_pass import IndexedPipeline
from xshardy.transforms.sdy.function_shardings import without_attributes, written_shardings
from xshardy.transforms.sdy.main_function import main_function
from xshardy.transforms.sdy.shardings import meshes_of, shardings_of
from xshardy.transforms.symbol_dce import SymbolDCEPass


@dataclass(frozen=True, slots=True)
class Prepared:
    """A program without calls, over one mesh."""

    program: Program
    axes: SearchAxes
    ties: Sequence[tuple[int, int]]
    """Results and the arguments that they are the new values of."""
    kept: Mapping[Operation, Operation] | None = None
    """By operation of the whole program that of `program`, if that has fewer layers: `shortened` makes such."""

    def copy(self) -> tuple[Program, Mapping[Operation, Operation]]:
        """A copy of the program, and its operations by those of the whole program."""
        program, copies = self.program.copy()
        return program, copies if self.kept is None else {op: copies[mine] for op, mine in self.kept.items()}


def prepare(
    program: Program, *, free: bool = False, keep: Mapping[str, Sequence[Sequence[str]]] | None = None
) -> Prepared:
    """
    A copy of `program`, without its annotations if `free`, and with the axes of `keep` for the dimensions of arguments,
    by their names or numbers.

    Raises `EngineError` without a mesh of several devices, with meshes of different axes, or for an unknown argument or
    axis.
    """
    copy, _ = program.copy()
    if free:
        _drop_annotations(copy.module)
    refuse_program_of_devices(copy.module, mesh_of(copy.module)[0])
    IndexedPipeline((*PREPARATION, InlinePass(), SymbolDCEPass())).apply(copy.context, copy.module)
    name, mesh = _only_mesh(copy.module)
    if operations_of(copy.module, CallOp):
        raise EngineError("a function calls itself: shardings are searched for programs whose calls can be inlined")
    _keep(copy, name, mesh.sizes, keep or {})
    written = shardings_of(attributes_on([*copy.module.walk()]).values())
    return Prepared(copy, SearchAxes.of(name, mesh, written), tied(main_function(copy.module)))


def _only_mesh(module: ModuleOp) -> tuple[str, MeshAttr]:
    meshes: Mapping[str, MeshAttr] = {name: mesh for name, mesh in meshes_of(module).items() if mesh.device_count > 1}
    if not meshes:
        raise EngineError("the program has no mesh of several devices: give one, such as --mesh data=2,model=4")
    if len({mesh.axes for mesh in meshes.values()}) > 1:
        raise EngineError(f"the program has several meshes ({', '.join(meshes)}): shardings are searched for one")
    return next(iter(meshes.items()))


def _keep(program: Program, mesh: str, sizes: Mapping[str, int], keep: Mapping[str, Sequence[Sequence[str]]]) -> None:
    """Annotate arguments, in place. `sizes` are those of the axes of `mesh`."""
    main = main_function(program.module)
    known: dict[str, int] = {}
    for index, argument in enumerate(main.body.block.args):
        names = (program.names.of(argument), program.names.given(argument), str(index))
        known |= {name: index for name in names if name is not None}
    for name, dims in keep.items():
        if name not in known:
            hint = did_you_mean(name, known, f": they are {', '.join(known)}")
            raise EngineError(f"there is no argument {name}{hint}")
        rank = len(shape_of(main.function_type.inputs.data[known[name]]))
        if len(dims) != rank:
            raise EngineError(f"argument {name} has {rank} dimensions, and axes are given for {len(dims)}")
        if unknown := [axis for of_dim in dims for axis in of_dim if axis not in sizes]:
            hint = did_you_mean(unknown[0], sizes, f": it has {', '.join(sizes)}")
            raise EngineError(f"the mesh has no axis {unknown[0]}{hint}")
        axes = [DimensionShardingAttr(map(AxisRefAttr, of_dim), is_closed=True) for of_dim in dims]
        sharding = TensorShardingAttr(SymbolRefAttr(mesh), axes)
        add_argument_attributes(main, {known[name]: {SHARDING: sharding}})
    verify(program.module)


def _drop_annotations(module: ModuleOp) -> None:
    """Remove all shardings that somebody wrote, but for those of manual computations, which are part of the program."""
    for op in [*module.walk()]:
        if isinstance(op, ShardingConstraintOp):
            Rewriter.replace_op(op, (), op.operands[:1])
        else:
            _drop_attributes(op)


def _drop_attributes(op: Operation) -> None:
    op.attributes.pop(SHARDING, None)
    if isinstance(op, FuncOp):
        op.arg_attrs = without_attributes(op.arg_attrs, [SHARDING])
        op.res_attrs = without_attributes(op.res_attrs, [SHARDING])


def tied(main: FuncOp) -> Sequence[tuple[int, int]]:
    """
    The results that are new values of arguments: those that take the memory of a donated argument, and else those of
    the type of an argument, in their order. Results that have a sharding are left out.

    A step takes the parameters that the step before it returned, so it returns them as it takes them.
    """
    types, results = main.function_type.inputs.data, main.function_type.outputs.data
    found: dict[int, int] = {}
    for argument in range(len(types)):
        target = attributes_of_argument(main, argument).get(DONATED_TO)
        if isinstance(target, IntegerAttr):
            found[target.value.data] = argument
    taken = set(found.values())
    for result, type in enumerate(results):
        if result in found or not shape_of(type):
            continue
        argument = next((i for i, known in enumerate(types) if known == type and i not in taken), None)
        if argument is not None:
            found[result] = argument
            taken.add(argument)
    written = written_shardings(main.res_attrs, len(results))
    return [(result, argument) for result, argument in sorted(found.items()) if written[result] is None]
