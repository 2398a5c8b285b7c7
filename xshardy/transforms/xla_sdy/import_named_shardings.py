"""Read the HLO shardings by the axes of meshes in which the round trip through HLO may carry those of sdy."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation

from xshardy.dialects.hlo.annotation_names import SHARDING as HLO_SHARDING
from xshardy.dialects.sdy.attributes.mesh import ManualAxesAttr
from xshardy.dialects.sdy.ops import MeshOp
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.hlo_text.shardings.device_axis import hlo_sharding_of_named
from xshardy.hlo_text.shardings.hlo_sharding import OneDevice, Uniform
from xshardy.hlo_text.shardings.hlo_sharding_text import hlo_sharding_text
from xshardy.hlo_text.shardings.named_sharding import NamedDim, NamedSharding
from xshardy.rewriting import PatternPass, Step
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.xla_sdy.from_hlo_shardings import (
    ImportedMeshes,
    ValueSharding,
    imported_meshes,
    shardings_of_values,
)
from xshardy.transforms.xla_sdy.import_shardings import (
    DeclareFoundMeshes,
    ReadSharding,
    ReadSignature,
    imported_attributes,
)
from xshardy.transforms.xla_sdy.names import (
    GLOBAL_TO_LOCAL,
    LOCAL_TO_GLOBAL,
    X64_COMBINE,
    calls_manual_computation,
    is_call_of,
)
from xshardy.transforms.xla_sdy.round_trip_import_shardy_attrs import has_sharding
from xshardy.transforms.xla_sdy.signatures import Attributes, Signature, signature_of

Values: TypeAlias = Sequence[ValueSharding]


def named_shardings(attributes: Attributes, types: Sequence[Attribute], op: Operation) -> Values:
    """
    The HLO shardings in `attributes` of values of `types`; none if there are none.

    `{replicated}` stands for no sharding: XLA writes it for elements of a tuple without one. Such an element is open
    over the mesh of the others. Raises `OperationFailedException` for a sharding that lists devices.
    """
    values = shardings_of_values(attributes, types, op)
    with_mesh = next((value.sharding.named for value in values if value.sharding.named is not None), None)
    found: list[ValueSharding] = []
    for value in values:
        sharding = value.sharding
        if sharding.named is not None or isinstance(sharding.placement, OneDevice):
            found.append(value)
        elif sharding.placement is not Uniform.REPLICATED:
            raise OperationFailedException(
                op,
                f"the sharding {hlo_sharding_text(sharding)} lists devices, not axes of a mesh: import it without "
                "enable-hlo-sharding-v3, or with xla-sdy-stablehlo-import-pipeline",
            )
        elif with_mesh is not None:
            is_open = NamedSharding(with_mesh.mesh, (NamedDim(is_open=True),) * value.rank)
            found.append(ValueSharding(op, hlo_sharding_of_named(is_open), value.rank))
    return found if len(found) == len(values) else ()


def carries_sharding(op: Operation) -> bool:
    """Whether the HLO sharding of `op` is that of `op`, and not the copy of one that HLO made."""
    return has_sharding(op) or is_call_of(op, X64_COMBINE) or is_call_of(op, LOCAL_TO_GLOBAL)


def manual_axes_of(op: Operation) -> ManualAxesAttr | None:
    """
    The axes of a manual computation by the HLO sharding of `op`, its call or what makes its operands local.

    None for another operation, or if the sharding has no such axes. Raises `OperationFailedException` for parts of
    axes.
    """
    if not (is_call_of(op, GLOBAL_TO_LOCAL) or (isinstance(op, CallOp) and calls_manual_computation(op))):
        return None
    values = shardings_of_values(op.attributes, op.result_types, op)
    named = next((value.sharding.named for value in values if value.sharding.named is not None), None)
    if named is None or not named.manual:
        return None
    axes = named.mesh.axes
    if not all(axes.is_whole(axis) for axis in named.manual):
        raise OperationFailedException(op, "a part of an axis is manual: sdy has whole manual axes only")
    return ManualAxesAttr([StringAttr(axes.names[axis.axis]) for axis in named.manual])


@dataclass(frozen=True, slots=True)
class Found:
    """The shardings of the arguments and results of functions, and of other operations."""

    arguments: Mapping[FuncOp, Sequence[Values]]
    results: Mapping[FuncOp, Sequence[Values]]
    operations: Mapping[Operation, Values]
    manual: Mapping[Operation, ManualAxesAttr]
    """The axes of manual computations, by their calls and what makes operands local."""

    def values(self) -> Iterator[ValueSharding]:
        """All of them."""
        for entries in (*self.arguments.values(), *self.results.values()):
            for values in entries:
                yield from values
        for values in self.operations.values():
            yield from values

    def signature(self, function: FuncOp, meshes: ImportedMeshes) -> Signature:
        """The attributes of arguments and results of `function` with shardings over `meshes`."""
        known = signature_of(function)
        return Signature(
            with_shardings(known.arguments, self.arguments[function], meshes),
            with_shardings(known.results, self.results[function], meshes),
        )


def found_in(module: ModuleOp) -> Found:
    """The shardings in `module`. Raises `OperationFailedException`."""
    functions = functions_of(module).values()

    def of(entries: Iterable[Attributes], types: Iterable[Attribute], function: FuncOp) -> Sequence[Values]:
        return [named_shardings(entry, [type], function) for entry, type in zip(entries, types, strict=True)]

    operations = [op for function in functions for op in operations_in(function)]
    carriers = (op for op in operations if carries_sharding(op))
    return Found(
        {f: of(signature_of(f).arguments, f.function_type.inputs, f) for f in functions},
        {f: of(signature_of(f).results, f.function_type.outputs, f) for f in functions},
        {op: values for op in carriers if (values := named_shardings(op.attributes, op.result_types, op))},
        {op: axes for op in operations if (axes := manual_axes_of(op)) is not None},
    )


def with_shardings(
    entries: Iterable[Attributes], values: Iterable[Values], meshes: ImportedMeshes
) -> Sequence[Attributes]:
    """The attributes of each value with its sharding over `meshes`."""
    new: list[Attributes] = []
    for attributes, shardings in zip(entries, values, strict=True):
        kept = {name: value for name, value in attributes.items() if name != HLO_SHARDING}
        for value in shardings:
            kept[SHARDING] = meshes.sharding(value, is_open=False)
        new.append(kept)
    return new


class ImportNamedShardingsPass(PatternPass):
    """
    Read the HLO shardings of arguments, results and the operations that carry one, by the axes of their meshes.

    The meshes are declared. Those of the other operations are copies that HLO made, and stay. The axes over which a
    computation is manual become the attribute `sdy.manual_axes` of its call and of what makes its operands local. A
    module with a sharding that lists devices stays as it is.
    """

    name = "xla-sdy-round-trip-import-named-shardings"
    source: ClassVar[str] = "XLA, xla/service/spmd/shardy, xla-sdy-round-trip-import-shardy-attrs with HloShardingV3"

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        found = found_in(module)
        meshes = imported_meshes(found.values(), module)
        first = module.body.block.first_op
        declared: Mapping[Operation, Sequence[MeshOp]] = {}
        signatures: Mapping[FuncOp, Signature] = {}
        attributes: Mapping[Operation, Attributes] = {}
        if meshes is not None and first is not None:
            declared = {first: meshes.declarations()}
            signatures = {f: new for f in found.arguments if (new := found.signature(f, meshes)) != signature_of(f)}
            attributes = {op: imported_attributes(op, values, meshes) for op, values in found.operations.items()}
            attributes |= {op: {**op.attributes, ManualAxesAttr.name: axes} for op, axes in found.manual.items()}
        yield Step((DeclareFoundMeshes(declared),))
        yield Step((ReadSignature(signatures),))
        yield Step((ReadSharding(attributes),))
