"""Turn HLO shardings, which list devices, into shardings over the axes of a mesh that is found for them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from xshardy.dialects.hlo.annotation_names import ALLOW_PROPAGATION_TO_OUTPUT, ALLOW_PROPAGATION_TO_PARAMETERS
from xshardy.dialects.hlo.annotation_names import SHARDING as HLO_SHARDING
from xshardy.dialects.sdy.attributes.sharding import TensorShardingPerValueAttr
from xshardy.dialects.sdy.ops import MeshOp, ShardingGroupOp
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.hlo_text.shardings.hlo_sharding import ShardGroupKind
from xshardy.rewriting import DecisionPattern, PatternPass, Step
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.failures import OperationFailedException, warn
from xshardy.transforms.sdy.function_body import body_of
from xshardy.transforms.sdy.main_function import main_if_any
from xshardy.transforms.xla_sdy.from_hlo_shardings import (
    ImportedMeshes,
    ValueSharding,
    imported_meshes,
    sharded_values,
    shardings_of_values,
)
from xshardy.transforms.xla_sdy.manual_code import MarkManualCode, RenameBody, manual_code
from xshardy.transforms.xla_sdy.signatures import Attributes, SetAttributes, SetSignature, Signature, signature_of


@dataclass(frozen=True, slots=True)
class OpenValues:
    """Which arguments, or which results, of the main function propagation may shard further."""

    flags: Sequence[int]
    """One for all, or one for each; none: none of them."""

    def __contains__(self, index: int) -> bool:
        return bool(self.flags and (self.flags[0] if len(self.flags) == 1 else self.flags[index]))

    def check(self, count: int, function: FuncOp, what: str) -> None:
        """Raise `OperationFailedException` if there are neither none nor one nor `count`."""
        if len(self.flags) not in (0, 1, count):
            raise OperationFailedException(
                function, f"propagation to {what} is allowed by {len(self.flags)} flags, but there are {count}"
            )


CLOSED = OpenValues(())

FLAGS = re.compile(r"\{\s*(?:(?:true|false)\s*(?:,\s*(?:true|false)\s*)*)?\}")
"""Flags of an HLO module, `{true,false}`."""


def open_values(module: ModuleOp, name: str, flags: Sequence[int]) -> OpenValues:
    """
    What `flags` allow, or if there are none the attribute `name` of `module`, where HLO text has them.

    Raises `OperationFailedException` if the attribute is no list of flags.
    """
    written = module.attributes.get(name)
    if flags or written is None:
        return OpenValues(flags)
    if not isinstance(written, StringAttr) or FLAGS.fullmatch(written.data) is None:
        raise OperationFailedException(module, f"{name} is {written}: expected a list like `{{true,false}}`")
    return OpenValues([flag == "true" for flag in re.findall("true|false", written.data)])


def imported_signature(
    function: FuncOp, meshes: ImportedMeshes, open_arguments: OpenValues, open_results: OpenValues
) -> Signature:
    """The attributes of arguments and results of `function` with shardings over `meshes`."""
    known, types = signature_of(function), function.function_type

    def imported(entries: Sequence[Attributes], values: Sequence[Attribute], opened: OpenValues) -> list[Attributes]:
        new: list[Attributes] = []
        for index, (attributes, type) in enumerate(zip(entries, values, strict=True)):
            kept = {name: value for name, value in attributes.items() if name != HLO_SHARDING}
            for value in shardings_of_values(attributes, [type], function):
                kept[SHARDING] = meshes.sharding(value, is_open=index in opened)
            new.append(kept)
        return new

    open_arguments.check(len(known.arguments), function, "arguments")
    open_results.check(len(known.results), function, "results")
    return Signature(
        imported(known.arguments, types.inputs.data, open_arguments),
        imported(known.results, types.outputs.data, open_results),
    )


def imported_attributes(op: Operation, values: Iterable[ValueSharding], meshes: ImportedMeshes) -> Attributes:
    """The attributes of `op`, not a function, with shardings over `meshes`."""
    kept = {name: value for name, value in op.attributes.items() if name != HLO_SHARDING}
    return {**kept, SHARDING: TensorShardingPerValueAttr(meshes.sharding(value, is_open=False) for value in values)}


def grouped_values(module: ModuleOp) -> Mapping[Operation, Sequence[tuple[SSAValue, int]]]:
    """
    By the operation after which they are known: the values whose shardings name a group, and the number of the group.

    A group of shardings alike is left out, with a warning: sdy has only groups of equal ones.
    """
    groups: dict[Operation, list[tuple[SSAValue, int]]] = {}

    def add(place: Operation, value: SSAValue, sharding: ValueSharding) -> None:
        if (group := sharding.sharding.group) is None:
            return
        if group.kind is ShardGroupKind.LIKE:
            warn(sharding.op, f"{group.kind.value} {group.number} is left out: sdy has no groups of shardings alike")
        else:
            groups.setdefault(place, []).append((value, group.number))

    for function in functions_of(module).values():
        if not function.body.blocks:
            continue
        block, signature = body_of(function), signature_of(function)
        end = block.last_op
        assert isinstance(end, ReturnOp)
        for argument, attributes in zip(block.args, signature.arguments, strict=True):
            for sharding in shardings_of_values(attributes, [argument.type], function):
                add(function, argument, sharding)
        for result, attributes in zip(end.arguments, signature.results, strict=True):
            for sharding in shardings_of_values(attributes, [result.type], function):
                add(end, result, sharding)
        for op in operations_in(function):
            for result, sharding in zip(
                op.results, shardings_of_values(op.attributes, op.result_types, op), strict=False
            ):
                add(op, result, sharding)
    return groups


# Patterns


class DeclareFoundMeshes(DecisionPattern[Operation, "Sequence[MeshOp]"]):
    """`module { op }` -> `module { sdy.mesh @mesh = <["_axis_0"=2]>, op }`, in front of the first operation."""

    def rewrite(self, op: Operation, decision: Sequence[MeshOp], rewriter: PatternRewriter, /) -> None:
        rewriter.insert(list(decision), InsertPoint.before(op))


class ReadSignature(SetSignature):
    """`func @f(%x {mhlo.sharding = "{devices=[2]<=[2]}"})` -> `func @f(%x {sdy.sharding = <@mesh, [{"_axis_0"}]>})`"""


class ReadSharding(SetAttributes):
    """`f(x) {mhlo.sharding = "{devices=[2]<=[2]}"}` -> `f(x) {sdy.sharding = <[<@mesh, [{"_axis_0"}]>]>}`"""


class GroupValues(DecisionPattern[Operation, "Sequence[tuple[SSAValue, int]]"]):
    """`%y = f(x) {mhlo.sharding = "{... shard_as 3}"}` -> `%y = f(x)`, `sdy.sharding_group %y group_id=3`"""

    def rewrite(self, op: Operation, decision: Sequence[tuple[SSAValue, int]], rewriter: PatternRewriter, /) -> None:
        match op:
            case FuncOp():
                place = InsertPoint.at_start(op.body.block)
            case ReturnOp():
                place = InsertPoint.before(op)
            case _:
                place = InsertPoint.after(op)
        rewriter.insert([ShardingGroupOp(value, number) for value, number in decision], place)


@dataclass(frozen=True)
class ImportShardingsPass(PatternPass):
    """
    Replace the HLO shardings of a module by shardings over one mesh, which has axes for all of them.

    Members of a group (`shard_as`) become members of a sharding group. Dimensions are closed, except those of unknown
    shardings; those of arguments and results of the main function are open where propagation to them is allowed, by one
    flag (0 or 1) for each, or one for all. Without flags, those of the HLO module count. Code of single devices that
    was lowered for GSPMD is marked as `xla-sdy-round-trip-shard-map-import` knows it. A module with a sharding that no
    mesh has with the others, or with other code of single devices, stays as it is.
    """

    name = "xla-sdy-import-shardings"
    source: ClassVar[str] = "XLA, xla/service/spmd/shardy, xla-sdy-import-shardings"
    allow_propagation_to_args: tuple[int, ...] = ()
    allow_propagation_to_results: tuple[int, ...] = ()

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        meshes = imported_meshes(sharded_values(module), module)
        manual = manual_code(module, meshes)
        named = functions_of(module)
        bodies = {named[call.callee.string_value()]: code.body for call, code in manual.items()}
        functions = named.values() if meshes is not None else ()
        declared: dict[Operation, Sequence[MeshOp]] = {}
        signatures: dict[FuncOp, Signature] = {}
        attributes: dict[Operation, Attributes] = {}
        if meshes is not None and (first := module.body.block.first_op) is not None:
            declared[first] = meshes.declarations()
            opened = self._opened(module)
            new = {f: imported_signature(f, meshes, *opened.get(f, (CLOSED, CLOSED))) for f in functions}
            signatures = {f: signature for f, signature in new.items() if signature != signature_of(f)}
            for op in (op for function in functions for op in operations_in(function)):
                if values := shardings_of_values(op.attributes, op.result_types, op):
                    attributes[op] = imported_attributes(op, values, meshes)
        groups = grouped_values(module)
        yield Step((DeclareFoundMeshes(declared),))
        yield Step((ReadSignature(signatures),))
        yield Step((ReadSharding(attributes),))
        yield Step((GroupValues(groups),))
        yield Step((MarkManualCode(manual), RenameBody(bodies)))

    def _opened(self, module: ModuleOp) -> Mapping[FuncOp, tuple[OpenValues, OpenValues]]:
        """The arguments and results of the main function, if there is one, that may be sharded further."""
        if (main := main_if_any(functions_of(module))) is None:
            return {}
        arguments = open_values(module, ALLOW_PROPAGATION_TO_PARAMETERS, self.allow_propagation_to_args)
        return {main: (arguments, open_values(module, ALLOW_PROPAGATION_TO_OUTPUT, self.allow_propagation_to_results))}
