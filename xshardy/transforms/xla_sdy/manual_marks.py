"""What is manual around each operation: along which axes, and of which mesh."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp, ShapedType, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.func import ReturnOp as FuncReturnOp
from xdsl.ir import Attribute, Operation, Region
from xdsl.traits import IsTerminator

from xshardy.dialects.sdy.attributes.mesh import ManualAxesAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.ops import ManualComputationOp, NamedComputationOp, ReturnOp
from xshardy.dialects.sdy.value_shardings import SHARDING, lookup_mesh
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.call_order import callees_first
from xshardy.transforms.xla_sdy.names import MANUAL_AXES
from xshardy.transforms.xla_sdy.signatures import Attributes, Signature, signature_of


@dataclass(frozen=True, slots=True)
class Mark:
    """The axes that are manual, outer computations first, and the name of the mesh that has them."""

    axes: tuple[str, ...] = ()
    mesh: str = ""

    @property
    def attributes(self) -> Attributes:
        """The manual axes as an attribute of an operation or a value; none if there are none."""
        return {MANUAL_AXES: ManualAxesAttr(map(StringAttr, self.axes))} if self.axes else {}

    def replicated(self, type: Attribute) -> TensorShardingAttr:
        """The sharding of a value of `type` that is not sharded along the other axes."""
        return TensorShardingAttr.fully_closed(self.mesh, type.get_num_dims() if isinstance(type, ShapedType) else 0)

    def inside(self, computation: ManualComputationOp) -> "Mark":
        """The mark of the body of `computation`, which has this one."""
        sharding = next(shardings_of_computation(computation), None)
        if sharding is None:
            return self
        if (mesh := sharding.mesh_name) is None:
            raise OperationFailedException(computation, "the mesh is written out: give it a name, with sdy.mesh")
        return Mark((*self.axes, *computation.manual_axes.names), mesh)


def shardings_of_computation(computation: ManualComputationOp) -> Iterator[TensorShardingAttr]:
    """The shardings of the operands and then of the results of `computation`."""
    yield from computation.in_shardings.shardings
    yield from computation.out_shardings.shardings


@dataclass(slots=True)
class Marks:
    """The marks of a module, where there are manual axes."""

    functions: dict[FuncOp, Mark] = field(default_factory=dict[FuncOp, Mark])
    operations: dict[Operation, Mark] = field(default_factory=dict[Operation, Mark])
    """Those of operations other than functions, manual computations and returns."""
    around: dict[ManualComputationOp, Mark] = field(default_factory=dict[ManualComputationOp, Mark])
    """Those of all manual computations, also outside of others."""


def marks_of(module: ModuleOp) -> Marks:
    """
    The marks of `module`, in which each function is called in one context.

    Raises `OperationFailedException` at a call of a function in two contexts.
    """
    functions = functions_of(module)
    marks = Marks()

    def visit(region: Region, mark: Mark) -> None:
        for op in (op for block in region.blocks for op in block.ops):
            if isinstance(op, ManualComputationOp):
                marks.around[op] = mark
                visit(op.body, mark.inside(op))
                continue
            ends_body = isinstance(op, FuncReturnOp) or (
                isinstance(op, ReturnOp) and not isinstance(op.parent_op(), NamedComputationOp)
            )
            if mark.axes and not ends_body:
                marks.operations[op] = mark
            callee = functions.get(op.callee.string_value()) if mark.axes and isinstance(op, CallOp) else None
            if callee is not None and marks.functions.setdefault(callee, mark) != mark:
                raise OperationFailedException(
                    op, f"@{callee.sym_name.data} is called in manual computations over different axes: copy it"
                )
            for inner in op.regions:
                visit(inner, mark)

    for function in reversed(list(callees_first(module))):
        visit(function.body, marks.functions.get(function, Mark()))
    return marks


def marked_attributes(op: Operation, mark: Mark) -> Attributes:
    """
    The attributes of `op`, not a function, with the manual axes of `mark`.

    They have a sharding, unless `op` ends a block or is a named computation: see `marked_properties`. A sharding over a
    mesh without axes is dropped. Raises `OperationFailedException` for one over another mesh.
    """
    attributes = dict(op.attributes)
    written = attributes.get(SHARDING)
    if isinstance(written, TensorShardingPerValueAttr) and not _is_over(written.shardings.data, mark.mesh, op):
        del attributes[SHARDING]
    if SHARDING not in attributes and not op.has_trait(IsTerminator) and not isinstance(op, NamedComputationOp):
        shardings = [mark.replicated(type) for type in op.result_types] or [
            TensorShardingAttr.fully_closed(mark.mesh, 0)
        ]
        attributes[SHARDING] = TensorShardingPerValueAttr(shardings)
    return {**attributes, **mark.attributes}


def marked_properties(computation: NamedComputationOp, mark: Mark) -> Attributes:
    """The properties of `computation` in a manual computation: it has a sharding for each of its values."""
    shardings = {
        "in_shardings": TensorShardingPerValueAttr(mark.replicated(type) for type in computation.operand_types),
        "out_shardings": TensorShardingPerValueAttr(mark.replicated(type) for type in computation.result_types),
    }
    return {**shardings, **computation.properties}


def _is_over(shardings: Sequence[TensorShardingAttr], mesh: str, op: Operation) -> bool:
    """Whether all of `shardings` are over the mesh of that name; if not, another one must have no axes."""
    others = [sharding for sharding in shardings if sharding.mesh_name != mesh]
    for sharding in others:
        found = lookup_mesh(sharding, op)
        if found is not None and found.axes.data:
            raise OperationFailedException(
                op, f"is in a manual computation over axes of @{mesh}, but its sharding is over another mesh"
            )
    return not others


def marked_signature(function: FuncOp, mark: Mark) -> Signature:
    """The attributes of arguments and results of `function` with the manual axes of `mark`."""
    known, types = signature_of(function), function.function_type

    def marked(attributes: Attributes, type: Attribute) -> Attributes:
        return {SHARDING: mark.replicated(type), **attributes, **mark.attributes}

    return Signature(
        [marked(entry, type) for entry, type in zip(known.arguments, types.inputs, strict=True)],
        [marked(entry, type) for entry, type in zip(known.results, types.outputs, strict=True)],
    )


def marked_signatures(marks: Mapping[FuncOp, Mark]) -> Mapping[FuncOp, Signature]:
    """The signatures of functions that are called in manual computations."""
    return {function: marked_signature(function, mark) for function, mark in marks.items()}
