"""Code of single devices as GSPMD has it, a call between custom calls that change shapes, marked as Shardy knows it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, ShapedType, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects import hlo, mhlo
from xshardy.dialects.sdy.attributes.mesh import ManualAxesAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.axis_refs import local_shape
from xshardy.dialects.sdy.value_shardings import without_axes
from xshardy.dialects.stablehlo.calls import CustomCallOp
from xshardy.hlo_text.shardings.device_axis import axis_sharding, device_mesh
from xshardy.hlo_text.shardings.hlo_sharding import Tiled, Uniform
from xshardy.rewriting import DecisionPattern
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.symbols import SymbolNames
from xshardy.transforms.xla_sdy.from_hlo_shardings import (
    ImportedMeshes,
    ValueSharding,
    mesh_attribute,
    shardings_of_values,
)
from xshardy.transforms.xla_sdy.frontend_attributes import with_frontend
from xshardy.transforms.xla_sdy.import_sdy_custom_calls import with_open_dims
from xshardy.transforms.xla_sdy.names import (
    FULL_TO_SHARD,
    GLOBAL_TO_LOCAL,
    IN_SHARDINGS,
    LOCAL_TO_GLOBAL,
    MANUAL_AXES,
    MANUAL_COMPUTATION_BODY,
    OUT_SHARDINGS,
    SHARD_TO_FULL,
    SHARDING_CALL,
    is_call_of,
    target_of,
)


@dataclass(frozen=True, slots=True)
class Border:
    """Where one value comes into code of single devices, or leaves it."""

    type: Attribute
    """The type of the value for all devices."""
    sharding: TensorShardingAttr
    """Its sharding outside."""
    manual: frozenset[str]
    """The axes that are manual inside and not outside."""
    operations: Sequence[Operation]
    """What is between the value outside and the one inside, the last one first; none for a result without uses."""


@dataclass(frozen=True, slots=True)
class ManualCode:
    """A call of code of single devices."""

    body: str
    """The name of the function that is called, from now on."""
    manual_axes: ManualAxesAttr
    inputs: Sequence[Border]
    outputs: Sequence[Border]


def manual_code(module: ModuleOp, meshes: ImportedMeshes | None) -> Mapping[CallOp, ManualCode]:
    """
    The calls of code of single devices in `module`, whose HLO shardings are over `meshes`.

    Raises `OperationFailedException` at a custom call that changes shapes and is not around such a call of a function.
    """
    borders = [op for op in operations_of(module, CustomCallOp) if target_of(op) in (FULL_TO_SHARD, SHARD_TO_FULL)]
    calls = dict.fromkeys(map(_call_at, borders))
    if not calls:
        return {}
    if meshes is None or not meshes.devices.axes.sizes:
        raise OperationFailedException(
            borders[0],
            f"@{target_of(borders[0])} starts or ends code of single devices, but no sharding of the program says how "
            "many there are: lower it with Shardy",
        )
    names = SymbolNames(module)
    bodies = {name: names.fresh(MANUAL_COMPUTATION_BODY) for name in _callees(module, calls)}
    return {call: _code_of(call, bodies[call.callee.string_value()], meshes) for call in calls}


def _call_at(border: CustomCallOp) -> CallOp:
    """The call that `border` is an operand or a result of. Raises `OperationFailedException`."""
    if target_of(border) == FULL_TO_SHARD:
        first, *others = [use.operation for result in border.results for use in result.uses] or [None]
        if isinstance(first, CallOp) and all(other is first for other in others):
            return first
    else:
        call = border.operands[0].owner
        if isinstance(call, Operation) and _is_constraint(call):
            call = call.operands[0].owner
        if isinstance(call, CallOp):
            return call
    raise OperationFailedException(
        border,
        f"@{target_of(border)} starts or ends code of single devices that is not the call of one function, as JAX "
        "writes it: lower the program with Shardy, which has manual computations",
    )


def _is_constraint(op: Operation) -> bool:
    """Whether `op` only gives its operand a sharding."""
    return isinstance(op, mhlo.CopyOp | hlo.CopyOp) or is_call_of(op, SHARDING_CALL)


def _callees(module: ModuleOp, calls: Mapping[CallOp, None]) -> Iterable[str]:
    """The functions that `calls` call. Raises `OperationFailedException` at a call from elsewhere."""
    callees = dict.fromkeys(call.callee.string_value() for call in calls)
    for call in operations_of(module, CallOp):
        if call.callee.string_value() in callees and call not in calls:
            raise OperationFailedException(
                call, f"@{call.callee.string_value()} is code of single devices, and here it is called for all"
            )
    return callees


def _code_of(call: CallOp, body: str, meshes: ImportedMeshes) -> ManualCode:
    inputs = [_input(value, call, meshes) for value in call.operands]
    outputs = [_output(value, meshes) for value in call.results]
    manual = {border.manual: border for border in (*inputs, *outputs) if border.operations}
    if len(manual) > 1:
        raise OperationFailedException(call, "operands and results are manual on different axes")
    axes = next(iter(manual))
    listed = (StringAttr(name) for name in meshes.devices.axes.names if name in axes)
    return ManualCode(body, ManualAxesAttr(listed), inputs, outputs)


def _input(value: SSAValue, call: CallOp, meshes: ImportedMeshes) -> Border:
    """`value`, an operand of `call`, and what is before it."""
    crossing = value.owner
    if not is_call_of(crossing, FULL_TO_SHARD):
        raise OperationFailedException(
            call, f"an operand of code of single devices is not what @{FULL_TO_SHARD} returns"
        )
    constraint = crossing.operands[0].owner
    if not isinstance(constraint, Operation) or not _is_constraint(constraint):
        raise OperationFailedException(
            crossing, f"the operand of @{FULL_TO_SHARD} is not what @{SHARDING_CALL} returns"
        )
    outside, inside = _sharding_on(constraint), _sharding_on(crossing)
    sharding = with_open_dims(constraint, meshes.sharding(outside, is_open=False))
    border = Border(
        constraint.operands[0].type,
        sharding,
        _manual_axes(inside, meshes) - _manual_axes(outside, meshes),
        (crossing, constraint),
    )
    _check(border, value, crossing, meshes)
    return border


def _output(value: SSAValue, meshes: ImportedMeshes) -> Border:
    """`value`, a result of a call, and what is behind it. One without uses is taken as whole on each device."""
    between: list[Operation] = []
    user = _only_user(value)
    inner = value
    if user is not None and _is_constraint(user):
        between.append(user)
        inner = user.results[0]
        user = _only_user(inner)
    if user is None and not between:
        rank = value.type.get_num_dims() if isinstance(value.type, ShapedType) else 0
        return Border(value.type, TensorShardingAttr.fully_closed(meshes.name, rank), frozenset(), ())
    if user is None or not is_call_of(user, SHARD_TO_FULL):
        assert isinstance(value.owner, Operation)
        raise OperationFailedException(
            value.owner, f"a result of code of single devices has other uses than one @{SHARD_TO_FULL}"
        )
    inside = _sharding_on(between[0]) if between else None
    outside = _sharding_on(user)
    sharding = with_open_dims(user, meshes.sharding(outside, is_open=False))
    every = frozenset(meshes.devices.axes.names)
    manual = every if inside is None else _manual_axes(inside, meshes)
    border = Border(user.results[0].type, sharding, manual - _manual_axes(outside, meshes), (user, *between))
    _check(border, value, user, meshes)
    return border


def _only_user(value: SSAValue) -> Operation | None:
    """The operation that uses `value`, if there is one. Raises `OperationFailedException` if there are several."""
    users = list(dict.fromkeys(use.operation for use in value.uses))
    if len(users) > 1:
        assert isinstance(value.owner, Operation)
        raise OperationFailedException(
            value.owner, f"a result of code of single devices has other uses than one @{SHARD_TO_FULL}"
        )
    return users[0] if users else None


def _sharding_on(op: Operation) -> ValueSharding:
    """The HLO sharding of the only result of `op`. Raises `OperationFailedException` without one."""
    found = shardings_of_values(op.attributes, op.result_types, op)
    if len(found) != 1:
        raise OperationFailedException(
            op, "expected a sharding, `mhlo.sharding`, at the border of code of single devices"
        )
    return found[0]


def _manual_axes(value: ValueSharding, meshes: ImportedMeshes) -> frozenset[str]:
    """The axes on which a value of this sharding is one of single devices."""
    placement, names = value.sharding.placement, meshes.devices.axes.names
    if placement is Uniform.MANUAL:
        return frozenset(names)
    if not isinstance(placement, Tiled):
        return frozenset()
    found = axis_sharding(placement, value.sharding.reduction, device_mesh(meshes.devices))
    return frozenset(names[span.axis] for span in found.manual)


def _check(border: Border, local: SSAValue, op: Operation, meshes: ImportedMeshes) -> None:
    """Raise `OperationFailedException` at `op` unless `local` is the part of a device, on manual axes, of its value."""
    whole, part = border.type, local.type
    if not isinstance(whole, ShapedType) or not isinstance(part, ShapedType):
        return
    mesh = mesh_attribute(meshes.devices)
    free = [name for name in meshes.devices.axes.names if name not in border.manual]
    try:
        expected = local_shape(whole.get_shape(), without_axes(border.sharding, free), mesh)
    except (ValueError, VerifyException) as error:
        raise OperationFailedException(op, str(error)) from None
    if expected != part.get_shape():
        raise OperationFailedException(
            op,
            f"the part of a device of '{whole}' with the sharding {border.sharding} has the shape "
            f"{list(expected)}, not {list(part.get_shape())}",
        )


# Patterns


class RenameBody(DecisionPattern[FuncOp, str]):
    """`func @shmap_body` -> `func @xla.sdy.manual_computation_body`"""

    def rewrite(self, op: FuncOp, decision: str, rewriter: PatternRewriter, /) -> None:
        op.properties["sym_name"] = StringAttr(decision)
        rewriter.notify_op_modified(op)


class MarkManualCode(DecisionPattern[CallOp, ManualCode]):
    """
    `%l = custom_call @SPMDFullToShardShape(@Sharding(x))`, `%r = call @f(%l)`,
    `%g = custom_call @SPMDShardToFullShape(@Sharding(%r))` -> `%l = custom_call @xla.sdy.GlobalToLocalShape(x)`,
    `%r = call @xla.sdy.manual_computation_body(%l)`, `%g = custom_call @xla.sdy.LocalToGlobalShape(%r)`
    """

    def rewrite(self, op: CallOp, decision: ManualCode, rewriter: PatternRewriter, /) -> None:
        before = InsertPoint.before(op)
        inputs: Sequence[SSAValue] = ()
        if decision.inputs:
            types = [value.type for value in op.operands]
            whole = [border.operations[-1].operands[0] for border in decision.inputs]
            to_local = CustomCallOp(GLOBAL_TO_LOCAL, whole, types)
            to_local.attributes = _written(IN_SHARDINGS, decision.inputs, decision.manual_axes)
            rewriter.insert(to_local, before)
            inputs = to_local.results
        call = CallOp(decision.body, inputs, op.result_types)
        call.attributes = dict(op.attributes)
        rewriter.insert(call, before)
        if decision.outputs:
            types = [border.type for border in decision.outputs]
            to_global = CustomCallOp(LOCAL_TO_GLOBAL, call.results, types)
            to_global.attributes = _written(OUT_SHARDINGS, decision.outputs, decision.manual_axes)
            rewriter.insert(to_global, before)
            for border, new in zip(decision.outputs, to_global.results, strict=True):
                for old in border.operations[:1]:
                    rewriter.replace_all_uses_with(old.results[0], new)
        for border in decision.outputs:
            for old in border.operations:
                rewriter.erase(old)
        rewriter.erase(op)
        for border in decision.inputs:
            for old in border.operations:
                if old.parent is not None and not any(result.uses for result in old.results):
                    rewriter.erase(old)


def _written(name: str, borders: Iterable[Border], manual_axes: ManualAxesAttr) -> dict[str, Attribute]:
    """The attributes of the custom call at `borders`."""
    shardings = TensorShardingPerValueAttr(border.sharding for border in borders)
    return with_frontend({}, {name: shardings, MANUAL_AXES: manual_axes})
