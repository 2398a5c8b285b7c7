"""A program of StableHLO as a module, whatever it was read from, with the names of its values and their places."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TupleType, UnregisteredAttr, UnregisteredOp
from xdsl.dialects.func import CallOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Span

from xshardy.dialects.discardable import verify
from xshardy.dialects.stablehlo.calls import CompositeOp
from xshardy.dialects.stablehlo.control_flow import IfOp
from xshardy.ir.clones import clone_operation
from xshardy.programs.errors import InputError, InvalidProgramError
from xshardy.programs.garbage import collection_suspended
from xshardy.programs.inner_programs import program_in
from xshardy.programs.names import SourceNames, names_of_module
from xshardy.programs.source import Source
from xshardy.rewriting.walk import attributes_on, operations_below, operations_from, operations_in
from xshardy.syntax.bytecode import read_bytecode
from xshardy.syntax.diagnostics import verify_error_text
from xshardy.syntax.locations import innermost_place
from xshardy.syntax.parser import Parser
from xshardy.syntax.resources import parse_with_resources
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.failures import OperationFailedException
from xshardy.universe import new_context

if TYPE_CHECKING:
    from xshardy.programs.meshes import MeshSizes

# What reads HLO loads all of its opcodes, and what knows shardings loads the dialect of Shardy: both are imported for
# programs that need them only.


@dataclass(frozen=True, slots=True)
class Program:
    """A program as its module, and the names of its source. Passes change the module in place."""

    module: ModuleOp
    names: SourceNames
    source: Source
    context: Context

    def place(self, op: Operation) -> str:
        """`model.py:42`, the place of `op`, or else the file and line of the text; the file if a pass created it."""
        if (place := innermost_place(self.names.location(op))) is not None:
            return f"{place.filename.data}:{place.line.data}"
        line = self.names.line(op)
        return self.source.name if line is None or not self.source.is_text else f"{self.source.name}:{line}"

    def named(self) -> "Program":
        """
        The program with names that stay when passes copy operations, or replace calls by copies of functions.

        Operations get locations of their own, in place. A module, or bytecode, gets the names that it is printed with.
        """
        names = self.names if isinstance(self.source.content, str) else names_of_module(self.module)
        names.follow_copies(self.module)
        for call in operations_below(self.module, CallOp, CompositeOp, IfOp):
            names.keep(call)
        return replace(self, names=names)

    def import_shardings(self) -> None:
        """
        Make shardings in a notation of XLA those of Shardy, which MLIR of a newer JAX has, in place.

        Tuples, which `read_hlo` keeps, become several values. Raises `OperationFailedException`.
        """
        from xshardy.transforms.xla_sdy.import_carried import import_carried, import_if_carried

        if self.source.is_hlo:
            import_carried(self.module, self.context)
            return
        if _has_tuples(self.module):
            from xshardy.hlo_text.dissolve_tuples import dissolve_tuples
            from xshardy.transforms.hlo.canonicalize_from_hlo_import import CanonicalizeFromHloImportPass

            dissolve_tuples(self.module)
            CanonicalizeFromHloImportPass().rewrite_module(self.module)
        import_if_carried(self.module, self.context)

    def resize(self, mesh: "MeshSizes | None") -> None:
        """Give the axes of its meshes other sizes, in place, as `resize_meshes` does."""
        from xshardy.programs.meshes import resize_meshes

        resize_meshes(self.module, mesh, self.context)

    def copy(self) -> tuple["Program", Mapping[Operation, Operation]]:
        """A copy with the same names, and the operation of the copy for each operation."""
        module = clone_operation(self.module)
        copies = dict(zip(operations_from(self.module), operations_from(module), strict=True))
        return replace(self, module=module, names=self.names.of_copies(copies)), copies

    @contextmanager
    def failures_placed(self) -> Generator[None]:
        """Raise the failure of an operation inside as `InputError` with its place."""
        try:
            yield
        except OperationFailedException as error:
            raise InputError(f"{self.place(error.operation)}: error: {error}") from None


def read_module(source: Source, context: Context) -> tuple[ModuleOp, SourceNames]:
    """
    The module of `source`, and the names of its values in a text. What is read is verified, a module is not.

    Raises `InvalidProgramError`, `HLOError`, xDSL's `ParseError` or `BytecodeError`.
    """
    content = source.content
    spans: Mapping[Operation, Span] = {}
    if isinstance(content, ModuleOp):
        return content, SourceNames({})
    if isinstance(content, bytes):
        module, names = read_bytecode(content, context), SourceNames({})
    elif source.is_hlo:
        from xshardy.programs.hlo import read_hlo_program

        module, names, spans = read_hlo_program(content, source.name)
    else:
        parser = Parser(context, content, source.name)
        module, spans = parse_with_resources(parser), parser.spans
        names = SourceNames(spans, has_lines=source.is_text)
    try:
        verify(module)
    except VerifyException as error:
        raise InvalidProgramError(verify_error_text(module, error, spans, source.name).rstrip("\n")) from None
    return module, names


@collection_suspended()
def read_program(source: Source) -> Program:
    """
    The program of `source`. Raises what `read_module` and `program_in` do, and `InputError` for a text without
    operations.
    """
    context = new_context()
    try:
        module, names = read_module(source, context)
    except ParseError as error:
        if "is not registered" not in error.msg:
            raise
        # Only now: a text without foreign names is read faster in a context that refuses them.
        module, names = _read_foreign(source, context, error)
    if module.body.block.is_empty:
        raise InputError(f"{source.name}: error: there is no program in it")
    return Program(program_in(module, source), names, source, context)


def _read_foreign(source: Source, context: Context, error: ParseError) -> tuple[ModuleOp, SourceNames]:
    """
    As `read_module`, but attributes and operations of dialects that `context` does not know are kept as they are.

    Raises `error`, which the usual way to read has raised, for an unknown name in a dialect that is known.
    """
    lenient = context.clone()
    lenient.allow_unregistered = True
    try:
        module, names = read_module(source, lenient)
    except (ParseError, InvalidProgramError):
        raise error from None
    operations = [op for op in operations_in(module) if isinstance(op, UnregisteredOp)]
    held = attributes_on([module, *operations_in(module)]).values()
    foreign = [op.op_name.data for op in operations]
    foreign += [attribute.attr_name.data for attribute in held if isinstance(attribute, UnregisteredAttr)]
    if any(name.partition(".")[0] in context.registered_dialect_names for name in foreign):
        raise error
    return module, names


def _has_tuples(module: ModuleOp) -> bool:
    """Whether an argument of a function, or a result of an operation, is a tuple."""
    arguments = (type for function in functions_of(module).values() for type in function.function_type.inputs)
    results = (type for op in operations_in(module) for type in op.result_types)
    return TupleType in {type.__class__ for type in chain(arguments, results)}
