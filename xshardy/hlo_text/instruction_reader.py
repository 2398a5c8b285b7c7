"""Reader of the instructions of a computation of HLO text; each becomes an operation."""

from collections import Counter

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from xshardy.hlo_text.async_opcodes import stem_of
from xshardy.hlo_text.attribute_reader import NAME_IT, AttributeReader
from xshardy.hlo_text.buffers import check_takes_buffers, has_buffer
from xshardy.hlo_text.constants import read_constant
from xshardy.hlo_text.errors import reason
from xshardy.hlo_text.inferred_shapes import inferred_shape, needs_shape, provisional_shape
from xshardy.hlo_text.instruction import Instruction
from xshardy.hlo_text.layouts import layout_attributes
from xshardy.hlo_text.names import NAME
from xshardy.hlo_text.opcode import Opcode, extra_attributes
from xshardy.hlo_text.opcodes import OPCODES
from xshardy.hlo_text.scope import Attributes, Scope
from xshardy.hlo_text.shapes import Shape, print_shape, print_type
from xshardy.hlo_text.tuples import leaf_types, pack
from xshardy.hlo_text.undefined import no_such_opcode, undefined_operand
from xshardy.ir import set_name_hint
from xshardy.ir.hashing import key_of, keys_of

STARTS_WITHOUT_SUFFIX = frozenset({"recv", "send"})
NEED_SHAPE = frozenset({"constant", "parameter", *STARTS_WITHOUT_SUFFIX})
"""Opcodes whose shape cannot be left out, because reading the rest depends on it."""


class InstructionReader(AttributeReader):
    """Reads the instructions of one computation."""

    def __init__(self, scope: Scope, name: str):
        super().__init__(scope, name)
        self.values: dict[str, SSAValue] = {}
        self.shapes: dict[SSAValue, Shape] = {}
        """The shape of each instruction read so far."""
        self.buffers: dict[SSAValue, int] = {}
        """The values with buffers, with the index of the token of their opcode."""
        self.anonymous: Counter[str] = Counter()
        """The number of instructions without a name, by opcode."""
        self.count = 0
        """The number of instructions read so far."""
        self.start = 0
        """The index of the token with which the current instruction starts."""
        self.parameters: dict[int, BlockArgument] = {}
        """The parameters read so far by their numbers. The block gets all of them at once, in the order of these."""
        self.argument_attributes: dict[int, Attributes] = {}
        self.positions: dict[int, int] = {}
        """The position of each parameter, by its number."""
        self.asynchronous = scope.read_asynchronous(self)
        self.block = Block()
        self.operations: list[Operation] = []

    def read_instruction(self) -> tuple[str, Shape]:
        """`name = shape opcode(operands), attributes`. Returns its name and shape."""
        tokens = self.tokens
        self.start = name_at = tokens.index
        name = tokens.take_name("an instruction")
        if name in self.values:
            raise tokens.error(
                f"'{name}' is defined twice in computation '{self.name}'", "rename one of the two", name_at
            )
        tokens.expect("=")
        shape = None if self.is_call() else self.scope.shapes.read()
        self.values[name], shape = self.read_value(name, shape)
        return name, shape

    def is_call(self) -> bool:
        """Whether an opcode and its operands come next, without a shape before them."""
        tokens = self.tokens
        is_called = tokens.kind == "name" and tokens.texts[tokens.index + 1] == "("
        return is_called and not self.scope.shapes.is_buffer()

    def read_value(self, name: str | None, shape: Shape | None) -> tuple[SSAValue, Shape]:
        """
        `opcode(operands), attributes` of the instruction `name`. Returns its value and shape, which may be left out.

        Without a name it is nested, an operand of another instruction, and has no attributes.
        """
        at = self.tokens.index
        opcode = self.tokens.take("name", "an opcode")
        row = OPCODES.get(opcode)
        if shape is None and (row is None or opcode in NEED_SHAPE):
            if row is None and not stem_of(opcode)[1]:
                raise no_such_opcode(self.tokens, opcode, at)
            raise needs_shape(self.tokens, opcode, at)
        if row is None or opcode in STARTS_WITHOUT_SUFFIX:
            if name is None:
                raise self.tokens.error(f"{opcode} cannot be an operand", NAME_IT, at)
            assert shape is not None
            value = self.read_other(opcode, shape, name, at)
        elif opcode == "parameter":
            assert shape is not None
            value = self.read_parameter(name, shape, row, at)
        else:
            value, shape = self.read_operation(opcode, row, name, shape, at)
        self.count += 1
        self.shapes[value] = shape
        if self.scope.shapes.buffers and has_buffer(value):
            self.buffers[value] = at
        return value, shape

    def read_operation(
        self, opcode: str, row: Opcode, name: str | None, shape: Shape | None, at: int
    ) -> tuple[SSAValue, Shape]:
        """`(operands), attributes` of an instruction with a row in the table of opcodes."""
        tokens = self.tokens
        tokens.expect("(")
        literal = None
        operands: list[SSAValue] = []
        if opcode == "constant":
            assert shape is not None
            literal = read_constant(tokens, shape)
        else:
            operands = self.read_operands()
        tokens.expect(")")
        if row.operands is not None and len(operands) != row.operands:
            raise tokens.error(f"{opcode}: takes {row.operands} operand(s), got {len(operands)}", index=at)
        fields, kept = self.read_fields(opcode, row, at, is_nested=name is None)
        shapes = [self.shapes[operand] for operand in operands] if shape is None else []
        provisional = shape or provisional_shape(shapes)
        instruction = Instruction(opcode, provisional, operands, fields, literal, self.scope.functions, tokens, at)
        if shape is None:
            instruction.shape = inferred_shape(instruction, row, shapes, self.scope.roots)
        return self.build(instruction, row, name or self.anonymous_name(opcode), kept), instruction.shape

    def anonymous_name(self, opcode: str) -> str:
        """The name that XLA gives to an instruction without one."""
        self.anonymous[opcode] += 1
        number = self.anonymous[opcode] - 1
        return f"{opcode}.anon.{number}" if number else f"{opcode}.anon"

    def read_other(self, opcode: str, shape: Shape, name: str, at: int) -> SSAValue:
        """An asynchronous instruction, or one with an unknown opcode."""
        if self.scope.is_strict and not stem_of(opcode)[1]:
            raise no_such_opcode(self.tokens, opcode, at)
        return self.asynchronous.read_opaque(opcode, shape, name, at)

    def build(self, instruction: Instruction, row: Opcode, name: str, kept: Attributes) -> SSAValue:
        """Add the operation of `instruction` and return its value."""
        if self.scope.shapes.buffers:
            check_takes_buffers(instruction)
        made = row.build(instruction)
        self.verify(instruction, row, made)
        if kept:
            made.attributes.update(kept)
        if row.extras:
            made.attributes.update(extra_attributes(instruction, row))
        self.operations += instruction.before
        return self.add(made, instruction.shape, name)

    def add(self, made: Operation, shape: Shape, name: str) -> SSAValue:
        """Add an operation and return its value: its result, or the tuple of its results."""
        if layouts := layout_attributes(shape):
            made.attributes.update(layouts)
        for result in made.results:
            set_name_hint(result, name)
        if (not made.results or made.results[0].name_hint != name) and not self.scope.is_strict:
            made.attributes[NAME] = StringAttr(name)
        self.operations.append(made)
        self.scope.record(made, self.start)
        results = made.results
        if len(results) == 1 and (results[0].type is shape.type or results[0].type == shape.type):
            return results[0]
        value = pack(results, shape.type, self.operations)
        set_name_hint(value, name)
        return value

    def verify(self, instruction: Instruction, row: Opcode, op: Operation) -> None:
        """
        Verify `op`, unless an operation with the same key was verified before.

        Raises `HLOError` at the instruction.
        """
        if row.needs_module:
            return
        key: object = None
        if instruction.literal is None:
            key = (
                instruction.opcode,
                keys_of([operand.type for operand in instruction.operands]),
                key_of(instruction.shape.type),
                tuple(instruction.fields.items()),
            )
            if key in self.scope.verified:
                return
        if tuple(op.result_types) not in ((instruction.shape.type,), tuple(leaf_types(instruction.shape.type))):
            found = ", ".join(map(print_type, op.result_types)) or "nothing"
            raise instruction.error(f"gives {found}, not {print_shape(instruction.shape)}")
        if not self.scope.verifies:
            return
        try:
            op.verify(verify_nested_ops=False)
        except VerifyException as error:
            operands = ", ".join(print_type(operand.type) for operand in instruction.operands) or "none"
            hint = f"its operands are {operands}; its result is {print_shape(instruction.shape)}"
            raise instruction.error(reason(error), hint) from error
        if key is not None:
            self.scope.verified.add(key)

    def read_parameter(self, name: str | None, shape: Shape, row: Opcode, at: int) -> BlockArgument:
        """`(number), attributes` of a parameter: a new argument of the function, placed by its number."""
        tokens = self.tokens
        tokens.expect("(")
        number = tokens.take_integer("the number of the parameter")
        tokens.expect(")")
        _, kept = self.read_fields("parameter", row, at, is_nested=name is None)
        if number < 0 or number in self.parameters:
            raise tokens.error(
                f"parameter {number} is " + ("defined twice" if number >= 0 else "negative"),
                "number the parameters 0, 1, 2, ...",
                at,
            )
        argument = self.parameters[number] = BlockArgument(shape.type, self.block, number)
        name = name or self.anonymous_name("parameter")
        set_name_hint(argument, name)
        self.positions[number] = self.count
        if argument.name_hint != name and not self.scope.is_strict:
            kept[NAME] = StringAttr(name)
        if attributes := {**kept, **layout_attributes(shape)}:
            self.argument_attributes[number] = attributes
        return argument

    def read_operands(self) -> list[SSAValue]:
        """`x, f32[2] %y, f32[2] negate(z)` up to the closing parenthesis."""
        tokens = self.tokens
        operands: list[SSAValue] = []
        if tokens.text == ")":
            return operands
        while True:
            operands.append(self.read_operand())
            if not tokens.accept(","):
                if tokens.text != ")":
                    tokens.expected("',' or ')'")
                return operands

    def read_operand(self) -> SSAValue:
        """`x`, `f32[2] %y`, `%t#1`, or a nested instruction: `f32[] constant(1)`, `negate(z)`."""
        tokens = self.tokens
        shape = None
        at = tokens.index
        if tokens.kinds[at] == "shape" or tokens.texts[at] == "(" or self.scope.shapes.is_buffer():
            shape = self.scope.shapes.read()
        if self.is_call():
            return self.read_nested(shape)
        operand_at = tokens.index
        name = tokens.take_name("an operand")
        value = self.values.get(name)
        if value is None:
            raise undefined_operand(tokens, name, operand_at, self.values)
        while tokens.accept("#"):
            index = tokens.take_integer("the index of an element")
            name = f"{name}_{index}"
            value = self.element(value, index, name, operand_at)
        if (
            shape is not None
            and value.type is not shape.type
            and value.type != shape.type
            and not self.asynchronous.is_same_bundle(value, shape)
        ):
            raise tokens.error(
                f"operand '{name}' is {print_type(value.type)}, not {print_shape(shape)}",
                "correct the shape, or leave it out",
                at,
            )
        return value

    def element(self, tuple_: SSAValue, index: int, name: str, at: int) -> SSAValue:
        """Element `index` of `tuple_`, by an operation of its own with the `name` that XLA gives it."""
        opcode, shapes = "get-tuple-element", [self.shapes[tuple_]]
        row = OPCODES[opcode]
        fields: dict[str, object] = {"index": index}
        functions = self.scope.functions
        taken = Instruction(opcode, provisional_shape(shapes), [tuple_], fields, None, functions, self.tokens, at)
        taken.shape = inferred_shape(taken, row, shapes, self.scope.roots)
        value = self.build(taken, row, name, {})
        self.shapes[value] = taken.shape
        return value

    def read_nested(self, shape: Shape | None) -> SSAValue:
        """An instruction that is written as an operand."""
        start, self.start = self.start, self.tokens.index
        with self.scope.nested():
            value, _ = self.read_value(None, shape)
        self.start = start
        return value
