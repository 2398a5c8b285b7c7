"""Printer of functions as computations of HLO text."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    DenseResourceAttr,
    DictionaryAttr,
    StringAttr,
    SymbolRefAttr,
    TupleType,
)
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.hlo import LAYOUT, MEMORY
from xshardy.dialects.hlo.annotation_names import SHARDING
from xshardy.dialects.hlo.async_operation import AsyncOperation, StartOp, start_of
from xshardy.dialects.hlo.async_shapes import BundleShapes, flat_tuple, write_tuple
from xshardy.dialects.hlo.async_sugar import GROUP, sugar_of
from xshardy.dialects.hlo.async_types import AsyncBundleType
from xshardy.dialects.hlo.own_async_ops import OWN_DONES
from xshardy.dialects.stablehlo.control_flow import CONTROL_FLOW
from xshardy.dialects.stablehlo.tuples import tuple_type
from xshardy.hlo_text.annotations import text_of, write_annotations
from xshardy.hlo_text.asynchronous import FIELDS, THREAD, tree_of_type, type_of_tree
from xshardy.hlo_text.codecs import Fields
from xshardy.hlo_text.errors import HLOPrintError
from xshardy.hlo_text.fields import ComputationName, write_field
from xshardy.hlo_text.names import NAME, POSITIONS
from xshardy.hlo_text.opcode import Inexpressible, Operands, extra_fields
from xshardy.hlo_text.opcodes import FORMS, OPCODES
from xshardy.hlo_text.shapes import ELEMENT_NAMES, REFUSED_TYPES
from xshardy.hlo_text.strings import quote
from xshardy.hlo_text.tuple_leaves import Tree, tree_from_leaves
from xshardy.hlo_text.tuples import ROOT, is_implicit, leaf_paths, parts_of, wholes_of
from xshardy.hlo_text.write_values import ShapeWriter, write_literal

INVALID = re.compile(r"[^A-Za-z0-9_.-]")


TYPE_NAMES = frozenset({*ELEMENT_NAMES.values(), *REFUSED_TYPES, "opaque", "token"})
"""What XLA reads as a type, also where it expects the name of a module or an instruction."""


def valid_name(name: str) -> str:
    """`name` with invalid characters replaced."""
    name = INVALID.sub("_", name)
    return name if name[:1].isalpha() or name[:1] == "_" else f"_{name}"


def name_unlike_types(name: str) -> str:
    """A valid name for a module or an instruction, as XLA makes it: `pred` -> `pred_`."""
    name = valid_name(name)
    return f"{name}_" if name in TYPE_NAMES else name


def type_of_results(op: Operation) -> Attribute | None:
    """The tuple that the instruction of `op` gives: a loop or branch what it calls gives; None if it gives no tuple."""
    if isinstance(op, CONTROL_FLOW):
        calls = [inner for inner in op.regions[-1].block.ops if isinstance(inner, func.CallOp)]
        if calls and len(calls[0].results) == 1:
            given = calls[0].result_types[0]
            return given if isinstance(given, TupleType) else None
    return tuple_type(op.result_types) if len(op.results) > 1 else None


def argument_attributes(function: func.FuncOp, number: int) -> Mapping[str, Attribute]:
    """The attributes of argument `number` of `function`."""
    return {} if function.arg_attrs is None else function.arg_attrs.data[number].data


@dataclass(frozen=True, slots=True)
class Style:
    """
    The style of asynchronous operations.

    With `uses_sugar`, print `slice-start`; otherwise an `async-start` of a computation. With `flat_async`, a single
    operand is not nested in a tuple, `(f32[64], f32[32], s32[])`: a form of older documents that XLA does not read.
    """

    uses_sugar: bool = True
    flat_async: bool = False


RETURNS = (func.ReturnOp, stablehlo.ReturnOp)
"""What ends a function; JAX ends comparators with that of StableHLO."""


class ComputationPrinter:
    """
    Prints one function into `lines`. `callees` are the computations that it names, in order.

    Implicit operations are not printed. If one has a printed user, an instruction is created before the user; this
    happens in modules that do not come from HLO text or were changed by passes.
    """

    def __init__(self, function: func.FuncOp, shapes: ShapeWriter, names: Mapping[str, str], style: Style):
        self.function = function
        self.style = style
        self.shapes = shapes
        self.computation_names = names
        self.lines: list[str] = []
        self.callees: dict[str, None] = {}
        self.names: dict[SSAValue, str] = {}
        """The instruction name of each value."""
        self.op_names: dict[Operation, str] = {}
        """The instruction name of each operation."""
        self.types: dict[Operation, Attribute] = {}
        """The tuple in HLO text of the results of an operation with several results."""
        self.packs: dict[SSAValue, Operation] = {}
        """The operation whose results a tuple packs."""
        self.root: Operation | BlockArgument | None = None
        self.waiting: dict[BlockArgument, None] = {}
        """The parameters that are not printed yet."""
        self.taken: set[str] = set()
        self.counts: dict[str, int] = {}

    def run(self) -> None:
        """Print the instructions of the function."""
        blocks = self.function.body.blocks
        if len(blocks) != 1:
            raise HLOPrintError(
                f"function @{self.function.sym_name.data} has {len(blocks)} blocks: HLO has no branches between blocks"
            )
        block = blocks[0]
        returned = block.last_op
        if not isinstance(returned, RETURNS):
            raise HLOPrintError(f"function @{self.function.sym_name.data} does not end in a return")
        operations = [op for op in block.ops if op is not returned]
        self.find_packs(operations)
        self.reserve_names(operations)
        self.root = root = self.root_of(returned)
        places = self.parameters()
        self.waiting = dict.fromkeys(argument for _, argument in places)
        for op in operations:
            while places and places[-1][0] <= len(self.lines):
                self.print_parameter(places.pop()[1])
            if not is_implicit(op):
                self.print_operation(op, op is root)
        while places:
            self.print_parameter(places.pop()[1])
        if root is None:
            self.print_root(returned)

    def parameters(self) -> list[tuple[int, BlockArgument]]:
        """The parameters with their line numbers, last first."""
        arguments = self.function.body.block.args
        positions = self.function.attributes.get(POSITIONS)
        places: Sequence[int] = range(len(arguments))
        if isinstance(positions, DenseArrayBase):
            written = tuple(cast(DenseArrayBase[I64], positions).get_values())
            places = written if len(written) == len(arguments) else places
        return sorted(zip(places, arguments, strict=True), key=lambda item: -item[0])

    def find_packs(self, operations: Sequence[Operation]) -> None:
        """Find the tuples that pack all results of one operation: the last one, if several do."""
        last: dict[Operation, SSAValue] = {}
        for before, op in zip([None, *operations], operations, strict=False):
            if not isinstance(op, stablehlo.TupleOp) or not is_implicit(op):
                if (given := type_of_results(op)) is not None:
                    self.types[op] = given
                continue
            parts = parts_of(op.result) or []
            source = parts[0].owner if parts else before
            if not isinstance(source, Operation) or is_implicit(source) or list(source.results) != parts:
                continue
            if not isinstance(source, CONTROL_FLOW) or op.result.type == self.types.get(source):
                if (former := last.get(source)) is not None:
                    del self.packs[former]
                self.packs[op.result] = source
                last[source] = op.result
                self.types[source] = op.result.type

    def reserve_names(self, operations: Sequence[Operation]) -> None:
        """Reserve existing names, so that generated ones differ."""
        for number, argument in enumerate(self.function.body.block.args):
            attributes = argument_attributes(self.function, number)
            self.names[argument] = self.fresh(name_in(attributes) or argument.name_hint or f"Arg_{number}")
        for op in operations:
            if is_implicit(op):
                continue
            if (name := name_in(op.attributes) or (op.results[0].name_hint if op.results else None)) is not None:
                self.op_names[op] = self.fresh(name)

    def fresh(self, name: str) -> str:
        """`name`, made valid, with a number if it is in use."""
        name = name_unlike_types(name)
        candidate = name
        while candidate in self.taken:
            self.counts[name] = self.counts.get(name, 0) + 1
            candidate = f"{name}.{self.counts[name]}"
        self.taken.add(candidate)
        return candidate

    def root_of(self, returned: Operation) -> Operation | BlockArgument | None:
        """The operation or argument that is the root; None if an instruction must be created for it."""
        if len(returned.operands) != 1:
            return None
        value = returned.operands[0]
        if isinstance(value, BlockArgument):
            attributes = argument_attributes(self.function, value.index)
            return value if self.may_be_root(attributes) else None
        if (packed := self.packs.get(value)) is not None:
            return packed if self.may_be_root(packed.attributes) else None
        op = value.owner
        if not isinstance(op, Operation) or op in self.types or is_implicit(op):
            return None
        return op if self.may_be_root(op.attributes) else None

    def may_be_root(self, attributes: Mapping[str, Attribute]) -> bool:
        """Whether an instruction with `attributes` can have the sharding of the result, if that has one."""
        return (sharding := self.result_sharding()) is None or attributes.get(SHARDING) in (None, sharding)

    def annotations(self, owner: Operation | BlockArgument, attributes: Mapping[str, Attribute]) -> str:
        """`, metadata={...}, sharding={replicated}`; the root has the sharding of the result."""
        if owner is self.root and (sharding := self.result_sharding()) is not None:
            attributes = {**attributes, SHARDING: sharding}
        return "".join(f", {text}" for text in write_annotations(attributes))

    def result_sharding(self) -> Attribute | None:
        """The sharding of the root: that of the result, or of all results if each has one."""
        entries = self.function.res_attrs or ()
        shardings = [entry.data[SHARDING] for entry in entries if SHARDING in entry.data]
        if not shardings or len(shardings) < len(self.function.function_type.outputs):
            return None
        if len(shardings) == 1:
            return shardings[0]
        return StringAttr(f"{{{', '.join(map(text_of, shardings))}}}")

    def print_root(self, returned: Operation) -> None:
        """
        The root instruction: of the single returned value, or a tuple of all.

        A value that is sharded otherwise than the result is copied. The line of a value that other instructions read
        may be anywhere.
        """
        sharding = self.result_sharding()
        if len(returned.operands) == 1:
            value = returned.operands[0]
            root = self.name_of(value)
            if sharding is not None:
                copied, root = root, self.fresh("copy")
                self.add_line(False, root, self.shapes.write(value.type), f"copy(%{copied})")
        else:
            name = returned.attributes.get(ROOT)
            root = self.fresh(name.data if isinstance(name, StringAttr) else "tuple")
            self.print_tuple(returned.operands, root)
        annotations = "" if sharding is None else f", sharding={text_of(sharding)}"
        place = next(i for i, line in enumerate(self.lines) if line.startswith(f"  %{root} = "))
        self.lines[place] = f"  ROOT{self.lines[place][1:]}{annotations}"

    def print_parameter(self, argument: BlockArgument) -> None:
        """`p = f32[2]{0} parameter(0), sharding={replicated}`, unless it is printed already"""
        if argument not in self.waiting:
            return
        del self.waiting[argument]
        attributes = argument_attributes(self.function, argument.index)
        shape = self.shapes.write(argument.type, attributes.get(LAYOUT), attributes.get(MEMORY))
        rest = f"parameter({argument.index}){self.annotations(argument, attributes)}"
        self.add_line(argument is self.root, self.names[argument], shape, rest)

    def add_line(self, is_root: bool, name: str, shape: str, rest: str) -> None:
        """An instruction."""
        self.lines.append(f"  {'ROOT ' if is_root else ''}%{name} = {shape} {rest}")

    def print_operation(self, op: Operation, is_root: bool) -> None:
        """Print an instruction, after those created for its operands."""
        opcode, operands, fields = self.form_of(op)
        inside = self.inside(op, operands)
        parts = "".join(f", {text}" for text in fields) + self.annotations(op, op.attributes)
        if (name := self.op_names.get(op)) is None:
            name = self.op_names[op] = self.fresh(opcode)
        if op not in self.types and op.results:
            self.names[op.results[0]] = name
        self.add_line(is_root, name, self.shape_of(op), f"{opcode}({inside}){parts}")

    def form_of(self, op: Operation) -> tuple[str, Operands, list[str]]:
        """The opcode, operands and attributes of `op` in HLO text."""
        if isinstance(op, hlo.OpaqueOp):
            return op.opcode.data, op.operands, raw_fields(op.fields)
        if isinstance(op, AsyncOperation):
            return self.async_form(op)
        if (found := FORMS.get(type(op))) is None:
            raise HLOPrintError(f"HLO has no opcode for '{op.name}': lower it to operations of stablehlo or hlo first")
        opcode, form = found
        if form.needs_rewrite(op):
            raise HLOPrintError(f"HLO has '{op.name}' in other terms: run hlo-to-opcodes first")
        try:
            fields: Fields = {**form.fields(op, self), **extra_fields(op, OPCODES[opcode])}
            return opcode, form.operands(op, self), [self.field_text(key, value) for key, value in fields.items()]
        except Inexpressible as error:
            raise HLOPrintError(f"'{op.name}': {error}") from None

    def async_form(self, op: AsyncOperation) -> tuple[str, Operands, list[str]]:
        """`form_of` for an asynchronous operation, with sugar if possible."""
        start = op if isinstance(op, StartOp) else start_of(op.operands[0])
        if start is None:
            raise HLOPrintError(f"'{op.name}': its operand does not come from a start in the same function")
        left = raw_fields(op.attributes.get(FIELDS))
        stem, fields = self.async_stem(start)
        if isinstance(op, StartOp):
            thread = start.properties.get("execution_thread")
            threads = [f"{THREAD}={quote(thread.data)}"] if isinstance(thread, StringAttr) else []
            opcode = op.opcode if type(op) in OWN_DONES else f"{stem}-start"
            return opcode, op.operands, [*fields, *threads, *left]
        suffix = "update" if isinstance(op, hlo.AsyncUpdateOp) else "done"
        return op.opcode if type(start) in OWN_DONES else f"{stem}-{suffix}", op.operands, left

    def async_stem(self, start: StartOp) -> tuple[str, list[str]]:
        """
        The opcode and attributes of the operation wrapped by `start`, or `async` and `calls=...` without sugar: so if
        the operation has annotations of its own, which sugar has no place for.
        """
        try:
            wrapped = sugar_of(start)
        except VerifyException:  # the module was not verified
            wrapped = None
        is_own = type(start) in OWN_DONES
        if isinstance(wrapped, func.CallOp) and GROUP in start.callee.string_value():
            return "async", [f"calls=%{self.called(ComputationName(wrapped.callee.string_value(), 0)).name}"]
        if wrapped is not None and type(wrapped) in FORMS and (is_own or self.is_sugar(wrapped)):
            stem, _, fields = self.form_of(wrapped)
            return stem, fields
        if is_own:
            raise HLOPrintError(f"'{start.name}': HLO has no attribute that names what it wraps")
        return "async", [f"calls=%{self.called(ComputationName(start.callee.string_value(), 0)).name}"]

    def is_sugar(self, wrapped: Operation) -> bool:
        """Whether to write the start of `wrapped` with its opcode."""
        return self.style.uses_sugar and not write_annotations(wrapped.attributes)

    def field_text(self, key: str, value: Any) -> str:
        """`key=value`, with computations under their printed names."""
        if isinstance(value, ComputationName):
            value = self.called(value)
        elif isinstance(value, tuple) and value and isinstance(value[0], ComputationName):
            value = tuple(map(self.called, cast(tuple[ComputationName, ...], value)))
        return write_field(key, value)

    def called(self, name: ComputationName) -> ComputationName:
        """The printed name of a computation; records it as a callee."""
        self.callees[name.name] = None
        return ComputationName(self.computation_names.get(name.name, name.name), 0)

    def inside(self, op: Operation, operands: Operands) -> str:
        """The text between the parentheses."""
        if isinstance(op, stablehlo.ConstantOp):
            if isinstance(op.value, DenseResourceAttr):
                raise HLOPrintError(f"'{op.name}': the module has no bytes for its value, {op.value}")
            return write_literal(op.value)
        if isinstance(op, hlo.ElidedConstantOp):
            return "{...}"
        if isinstance(op, hlo.TupleConstantOp):
            return constant_text(op.result.type, iter(op.parts))
        return ", ".join([f"%{self.operand_name(operand)}" for operand in operands])

    def operand_name(self, operand: Tree) -> str:
        """The instruction name of an operand; a tuple of several values gets an instruction."""
        return (
            self.name_of(operand) if isinstance(operand, SSAValue) else self.print_tuple(operand, self.fresh("tuple"))
        )

    def shape_of(self, op: Operation) -> str:
        """The shape of the instruction of `op`."""
        type = self.type_of(op)
        if isinstance(type, AsyncBundleType):
            type = self.bundle_shape(op, type)
        return self.shapes.write(type, op.attributes.get(LAYOUT), op.attributes.get(MEMORY))

    def type_of(self, op: Operation) -> Attribute:
        """The type of the instruction of `op`: a tuple, for several results or none."""
        return self.types.get(op) or (op.result_types[0] if op.results else tuple_type([]))

    def bundle_shape(self, op: Operation, bundle: AsyncBundleType) -> Attribute:
        """The tuple shape of `bundle`, the result of `op`, in HLO text."""
        start = op if isinstance(op, StartOp) else start_of(op.operands[0])
        assert start is not None, "the form was found before the shape"
        opcode = start.opcode if type(start) in OWN_DONES else "async-start"
        operands, outputs, contexts = (
            tuple(map(tree_of_type, types)) for types in (bundle.operands, bundle.outputs, bundle.contexts)
        )
        shapes = BundleShapes(operands, outputs, contexts)
        is_flat = self.style.flat_async and opcode == "async-start"
        return type_of_tree(flat_tuple(shapes) if is_flat else write_tuple(opcode, shapes))

    def name_of(self, value: SSAValue) -> str:
        """The instruction name of `value`; creates an instruction if there is none."""
        if value in self.waiting:  # a pass has moved its first use
            self.print_parameter(cast(BlockArgument, value))
        if (name := self.names.get(value)) is not None:
            return name
        if (source := self.packs.get(value)) is not None:
            return self.op_names[source]
        assert isinstance(value, OpResult), "arguments have names"
        if (type := self.types.get(value.op)) is not None:
            return self.print_element(value, value.op, list(leaf_paths(type))[value.index])
        self.print_operation(value.op, False)
        return self.names[value]

    def print_element(self, value: SSAValue, source: Operation, path: Sequence[int]) -> str:
        """Print the element at `path` of the value of `source` under the name of `value`."""
        name, type = self.op_names[source], self.types[source]
        for index in path:
            type = cast(Any, type).types.data[index]
            element = self.fresh(f"{self.op_names[source]}.element")
            self.add_line(False, element, self.shapes.write(type), f"get-tuple-element(%{name}), index={index}")
            name = element
        self.names[value] = name
        return name

    def print_tuple(self, parts: Sequence[Tree], name: str) -> str:
        """Print a tuple of `parts` called `name`, a fresh one, which is returned."""
        inside = ", ".join([f"%{self.operand_name(part)}" for part in parts])
        self.add_line(False, name, self.shapes.write(type_of_parts(parts)), f"tuple({inside})")
        return name

    # Callbacks of the rows of the table of opcodes.

    def computation(self, op: Operation, region: Region, attribute: str) -> ComputationName:
        """The computation with the body of `region`, named by `attribute`."""
        symbol = op.attributes.get(attribute)
        if not isinstance(symbol, SymbolRefAttr):
            raise Inexpressible("its region has no computation of its own: outline it first")
        return ComputationName(symbol.string_value(), 0)

    def callee(self, region: Region) -> ComputationName:
        """The computation called by `region`, which contains only the call."""
        calls = [op for op in region.block.ops if isinstance(op, func.CallOp)]
        if len(calls) != 1:
            raise Inexpressible("its region does more than call a computation: outline it first")
        return ComputationName(calls[0].callee.string_value(), 0)

    def tuple_of(self, values: Sequence[SSAValue]) -> Tree:
        """The tuple whose arrays are `values`, the outermost of several; `values` themselves if there is none."""
        wholes = [*wholes_of(values)]
        return wholes[-1] if wholes else tuple(values)

    def operand_like_result(self, op: Operation) -> Tree:
        """What has the operands of `op` as its arrays, and the type of the result of `op` in HLO text."""
        type = self.type_of(op)
        wholes = (whole for whole in wholes_of(op.operands) if whole.type == type)
        return next(wholes, None) or tree_from_leaves(type, iter(op.operands))


def type_of_parts(parts: Sequence[Tree]) -> Attribute:
    """The type of a tuple of `parts`."""
    return tuple_type([part.type if isinstance(part, SSAValue) else type_of_parts(part) for part in parts])


def raw_fields(fields: Attribute | None) -> list[str]:
    """`key=value` of attributes kept as written."""
    if not isinstance(fields, DictionaryAttr):
        return []
    return [f"{key}={value.data}" for key, value in fields.data.items() if isinstance(value, StringAttr)]


def name_in(attributes: Mapping[str, Attribute]) -> str | None:
    """The original name of an instruction, if the name hint differs."""
    name = attributes.get(NAME)
    return name.data if isinstance(name, StringAttr) else None


def constant_text(type: Attribute, parts: Any) -> str:
    """`(1, ({2, 3}, 4))`: a constant of `type`; its arrays are taken from `parts`."""
    if paths := getattr(type, "types", None):
        return f"({', '.join(constant_text(part, parts) for part in paths)})"
    constant = next(parts).owner
    if not isinstance(constant, stablehlo.ConstantOp):
        raise HLOPrintError("'hlo.tuple_constant': its operands are not constants: make it a tuple")
    return write_literal(constant.value)
