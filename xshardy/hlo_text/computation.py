"""Reader of computations of HLO text; each becomes a function."""

from collections.abc import Mapping

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType
from xdsl.ir import Attribute, BlockArgument, Operation, Region, SSAValue

from xshardy.dialects.hlo.annotation_names import SHARDING
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.hlo_text.buffers import check_buffers
from xshardy.hlo_text.instruction_reader import InstructionReader
from xshardy.hlo_text.lexer import END
from xshardy.hlo_text.names import POSITIONS
from xshardy.hlo_text.scope import Scope
from xshardy.hlo_text.shapes import Shape, print_shape
from xshardy.hlo_text.tuples import is_implicit, parts_of
from xshardy.ir.fields import set_arguments


class ComputationReader(InstructionReader):
    """Reads one computation."""

    def __init__(self, scope: Scope, name: str):
        super().__init__(scope, name)
        self.signature: tuple[int, Shape] | None = None
        """The token where the header begins, and the shape of its result."""

    def read_signature(self) -> None:
        """
        `(p: f32[2], q: s32[]) -> f32[2]`; the colons are optional.

        As in XLA, the parameters are those of the body, whatever stands here.
        """
        tokens, shapes = self.tokens, self.scope.shapes
        at = tokens.index

        def read_parameter() -> Shape:
            tokens.take_name("the name of a parameter")
            tokens.accept(":")
            return shapes.read()

        tokens.take_list(read_parameter, "(", ")")
        tokens.expect("->", " and the shape of the result")
        self.signature = (at, shapes.read())

    def read_body(self, is_entry: bool) -> tuple[func.FuncOp, Shape]:
        """`{ instructions }` and the shape of the root: the instruction marked ROOT, else the last one."""
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
        numbers = sorted(self.parameters)
        if (missing := next((i for i, number in enumerate(numbers) if i != number), None)) is not None:
            raise tokens.error(
                f"computation '{self.name}' has parameter {numbers[-1]}, but no parameter {missing}",
                "number the parameters 0, 1, 2, ...",
                at,
            )
        self.check_signature(root[1])
        return self.finish(root[0], is_entry), root[1]

    def finish(self, root: str, is_entry: bool) -> func.FuncOp:
        """The function with all instructions read, and a return of `root`."""
        check_buffers(self.buffers, self.values[root], is_entry, self.tokens)
        self.asynchronous.resolve()
        self.scope.asynchronous.append(self.asynchronous)
        value = self.values[root]
        self.block.add_ops([*self.operations, func.ReturnOp.create(operands=[value])])
        arguments = tuple(self.parameters[number] for number in range(len(self.parameters)))
        set_arguments(self.block, arguments)
        attributes = [DictionaryAttr(self.argument_attributes.get(number, {})) for number in range(len(arguments))]
        sharding = self.annotations_of(value).get(SHARDING)
        function = func.FuncOp(
            self.name,
            FunctionType.from_lists([argument.type for argument in arguments], [value.type]),
            Region(self.block),
            visibility=None if is_entry else "private",
            arg_attrs=ArrayAttr(attributes) if any(attribute.data for attribute in attributes) else None,
            res_attrs=None if sharding is None else ArrayAttr([DictionaryAttr({SHARDING: sharding})]),
        )
        places = [self.positions[number] for number in range(len(arguments))]
        if places != list(range(len(places))):
            function.attributes[POSITIONS] = integers(places)
        return function

    def annotations_of(self, value: SSAValue) -> Mapping[str, Attribute]:
        """The annotations of the instruction of `value`."""
        if isinstance(value, BlockArgument):
            return self.argument_attributes.get(value.index, {})
        op = value.owner
        assert isinstance(op, Operation)
        if is_implicit(op) and (parts := parts_of(value)) and isinstance(source := parts[0].owner, Operation):
            op = source
        return op.attributes

    def check_signature(self, root: Shape) -> None:
        """Raise `HLOError` if the header of the computation and its body disagree about the result."""
        if self.signature is None:
            return
        at, result = self.signature
        if result.type != root.type:
            raise self.tokens.error(
                f"the result is {print_shape(result)} in the header and {print_shape(root)} in the body", index=at
            )
