"""
Regions as functions, as HLO has them: a loop calls its condition and its body, a reduction names what it applies.

What a region reads from outside becomes an operand: another value that a loop carries, or a part of the tuple that a
branch takes. Functions that apply to elements can read constants only, which are copied into them.
"""

from collections.abc import Iterator, Mapping, Sequence

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import DiagnosticException

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.tuples import tuple_type
from xshardy.hlo_text.forms.control_flow import calling_region, finish_calling
from xshardy.hlo_text.forms.reductions import TO_APPLY, region_of
from xshardy.hlo_text.tuples import is_implicit

APPLYING: Mapping[type[Operation], tuple[str, ...]] = {
    **dict.fromkeys(
        (
            stablehlo.AllReduceOp,
            stablehlo.MapOp,
            stablehlo.ReduceOp,
            stablehlo.ReduceScatterOp,
            stablehlo.ReduceWindowOp,
            stablehlo.ScatterOp,
            stablehlo.SortOp,
        ),
        (TO_APPLY,),
    ),
    stablehlo.SelectAndScatterOp: ("hlo.select", "hlo.scatter"),
}
"""Operations that apply regions to elements, and the attributes that name the functions with these bodies."""


class OutlineError(DiagnosticException):
    """A region that cannot be a function."""


class OutlineRegionsPass(ModulePass):
    """Make functions of the regions of loops, branches and operations that apply regions to elements."""

    name = "hlo-outline-regions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        outline_regions(op)


def outline_regions(module: ModuleOp) -> None:
    """Outline the regions in `module`, in place. Raises `OutlineError` for one that cannot be a function."""
    Outliner(module).run()


def is_outlined(module: ModuleOp) -> bool:
    """Whether `outline_regions` has nothing to do."""
    return next(Outliner(module).pending(), None) is None


def calls_only(region: Region) -> bool:
    """Whether `region` calls a function, of a tuple or an array, and does nothing else."""
    operations = [op for op in region.block.ops if not is_implicit(op)]
    return (
        len(operations) == 2
        and isinstance(call := operations[0], func.CallOp)
        and len(call.operands) == 1
        and len(call.results) == 1
    )


def captured(regions: Sequence[Region]) -> list[SSAValue]:
    """The values that operations in `regions` read and that are defined outside of all of them, in order."""
    inside: set[SSAValue] = set()
    read: dict[SSAValue, None] = {}
    for region in regions:
        for block in region.blocks:
            inside.update(block.args)
        for op in region.walk():
            inside.update(op.results)
            for inner in op.regions:
                for block in inner.blocks:
                    inside.update(block.args)
            read.update(dict.fromkeys(op.operands))
    return [value for value in read if value not in inside]


def bare_if_one(types: Sequence[Attribute]) -> Attribute:
    """The type of one value that stands for values of `types`."""
    return types[0] if len(types) == 1 else tuple_type(types)


class Outliner:
    """Makes functions of the regions in a module."""

    def __init__(self, module: ModuleOp):
        self.module = module
        self.functions = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}
        self.templates: dict[str, Region] = {}

    def pending(self) -> Iterator[Operation]:
        """The operations whose regions are to be outlined, inner ones first."""
        for op in reversed(list(self.module.walk())):
            if not op.regions:
                continue
            if isinstance(op, stablehlo.WhileOp | stablehlo.IfOp | stablehlo.CaseOp):
                if not all(map(calls_only, op.regions)):
                    yield op
            elif type(op) in APPLYING and not self.applies_functions(op):
                yield op

    def applies_functions(self, op: Operation) -> bool:
        """Whether attributes of `op` name functions that have the bodies of its regions."""
        for region, attribute in zip(op.regions, APPLYING[type(op)], strict=True):
            symbol = op.attributes.get(attribute)
            if not isinstance(symbol, SymbolRefAttr) or (name := symbol.string_value()) not in self.functions:
                return False
            if name not in self.templates:
                self.templates[name] = region_of(self.functions[name])
            if not region.is_structurally_equivalent(self.templates[name]):
                return False
        return True

    def run(self) -> None:
        """Outline what is pending."""
        for op in list(self.pending()):
            match op:
                case stablehlo.WhileOp():
                    self.outline_loop(op)
                case stablehlo.IfOp() | stablehlo.CaseOp():
                    self.outline_branches(op)
                case _:
                    self.outline_applied(op)

    def add_function(
        self, hint: str, types: Sequence[Attribute], region: Region, outside: Sequence[SSAValue], passed: bool
    ) -> func.FuncOp:
        """
        A function of one value, the tuple of `types`, with the body of `region`.

        The last of the values are those that `region` reads from `outside`. They are returned too if they are `passed`.
        """
        block = Block(arg_types=[bare_if_one(types)])
        values: list[SSAValue] = [block.args[0]]
        if len(types) != 1:
            elements = [stablehlo.GetTupleElementOp(block.args[0], i) for i in range(len(types))]
            block.add_ops(elements)
            values = [element.result for element in elements]
        inner = values[: len(values) - len(outside)] if outside else values
        mapping = dict(zip((*region.block.args, *outside), (*inner, *values[len(inner) :]), strict=False))
        results = clone_body(region, block, mapping)
        if passed:
            results += values[len(inner) :]
        return self.finish(hint, block, results)

    def finish(self, hint: str, block: Block, results: Sequence[SSAValue]) -> func.FuncOp:
        """A private function of the module with the body `block`, which returns `results` as one value."""
        value = results[0] if len(results) == 1 else None
        if value is None:
            made = stablehlo.TupleOp(results)
            block.add_op(made)
            value = made.result
        block.add_op(func.ReturnOp(value))
        name, number = hint, 0
        while name in self.functions:
            name, number = f"{hint}.{number}", number + 1
        types = ([argument.type for argument in block.args], [value.type])
        function = func.FuncOp(name, types, Region(block), visibility="private")
        self.functions[name] = function
        self.module.body.block.add_op(function)
        return function

    def outline_loop(self, op: stablehlo.WhileOp) -> None:
        """`while(x) cond {...} do {...}` -> the same, of calls, where it also carries what its regions read."""
        outside = captured([op.cond, op.body])
        operands = [*op.operands, *outside]
        types = [value.type for value in operands]
        condition = self.add_function("condition", types, op.cond, outside, False)
        body = self.add_function("body", types, op.body, outside, True)
        made = stablehlo.WhileOp.create(
            operands=operands,
            result_types=types,
            regions=[calling_region(function, types) for function in (condition, body)],
            attributes=op.attributes,
        )
        for old, new in zip(op.results, made.results, strict=False):
            new.name_hint = old.name_hint
        Rewriter.replace_op(op, made, made.results[: len(op.results)])

    def outline_branches(self, op: stablehlo.IfOp | stablehlo.CaseOp) -> None:
        """`if p {...} else {...}` -> the same, of calls, each with the tuple of what the branch reads."""
        regions: list[Region] = []
        for region in op.regions:
            outside = captured([region])
            types = [value.type for value in outside]
            function = self.add_function("branch", types, region, outside, False)
            if len(outside) == 1:
                operand = outside[0]
            else:
                packed = stablehlo.TupleOp(outside)
                Rewriter.insert_op(packed, InsertPoint.before(op))
                operand = packed.result
            regions.append(finish_calling(Block(), function, operand, []))
        made = type(op).create(
            operands=op.operands, result_types=op.result_types, regions=regions, attributes=op.attributes
        )
        for old, new in zip(op.results, made.results, strict=True):
            new.name_hint = old.name_hint
        Rewriter.replace_op(op, made)

    def outline_applied(self, op: Operation) -> None:
        """`reduce(x) {...}` -> the same, with an attribute that names a function with the body of its region."""
        for region, attribute in zip(op.regions, APPLYING[type(op)], strict=True):
            for value in captured([region]):
                if not isinstance(constant := value.owner, stablehlo.ConstantOp):
                    raise OutlineError(
                        f"'{op.name}': its region reads a value from outside that is not a constant, which a "
                        "computation of HLO cannot: pass the value as another operand"
                    )
                copied = constant.clone()
                Rewriter.insert_op(copied, InsertPoint.at_start(region.block))
                inside = set(region.walk())
                value.replace_uses_with_if(copied.results[0], lambda use, inside=inside: use.operation in inside)
            block = Block(arg_types=[argument.type for argument in region.block.args])
            mapping: dict[SSAValue, SSAValue] = dict(zip(region.block.args, block.args, strict=True))
            function = self.finish("region", block, clone_body(region, block, mapping))
            op.attributes[attribute] = SymbolRefAttr(function.sym_name.data)


def clone_body(region: Region, block: Block, mapping: dict[SSAValue, SSAValue]) -> list[SSAValue]:
    """Copy the operations of `region` to the end of `block`. Gives what it returns, there."""
    for op in region.block.ops:
        if isinstance(op, stablehlo.ReturnOp):
            return [mapping.get(value, value) for value in op.operands]
        block.add_op(op.clone(mapping))
    raise OutlineError("a region does not end in 'stablehlo.return'")
