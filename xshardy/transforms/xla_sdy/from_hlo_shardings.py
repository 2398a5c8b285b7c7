"""HLO shardings on the values of a module: what their texts say, a mesh for them, and their shardings over it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from xdsl.dialects.builtin import ModuleOp, ShapedType, StringAttr, SymbolRefAttr, TupleType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from xshardy.axes.device_axis import AxisSharding, DeviceMesh, NoMesh, axis_sharding, find_mesh
from xshardy.axes.hlo_sharding import HloSharding, HloShardings, OneDevice, Tiled, Uniform
from xshardy.axes.hlo_sharding_parser import HloShardingSyntaxError, parse_hlo_shardings
from xshardy.axes.hlo_sharding_text import hlo_sharding_text
from xshardy.axes.mesh import Mesh
from xshardy.axes.spans import Axes, Span
from xshardy.dialects.hlo.annotation_names import SHARDING as HLO_SHARDING
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import axis_ref
from xshardy.dialects.sdy.ops import MeshOp
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.symbols import SymbolNames
from xshardy.transforms.xla_sdy.signatures import Attributes, signature_of

AXIS_NAME = "_axis_{}"
"""The names of axes that nobody has named: such a mesh gives way to one with names."""


@dataclass(frozen=True, slots=True)
class ValueSharding:
    """A sharding of one value of `op`, a function or another operation."""

    op: Operation
    sharding: HloSharding
    rank: int


@lru_cache(maxsize=4096)
def _parsed(text: str) -> HloShardings:
    return parse_hlo_shardings(text)


def shardings_of_values(attributes: Attributes, types: Sequence[Attribute], op: Operation) -> Sequence[ValueSharding]:
    """
    The HLO shardings in `attributes` of values of `types`; none if there are none.

    An operation without results has one. Raises `OperationFailedException` at `op` if they do not fit the values.
    """
    text = attributes.get(HLO_SHARDING)
    if text is None:
        return ()
    if not isinstance(text, StringAttr):
        raise OperationFailedException(op, f"{HLO_SHARDING} is {text}: expected a text, in quotes")
    try:
        parsed = _parsed(text.data)
    except HloShardingSyntaxError as error:
        raise OperationFailedException(op, f"{HLO_SHARDING} is no sharding: {error}") from error
    shardings = (parsed,) if isinstance(parsed, HloSharding) else parsed
    if not types and len(shardings) == 1:
        return (ValueSharding(op, shardings[0], 0),)
    if any(isinstance(type, TupleType) for type in types):
        raise OperationFailedException(
            op, f"{HLO_SHARDING} is on a tuple: dissolve tuples first, with hlo-dissolve-tuples"
        )
    if isinstance(parsed, HloSharding) and not isinstance(parsed.placement, Tiled):
        shardings = (parsed,) * len(types)
    if len(shardings) != len(types):
        raise OperationFailedException(op, f"{HLO_SHARDING} has {len(shardings)} shardings for {len(types)} values")
    return [_checked(op, sharding, type) for sharding, type in zip(shardings, types, strict=True)]


def _checked(op: Operation, sharding: HloSharding, type: Attribute) -> ValueSharding:
    rank = type.get_num_dims() if isinstance(type, ShapedType) else 0
    placement = sharding.placement
    if isinstance(placement, Tiled) and placement.rank != rank:
        raise OperationFailedException(
            op, f"the sharding {hlo_sharding_text(sharding)} has {placement.rank} dimensions, and its value has {rank}"
        )
    return ValueSharding(op, sharding, rank)


def sharded_values(module: ModuleOp) -> Iterator[ValueSharding]:
    """The HLO shardings of `module`, in the order of the text. Raises `OperationFailedException` at a bad one."""
    for function in functions_of(module).values():
        signature, types = signature_of(function), function.function_type
        for entries, values in ((signature.arguments, types.inputs), (signature.results, types.outputs)):
            for attributes, type in zip(entries, values, strict=True):
                yield from shardings_of_values(attributes, [type], function)
        for op in operations_in(function):
            if not isinstance(op, FuncOp):
                yield from shardings_of_values(op.attributes, op.result_types, op)


@dataclass(frozen=True, slots=True)
class ImportedMeshes:
    """The meshes for the HLO shardings of a module: one for tiles, and one for each device that has whole arrays."""

    devices: DeviceMesh | None
    """The mesh for tiles; None if there are none."""
    name: str
    of_one_device: Mapping[int, str]
    """The names of the meshes of one device, by device."""

    @property
    def attribute(self) -> MeshAttr:
        """The mesh for tiles; an empty one if there are none."""
        if self.devices is None:
            return MeshAttr.of(())
        axes = [(AXIS_NAME.format(number), size) for number, size in enumerate(self.devices.sizes)]
        return MeshAttr.of(axes, self.devices.device_ids)

    def declarations(self) -> list[MeshOp]:
        """The meshes as operations."""
        maximal = ((name, MeshAttr.of((), [device])) for device, name in self.of_one_device.items())
        return [MeshOp(self.name, self.attribute), *(MeshOp(name, mesh) for name, mesh in maximal)]

    def sharding(self, value: ValueSharding, *, is_open: bool) -> TensorShardingAttr:
        """
        The sharding of a value over these meshes, with open dimensions if `is_open`, or if it is unknown.

        Replicas along an axis are left implicit; so are manual axes, which only the body of a manual computation has.
        """
        placement = value.sharding.placement
        if isinstance(placement, OneDevice):
            return TensorShardingAttr.fully_closed(self.of_one_device[placement.device], 0)
        mesh = self.attribute
        axes = self._axes(value)
        numbers = Mesh(tuple(mesh.sizes), tuple(mesh.sizes.values()))

        def refs(spans: Axes) -> tuple[AxisRefAttr, ...]:
            return tuple(axis_ref(numbers.named(span), mesh) for span in spans)

        is_closed = not is_open and placement is not Uniform.UNKNOWN
        unreduced = refs(axes.unreduced)
        return TensorShardingAttr(
            SymbolRefAttr(self.name),
            (DimensionShardingAttr(refs(dim), is_closed=is_closed) for dim in axes.dims),
            (),
            unreduced,
            ReductionOp[axes.reduction.name] if unreduced else ReductionOp.SUM,
        )

    def _axes(self, value: ValueSharding) -> AxisSharding:
        placement, reduction = value.sharding.placement, value.sharding.reduction
        if isinstance(placement, Tiled):
            assert self.devices is not None, "there is a mesh if there are tiles"
            return axis_sharding(placement, reduction, self.devices)
        all_axes = () if self.devices is None else tuple(Span(n, 1, size) for n, size in enumerate(self.devices.sizes))
        unreduced = all_axes if placement is Uniform.UNREDUCED else ()
        return AxisSharding(((),) * value.rank, (), unreduced, reduction)


def imported_meshes(values: Iterable[ValueSharding], module: ModuleOp) -> ImportedMeshes | None:
    """
    The meshes for all of `values`; None if there are none.

    Raises `OperationFailedException` at the first operation with a sharding that no mesh has together with those
    before it.
    """
    first: dict[HloSharding, Operation] = {}
    for value in values:
        first.setdefault(value.sharding, value.op)
    if not first:
        return None
    try:
        devices = find_mesh(first)
    except NoMesh as error:
        raise OperationFailedException(
            first[error.culprit], f"no mesh has the sharding {hlo_sharding_text(error.culprit)}: {error}"
        ) from error
    names = SymbolNames(module)
    name = names.fresh("mesh")
    maximal = sorted({s.placement.device for s in first if isinstance(s.placement, OneDevice)})
    return ImportedMeshes(devices, name, {device: names.fresh(f"maximal_mesh_{device}") for device in maximal})
