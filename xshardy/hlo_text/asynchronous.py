"""
Asynchronous instructions: `async-start`, `-update` and `-done`, and the sugar `slice-start` for them.

The value of a start is a tuple in HLO text, with any number of readers; in the IR it is a bundle, which only the next
operation of its chain may read. So these instructions stay opaque until the computation has been read; then each chain
of a start, updates and a done is converted. An `async-start` must have such a chain. Starts with opcodes of their own
(`copy-start`, `send`) need not: XLA's pipelining passes them through loops, for example. Those stay opaque.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

from xdsl.dialects import func
from xdsl.dialects.builtin import DictionaryAttr, FunctionType, StringAttr, TupleType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.hlo.async_operation import (
    AsyncOperation,
    DoneOp,
    StartOp,
    bundle_type,
)
from xshardy.dialects.hlo.async_shapes import BundleShapes, Tree, elements_of, read_tuple
from xshardy.dialects.hlo.async_sugar import GROUP, wrap, wrapped_function
from xshardy.dialects.hlo.async_types import AsyncBundleType
from xshardy.dialects.hlo.instruction import elements
from xshardy.dialects.hlo.own_async_ops import OWN_DONES as OWN_DONE_OPS
from xshardy.dialects.stablehlo.tuples import tuple_type
from xshardy.hlo_text.annotations import ANNOTATIONS
from xshardy.hlo_text.async_opcodes import GENERIC, OWN, OWN_DONES, stem_of
from xshardy.hlo_text.errors import HLOError
from xshardy.hlo_text.fields import ComputationName
from xshardy.hlo_text.forms import collectives, communication
from xshardy.hlo_text.instruction import Instruction
from xshardy.hlo_text.instruction_reader import InstructionReader
from xshardy.hlo_text.opcode import extra_attributes
from xshardy.hlo_text.opcodes import FORMS, OPCODES
from xshardy.hlo_text.shapes import ArrayShape, Shape, TupleShape, print_shape, print_type
from xshardy.hlo_text.tuples import IMPLICIT, UNIT, parts_of

FIELDS = "hlo.fields"
"""The attribute for fields of an asynchronous instruction without a place in the wrapped operation, as written."""
OF_WRAPPED = (("custom-call", "output_to_operand_aliasing"),)
"""Annotations that belong to the wrapped operation: its opcode, and their names."""
THREAD = "async_execution_thread"
WRAPPED = "$wrapped"
"""The infix of names of wrapper functions that the text lacks: names of HLO have no `$`."""


@dataclass(slots=True)
class Entry:
    """
    An asynchronous instruction; `at` is the token index of its opcode, `fields_at` that of the end of its operands.
    """

    opcode: str
    name: str
    shape: Shape
    at: int
    fields_at: int
    op: hlo.OpaqueOp

    @property
    def suffix(self) -> str:
        """`start`, `update` or `done`."""
        return stem_of(self.opcode)[1]

    @property
    def stem(self) -> str:
        """The wrapped opcode, or `async`."""
        return stem_of(self.opcode)[0]


class AsyncReader:
    """Reads the asynchronous instructions of one computation."""

    def __init__(self, computation: InstructionReader):
        self.computation = computation
        self.entries: dict[Operation, Entry] = {}
        self.replaced: dict[Operation, list[Operation]] = {}
        self.made: list[tuple[AsyncOperation, Entry]] = []

    def read_opaque(self, opcode: str, shape: Shape, name: str, at: int) -> SSAValue:
        """Read an instruction as written. Precondition: the cursor is after its opcode."""
        tokens = self.computation.tokens
        tokens.expect("(")
        operands = self.computation.read_operands()
        tokens.expect(")")
        fields_at = tokens.index
        fields: dict[str, Attribute] = {}
        kept: dict[str, Attribute] = {}
        while tokens.accept(","):
            key_at = tokens.index
            key = tokens.take("name", "an attribute")
            tokens.expect("=")
            if key in fields:
                raise tokens.error(f"{opcode}: attribute '{key}' is given twice", "remove one of the two", key_at)
            if (annotation := ANNOTATIONS.get(key)) is not None and (stem_of(opcode)[0], key) not in OF_WRAPPED:
                kept[annotation.attribute] = annotation.read(tokens)
            else:
                fields[key] = StringAttr(self.computation.read_raw())
        made = hlo.OpaqueOp.create(
            operands=operands,
            result_types=[shape.type],
            properties={"opcode": StringAttr(opcode), "fields": DictionaryAttr(fields)},
            attributes=kept,
        )
        assert isinstance(made, hlo.OpaqueOp)
        if stem_of(opcode)[1]:
            self.entries[made] = Entry(opcode, name, shape, at, fields_at, made)
        return self.computation.add(made, shape, name)

    def error(self, entry: Entry, message: str, hint: str = "") -> HLOError:
        """The error to raise about an instruction."""
        return self.computation.tokens.error(f"{entry.opcode}: {message}", hint, entry.at)

    # Chains

    def resolve(self) -> None:
        """Convert the instructions read so far to chains. Raises `HLOError` for an `async-start` without a chain."""
        if not self.entries:
            return
        for entry in list(self.entries.values()):
            if entry.suffix == "start":
                self.resolve_start(entry)
        for op, entry in self.entries.items():
            if op not in self.replaced and entry.suffix != "start" and entry.opcode not in OWN_DONES:
                raise self.error(
                    entry,
                    "AsyncUpdate and AsyncDone expect a single async op as their operand",
                    "its operand is the result of an async-start, or of an async-update",
                )
        operations = self.computation.operations
        operations[:] = [new for op in operations for new in self.replaced.get(op, (op,))]

    def is_same_bundle(self, value: SSAValue, shape: Shape) -> bool:
        """Whether `value` is in flight and `shape` is its shape, with the operand nested in a tuple or not."""
        entry = self.entries.get(value.owner) if isinstance(value.owner, Operation) else None
        late: list[SSAValue] = []
        while entry is not None and entry.suffix == "update" and entry.op.operands:
            first, *others = entry.op.operands
            late[:0] = others
            entry = self.entries.get(first.owner) if isinstance(first.owner, Operation) else None
        if entry is None or entry.suffix != "start" or entry.opcode in OWN:
            return False
        operands = [tree_of_type(operand.type) for operand in (*entry.op.operands, *late)]
        return same_bundle(tree_of_type(value.type), tree_of_shape(shape), operands)

    def resolve_start(self, entry: Entry) -> None:
        """The chain of a start."""
        is_own = entry.opcode in OWN
        chain = self.chain_of(entry, is_own)
        if chain is None:
            return
        operands = [tree_of_type(operand.type) for operand in entry.op.operands]
        late = [operand for link in chain for operand in link.op.operands[1:]]
        index = self.computation.tokens.index
        start = self.own_start(entry) if is_own else self.generic_start(entry, late)
        self.computation.tokens.index = index
        if start is None:
            return
        self.replace(entry, start, start.bundle)
        value, shape = start.bundle, entry.shape
        for link in chain:
            self.check_fields(entry, link, start)
            if link.suffix == "update":
                inputs = link.op.operands[1:]
                more = [tree_of_type(operand.type) for operand in inputs]
                if not same_bundle(tree_of_shape(link.shape), tree_of_shape(shape), operands, more):
                    bound = f" and {len(more)} operands bound" if more else ""
                    raise self.error(
                        link,
                        f"The {link.opcode} expects the shape of operand and output to match "
                        f"({print_shape(shape)}{bound} vs {print_shape(link.shape)})",
                    )
                operands, shape = [*operands, *more], link.shape if more else shape
                update = hlo.AsyncUpdateOp(value, inputs)
                self.replace(link, update, update.bundle)
                value = update.bundle
            else:
                output = tree_of_shape(link.shape) if is_own else elements_of(tree_of_shape(entry.shape))[1]
                self.replace_done(link, done_of(start, value), output)

    def chain_of(self, start: Entry, is_own: bool) -> list[Entry] | None:
        """The updates and the done of a start. Without a chain, None if `is_own`; otherwise raises `HLOError`."""
        chain: list[Entry] = []
        current = start
        while current.suffix != "done":
            users = list(dict.fromkeys(use.operation for use in current.op.results[0].uses))
            following = self.entries.get(users[0]) if len(users) == 1 else None
            complaint = None
            if len(users) != 1:
                complaint = f"requires one consumer, found {len(users)}"
            elif following is None or following.suffix == "start":
                found = self.opcode_of(users[0])
                complaint = f"has a consumer that needs to be {start.stem}-update or {start.stem}-done, found {found}"
            elif following.stem not in (start.stem, GENERIC) and not self.wraps(start, following.stem):
                complaint = f"has a consumer '{following.opcode}', which belongs to another opcode"
            elif len(following.op.operands) != 1 and (is_own or following.suffix == "done"):
                complaint = f"has a consumer '{following.opcode}' of {len(following.op.operands)} operands"
            elif following.op.operands[0] is not current.op.results[0]:
                complaint = f"is not the first operand of its consumer '{following.opcode}'"
            if complaint is not None:
                if is_own:
                    return None
                raise self.error(current, complaint, "an operation in flight is read by one update or done")
            assert following is not None
            chain.append(following)
            current = following
        return chain

    def opcode_of(self, op: Operation) -> str:
        """The opcode of `op` in the text."""
        return op.opcode.data if isinstance(op, hlo.OpaqueOp) else op.name

    def wraps(self, start: Entry, opcode: str) -> bool:
        """Whether a generic `async-start` wraps `opcode`, so that `opcode-done` may follow."""
        if start.stem != GENERIC:
            return False
        function = self.called_function(start)
        wrapped = function.body.block.first_op
        return wrapped is not None and FORMS.get(type(wrapped), ("", None))[0] == opcode

    def called_function(self, start: Entry) -> func.FuncOp:
        """The computation that an `async-start` names."""
        text = start.op.fields.data.get("calls") or start.op.fields.data.get("async_computation")
        if not isinstance(text, StringAttr):
            raise self.error(start, "attribute 'calls' is missing", "write `calls=...` after the operands")
        name = text.data.removeprefix("%")
        self.computation.check_computation(ComputationName(name, start.at))
        return self.computation.scope.functions[name]

    def bundle_of(self, entry: Entry, opcode: str) -> BundleShapes:
        """The operands, outputs and contexts in the shape of a start."""
        operands = [tree_of_type(operand.type) for operand in entry.op.operands]
        try:
            return read_tuple(opcode, tree_of_shape(entry.shape), operands)
        except ValueError as error:
            raise self.error(entry, str(error)) from None

    def generic_start(self, entry: Entry, late: Sequence[SSAValue]) -> StartOp:
        """The start for an `async-start`, or for sugar. Updates bind the operands `late`."""
        bundle = self.bundle_of(entry, "async-start")
        contexts = list(map(type_of_tree, bundle.contexts))
        thread = entry.op.fields.data.get(THREAD)
        thread_name = thread.data.strip('"') if isinstance(thread, StringAttr) else None
        output = output_type(bundle)
        if entry.stem != GENERIC:
            return self.wrapped_start(entry, output, contexts, thread_name, late)
        function = self.called_function(entry)
        if is_group(function):
            function = self.around_group(function, thread_name)
        else:
            return_parts(function)
        outputs = function.function_type.outputs.data
        if tuple(outputs) != (output,) and tuple(outputs) != elements(output):
            outputs = elements(output) if len(outputs) != 1 else (output,)
        type = AsyncBundleType.of(list(map(type_of_tree, bundle.operands)), outputs, contexts)
        return hlo.AsyncStartOp(function.sym_name.data, entry.op.operands, type, thread_name)

    def around_group(self, function: func.FuncOp, thread: str | None) -> func.FuncOp:
        """A function around the call of `function`, a group: a start starts one operation."""
        called = function.sym_name.data
        name = self.computation.scope.free_name(f"{called}{GROUP}")
        call = func.CallOp(called, function.args, function.function_type.outputs.data)
        made = self.computation.scope.wrapped[name] = wrapped_function(call, name, thread)
        return made

    def own_start(self, entry: Entry) -> StartOp | None:
        """The start for an opcode of its own; None if the IR cannot represent it."""
        try:
            bundle = self.bundle_of(entry, entry.opcode)
        except HLOError:
            return None
        start = self.wrapped_start(entry, output_type(bundle), list(map(type_of_tree, bundle.contexts)), None, ())
        return None if isinstance(start, hlo.AsyncStartOp) else start

    def wrapped_start(
        self,
        entry: Entry,
        output: Attribute,
        contexts: Sequence[Attribute],
        thread: str | None,
        late: Sequence[SSAValue],
    ) -> StartOp:
        """A start around an operation, whose attributes are written on the start. Updates bind the operands `late`."""
        computation, tokens = self.computation, self.computation.tokens
        opcode = entry.stem
        row = OPCODES[opcode]
        tokens.index = entry.fields_at
        given = {key for key in entry.op.fields.data if key in row.readers}
        fields, _ = computation.read_fields(opcode, row, entry.at, frozenset(entry.op.fields.data) - given)
        shape = shape_of_type(output)
        instruction = Instruction(
            opcode, shape, [*entry.op.operands, *late], fields, None, computation.scope.functions, tokens, entry.at
        )
        if row.operands not in (None, len(instruction.operands)):
            raise self.error(entry, f"takes {row.operands} operand(s), got {len(instruction.operands)}")
        made = row.build(instruction)
        computation.verify(instruction, row, made)
        made.attributes.update(extra_attributes(instruction, row))
        name = computation.scope.free_name(f"{entry.name}{WRAPPED}")
        function, start = wrap(made, name, contexts, thread)
        if late:
            bundle = bundle_type(start.bundle)
            bound = AsyncBundleType.of(bundle.operands[: len(entry.op.operands)], bundle.outputs, bundle.contexts)
            start = hlo.AsyncStartOp(name, entry.op.operands, bound, thread)
        computation.scope.wrapped[name] = function
        left = {key: value for key, value in entry.op.fields.data.items() if key not in given and key != THREAD}
        if instruction.before:
            raise self.error(entry, "its operands have to be taken apart", "write a scalar for each start index")
        if left and entry.opcode not in OWN:
            raise self.error(entry, f"unknown attribute '{min(left)}'")
        if left:
            start.attributes[FIELDS] = DictionaryAttr(left)
        return start

    def check_fields(self, start: Entry, link: Entry, made: StartOp) -> None:
        """
        Check the attributes of an update or a done: they may only repeat those of the start.

        Own opcodes keep theirs.
        """
        if link.opcode in OWN_DONES:
            return
        given = start.op.fields.data
        for key, value in link.op.fields.data.items():
            expected = given.get(key)
            if key == "calls" and expected is None:
                expected = StringAttr(f"%{made.callee.string_value()}")
            if not isinstance(value, StringAttr) or not isinstance(expected, StringAttr):
                raise self.error(link, f"unknown attribute '{key}'", f"attributes stand on '{start.name}'")
            if value.data.removeprefix("%") != expected.data.removeprefix("%"):
                raise self.error(
                    link, f"attribute '{key}' is {value.data}, but {expected.data} on '{start.name}'", "leave it out"
                )

    def replace(self, entry: Entry, made: AsyncOperation, value: SSAValue) -> None:
        """Replace an instruction by `made`, with the value `value`."""
        made.attributes.update({key: a for key, a in entry.op.attributes.items() if key not in made.attributes})
        value.name_hint = entry.op.results[0].name_hint
        entry.op.results[0].replace_all_uses_with(value)
        self.finish(entry, made, [made], value)

    def replace_done(self, entry: Entry, made: DoneOp, output: Tree) -> None:
        """A done of the shape `output`; its results are packed into a tuple if the text has one."""
        made.attributes.update(entry.op.attributes)
        if entry.opcode in OWN_DONES and entry.op.fields.data:
            made.attributes[FIELDS] = entry.op.fields
        operations: list[Operation] = [made]
        for result in made.results:
            result.name_hint = entry.op.results[0].name_hint
        is_output = tree_of_shape(entry.shape) == output
        if is_output and len(made.results) == 1 and made.results[0].type == entry.shape.type:
            value = made.results[0]
        elif is_output and tuple(made.result_types) == elements(entry.shape.type):
            value = pack_level(made.results, operations)
        else:
            raise self.error(
                entry,
                f"expects the shape of output to match the async shape at index {{1}}: got {print_shape(entry.shape)}",
                f"the output of the start is {print_type(type_of_tree(output))}",
            )
        value.name_hint = entry.op.results[0].name_hint
        entry.op.results[0].replace_all_uses_with(value)
        self.finish(entry, made, operations, value)

    def finish(self, entry: Entry, made: AsyncOperation, operations: list[Operation], value: SSAValue) -> None:
        """Record the replacement of an instruction."""
        self.replaced[entry.op] = operations
        self.computation.values[entry.name] = value
        self.made.append((made, entry))
        entry.op.operands = []

    def verify(self) -> None:
        """Verify the converted operations in their module. Raises `HLOError` at the instruction."""
        for op, entry in self.made:
            try:
                op.verify(verify_nested_ops=False)
            except VerifyException as error:
                raise self.error(entry, str(error).strip().splitlines()[-1].strip()) from error


def done_of(start: StartOp, bundle: SSAValue) -> DoneOp:
    """A done of `bundle`, which comes from `start`."""
    return OWN_DONE_OPS.get(type(start), hlo.AsyncDoneOp)(bundle)


def same_bundle(shape: Tree, other: Tree, operands: Sequence[Tree], more: Sequence[Tree] = ()) -> bool:
    """
    Whether `shape` is the shape `other` of an `async-start` with these operands after `more` of them were bound.

    A single operand may be nested or not.
    """
    try:
        before = read_tuple("async-start", other, operands)
        after = replace(before, operands=(*before.operands, *more))
        return read_tuple("async-start", shape, [*operands, *more]) == after
    except ValueError:
        return False


def tree_of_shape(shape: Shape) -> Tree:
    """The types in `shape`; tuples become Python tuples."""
    return tuple(map(tree_of_shape, shape.elements)) if isinstance(shape, TupleShape) else shape.type


def tree_of_type(type: Attribute) -> Tree:
    """The types in `type`; tuples become Python tuples."""
    return tuple(map(tree_of_type, elements(type))) if isinstance(type, TupleType) else type


def type_of_tree(tree: Tree) -> Attribute:
    """The inverse of `tree_of_type`."""
    if isinstance(tree, tuple):
        return tuple_type(list(map(type_of_tree, cast(tuple[Tree, ...], tree))))
    return cast(Attribute, tree)


def shape_of_type(type: Attribute) -> Shape:
    """A shape of `type` with default layouts."""
    if isinstance(type, TupleType):
        return TupleShape(tuple(map(shape_of_type, elements(type))), type)
    return ArrayShape(type)


def output_type(bundle: BundleShapes) -> Attribute:
    """The type of the output of the operation in flight: one type, or a tuple."""
    types = list(map(type_of_tree, bundle.outputs))
    return types[0] if len(types) == 1 else tuple_type(types)


def pack_level(values: Sequence[SSAValue], operations: list[Operation]) -> SSAValue:
    """Pack `values`, which may be tuples, into a tuple. Appends the operation to `operations`."""
    made = stablehlo.TupleOp(values)
    made.attributes[IMPLICIT] = UNIT
    operations.append(made)
    return made.result


def is_group(function: func.FuncOp) -> bool:
    """Whether a computation has several operations, some of them collectives, which XLA:GPU runs as one group."""
    ops = [op for op in function.body.block.ops if not isinstance(op, stablehlo.TupleOp | stablehlo.GetTupleElementOp)]
    opcodes = [FORMS[type(op)][0] for op in ops if type(op) in FORMS]
    communicates = any(opcode in collectives.ROWS or opcode in communication.ROWS for opcode in opcodes)
    return len(ops) > 2 and (communicates or any(isinstance(op, StartOp) for op in ops))


def return_parts(function: func.FuncOp) -> None:
    """If a function returns the results of its one operation as a tuple, return them individually."""
    returned = function.body.block.last_op
    if not isinstance(returned, func.ReturnOp) or len(returned.operands) != 1:
        return
    parts = parts_of(returned.operands[0])
    packs = returned.operands[0].owner
    if parts is None or not isinstance(packs, stablehlo.TupleOp) or list(packs.val) != parts:
        return
    returned.operands = parts
    Rewriter.erase_op(packs)
    types = function.function_type
    function.function_type = FunctionType.from_lists(list(types.inputs), [part.type for part in parts])
