"""The attributes of the arguments and results of a function, as one value, and patterns that set attributes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter

from xshardy.rewriting import DecisionPattern

Attributes = Mapping[str, Attribute]


@dataclass(frozen=True, slots=True)
class Signature:
    """The attributes of each argument and each result of a function."""

    arguments: Sequence[Attributes]
    results: Sequence[Attributes]

    def set_on(self, function: FuncOp, rewriter: PatternRewriter) -> None:
        """Give the arguments and results of `function` these attributes and no others."""
        function.arg_attrs = _dictionaries(self.arguments)
        function.res_attrs = _dictionaries(self.results)
        rewriter.notify_op_modified(function)


def signature_of(function: FuncOp) -> Signature:
    """The attributes that `function` has."""
    types = function.function_type
    return Signature(_entries(function.arg_attrs, len(types.inputs)), _entries(function.res_attrs, len(types.outputs)))


def _entries(dictionaries: ArrayAttr[DictionaryAttr] | None, count: int) -> Sequence[Attributes]:
    if dictionaries is None:
        return [dict[str, Attribute]()] * count
    return [entry.data for entry in dictionaries]


def _dictionaries(entries: Sequence[Attributes]) -> ArrayAttr[DictionaryAttr] | None:
    return ArrayAttr(DictionaryAttr(dict(entry)) for entry in entries) if any(entries) else None


class SetSignature(DecisionPattern[FuncOp, Signature]):
    """`func @f(%x)` -> `func @f(%x {a})`: the decided attributes, and no others. Passes name what they set."""

    def rewrite(self, op: FuncOp, decision: Signature, rewriter: PatternRewriter, /) -> None:
        decision.set_on(op, rewriter)


class SetAttributes(DecisionPattern[Operation, Attributes]):
    """`f(x)` -> `f(x) {a}`: the decided attributes, and no others. Passes name what they set."""

    def rewrite(self, op: Operation, decision: Attributes, rewriter: PatternRewriter, /) -> None:
        op.attributes = dict(decision)
        rewriter.notify_op_modified(op)
