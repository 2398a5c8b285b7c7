"""Turn named computations into calls of functions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.func import ReturnOp as FuncReturnOp
from xdsl.ir import Attribute, Region
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects.sdy.ops import NamedComputationOp
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.ir import new_attribute, new_operation
from xshardy.rewriting import INNER_FIRST, DecisionPattern, PatternPass, Walk, replace_by_twin
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.call_graph import PRIVATE
from xshardy.transforms.sdy.data_flow import argument_owners, result_owners
from xshardy.transforms.sdy.function_copies import ORIGINAL_FUNC_NAME, threads_of, without_threads
from xshardy.transforms.sdy.function_shardings import only_sharding
from xshardy.transforms.sdy.symbols import SymbolNames, reference_to
from xshardy.transforms.sdy_export.sink_data_flow_edges import SinkIntoNamedComputation, edges_of


def function_names(module: ModuleOp) -> Mapping[NamedComputationOp, str]:
    """The names of the functions that the named computations of `module` become, inner computations first."""
    names = SymbolNames(module)
    return {
        computation: names.fresh(computation.computation_name.data)
        for computation in operations_of(module, NamedComputationOp, inner_first=True)
    }


@dataclass(frozen=True)
class OutlineNamedComputation(DecisionPattern[NamedComputationOp, str]):
    """
    `%0 = named_computation<"f">(%x) (%y) { ... }` -> `%0 = call @f(%x)`, and `func private @f(%y) { ... }` at the end
    of the module, where `f` is the name in `decisions`.

    Data flow edges of the computation are replaced by their inputs; their shardings become those of the call and of the
    arguments of the function.
    """

    module: ModuleOp

    def rewrite(self, op: NamedComputationOp, decision: str, rewriter: PatternRewriter, /) -> None:
        SinkIntoNamedComputation().match_and_rewrite(op, rewriter)
        for edge in [*edges_of(argument_owners(op)), *edges_of(result_owners(op))]:
            rewriter.replace(edge, (), [edge.input])
        arguments = None if op.in_shardings is None else ArrayAttr(map(only_sharding, op.in_shardings.shardings))
        function = outlined(op, decision, arguments, rewriter)
        attributes = without_threads(op)
        if op.out_shardings is not None:
            attributes[SHARDING] = op.out_shardings
        callee: dict[str, Attribute] = {"callee": reference_to(decision)}
        replace_by_twin(op, new_operation(CallOp, (), (), callee, attributes), rewriter)
        rewriter.insert(function, InsertPoint.at_end(self.module.body.block))


def outlined(
    computation: NamedComputationOp, name: str, arguments: ArrayAttr[DictionaryAttr] | None, rewriter: PatternRewriter
) -> FuncOp:
    """
    Move the body of `computation` into a new private function called `name`, whose `arguments` have these attributes.
    """
    inputs, outputs = ArrayAttr(computation.body.block.arg_types), ArrayAttr(computation.result_types)
    type = new_attribute(FunctionType, inputs, outputs)
    properties: dict[str, Attribute] = {
        "sym_name": StringAttr(name),
        "function_type": type,
        "sym_visibility": PRIVATE,
    }
    if arguments is not None:
        properties["arg_attrs"] = arguments
    attributes = {ORIGINAL_FUNC_NAME: computation.computation_name, **threads_of(computation)}
    body = _taken_body(computation, rewriter)
    return new_operation(FuncOp, (), (), properties, attributes, regions=(body,))


def _taken_body(computation: NamedComputationOp, rewriter: PatternRewriter) -> Region:
    """The block of `computation` in a region of its own, with `sdy.return` -> `func.return`."""
    end = computation.terminator
    replace_by_twin(end, new_operation(FuncReturnOp), rewriter)
    return rewriter.move_region_contents_to_new_regions(computation.body)


class ExportNamedComputationsPass(PatternPass):
    """
    Replace each `sdy.named_computation` by a call of a new private function, which gets its body and its shardings.

    The new functions come last, inner computations before outer ones. If the name of a computation is taken, its
    function gets a number as suffix. The data flow edges of the computations are erased.
    """

    name = "sdy-export-named-computations"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-export-named-computations'

    walk: ClassVar[Walk] = INNER_FIRST

    def patterns(self, module: ModuleOp) -> tuple[RewritePattern, ...]:
        return (OutlineNamedComputation(function_names(module), module),)
