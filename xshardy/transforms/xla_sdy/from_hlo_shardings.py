"""HLO shardings on the values of a module: what their texts say, a mesh for them, and their shardings over it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from xdsl.dialects.builtin import ModuleOp, ShapedType, StringAttr, SymbolRefAttr, TupleType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from xshardy.axes.mesh import Mesh
from xshardy.axes.spans import Axes
from xshardy.dialects.declared_grid import declared_grid
from xshardy.dialects.hlo.annotation_names import SHARDING as HLO_SHARDING
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import axis_ref
from xshardy.dialects.sdy.ops import MeshOp
from xshardy.hlo_text.shardings.device_axis import (
    DeviceMesh,
    NoMesh,
    axis_sharding,
    device_mesh,
    find_mesh,
    hlo_sharding_of_named,
)
from xshardy.hlo_text.shardings.hlo_sharding import HloSharding, HloShardings, OneDevice, Reduction, Tiled, Uniform
from xshardy.hlo_text.shardings.hlo_sharding_parser import parse_hlo_shardings
from xshardy.hlo_text.shardings.hlo_sharding_text import hlo_sharding_text
from xshardy.hlo_text.shardings.hlo_sharding_tokens import HloShardingSyntaxError
from xshardy.hlo_text.shardings.named_sharding import EMPTY_MESH, NamedDim, NamedMesh, NamedSharding
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
        raise OperationFailedException(op, f"{HLO_SHARDING} is on a tuple: give several values in place of the tuple")
    if isinstance(parsed, HloSharding) and parsed.rank is None:
        shardings = (parsed,) * len(types)
    if len(shardings) != len(types):
        raise OperationFailedException(op, f"{HLO_SHARDING} has {len(shardings)} shardings for {len(types)} values")
    return [_checked(op, sharding, type) for sharding, type in zip(shardings, types, strict=True)]


def _checked(op: Operation, sharding: HloSharding, type: Attribute) -> ValueSharding:
    rank = type.get_num_dims() if isinstance(type, ShapedType) else 0
    if sharding.named is not None and not sharding.named.dims:
        named = sharding.named.of_rank(rank)
        return ValueSharding(op, hlo_sharding_of_named(named, sharding.reduction, sharding.metadata), rank)
    dims = sharding.rank
    if dims is not None and dims != rank:
        raise OperationFailedException(
            op, f"the sharding {hlo_sharding_text(sharding)} has {dims} dimensions, and its value has {rank}"
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
    """The meshes for the HLO shardings of a module."""

    devices: NamedMesh
    """
    The mesh for tiles. Without tiles, the first one that a sharding names; or the partitions of the module, if
    something is unreduced, so that each has a part of the sum; or an empty one.
    """
    name: str
    of_one_device: Mapping[int, str]
    """The names of the meshes of one device that has whole arrays, by device."""
    named: Mapping[NamedMesh, str]
    """The names of the meshes that shardings name."""

    def declarations(self) -> list[MeshOp]:
        """The meshes as operations."""
        meshes = {self.name: mesh_attribute(self.devices)}
        meshes |= {name: mesh_attribute(mesh) for mesh, name in self.named.items()}
        meshes |= {name: MeshAttr.of((), [device]) for device, name in self.of_one_device.items()}
        return [MeshOp(name, mesh) for name, mesh in meshes.items()]

    def sharding(self, value: ValueSharding, *, is_open: bool) -> TensorShardingAttr:
        """
        The sharding of a value over these meshes, with open dimensions if `is_open`, or if it is unknown.

        Replicas along an axis are left implicit if the text has no axes. So are manual axes, which only the body of a
        manual computation has.
        """
        sharding = value.sharding
        if isinstance(sharding.placement, OneDevice):
            return TensorShardingAttr.fully_closed(self.of_one_device[sharding.placement.device], 0)
        if sharding.named is None:
            return sharding_over(self._by_axes(value), sharding.reduction, self.name, is_open=is_open)
        return sharding_over(sharding.named, sharding.reduction, self.named[sharding.named.mesh], is_open=is_open)

    def _by_axes(self, value: ValueSharding) -> NamedSharding:
        """The sharding of a value that has no axes, by those of the mesh for tiles."""
        placement = value.sharding.placement
        if isinstance(placement, Tiled):
            found = axis_sharding(placement, value.sharding.reduction, device_mesh(self.devices))
            return NamedSharding(self.devices, tuple(map(NamedDim, found.dims)), unreduced=found.unreduced)
        dims = (NamedDim(is_open=placement is Uniform.UNKNOWN),) * value.rank
        unreduced = self.devices.spans if placement is Uniform.UNREDUCED else ()
        return NamedSharding(self.devices, dims, unreduced=unreduced)


def mesh_attribute(mesh: NamedMesh) -> MeshAttr:
    """`mesh` as sdy has it."""
    return MeshAttr.of(zip(mesh.axes.names, mesh.axes.sizes, strict=True), mesh.device_ids)


def sharding_over(named: NamedSharding, reduction: Reduction, mesh_name: str, *, is_open: bool) -> TensorShardingAttr:
    """`named` over its mesh, called `mesh_name`, without its manual axes; all dimensions are open if `is_open`."""
    mesh = mesh_attribute(named.mesh)

    def refs(spans: Axes) -> tuple[AxisRefAttr, ...]:
        return tuple(axis_ref(named.mesh.axes.named(span), mesh) for span in spans)

    return TensorShardingAttr(
        SymbolRefAttr(mesh_name),
        (DimensionShardingAttr(refs(dim.axes), is_closed=not (is_open or dim.is_open)) for dim in named.dims),
        refs(named.replicated),
        refs(named.unreduced),
        ReductionOp[reduction.name] if named.unreduced else ReductionOp.SUM,
    )


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
    named = dict.fromkeys(s.named.mesh for s in first if s.named is not None and s.named.mesh.device is None)
    try:
        found = find_mesh(s for s in first if s.named is None)
    except NoMesh as error:
        raise OperationFailedException(
            first[error.culprit], f"no mesh has the sharding {hlo_sharding_text(error.culprit)}: {error}"
        ) from error
    names = SymbolNames(module)
    main = next(iter(named), EMPTY_MESH) if found is None else unnamed_axes(found)
    if main == EMPTY_MESH and any(s.placement is Uniform.UNREDUCED for s in first):
        main = unnamed_axes(DeviceMesh((declared_grid(module).partitions,)))
    name = names.fresh("mesh")
    of_named = {mesh: name if mesh == main else names.fresh("mesh") for mesh in named}
    maximal = sorted({s.placement.device for s in first if isinstance(s.placement, OneDevice)})
    of_one = {device: names.fresh(f"maximal_mesh_{device}") for device in maximal}
    return ImportedMeshes(main, name, of_one, of_named)


def unnamed_axes(mesh: DeviceMesh) -> NamedMesh:
    """`mesh` with names for its axes."""
    names = tuple(AXIS_NAME.format(number) for number in range(len(mesh.sizes)))
    return NamedMesh.of(Mesh(names, mesh.sizes), mesh.device_ids)
