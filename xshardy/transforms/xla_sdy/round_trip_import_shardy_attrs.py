"""Read meshes, shardings and sharding rules from the frontend attributes in which XLA carries them through HLO."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import DictionaryAttr, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from xshardy.dialects import stablehlo
from xshardy.dialects.function_attributes import add_result_attributes
from xshardy.dialects.hlo.annotation_names import SHARDING as HLO_SHARDING
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.rule import OpShardingRuleAttr
from xshardy.dialects.sdy.attributes.sharding import (
    DimensionShardingAttr,
    TensorShardingAttr,
    TensorShardingPerValueAttr,
)
from xshardy.dialects.sdy.ops import MeshOp, ShardingConstraintOp
from xshardy.dialects.sdy.value_shardings import SHARDING, SHARDING_RULE
from xshardy.dialects.stablehlo.calls import CustomCallOp
from xshardy.rewriting import DecisionPattern, PatternPass, Step
from xshardy.rewriting.walk import operations_in, operations_of
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.main_function import main_if_any
from xshardy.transforms.sdy.shardings import meshes_of, priority_of, with_dimensions
from xshardy.transforms.xla_sdy.frontend_attributes import frontend_attribute, frontend_entries, without_frontend
from xshardy.transforms.xla_sdy.names import (
    FUNC_RESULT_SHARDING,
    MESHES,
    PYTHON_CALLBACKS,
    SHARDING_CALL,
    SHARDING_RULE_TEXT,
    SHARDING_TEXT,
    TUPLE_ARGUMENT_SHARDINGS,
    TUPLE_RESULT_SHARDINGS,
    X64_COMBINE,
    is_call_of,
    target_of,
)
from xshardy.transforms.xla_sdy.signatures import Attributes, SetAttributes, SetSignature, Signature, signature_of
from xshardy.transforms.xla_sdy.sparse_offload import GuardArguments, guarded_arguments

KEEP_HLO_SHARDING = (stablehlo.InfeedOp, stablehlo.OutfeedOp)
"""Operations with an HLO sharding that has no counterpart in the frontend attributes."""

CARRY_SHARDINGS = (stablehlo.SendOp, stablehlo.RecvOp, stablehlo.AfterAllOp)
"""Operations other than custom calls whose sharding is read. That of any other is the copy of one that HLO made."""


# What is read


def imported_meshes(module: ModuleOp) -> Mapping[str, MeshAttr]:
    """The meshes in the frontend attributes of `module`, by name. Raises `OperationFailedException`."""
    found = frontend_attribute(module.attributes, MESHES, DictionaryAttr, module)
    meshes: dict[str, MeshAttr] = {}
    taken = {op.properties.get("sym_name") for op in module.ops}
    for name, mesh in () if found is None else found.data.items():
        if not isinstance(mesh, MeshAttr):
            raise OperationFailedException(module, f"{MESHES} has {mesh} as @{name}: expected a mesh")
        if MeshOp(name, mesh).sym_name in taken:
            raise OperationFailedException(
                module, f"{MESHES} has a mesh @{name}, and the module has a symbol of that name"
            )
        meshes[name] = mesh
    return meshes


class ShardingReader:
    """Reads shardings from frontend attributes, and checks that their meshes are there."""

    def __init__(self, meshes: Iterable[str]):
        self._meshes = frozenset(meshes)

    def of_argument(self, attributes: Attributes, function: FuncOp) -> TensorShardingAttr | None:
        """The sharding in the attributes of an argument."""
        sharding = frontend_attribute(attributes, SHARDING_TEXT, TensorShardingAttr, function)
        return None if sharding is None else self._checked(sharding, function, SHARDING_TEXT)

    def of_values(self, op: Operation, name: str = SHARDING_TEXT) -> TensorShardingPerValueAttr | None:
        """The shardings in the frontend attribute `name` of `op`."""
        shardings = frontend_attribute(op.attributes, name, TensorShardingPerValueAttr, op)
        for sharding in () if shardings is None else shardings.shardings:
            self._checked(sharding, op, name)
        return shardings

    def _checked(self, sharding: TensorShardingAttr, op: Operation, name: str) -> TensorShardingAttr:
        if (mesh := sharding.mesh_name) is not None and mesh not in self._meshes:
            raise OperationFailedException(
                op, f"{name} refers to the mesh @{mesh}, which the module does not have: add it to {MESHES}"
            )
        return sharding


def has_sharding(op: Operation) -> bool:
    """Whether the sharding in the frontend attributes of `op` is that of `op`."""
    if isinstance(op, CARRY_SHARDINGS):
        return True
    target = target_of(op)
    return target == SHARDING_CALL or target in PYTHON_CALLBACKS


def imported_attributes(op: Operation, read: ShardingReader) -> Attributes | None:
    """The attributes that `op`, not a function, gets instead of its own; None if it keeps them."""
    attributes = dict(op.attributes)
    if not isinstance(op, KEEP_HLO_SHARDING):
        attributes.pop(HLO_SHARDING, None)
    entries = frontend_entries(attributes)
    if SHARDING_RULE_TEXT in entries:
        rule = frontend_attribute(attributes, SHARDING_RULE_TEXT, OpShardingRuleAttr, op)
        assert rule is not None
        attributes[SHARDING_RULE] = rule
    if SHARDING_TEXT in entries and has_sharding(op):
        shardings = read.of_values(op)
        assert shardings is not None
        attributes[SHARDING] = shardings
    attributes = without_frontend(attributes, SHARDING_TEXT, SHARDING_RULE_TEXT)
    return None if attributes.keys() == op.attributes.keys() and attributes == op.attributes else attributes


def imported_signature(function: FuncOp, read: ShardingReader) -> Signature:
    """The attributes of arguments and results of `function`, with the shardings of arguments and no HLO shardings."""
    known = signature_of(function)
    arguments: list[Attributes] = []
    for attributes in known.arguments:
        new = without_frontend(attributes, SHARDING_TEXT)
        new.pop(HLO_SHARDING, None)
        if (sharding := read.of_argument(attributes, function)) is not None:
            new[SHARDING] = sharding
        arguments.append(new)
    results = [{name: value for name, value in entry.items() if name != HLO_SHARDING} for entry in known.results]
    return Signature(arguments, results)


def with_tuple_shardings(signature: Signature, module: ModuleOp, read: ShardingReader) -> Signature:
    """`signature` of the main function of `module` with the shardings that came as those of tuples."""

    def sharded(entries: Sequence[Attributes], name: str, what: str) -> Sequence[Attributes]:
        shardings = read.of_values(module, name)
        if shardings is None:
            return entries
        if len(shardings.shardings) != len(entries):
            raise OperationFailedException(
                module,
                f"{name} has {len(shardings.shardings)} shardings, but the main function has {len(entries)} {what}",
            )
        return [{**entry, SHARDING: sharding} for entry, sharding in zip(entries, shardings.shardings, strict=True)]

    return Signature(
        sharded(signature.arguments, TUPLE_ARGUMENT_SHARDINGS, "arguments"),
        sharded(signature.results, TUPLE_RESULT_SHARDINGS, "results"),
    )


@dataclass(frozen=True, slots=True)
class ResultSharding:
    """The sharding of a result of a function, as a custom call carries it, and where it goes."""

    sharding: TensorShardingAttr
    combine: Operation | None
    """The operation that makes one value of the two halves that the call returns, if it got these."""
    results: tuple[int, ...]
    """The results of the function that are the value."""
    is_read_otherwise: bool
    """Whether something else reads the value: the function was inlined into another."""


def carried_result_sharding(call: CustomCallOp, read: ShardingReader) -> ResultSharding:
    """What `call`, of `FUNC_RESULT_SHARDING`, carries. Raises `OperationFailedException` if that is nothing."""
    shardings = read.of_values(call)
    if shardings is None or not shardings.shardings.data:
        raise OperationFailedException(
            call, f"a custom call @{FUNC_RESULT_SHARDING} needs the frontend attribute {SHARDING_TEXT}"
        )
    combine = next(_combines(call), None)
    values: Iterable[SSAValue] = call.results if combine is None else combine.results
    if combine is None and not any(result.uses for result in call.results) and call.operands:
        # XLA replaces the uses of an array without elements by a constant, which is then the operand too.
        values = call.operands
    uses = [use for value in values for use in value.uses if use.operation is not call]
    results = tuple(use.index for use in uses if isinstance(use.operation, ReturnOp))
    # Readers of two halves that are made one value see its sharding there.
    is_read_otherwise = combine is None and any(not isinstance(use.operation, ReturnOp) for use in uses)
    if is_read_otherwise and len(call.operands) != 1:
        raise OperationFailedException(
            call, f"a custom call @{FUNC_RESULT_SHARDING} whose result is used needs one operand"
        )
    return ResultSharding(shardings.shardings.data[0], combine, results, is_read_otherwise)


def _combines(call: CustomCallOp) -> Iterator[Operation]:
    """The operations that make one value of the halves that `call` returns: directly, or as elements of a tuple."""
    users = [use.operation for result in call.results for use in result.uses]
    yield from (user for user in users if is_call_of(user, X64_COMBINE))
    for packed in (user for user in users if isinstance(user, stablehlo.TupleOp)):
        for element in (use.operation for use in packed.result.uses):
            if isinstance(element, stablehlo.GetTupleElementOp):
                yield from (use.operation for use in element.result.uses if is_call_of(use.operation, X64_COMBINE))


def opened(sharding: TensorShardingAttr) -> TensorShardingAttr:
    """`sharding` with every dimension open."""
    return with_dimensions(
        sharding,
        (
            DimensionShardingAttr(dimension.axes, is_closed=False, priority=priority_of(dimension))
            for dimension in sharding.dim_shardings
        ),
    )


# Patterns


class DeclareMeshes(DecisionPattern[Operation, Mapping[str, MeshAttr]]):
    """`module {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = ...}"}}` -> `module { sdy.mesh @mesh = ... }`"""

    def rewrite(self, op: Operation, decision: Mapping[str, MeshAttr], rewriter: PatternRewriter, /) -> None:
        rewriter.insert([MeshOp(name, mesh) for name, mesh in decision.items()], InsertPoint.before(op))


class ImportSignature(SetSignature):
    """`func @f(%x {mhlo.frontend_attributes = {xla.sdy.sharding = "s"}})` -> `func @f(%x {sdy.sharding = s})`"""


class ImportAttributes(SetAttributes):
    """
    `custom_call @Sharding(x) {mhlo.frontend_attributes = {xla.sdy.sharding = "s"}}` -> `custom_call @Sharding(x) {s}`

    Also sharding rules, of any operation. Other shardings are dropped: XLA copies attributes to operations that it
    makes.
    """


class ImportResultSharding(DecisionPattern[CustomCallOp, ResultSharding]):
    """
    `func @f() -> T { return custom_call @FuncResultSharding(x) }` -> `func @f() -> (T {sdy.sharding = s}) { return x }`

    If something else reads the call: -> `sdy.sharding_constraint x s'`, where all dimensions of `s'` are open.
    """

    def rewrite(self, op: CustomCallOp, decision: ResultSharding, rewriter: PatternRewriter, /) -> None:
        sharding, combine = decision.sharding, decision.combine
        if combine is not None and SHARDING not in combine.attributes:
            combine.attributes[SHARDING] = TensorShardingPerValueAttr([sharding])
            rewriter.notify_op_modified(combine)
        function = op.parent_op()
        if decision.results and isinstance(function, FuncOp):
            add_result_attributes(function, {index: {SHARDING: sharding} for index in decision.results})
            rewriter.notify_op_modified(function)
        if decision.is_read_otherwise:
            rewriter.replace(op, ShardingConstraintOp(op.operands[0], opened(sharding)))
        else:
            rewriter.replace(op, (), op.operands)


class RoundTripImportShardyAttrsPass(PatternPass):
    """
    Turn the texts in `mhlo.frontend_attributes` into meshes, shardings and sharding rules, and drop HLO's shardings.

    A module whose texts cannot be read stays as it is.
    """

    name = "xla-sdy-round-trip-import-shardy-attrs"
    source: ClassVar[str] = "XLA, xla/service/spmd/shardy, xla-sdy-round-trip-import-shardy-attrs"

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        meshes = imported_meshes(module)
        read = ShardingReader([*meshes, *meshes_of(module)])
        functions = functions_of(module).values()
        signatures = {function: imported_signature(function, read) for function in functions}
        if (main := main_if_any(functions_of(module))) is not None:
            signatures[main] = with_tuple_shardings(signatures[main], module, read)
        calls = [op for op in operations_of(module, CustomCallOp) if is_call_of(op, FUNC_RESULT_SHARDING)]
        carried = {call: carried_result_sharding(call, read) for call in calls}
        others = (op for function in functions for op in operations_in(function) if op not in carried)
        attributes = {op: new for op in others if (new := imported_attributes(op, read)) is not None}

        first = module.body.block.first_op
        module.attributes = without_frontend(
            module.attributes, MESHES, TUPLE_ARGUMENT_SHARDINGS, TUPLE_RESULT_SHARDINGS
        )
        yield Step((DeclareMeshes({first: meshes} if first is not None and meshes else {}),))
        yield Step((ImportSignature({f: new for f, new in signatures.items() if new != signature_of(f)}),))
        yield Step((ImportAttributes(attributes),))
        yield Step((ImportResultSharding(carried),))
        yield Step((GuardArguments(guarded_arguments(module)),))
