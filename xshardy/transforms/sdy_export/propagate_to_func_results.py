"""Give the results of functions the shardings of the values that they return."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.transforms.sdy.main_function import main_function
from xshardy.transforms.sdy.shardable_values import sharding_of


@dataclass(frozen=True)
class CopyReturnedShardings(RewritePattern):
    """
    `func @f() -> T { return %x }` -> `func @f() -> (T {sdy.sharding = S}) { return %x }`, where `%x` has sharding `S`.

    If the returned value has no sharding, the result gets none. Preconditions: the function is not the main one, and
    has a body.
    """

    main: FuncOp | None
    """The function that the program starts with."""

    @match_op_type
    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /) -> None:
        end = op.body.block.last_op if op.body.blocks else None
        if op is self.main or not isinstance(end, ReturnOp):
            return
        others = op.res_attrs or (DictionaryAttr({}),) * len(end.arguments)
        results: list[dict[str, Attribute]] = []
        for value, known in zip(end.arguments, others, strict=True):
            attributes = {name: attribute for name, attribute in known.data.items() if name != SHARDING}
            if (sharding := sharding_of(value)) is not None:
                attributes[SHARDING] = sharding
            results.append(attributes)
        op.res_attrs = ArrayAttr(map(DictionaryAttr, results)) if any(results) else None
        rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class PropagateToFuncResultsPass(PatternPass):
    """
    Copy the shardings of returned values to the results of all functions but the main one.

    The main function is the only one of its module, or the one called `main`; the user has sharded its results.
    """

    name = "sdy-propagate-to-func-results"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-propagate-to-func-results'

    def patterns(self, module: ModuleOp) -> tuple[RewritePattern, ...]:
        return (CopyReturnedShardings(main_function(module) if module.body.block.first_op else None),)
