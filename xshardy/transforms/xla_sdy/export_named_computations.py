"""Turn named computations into calls of functions, which computations with equal bodies and shardings share."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.func import ReturnOp as FuncReturnOp
from xdsl.ir import Attribute, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from xshardy.dialects.mhlo import CopyOp
from xshardy.dialects.sdy.attributes.sharding import TensorShardingPerValueAttr
from xshardy.dialects.sdy.ops import NamedComputationOp
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.rewriting import INNER_FIRST, DecisionPattern, PatternPass, Step
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.call_graph import PRIVATE
from xshardy.transforms.sdy.function_copies import threads_of, without_threads
from xshardy.transforms.sdy.symbols import SymbolNames
from xshardy.transforms.xla_sdy.fingerprints import fingerprint
from xshardy.transforms.xla_sdy.names import MANUAL_AXES
from xshardy.transforms.xla_sdy.signatures import Attributes, Signature


class Origin(NamedTuple):
    """What computations have in common that differ in shardings only."""

    name: str
    manual_axes: Attribute | None
    body: Hashable


class Version(NamedTuple):
    """What computations have in common that always share a function."""

    origin: Origin
    in_shardings: TensorShardingPerValueAttr | None
    out_shardings: TensorShardingPerValueAttr | None


@dataclass(frozen=True, slots=True)
class Sharing:
    """The function of a named computation."""

    name: str
    original: NamedComputationOp
    """The computation whose body and shardings the function gets."""


def sharings(module: ModuleOp, *, fully: bool) -> Mapping[NamedComputationOp, Sharing]:
    """
    The functions of the named computations of `module`, inner computations first.

    The function of a version is that of its first computation. With `fully`, all versions of an origin have the
    function of the version with the most computations; at a tie, of the earlier version.
    """
    versions: dict[NamedComputationOp, Version] = {}
    for op in operations_of(module, NamedComputationOp, inner_first=True):
        origin = Origin(op.computation_name.data, op.attributes.get(MANUAL_AXES), fingerprint(op.body))
        versions[op] = Version(origin, op.in_shardings, op.out_shardings)
    counts: Counter[Version] = Counter()
    chosen: dict[Hashable, NamedComputationOp] = {}
    for op, version in versions.items():
        counts[version] += 1
        key = version.origin if fully else version
        best = chosen.setdefault(key, op)
        if counts[version] > counts[versions[best]]:
            chosen[key] = op
    names = SymbolNames(module)
    made: dict[Hashable, Sharing] = {}
    found: dict[NamedComputationOp, Sharing] = {}
    for op, version in versions.items():
        key = version.origin if fully else version
        if key not in made:
            made[key] = Sharing(names.fresh(version.origin.name), chosen[key])
        found[op] = made[key]
    return found


@dataclass(frozen=True)
class CallSharedComputation(DecisionPattern[NamedComputationOp, Sharing]):
    """
    `%0 = named_computation<"f">(%x) (%y) { body }` -> `%0 = call @f(%x)`

    The body of the original goes to `func private @f(%y)` at the end of the module. A result that another sharing of
    the function has in another sharding is copied.
    """

    module: ModuleOp

    def rewrite(self, op: NamedComputationOp, decision: Sharing, rewriter: PatternRewriter, /) -> None:
        original = decision.original
        function_shardings = original.out_shardings
        call = CallOp(decision.name, op.inputs, op.result_types)
        call.attributes |= without_threads(op)
        if function_shardings is not None:
            call.attributes[SHARDING] = function_shardings
        rewriter.insert(call, InsertPoint.before(op))
        outputs: list[SSAValue] = list(call.results)
        if op.out_shardings is not None and function_shardings is not None:
            pairs = zip(op.out_shardings.shardings, function_shardings.shardings, strict=True)
            for index, (wanted, produced) in reversed([*enumerate(pairs)]):
                if wanted != produced:
                    copy = CopyOp(outputs[index])
                    copy.attributes[SHARDING] = TensorShardingPerValueAttr([wanted])
                    rewriter.insert(copy, InsertPoint.before(op))
                    outputs[index] = copy.result
        if op is original:
            self._outline(op, decision.name, rewriter)
        rewriter.replace(op, (), outputs)

    def _outline(self, op: NamedComputationOp, name: str, rewriter: PatternRewriter) -> None:
        end = op.terminator
        rewriter.replace(end, FuncReturnOp(*end.operands))
        types = (tuple(op.body.block.arg_types), tuple(op.result_types))
        function = FuncOp(name, types, rewriter.move_region_contents_to_new_regions(op.body), PRIVATE)
        function.attributes |= threads_of(op)
        rewriter.insert(function, InsertPoint.at_end(self.module.body.block))
        axes = op.attributes.get(MANUAL_AXES)

        def attributes(shardings: TensorShardingPerValueAttr | None) -> list[Attributes]:
            if shardings is None:
                return []
            manual = {} if axes is None else {MANUAL_AXES: axes}
            return [{SHARDING: sharding, **manual} for sharding in shardings.shardings]

        signature = Signature(attributes(op.in_shardings), attributes(op.out_shardings))
        signature.set_on(function, rewriter)


@dataclass(frozen=True)
class ExportNamedComputationsPass(PatternPass):
    """
    Replace each named computation by a call of a private function with its body and its shardings.

    Computations of one name with equal bodies and shardings share a function. With `dedup_functions_fully` those with
    other shardings share it too, and their results are copied to the shardings that they had.
    """

    name = "xla-sdy-export-named-computations"
    source: ClassVar[str] = "XLA, xla/service/spmd/shardy, xla-sdy-export-named-computations"
    dedup_functions_fully: bool = False

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        shared = sharings(module, fully=self.dedup_functions_fully)
        yield Step((CallSharedComputation(shared, module),), INNER_FIRST)
