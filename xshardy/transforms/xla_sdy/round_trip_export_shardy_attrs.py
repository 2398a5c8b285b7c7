"""Write meshes, shardings and sharding rules into the frontend attributes in which XLA carries them through HLO."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, ShapedType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from xshardy.dialects.sdy.attributes.rule import OpShardingRuleAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.value_shardings import SHARDING, SHARDING_RULE, get_sharding
from xshardy.dialects.stablehlo.calls import CustomCallOp
from xshardy.rewriting import DecisionPattern, PatternPass, Step
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.sdy.function_body import body_of
from xshardy.transforms.sdy.shardings import meshes_of
from xshardy.transforms.xla_sdy.frontend_attributes import with_frontend
from xshardy.transforms.xla_sdy.names import FUNC_RESULT_SHARDING, MESHES, SHARDING_RULE_TEXT, SHARDING_TEXT
from xshardy.transforms.xla_sdy.round_trip_export_ops import SIDE_EFFECT
from xshardy.transforms.xla_sdy.signatures import Attributes, SetAttributes, SetSignature, Signature, signature_of


def exported_signature(function: FuncOp) -> Signature:
    """The attributes of `function`, with the shardings of arguments as texts too."""
    known = signature_of(function)
    return Signature([_with_texts(entry, TensorShardingAttr) for entry in known.arguments], known.results)


def _with_texts(attributes: Attributes, kind: type[Attribute]) -> Attributes:
    sharding = attributes.get(SHARDING)
    return with_frontend(attributes, {SHARDING_TEXT: sharding}) if isinstance(sharding, kind) else attributes


def exported_attributes(op: Operation) -> Attributes:
    """The attributes of `op`, not a function: its shardings as text too, its sharding rule as text instead."""
    return with_rule_as_text(_with_texts(op.attributes, TensorShardingPerValueAttr))


def with_rule_as_text(attributes: Attributes) -> Attributes:
    """`attributes` with a sharding rule as text."""
    if not isinstance(rule := attributes.get(SHARDING_RULE), OpShardingRuleAttr):
        return attributes
    kept = {name: value for name, value in attributes.items() if name != SHARDING_RULE}
    return with_frontend(kept, {SHARDING_RULE_TEXT: rule})


def with_open_results(function: FuncOp) -> Signature:
    """
    The attributes of `function`, with open shardings for results that HLO would give another one otherwise.

    HLO has one for each of several results, or none; that of a single one is that of the instruction that is returned.
    """
    known = signature_of(function)
    shardings = {**shardings_of_results(function)}
    if not shardings and len(known.results) == 1 and (returned := sharding_of_returned(function)) is not None:
        shardings[1] = returned
    if not shardings:
        return known
    mesh = next(iter(shardings.values())).mesh_or_ref
    results: list[Attributes] = []
    for index, (entry, type) in enumerate(zip(known.results, function.function_type.outputs, strict=True)):
        rank = type.get_num_dims() if isinstance(type, ShapedType) else 0
        is_open = {} if index in shardings else {SHARDING: TensorShardingAttr.fully_open(mesh, rank)}
        results.append({**entry, **is_open})
    return Signature(known.arguments, results)


def sharding_of_returned(function: FuncOp) -> TensorShardingAttr | None:
    """The sharding of the value that `function` returns first."""
    end = body_of(function).last_op if function.body.blocks else None
    return None if end is None or not end.operands else get_sharding(end.operands[0])


class ExportSignature(SetSignature):
    """`func @f(%x {sdy.sharding = s})` -> `func @f(%x {frontend = {xla.sdy.sharding = "s"}, sdy.sharding = s})`"""


class OpenResults(SetSignature):
    """`func @f() -> (T {sdy.sharding = s}, T)` -> `func @f() -> (T {sdy.sharding = s}, T {sdy.sharding = open})`"""


class ExportAttributes(SetAttributes):
    """`f(x) {sdy.sharding_rule = r}` -> `f(x) {mhlo.frontend_attributes = {xla.sdy.sharding_rule = "r"}}`"""


class ExportResultShardings(DecisionPattern[ReturnOp, Mapping[int, TensorShardingAttr]]):
    """
    `func @f() -> (T {sdy.sharding = s}) { return x }` -> `... { return custom_call @FuncResultSharding(x) }`

    HLO has no frontend attributes of results. The call has an effect, so that equal ones are not merged.
    """

    def rewrite(self, op: ReturnOp, decision: Mapping[int, TensorShardingAttr], rewriter: PatternRewriter, /) -> None:
        for index, sharding in decision.items():
            value = op.operands[index]
            call = CustomCallOp(FUNC_RESULT_SHARDING, [value], [value.type], SIDE_EFFECT)
            call.attributes = with_frontend({}, {SHARDING_TEXT: TensorShardingPerValueAttr([sharding])})
            rewriter.insert(call, InsertPoint.before(op))
            op.operands[index] = call.results[0]
        rewriter.notify_op_modified(op)


def shardings_of_results(function: FuncOp) -> Mapping[int, TensorShardingAttr]:
    """The shardings of the results of `function` that have one, by index."""
    entries = enumerate(signature_of(function).results)
    return {
        index: sharding for index, entry in entries if isinstance(sharding := entry.get(SHARDING), TensorShardingAttr)
    }


@dataclass(frozen=True)
class RoundTripExportShardyAttrsPass(PatternPass):
    """
    Write shardings and meshes as texts into `mhlo.frontend_attributes`, and keep them as they are, too.

    Sharding rules become texts. A custom call carries the sharding of each result of a function. With
    `enable_hlo_sharding_v3`, only sharding rules become texts: shardings are then written in a notation of HLO that has
    their meshes. A result without one beside others is open: HLO has one for each of several, or none.
    """

    name = "xla-sdy-round-trip-export-shardy-attrs"
    source: ClassVar[str] = "XLA, xla/service/spmd/shardy, xla-sdy-round-trip-export-shardy-attrs"
    enable_hlo_sharding_v3: bool = False

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        if self.enable_hlo_sharding_v3:
            return self._steps_for_rules(module)
        return self._steps_for_texts(module)

    def _steps_for_rules(self, module: ModuleOp) -> Iterator[Step]:
        functions = functions_of(module).values()
        signatures = {f: new for f in functions if (new := with_open_results(f)) != signature_of(f)}
        ops = (op for function in functions for op in operations_in(function))
        changed = {op: new for op in ops if (new := with_rule_as_text(op.attributes)) != op.attributes}
        yield Step((OpenResults(signatures),))
        yield Step((ExportAttributes(changed),))

    def _steps_for_texts(self, module: ModuleOp) -> Iterator[Step]:
        functions = functions_of(module).values()
        returns: dict[ReturnOp, Mapping[int, TensorShardingAttr]] = {}
        for function in functions:
            if function.body.blocks and (shardings := shardings_of_results(function)):
                end = body_of(function).last_op
                assert isinstance(end, ReturnOp)
                returns[end] = shardings
        signatures = {f: new for f in functions if (new := exported_signature(f)) != signature_of(f)}
        changed = {
            op: new
            for function in functions
            for op in operations_in(function)
            if (new := exported_attributes(op)) != op.attributes
        }
        if meshes := meshes_of(module):
            module.attributes = with_frontend(module.attributes, {MESHES: DictionaryAttr(dict(sorted(meshes.items())))})
        yield Step((ExportSignature(signatures),))
        yield Step((ExportAttributes(changed),))
        yield Step((ExportResultShardings(returns),))
