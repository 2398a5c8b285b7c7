"""
HLO text into StableHLO and `hlo` operations.

Each computation becomes a private function, ENTRY a public one. HLO names become name hints.
"""

from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i1, i64
from xdsl.ir import Attribute, Operation
from xdsl.utils.lexer import Span

from xshardy.dialects.hlo import FusionOp
from xshardy.hlo_text.annotations import MODULE_ANNOTATIONS
from xshardy.hlo_text.asynchronous import AsyncReader
from xshardy.hlo_text.computation import ComputationReader
from xshardy.hlo_text.dissolve_tuples import dissolve_tuples
from xshardy.hlo_text.entry import fuse_entry
from xshardy.hlo_text.errors import Source
from xshardy.hlo_text.lexer import END, Tokens
from xshardy.hlo_text.scope import Attributes, Scope
from xshardy.hlo_text.shapes import Shape
from xshardy.hlo_text.tables import read_tables


def parse_hlo(
    text: str | bytes, name: str = "<stdin>", spans: dict[Operation, Span] | None = None, *, verifies: bool = True
) -> ModuleOp:
    """
    The module written in `text`, prepared for compilation; `name` stands for its file in diagnostics.

    The place of each operation is added to `spans`. Tuples are dissolved: see `dissolve_tuples`. A text without ENTRY
    is treated as the computation of one loop fusion, as in upstream's tests: its last computation is fused, and an
    entry `@main` that executes the fusion is added. Raises `HLOError` at the position of an error. Instructions are
    not verified without `verifies`: text that can be read at all is then read, so that it can be looked at.
    """
    module = ModuleReader(source_of(text, name), is_strict=True, spans=spans, verifies=verifies).read()
    dissolve_tuples(module)
    entries = [op for op in module.ops if isinstance(op, func.FuncOp) and op.sym_visibility is None]
    if not entries and isinstance(last := module.body.block.last_op, func.FuncOp):
        if any(isinstance(op, FusionOp) for op in last.body.block.ops):
            del last.properties["sym_visibility"]
        else:
            fuse_entry(module, last)
    return module


def read_hlo(
    text: str | bytes, name: str = "<stdin>", spans: dict[Operation, Span] | None = None, *, verifies: bool = True
) -> ModuleOp:
    """
    The module written in `text`, unchanged: tuples, names, unknown opcodes, omitted constants.

    The place of each operation is added to `spans`; `verifies` is that of `parse_hlo`. `print_hlo` is the inverse.
    Raises `HLOError` at the position of an error.
    """
    return ModuleReader(source_of(text, name), spans=spans, verifies=verifies).read()


def source_of(text: str | bytes, name: str) -> Source:
    """`text` as a source called `name`."""
    return Source(decode(text, name) if isinstance(text, bytes) else text, name)


def decode(data: bytes, name: str) -> str:
    """`data` decoded as UTF-8. Raises `HLOError` at invalid bytes."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        valid = Source(data[: error.start].decode(), name)
        raise valid.error(
            len(valid.text), f"byte {data[error.start]:#04x} is not UTF-8", "is this a binary file? HLO text is needed"
        ) from None


class ModuleReader:
    """Reads one module."""

    def __init__(
        self, source: Source, is_strict: bool = False, spans: dict[Operation, Span] | None = None, verifies: bool = True
    ):
        self.tokens = tokens = Tokens(source)
        self.scope = Scope(tokens, AsyncReader, read_anonymous, is_strict=is_strict, spans=spans, verifies=verifies)

    def read(self) -> ModuleOp:
        """The whole module."""
        tokens = self.tokens
        name, attributes = self.read_header()
        if tokens.kind == END:
            tokens.expected("a computation", "write `ENTRY main { ... }`")
        has_entry = False
        while tokens.kind != END:
            at = tokens.index
            is_entry = tokens.text == "ENTRY" and tokens.texts[at + 1] not in ("{", "(")
            if is_entry:
                tokens.index += 1
                if has_entry:
                    raise tokens.error("a module has one ENTRY, this is the second", index=at)
            self.read_computation(is_entry)
            has_entry |= is_entry
        symbol = None if name is None else StringAttr(name)
        functions = [*self.scope.wrapped.values(), *self.scope.functions.values()]
        module = ModuleOp(functions, attributes, sym_name=symbol)
        for reader in self.scope.asynchronous if self.scope.verifies else ():
            reader.verify()
        return module

    def read_header(self) -> tuple[str | None, Attributes]:
        """`HloModule name, key=value, ...`, with an optional colon after the name. The header is optional."""
        tokens = self.tokens
        if tokens.kind == END:
            tokens.expected("an HLO module", "HLO text starts with `HloModule name`")
        if tokens.text != "HloModule":
            if tokens.kind != "name":
                tokens.expected("an HLO module", "HLO text starts with `HloModule name`")
            return None, {}
        tokens.index += 1
        name = tokens.take_name("the name of the module")
        tokens.accept(":")
        attributes: Attributes = {}
        while tokens.accept(","):
            key = tokens.take_name("the name of a module attribute")
            tokens.expect("=")
            if (annotation := MODULE_ANNOTATIONS.get(key)) is not None:
                attributes[annotation.attribute] = annotation.read(tokens)
            else:
                attributes[f"hlo.{key}"] = module_attribute(tokens.take_raw())
        attributes.update(read_tables(tokens))
        return name, attributes

    def read_computation(self, is_entry: bool) -> None:
        """`name (p: f32[2]) -> f32[2] { ... }`; the signature is optional."""
        tokens = self.tokens
        at = tokens.index
        name = tokens.take_name("the name of a computation")
        if name in self.scope.functions:
            raise tokens.error(f"computation '{name}' is defined twice", "rename one of the two", at)
        reader = ComputationReader(self.scope, name)
        if tokens.text == "(":
            reader.read_signature()
        elif tokens.text != "{":
            tokens.expected("'{' or the parameters of the computation")
        function, root = reader.read_body(is_entry)
        while tokens.accept(","):
            key = tokens.take_name("the name of an attribute")
            tokens.expect("=")
            function.attributes[f"hlo.{key}"] = module_attribute(tokens.take_raw())
        self.scope.define(function, root, at)


def read_anonymous(scope: Scope, name: str) -> tuple[func.FuncOp, Shape]:
    """`{ instructions }`, which an instruction applies, as the function `name`, and the shape of its root."""
    return ComputationReader(scope, name).read_body(is_entry=False)


def module_attribute(text: str) -> Attribute:
    """`true`, `12` and `"text"` decoded, other values as written."""
    if text in ("true", "false"):
        return IntegerAttr(int(text == "true"), i1)
    if text.removeprefix("-").isdecimal() and len(text) < 19:
        return IntegerAttr(int(text), i64)
    return StringAttr(text[1:-1] if text.startswith('"') else text)
