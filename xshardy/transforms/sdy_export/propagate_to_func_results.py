"""Give the results of functions the shardings of the values that they return."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.dialects.stablehlo.types import TokenType
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.transforms.sdy.function_body import body_of
from xshardy.transforms.sdy.function_shardings import only_sharding
from xshardy.transforms.sdy.main_function import main_function
from xshardy.transforms.sdy.shardable_values import sharding_of
from xshardy.transforms.sdy_export.single_device import is_on_single_device


@dataclass(frozen=True)
class CopyReturnedShardings(RewritePattern):
    """
    `func @f() -> T { return %x }` -> `func @f() -> (T {sdy.sharding = S}) { return %x }`, where `%x` has sharding `S`.

    If the returned value has no sharding, or is on a single device, the result gets none. In the main function, only
    results without a sharding get one, and tokens do not. Precondition: the function has a body.
    """

    main: FuncOp | None
    """The function that the program starts with."""

    def _with_sharding(self, function: FuncOp, known: DictionaryAttr, value: SSAValue) -> DictionaryAttr:
        """`known` with the sharding of `value` in the place of another one."""
        sharding = sharding_of(value)
        others = {name: attribute for name, attribute in known.data.items() if name != SHARDING}
        if sharding is None or is_on_single_device(sharding, function):
            return DictionaryAttr(others)
        return DictionaryAttr({**others, SHARDING: sharding}) if others else only_sharding(sharding)

    @match_op_type
    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /) -> None:
        end = body_of(op).last_op if op.body.blocks else None
        if not isinstance(end, ReturnOp):
            return
        others = op.res_attrs or (DictionaryAttr({}),) * len(end.operands)
        results = [
            known if op is self.main and not _lacks_sharding(known, value) else self._with_sharding(op, known, value)
            for known, value in zip(others, end.operands, strict=True)
        ]
        shardings = ArrayAttr(results) if any(entry.data for entry in results) else None
        if shardings != op.res_attrs:
            op.res_attrs = shardings
            rewriter.notify_op_modified(op)


def _lacks_sharding(known: DictionaryAttr, value: SSAValue) -> bool:
    """Whether the result with the attributes `known`, for which `value` is returned, is no token, and not sharded."""
    return SHARDING not in known.data and not isinstance(value.type, TokenType)


class PropagateToFuncResultsPass(PatternPass):
    """
    Copy the shardings of returned values to the results of functions.

    The main function is the only one of its module, or the one called `main`: where the user has sharded its results,
    that stays.
    """

    name = "sdy-propagate-to-func-results"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-propagate-to-func-results'

    def patterns(self, module: ModuleOp) -> tuple[RewritePattern, ...]:
        return (CopyReturnedShardings(main_function(module) if module.body.block.first_op else None),)
