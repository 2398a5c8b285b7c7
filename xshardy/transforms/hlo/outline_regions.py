"""
Outline regions into functions, as HLO requires: the condition and body of a loop, the computation of a reduction.

Constants that a region reads are cloned into its function, as XLA does. Other captured values become operands: further
values carried by a loop, or elements of the operand tuple of a branch. Functions applied to elements can capture
constants only.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import DiagnosticException

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.stablehlo.tuples import tuple_type
from xshardy.facts import applied_regions
from xshardy.hlo_text.forms.control_flow import calling_region, finish_calling
from xshardy.hlo_text.forms.reductions import TO_APPLY, region_of
from xshardy.hlo_text.tuples import is_implicit
from xshardy.rewriting import BACKWARD, PatternPass, Walk, match_op_type
from xshardy.rewriting.captured import captured
from xshardy.rewriting.walk import operations_from

APPLYING: Mapping[type[Operation], tuple[str, ...]] = {
    **dict.fromkeys(applied_regions.APPLYING, (TO_APPLY,)),
    stablehlo.SelectAndScatterOp: ("hlo.select", "hlo.scatter"),
}
"""Operations that apply regions to elements, and the attributes that name functions with these bodies."""

CONSTANTS = (stablehlo.ConstantOp, hlo.ElidedConstantOp)
"""Constants, which are cloned into each function that reads them."""


class OutlineError(DiagnosticException):
    """A region that cannot be outlined."""


# -- Which regions are outlined ---------------------------------------------------------------------------------------


def calls_only(region: Region) -> bool:
    """Whether `region` contains only a call of a function with a tuple or an array."""
    operations = [op for op in region.block.ops if not is_implicit(op)]
    return (
        len(operations) == 2
        and isinstance(call := operations[0], func.CallOp)
        and len(call.operands) == 1
        and len(call.results) == 1
    )


def bare_if_one(types: Sequence[Attribute]) -> Attribute:
    """The type of one value that packs values of `types`."""
    return types[0] if len(types) == 1 else tuple_type(types)


def operations_to_outline(module: ModuleOp) -> frozenset[Operation]:
    """The operations of `module` with regions to outline."""
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}

    @cache
    def template(name: str) -> Region:
        return region_of(functions[name])

    def applies_functions(op: Operation) -> bool:
        """Whether attributes of `op` name functions with the bodies of its regions."""
        for region, attribute in zip(op.regions, APPLYING[type(op)], strict=True):
            symbol = op.attributes.get(attribute)
            if not isinstance(symbol, SymbolRefAttr) or (name := symbol.string_value()) not in functions:
                return False
            if not region.is_structurally_equivalent(template(name)):
                return False
        return True

    return frozenset(
        op
        for op in operations_from(module)
        if op.regions
        and (
            (
                isinstance(op, stablehlo.WhileOp | stablehlo.IfOp | stablehlo.CaseOp)
                and not all(map(calls_only, op.regions))
            )
            or (type(op) in APPLYING and not applies_functions(op))
        )
    )


def is_outlined(module: ModuleOp) -> bool:
    """Whether all regions are outlined already."""
    return not operations_to_outline(module)


def captured_operands(regions: Sequence[Region]) -> list[SSAValue]:
    """The values that `regions` read and do not define, without constants: those have to become operands."""
    return [value for value in captured(regions) if not isinstance(value.owner, CONSTANTS)]


# -- New functions ----------------------------------------------------------------------------------------------------


class NewFunctions:
    """Adds functions with unused names to a module."""

    def __init__(self, module: ModuleOp):
        self._module = module
        self._names = {op.sym_name.data for op in module.ops if isinstance(op, func.FuncOp)}

    def of_region(
        self,
        hint: str,
        types: Sequence[Attribute],
        region: Region,
        rewriter: PatternRewriter,
        *,
        outside: Sequence[SSAValue] = (),
        passed: bool = False,
    ) -> func.FuncOp:
        """
        A function of one value, the tuple of `types`, with the body of `region`.

        The last elements of the tuple are the captured values `outside`, and captured constants are cloned. With
        `passed`, the function returns `outside` too.
        """
        block = Block(arg_types=[bare_if_one(types)])
        values: list[SSAValue] = [block.args[0]]
        if len(types) != 1:
            elements = [stablehlo.GetTupleElementOp(block.args[0], i) for i in range(len(types))]
            block.add_ops(elements)
            values = [element.result for element in elements]
        inner = values[: len(values) - len(outside)] if outside else values
        mapping = dict(zip((*region.block.args, *outside), (*inner, *values[len(inner) :]), strict=False))
        for value in captured([region]):
            if isinstance(constant := value.owner, CONSTANTS):
                block.add_op(copied := constant.clone())
                mapping[value] = copied.results[0]
        results = clone_body(region, block, mapping)
        if passed:
            results += values[len(inner) :]
        return self.of_block(hint, block, results, rewriter)

    def of_block(self, hint: str, block: Block, results: Sequence[SSAValue], rewriter: PatternRewriter) -> func.FuncOp:
        """A private function with the body `block`, which returns `results` as one value."""
        value = results[0] if len(results) == 1 else None
        if value is None:
            made = stablehlo.TupleOp(results)
            block.add_op(made)
            value = made.result
        block.add_op(func.ReturnOp(value))
        name, number = hint, 0
        while name in self._names:
            name, number = f"{hint}.{number}", number + 1
        self._names.add(name)
        types = ([argument.type for argument in block.args], [value.type])
        function = func.FuncOp(name, types, Region(block), visibility="private")
        return rewriter.insert(function, InsertPoint.at_end(self._module.body.block))


# -- Patterns ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OutlinePattern(RewritePattern):
    """Base of the patterns below: the operations to rewrite, and the module of the new functions."""

    chosen: AbstractSet[Operation]
    functions: NewFunctions


class OutlineLoop(OutlinePattern):
    """`while(x) cond {...} do {...}` -> the same with calls in its regions; captured values become carried values."""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.WhileOp, rewriter: PatternRewriter, /):
        if op not in self.chosen:
            return
        outside = captured_operands([op.cond, op.body])
        operands = [*op.operands, *outside]
        types = [value.type for value in operands]
        condition = self.functions.of_region("condition", types, op.cond, rewriter, outside=outside)
        body = self.functions.of_region("body", types, op.body, rewriter, outside=outside, passed=True)
        made = stablehlo.WhileOp.create(
            operands=operands,
            result_types=types,
            regions=[calling_region(function, types) for function in (condition, body)],
            attributes=hlo.with_values(op.attributes, len(op.results), outside),
        )
        for old, new in zip(op.results, made.results, strict=False):
            new.name_hint = old.name_hint
        rewriter.replace(op, made, made.results[: len(op.results)])


class OutlineBranches(OutlinePattern):
    """`if p {...} else {...}` -> the same with calls in its branches, each with the tuple of captured values."""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.IfOp | stablehlo.CaseOp, rewriter: PatternRewriter, /):
        if op not in self.chosen:
            return
        regions: list[Region] = []
        for region in op.regions:
            outside = captured_operands([region])
            types = [value.type for value in outside]
            function = self.functions.of_region("branch", types, region, rewriter, outside=outside)
            operand = outside[0] if len(outside) == 1 else rewriter.insert(stablehlo.TupleOp(outside)).result
            regions.append(finish_calling(Block(), function, operand, []))
        made = type(op).create(
            operands=op.operands, result_types=op.result_types, regions=regions, attributes=op.attributes
        )
        for old, new in zip(op.results, made.results, strict=True):
            new.name_hint = old.name_hint
        rewriter.replace(op, made)


class OutlineApplied(OutlinePattern):
    """`reduce(x) {...}` -> the same, with an attribute that names a function with the body of its region."""

    @property
    def op_types(self) -> tuple[type, ...]:
        """The operation classes, for the driver."""
        return tuple(APPLYING)

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /):
        if op not in self.chosen:
            return
        for region, attribute in zip(op.regions, APPLYING[type(op)], strict=True):
            for value in captured([region]):
                if not isinstance(constant := value.owner, CONSTANTS):
                    raise OutlineError(
                        f"'{op.name}': its region reads a value from outside that is not a constant, which a "
                        "computation of HLO cannot: pass the value as another operand"
                    )
                copied = rewriter.insert(constant.clone(), InsertPoint.at_start(region.block))
                inside = set(region.walk())
                rewriter.replace_uses_with_if(
                    value, copied.results[0], lambda use, inside=inside: use.operation in inside
                )
            block = Block(arg_types=[argument.type for argument in region.block.args])
            mapping: dict[SSAValue, SSAValue] = dict(zip(region.block.args, block.args, strict=True))
            function = self.functions.of_block("region", block, clone_body(region, block, mapping), rewriter)
            op.attributes[attribute] = SymbolRefAttr(function.sym_name.data)
            rewriter.notify_op_modified(op)


# -- The pass ---------------------------------------------------------------------------------------------------------


class OutlineRegionsPass(PatternPass):
    """Outline the regions of loops, branches and operations that apply regions to elements."""

    name = "hlo-outline-regions"
    source: ClassVar[str] = "XLA, from StableHLO to HLO: computations that instructions call"
    walk: ClassVar[Walk] = BACKWARD
    """Inner operations first: an outlined region then already contains calls."""

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        chosen, functions = operations_to_outline(module), NewFunctions(module)
        return OutlineLoop(chosen, functions), OutlineBranches(chosen, functions), OutlineApplied(chosen, functions)


def clone_body(region: Region, block: Block, mapping: dict[SSAValue, SSAValue]) -> list[SSAValue]:
    """Clone the operations of `region` to the end of `block`; returns the mapped operands of its terminator."""
    for op in region.block.ops:
        if isinstance(op, stablehlo.ReturnOp):
            return [mapping.get(value, value) for value in op.operands]
        block.add_op(op.clone(mapping))
    raise OutlineError("a region does not end in 'stablehlo.return'")
