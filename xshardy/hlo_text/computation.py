"""Reader of computations of HLO text; each becomes a function."""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, StringAttr, UnitAttr
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.lexer import Input, Span

from xshardy.dialects.hlo import LAYOUT, MEMORY
from xshardy.dialects.hlo.annotation_names import SHARDING
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.hlo_text.annotations import ANNOTATIONS
from xshardy.hlo_text.async_opcodes import stem_of
from xshardy.hlo_text.constants import read_constant
from xshardy.hlo_text.fields import ComputationName
from xshardy.hlo_text.instruction import Instruction
from xshardy.hlo_text.lexer import END, Tokens
from xshardy.hlo_text.names import NAME, POSITIONS
from xshardy.hlo_text.opcode import Opcode, extra_attributes
from xshardy.hlo_text.opcodes import OPCODES
from xshardy.hlo_text.shapes import ArrayShape, Shape, ShapeReader, leaves, print_shape, print_type
from xshardy.hlo_text.tuples import is_implicit, leaf_types, pack, parts_of
from xshardy.hlo_text.undefined import no_such_opcode, undefined_computation, undefined_operand

STARTS_WITHOUT_SUFFIX = frozenset({"recv", "send"})
Attributes = dict[str, Attribute]


class AsynchronousInstructions(Protocol):
    """Reads the asynchronous instructions of one computation, and those with unknown opcodes."""

    def read_opaque(self, opcode: str, shape: Shape, name: str, at: int) -> SSAValue:
        """Read an instruction as written; the cursor is after its opcode."""
        ...

    def is_same_bundle(self, value: SSAValue, shape: Shape) -> bool:
        """Whether `value` is in flight and `shape` is its shape, with the operand nested in a tuple or not."""
        ...

    def resolve(self) -> None:
        """Convert the instructions read so far to chains. Raises `HLOError` for an `async-start` without a chain."""

    def verify(self) -> None:
        """Verify the chains in their module. Raises `HLOError` at the instruction."""


@dataclass(slots=True)
class Scope:
    """
    The state shared by the computations of a module: tokens, shapes, and the computations read so far.

    `verified` holds keys of verified instructions; an instruction with the same key is not verified again.
    """

    tokens: Tokens
    read_asynchronous: Callable[["ComputationReader"], AsynchronousInstructions]
    shapes: ShapeReader = field(init=False)
    input: Input = field(init=False)
    """The text, as spans have it."""
    functions: dict[str, func.FuncOp] = field(default_factory=dict[str, func.FuncOp])
    wrapped: dict[str, func.FuncOp] = field(default_factory=dict[str, func.FuncOp])
    """The wrapper functions of asynchronous operations that are written without a computation."""
    asynchronous: list[AsynchronousInstructions] = field(default_factory=list[AsynchronousInstructions])
    verified: set[object] = field(default_factory=set[object])
    is_strict: bool = False
    """Whether unknown opcodes and omitted constants are errors. If so, names need not be kept."""
    spans: dict[Operation, Span] | None = None
    """The place of each instruction, from its name on, if it is asked for."""

    def __post_init__(self):
        self.shapes = ShapeReader(self.tokens)
        self.input = Input(self.tokens.source.text, self.tokens.source.name)

    def record(self, op: Operation, index: int) -> None:
        """Record that `op` is written from the name at token number `index` on."""
        if self.spans is not None:
            start = self.tokens.starts[index]
            self.spans[op] = Span(start, start + len(self.tokens.texts[index]), self.input)

    def function(self, name: str) -> func.FuncOp:
        """The function called `name`."""
        return self.functions.get(name) or self.wrapped[name]

    def free_name(self, name: str) -> str:
        """`name`, with a number appended if it is in use."""
        candidate, number = name, 0
        while candidate in self.functions or candidate in self.wrapped:
            candidate, number = f"{name}.{number}", number + 1
        return candidate


class ComputationReader:
    """Reads one computation."""

    def __init__(self, scope: Scope, name: str):
        self.scope = scope
        self.name = name
        self.tokens = scope.tokens
        self.values: dict[str, SSAValue] = {}
        self.start = 0
        """The index of the token with which the current instruction starts."""
        self.numbers: list[int] = []
        """The numbers of the parameters read so far, in ascending order, as in the block."""
        self.argument_attributes: dict[int, Attributes] = {}
        self.positions: dict[int, int] = {}
        """The position of each parameter, by its number."""
        self.asynchronous = scope.read_asynchronous(self)
        self.block = Block()
        self.operations: list[Operation] = []
        self.signature: tuple[int, list[Shape], Shape] | None = None

    def read_signature(self) -> None:
        """`(p: f32[2], q: s32[]) -> f32[2]`; names are ignored."""
        at = self.tokens.index

        def read_parameter() -> Shape:
            self.tokens.take_name("the name of a parameter")
            self.tokens.expect(":")
            return self.scope.shapes.read()

        parameters = self.tokens.take_list(read_parameter, "(", ")")
        self.tokens.expect("->", " and the shape of the result")
        self.signature = (at, list(parameters), self.scope.shapes.read())

    def read_body(self, is_entry: bool) -> func.FuncOp:
        """`{ instructions }`. The root is the instruction marked ROOT, else the last one."""
        tokens = self.tokens
        at = tokens.index
        tokens.expect("{")
        root: tuple[str, Shape] | None = None
        last: tuple[str, Shape] | None = None
        while not tokens.accept("}"):
            if tokens.kind == END:
                raise tokens.error(f"computation '{self.name}' is not closed", "add the missing '}'", at)
            is_root = tokens.text == "ROOT" and tokens.texts[tokens.index + 1] != "="
            if is_root:
                if root is not None:
                    raise tokens.error("a computation has one ROOT, this is the second", "remove one of the two")
                tokens.index += 1
            last = self.read_instruction()
            root = last if is_root else root
        root = root or last
        if root is None:
            raise tokens.error(f"computation '{self.name}' has no instructions", "a computation needs a root", at)
        if self.numbers != list(range(len(self.numbers))):
            missing = next(i for i, number in enumerate(self.numbers) if i != number)
            raise tokens.error(
                f"computation '{self.name}' has parameter {self.numbers[-1]}, but no parameter {missing}",
                "number the parameters 0, 1, 2, ...",
                at,
            )
        self.check_signature(root[1])
        return self.finish(root[0], is_entry)

    def finish(self, root: str, is_entry: bool) -> func.FuncOp:
        """The function with all instructions read, and a return of `root`."""
        self.asynchronous.resolve()
        self.scope.asynchronous.append(self.asynchronous)
        value = self.values[root]
        self.block.add_ops([*self.operations, func.ReturnOp.create(operands=[value])])
        arguments = self.block.args
        attributes = [DictionaryAttr(self.argument_attributes.get(number, {})) for number in self.numbers]
        sharding = self.annotations_of(value).get(SHARDING)
        function = func.FuncOp(
            self.name,
            FunctionType.from_lists([argument.type for argument in arguments], [value.type]),
            Region(self.block),
            visibility=None if is_entry else "private",
            arg_attrs=ArrayAttr(attributes) if any(attribute.data for attribute in attributes) else None,
            res_attrs=None if sharding is None else ArrayAttr([DictionaryAttr({SHARDING: sharding})]),
        )
        places = [self.positions[number] for number in self.numbers]
        if places != list(range(len(places))):
            function.attributes[POSITIONS] = integers(places)
        return function

    def annotations_of(self, value: SSAValue) -> Mapping[str, Attribute]:
        """The annotations of the instruction of `value`."""
        if isinstance(value, BlockArgument):
            return self.argument_attributes.get(self.numbers[value.index], {})
        op = value.owner
        assert isinstance(op, Operation)
        if is_implicit(op) and (parts := parts_of(value)) and isinstance(source := parts[0].owner, Operation):
            op = source
        return op.attributes

    def check_signature(self, root: Shape) -> None:
        """Raise `HLOError` if the header of the computation and its body disagree."""
        if self.signature is None:
            return
        at, parameters, result = self.signature
        if len(parameters) != len(self.numbers):
            raise self.tokens.error(
                f"the header has {len(parameters)} parameter(s), the body {len(self.numbers)}", index=at
            )
        for i, (shape, argument) in enumerate(zip(parameters, self.block.args, strict=True)):
            if shape.type != argument.type:
                raise self.tokens.error(
                    f"parameter {i} is {print_shape(shape)} in the header and {print_type(argument.type)} in the body",
                    index=at,
                )
        if result.type != root.type:
            raise self.tokens.error(
                f"the result is {print_shape(result)} in the header and {print_shape(root)} in the body", index=at
            )

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
        shape = self.scope.shapes.read()
        at = tokens.index
        opcode = tokens.take("name", "an opcode")
        row = OPCODES.get(opcode)
        if row is None or opcode in STARTS_WITHOUT_SUFFIX:
            self.values[name] = self.read_other(opcode, shape, name, at)
            return name, shape
        tokens.expect("(")
        if opcode == "parameter":
            number = tokens.take_integer("the number of the parameter")
            tokens.expect(")")
            _, kept = self.read_fields(opcode, row)
            self.values[name] = self.add_parameter(name, number, shape, kept, at)
            return name, shape
        literal = None
        operands: list[SSAValue] = []
        if opcode == "constant":
            literal = read_constant(tokens, shape, allows_omitted=not self.scope.is_strict)
        else:
            operands = self.read_operands()
        tokens.expect(")")
        if row.operands is not None and len(operands) != row.operands:
            raise tokens.error(f"{opcode}: takes {row.operands} operand(s), got {len(operands)}", index=at)
        fields, kept = self.read_fields(opcode, row, at)
        instruction = Instruction(opcode, shape, operands, fields, literal, self.scope.functions, tokens, at)
        self.values[name] = self.build(instruction, row, name, kept)
        return name, shape

    def read_other(self, opcode: str, shape: Shape, name: str, at: int) -> SSAValue:
        """An asynchronous instruction, or one with an unknown opcode."""
        if self.scope.is_strict and not stem_of(opcode)[1]:
            raise no_such_opcode(self.tokens, opcode, at)
        return self.asynchronous.read_opaque(opcode, shape, name, at)

    def read_raw(self) -> str:
        """The value of an attribute, as written."""
        tokens = self.tokens
        start = tokens.index
        tokens.take_raw()
        while tokens.text in ("[", "(", "{", "<=", "->", "T"):
            tokens.take_raw()
        return tokens.raw_text(start)

    def build(self, instruction: Instruction, row: Opcode, name: str, kept: Attributes) -> SSAValue:
        """Add the operation of `instruction` and return its value."""
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
            result.name_hint = name
        if (not made.results or made.results[0].name_hint != name) and not self.scope.is_strict:
            made.attributes[NAME] = StringAttr(name)
        self.operations.append(made)
        self.scope.record(made, self.start)
        results = made.results
        if len(results) == 1 and (results[0].type is shape.type or results[0].type == shape.type):
            return results[0]
        value = pack(results, shape.type, self.operations)
        value.name_hint = name
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
                tuple([id(operand.type) for operand in instruction.operands]),
                id(instruction.shape.type),
                tuple(instruction.fields.items()),
            )
            if key in self.scope.verified:
                return
        if tuple(op.result_types) not in ((instruction.shape.type,), tuple(leaf_types(instruction.shape.type))):
            found = ", ".join(map(print_type, op.result_types)) or "nothing"
            raise instruction.error(f"gives {found}, not {print_shape(instruction.shape)}")
        try:
            op.verify(verify_nested_ops=False)
        except VerifyException as error:
            operands = ", ".join(print_type(operand.type) for operand in instruction.operands) or "none"
            hint = f"its operands are {operands}; its result is {print_shape(instruction.shape)}"
            raise instruction.error(reason(error), hint) from error
        if key is not None:
            self.scope.verified.add(key)

    def add_parameter(self, name: str, number: int, shape: Shape, kept: Attributes, at: int) -> BlockArgument:
        """A new argument of the function, placed by its number."""
        position = bisect_left(self.numbers, number)
        if number < 0 or self.numbers[position : position + 1] == [number]:
            raise self.tokens.error(
                f"parameter {number} is " + ("defined twice" if number >= 0 else "negative"),
                "number the parameters 0, 1, 2, ...",
                at,
            )
        self.numbers.insert(position, number)
        argument = self.block.insert_arg(shape.type, position)
        argument.name_hint = name
        self.positions[number] = len(self.values)
        if argument.name_hint != name and not self.scope.is_strict:
            kept[NAME] = StringAttr(name)
        if attributes := {**kept, **layout_attributes(shape)}:
            self.argument_attributes[number] = attributes
        return argument

    def read_operands(self) -> list[SSAValue]:
        """`x, f32[2] %y` up to the closing parenthesis."""
        tokens = self.tokens
        operands: list[SSAValue] = []
        if tokens.text == ")":
            return operands
        while True:
            shape = None
            at = tokens.index
            if tokens.kinds[at] == "shape" or tokens.texts[at] == "(":
                shape = self.scope.shapes.read()
            operand_at = tokens.index
            name = tokens.take_name("an operand")
            value = self.values.get(name)
            if value is None:
                raise undefined_operand(tokens, name, operand_at, self.values)
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
            operands.append(value)
            if not tokens.accept(","):
                if tokens.text != ")":
                    tokens.expected("',' or ')'")
                return operands

    def read_fields(
        self, opcode: str, row: Opcode, at: int | None = None, skipped: frozenset[str] = frozenset()
    ) -> tuple[dict[str, Any], Attributes]:
        """
        `, key=value, ...`: attributes of the opcode, and annotations.

        Attributes in `skipped` are ignored.
        """
        tokens = self.tokens
        fields: dict[str, Any] = {}
        kept: Attributes = {}
        while tokens.accept(","):
            key_at = tokens.index
            key = tokens.take("name", "an attribute")
            tokens.expect("=")
            if key in fields or (kept and key in ANNOTATIONS and ANNOTATIONS[key].attribute in kept):
                raise tokens.error(f"{opcode}: attribute '{key}' is given twice", "remove one of the two", key_at)
            if (read := row.readers.get(key)) is not None:
                value = fields[key] = read(tokens)
                if isinstance(value, ComputationName):
                    self.check_computation(value)
                elif type(value) is tuple:
                    for part in cast(tuple[object, ...], value):
                        if isinstance(part, ComputationName):
                            self.check_computation(part)
            elif (annotation := ANNOTATIONS.get(key)) is not None:
                kept[annotation.attribute] = annotation.read(tokens)
            elif key in skipped:
                self.read_raw()
            else:
                allowed = ", ".join(sorted(row.readers)) or "no attributes of its own"
                raise tokens.error(f"{opcode}: unknown attribute '{key}'", f"{opcode} takes {allowed}", key_at)
        if missing := row.required - fields.keys():
            raise tokens.error(
                f"{opcode}: attribute '{min(missing)}' is missing",
                f"write `{min(missing)}=...` after the operands",
                at,
            )
        return fields, kept

    def check_computation(self, callee: ComputationName) -> None:
        """Raise `HLOError` if a called computation has not been read yet."""
        if callee.name not in self.scope.functions:
            raise undefined_computation(self.tokens, callee, self.name)


def reason(error: VerifyException) -> str:
    """The last line of a verifier's message, without the operand position that xDSL prepends."""
    return str(error).strip().splitlines()[-1].strip()


def layout_attributes(shape: Shape) -> Mapping[str, Attribute]:
    """The discardable attributes for the layouts in `shape`; none if all are the default."""
    if isinstance(shape, ArrayShape):
        if shape.layout is None and not shape.annotation:
            return {}
        arrays = (shape,)
    else:
        arrays = tuple(leaves(shape))
    attributes: Attributes = {}
    if any(array.layout is not None for array in arrays):
        layouts = [UnitAttr() if array.layout is None else integers(array.layout) for array in arrays]
        attributes[LAYOUT] = layouts[0] if isinstance(shape, ArrayShape) else ArrayAttr(layouts)
    if any(array.annotation for array in arrays):
        texts = [StringAttr(array.annotation) for array in arrays]
        attributes[MEMORY] = texts[0] if isinstance(shape, ArrayShape) else ArrayAttr(texts)
    return attributes
