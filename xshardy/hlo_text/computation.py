"""Computations of HLO text, each of which becomes a function."""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import AnyTensorType, ArrayAttr, DictionaryAttr, FunctionType, StringAttr, UnitAttr
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.hlo import LAYOUT, MEMORY
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.dialects.stablehlo.types import TokenType
from xshardy.hlo_text.errors import HLOError
from xshardy.hlo_text.fields import KEPT, READERS, ComputationName
from xshardy.hlo_text.instruction import Instruction, Value, flatten, has_shape, nest, print_value_shape
from xshardy.hlo_text.lexer import END, Tokens
from xshardy.hlo_text.literals import read_literal
from xshardy.hlo_text.opcodes import NOT_SUPPORTED_YET, OPCODES, Opcode
from xshardy.hlo_text.shapes import ArrayShape, Shape, ShapeReader, TupleShape, leaves, print_shape

Attributes = dict[str, Attribute]


@dataclass(slots=True)
class Scope:
    """
    What the computations of a module share: its tokens, the shapes met, the computations read so far.

    `verified` holds what distinguishes the instructions that were verified: a second one like it need not be.
    """

    tokens: Tokens
    shapes: ShapeReader = field(init=False)
    functions: dict[str, func.FuncOp] = field(default_factory=dict[str, func.FuncOp])
    verified: set[object] = field(default_factory=set[object])

    def __post_init__(self):
        self.shapes = ShapeReader(self.tokens)


class ComputationReader:
    """Reads one computation."""

    def __init__(self, scope: Scope, name: str):
        self.scope = scope
        self.name = name
        self.tokens = scope.tokens
        self.values: dict[str, Value] = {}
        self.numbers: list[int] = []
        """The numbers of the parameters read so far, in ascending order, as the arguments of the block."""
        self.argument_attributes: dict[int, Attributes] = {}
        self.block = Block()
        self.operations: list[Operation] = []
        self.signature: tuple[int, list[Shape], Shape] | None = None

    def read_signature(self) -> None:
        """`(p: f32[2], q: s32[]) -> f32[2]`; the names are not used."""
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
        """The function with everything that was read, and a return of `root`."""
        value = self.values[root]
        results = flatten(value)
        return_op = func.ReturnOp.create(operands=results)
        if isinstance(value, tuple):
            return_op.attributes["hlo.root"] = StringAttr(root)
        self.block.add_ops([*self.operations, return_op])
        arguments = self.block.args
        attributes = [DictionaryAttr(self.argument_attributes.get(number, {})) for number in self.numbers]
        return func.FuncOp(
            self.name,
            FunctionType.from_lists([argument.type for argument in arguments], [result.type for result in results]),
            Region(self.block),
            visibility=None if is_entry else "private",
            arg_attrs=ArrayAttr(attributes) if any(attribute.data for attribute in attributes) else None,
        )

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
            if not isinstance(shape, ArrayShape) or shape.type != argument.type:
                raise self.tokens.error(
                    f"parameter {i} is {print_shape(shape)} in the header and {print_shape(ArrayShape(argument.type))} "
                    "in the body",
                    index=at,
                )
        if [leaf.type for leaf in leaves(result)] != [leaf.type for leaf in leaves(root)]:
            raise self.tokens.error(
                f"the result is {print_shape(result)} in the header and {print_shape(root)} in the body", index=at
            )

    def read_instruction(self) -> tuple[str, Shape]:
        """`name = shape opcode(operands), attributes`. Returns its name and shape."""
        tokens = self.tokens
        name_at = tokens.index
        name = tokens.take_name("an instruction")
        if name in self.values:
            raise tokens.error(
                f"'{name}' is defined twice in computation '{self.name}'", "rename one of the two", name_at
            )
        tokens.expect("=")
        shape = self.scope.shapes.read()
        at = tokens.index
        opcode = tokens.take("name", "an opcode")
        if (row := OPCODES.get(opcode)) is None:
            raise self.no_such_opcode(opcode, at)
        tokens.expect("(")
        if opcode == "parameter":
            number = tokens.take_integer("the number of the parameter")
            tokens.expect(")")
            _, kept = self.read_fields(opcode, row)
            self.values[name] = self.add_parameter(name, number, shape, kept, at)
            return name, shape
        literal = None
        operands: list[Value] = []
        if opcode == "constant":
            literal = self.read_constant(shape)
        else:
            operands = self.read_operands()
        tokens.expect(")")
        if row.operands is not None and len(operands) != row.operands:
            raise tokens.error(f"{opcode}: takes {row.operands} operand(s), got {len(operands)}", index=at)
        fields, kept = self.read_fields(opcode, row, at)
        instruction = Instruction(opcode, shape, operands, fields, literal, self.scope.functions, tokens, at)
        self.values[name] = self.build(instruction, row, name, kept)
        return name, shape

    def build(self, instruction: Instruction, row: Opcode, name: str, kept: Attributes) -> Value:
        """Add the operation of `instruction`, if it needs one, and give its value."""
        shape = instruction.shape
        made = row.build(instruction)
        if not isinstance(made, Operation):
            self.check_value(instruction, made)
            return made
        self.verify(instruction, row, made)
        made.attributes.update(kept)
        made.attributes.update(layout_attributes(shape))
        for result in made.results:
            result.name_hint = name
        self.operations.append(made)
        return made.results[0] if isinstance(shape, ArrayShape) else nest(made.results, shape)

    def verify(self, instruction: Instruction, row: Opcode, op: Operation) -> None:
        """Verify `op`, unless one like it has been verified before. Raises `HLOError` at the instruction."""
        if row.needs_module:
            return
        key: object = None
        if instruction.literal is None:
            key = (
                instruction.opcode,
                tuple(id(operand.type) for operand in op.operands),
                tuple(id(type) for type in op.result_types),
                tuple(instruction.fields.items()),
            )
            if key in self.scope.verified:
                return
        try:
            op.verify()
        except VerifyException as error:
            operands = ", ".join(print_shape(ArrayShape(operand.type)) for operand in op.operands) or "none"
            hint = f"its operands are {operands}; its result is {print_shape(instruction.shape)}"
            raise instruction.error(reason(error), hint) from error
        if key is not None:
            self.scope.verified.add(key)

    def check_value(self, instruction: Instruction, value: Value) -> None:
        """Raise `HLOError` if `value` has not the shape that the instruction says."""
        if not has_shape(value, instruction.shape):
            raise instruction.error(f"gives {print_value_shape(value)}, not {print_shape(instruction.shape)}")

    def no_such_opcode(self, opcode: str, at: int) -> HLOError:
        """The error about an opcode without a row."""
        if opcode in NOT_SUPPORTED_YET:
            return self.tokens.error(f"opcode '{opcode}' is not supported yet", index=at)
        close = get_close_matches(opcode, OPCODES.keys() | NOT_SUPPORTED_YET, 1)
        return self.tokens.error(f"unknown opcode '{opcode}'", f"did you mean '{close[0]}'?" if close else "", at)

    def add_parameter(self, name: str, number: int, shape: Shape, kept: Attributes, at: int) -> BlockArgument:
        """A new argument of the function, placed by its number."""
        if isinstance(shape, TupleShape):
            raise self.tokens.error(
                "parameter: tuple parameters are not supported",
                "pass the elements of the tuple as parameters of their own",
                at,
            )
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
        if attributes := {**kept, **layout_attributes(shape)}:
            self.argument_attributes[number] = attributes
        return argument

    def read_constant(self, shape: Shape) -> Any:
        """The literal of a constant."""
        if not isinstance(shape, ArrayShape) or isinstance(shape.type, TokenType):
            raise self.tokens.error(
                f"constant: constants of shape {print_shape(shape)} are not supported", "write one for each array"
            )
        return read_literal(self.tokens, cast(AnyTensorType, shape.type))

    def read_operands(self) -> list[Value]:
        """`x, f32[2] %y` up to the closing parenthesis."""
        tokens = self.tokens
        operands: list[Value] = []
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
                raise self.undefined(name, operand_at)
            if shape is not None and not has_shape(value, shape):
                raise tokens.error(
                    f"operand '{name}' is {print_value_shape(value)}, not {print_shape(shape)}",
                    "correct the shape, or leave it out",
                    at,
                )
            operands.append(value)
            if not tokens.accept(","):
                if tokens.text != ")":
                    tokens.expected("',' or ')'")
                return operands

    def undefined(self, name: str, at: int) -> HLOError:
        """The error about an operand that no instruction above defines."""
        texts = self.tokens.texts
        is_later = any(texts[i].removeprefix("%") == name and texts[i + 1] == "=" for i in range(at, len(texts) - 1))
        close = get_close_matches(name, self.values, 1)
        if name in texts[at:] and is_later:
            hint = "an instruction comes after its operands: move it down"
        else:
            hint = f"did you mean '{close[0]}'?" if close else "operands are instructions of the same computation"
        return self.tokens.error(f"undefined operand '{name}'", hint, at)

    def read_fields(self, opcode: str, row: Opcode, at: int | None = None) -> tuple[dict[str, Any], Attributes]:
        """`, key=value, ...`: the attributes of the opcode, and those that are kept for whatever opcode."""
        tokens = self.tokens
        fields: dict[str, Any] = {}
        kept: Attributes = {}
        while tokens.accept(","):
            key_at = tokens.index
            key = tokens.take("name", "an attribute")
            tokens.expect("=")
            if key in fields or key in kept:
                raise tokens.error(f"{opcode}: attribute '{key}' is given twice", "remove one of the two", key_at)
            if key in row.allowed:
                fields[key] = READERS[key](tokens)
                if isinstance(fields[key], ComputationName):
                    self.check_computation(fields[key])
            elif key in KEPT:
                name, read = KEPT[key]
                kept[name] = read(tokens)
            else:
                allowed = ", ".join(sorted(row.allowed)) or "no attributes of its own"
                raise tokens.error(f"{opcode}: unknown attribute '{key}'", f"{opcode} takes {allowed}", key_at)
        if missing := row.required - fields.keys():
            raise tokens.error(
                f"{opcode}: attribute '{min(missing)}' is missing",
                f"write `{min(missing)}=...` after the operands",
                at,
            )
        return fields, kept

    def check_computation(self, callee: ComputationName) -> None:
        """Raise `HLOError` if a computation that is called has not been read yet."""
        if callee.name in self.scope.functions:
            return
        if callee.name == self.name:
            raise self.tokens.error(
                f"recursive call: computation '{self.name}' calls itself", "HLO has no recursion", callee.at
            )
        texts = self.tokens.texts
        is_later = any(
            texts[i].removeprefix("%") == callee.name and texts[i + 1] in ("{", "(") and texts[i - 1] in ("}", "ENTRY")
            for i in range(callee.at, len(texts) - 1)
        )
        hint = (
            "computations come before those that call them, and HLO has no recursion: move it up"
            if is_later
            else "define it above"
        )
        raise self.tokens.error(f"computation '{callee.name}' is not defined", hint, callee.at)


def reason(error: VerifyException) -> str:
    """The last line of a verifier's message, without the position of the operand that xDSL puts in front."""
    return str(error).strip().splitlines()[-1].strip()


def layout_attributes(shape: Shape) -> Mapping[str, Attribute]:
    """The discardable attributes that keep the layouts in `shape`; none where all are the default."""
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
