"""
Convert the program for all devices to the program that each device executes on its parts of the tensors.

Source: Shardy's docs, "Export passes", `sdy-convert-global-to-local`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from xshardy.dialects.sdy.ops import MeshOp
from xshardy.dialects.sdy.value_shardings import local_sharding
from xshardy.dialects.stablehlo.structs import ChannelHandleAttr
from xshardy.ir.fields import values_defined_by
from xshardy.ir.hashing import are_equal
from xshardy.ir.value_types import give_types
from xshardy.rewriting import DecisionPattern, PatternPass, Step
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.function_shardings import written_shardings
from xshardy.transforms.sdy_export.insert_explicit_reshards import moves_to
from xshardy.transforms.sdy_partition.by_sharding import BySharding, function_type
from xshardy.transforms.sdy_partition.local.compatible_shardings import how_sharded
from xshardy.transforms.sdy_partition.local.decisions import LocalDecisions
from xshardy.transforms.sdy_partition.local.device_code import Channels, LocalOptions
from xshardy.transforms.sdy_partition.local.whole_tensors import local_type, refuse
from xshardy.transforms.sdy_partition.operations import patterns_of

DECLARATIONS = frozenset[type[Operation]]({FuncOp, MeshOp, ModuleOp})
"""What is not executed, and has no decision; so are other operations of a module itself, such as flags of LLVM."""


def next_channel(module: ModuleOp) -> int:
    """One more than the largest channel number of `module`."""
    handles = [op.properties["channel_handle"] for op in operations_in(module) if "channel_handle" in op.properties]
    return 1 + max((handle.handle.data for handle in handles if isinstance(handle, ChannelHandleAttr)), default=0)


def check_call(op: CallOp, functions: Mapping[str, FuncOp]) -> None:
    """Raises `OperationFailedException` if devices have other parts in the callee of `op` than at `op`."""
    name = op.callee.string_value()
    if (callee := functions.get(name)) is None:
        return
    for what, values, attributes in (
        ("operand", op.operands, callee.arg_attrs),
        ("result", op.results, callee.res_attrs),
    ):
        for index, (value, inside) in enumerate(zip(values, written_shardings(attributes, len(values)), strict=True)):
            outside = local_sharding(value)
            if moves_to(inside, outside, op, full=True):
                raise refuse(
                    op,
                    f"{what} {index} is {how_sharded(outside)}, and {how_sharded(inside)} in @{name}: "
                    "give both the same sharding",
                )


@dataclass(frozen=True, slots=True)
class LocalProgram:
    """The local types and the decisions, computed while all tensors are whole."""

    types: Mapping[Operation, Sequence[tuple[SSAValue, Attribute]]]
    """For each operation, the results and block arguments whose type changes, with their local types."""
    function_types: Mapping[FuncOp, FunctionType]
    decisions: Mapping[Operation, object]
    """The decision for each operation that a pattern rewrites."""


def local_program(module: ModuleOp) -> LocalProgram:
    """The analysis of the pass. Raises `OperationFailedException` for a module that cannot be made local."""
    types = BySharding(local_type)
    functions = {inner: function_type(inner, types) for inner in module.ops if isinstance(inner, FuncOp)}
    by_name = {function.sym_name.data: function for function in functions}
    new_types: dict[Operation, list[tuple[SSAValue, Attribute]]] = {}
    decisions: dict[Operation, object] = {}
    local, top = LocalDecisions(module), module.body.block
    for op in operations_in(module):
        for value in values_defined_by(op):
            if not are_equal(of_part := types.of_value(value, op), value.type):
                new_types.setdefault(op, []).append((value, of_part))
        if type(op) in DECLARATIONS or (op.parent is top and not op.results):
            continue
        if type(op) is CallOp:
            check_call(op, by_name)
        if (decision := local.decision(op)) is not None:
            decisions[op] = decision
    return LocalProgram(new_types, functions, decisions)


# -- Patterns ---------------------------------------------------------------------------------------------------------


class GiveFunctionType(DecisionPattern[FuncOp, FunctionType]):
    """`func @f(tensor<8xf32> {sharding})` -> `func @f(tensor<4xf32> {sharding})`: of parts, or padded."""

    def rewrite(self, op: FuncOp, decision: FunctionType, rewriter: PatternRewriter, /) -> None:
        if decision != op.function_type:
            op.function_type = decision
            rewriter.notify_op_modified(op)


class GiveValuesTypes(DecisionPattern[Operation, Sequence[tuple[SSAValue, Attribute]]]):
    """`%0 = op(%x) : tensor<8xf32>` -> `%0 = op(%x) : tensor<4xf32>`: values are parts, or padded."""

    def rewrite(
        self, op: Operation, decision: Sequence[tuple[SSAValue, Attribute]], rewriter: PatternRewriter, /
    ) -> None:
        give_types(op, decision, rewriter)


# -- The pass ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ConvertGlobalToLocalPass(PatternPass):
    """
    Give every value the type of its part on each device, and lower communication to StableHLO's collectives.

    With `per_dim_all_gather`, each gathered dimension gets its own all-gather. With
    `combine_multi_dimension_reduce_scatter`, several dimensions share one reduce-scatter. With `enable_rgv3`, groups of
    devices are written as axes of a mesh. Devices are numbered by replica if `replica_count` is more than 1, else by
    partition. A module with an operation that cannot be made local is left as it was.
    """

    name = "sdy-convert-global-to-local"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-convert-global-to-local'
    per_dim_all_gather: bool = False
    combine_multi_dimension_reduce_scatter: bool = False
    enable_rgv3: bool = False
    replica_count: int = 1
    partition_count: int = 1

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        if self.replica_count > 1 and self.partition_count > 1:
            raise OperationFailedException(
                module,
                "Shardy partitioner convert_global_to_local does not support both replica_count > 1 and "
                "partition_count > 1 yet.",
            )
        program = local_program(module)
        channels = Channels(next_channel(module))
        yield Step((GiveFunctionType(program.function_types),))
        yield Step((GiveValuesTypes(program.types),))
        decisions = patterns_of(lambda row: row.local, program.decisions)
        yield Step([pattern(decided, self._options(), channels) for pattern, decided in decisions.items()])

    def _options(self) -> LocalOptions:
        return LocalOptions(
            by_replica=self.replica_count > 1,
            per_dim_all_gather=self.per_dim_all_gather,
            combine_multi_dimension_reduce_scatter=self.combine_multi_dimension_reduce_scatter,
            groups_over_axes=self.enable_rgv3,
        )
