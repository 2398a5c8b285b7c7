"""Attributes of the xla_gpu dialect: indexing maps, layouts, and the kind of backend a function is for."""

from collections.abc import Callable, Sequence
from typing import ClassVar, TypeVar

from xdsl.dialects.gpu import DimensionEnum
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Data, ParametrizedAttribute, SpacedOpaqueSyntaxAttribute
from xdsl.ir.affine import AffineMap
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError
from xdsl.utils.str_enum import StrEnum

from xshardy.affine.expression_text import print_expr
from xshardy.affine.indexing_map import IndexingMap
from xshardy.affine.spelling import Spelling, spelled
from xshardy.affine.text import IndexingMapSyntaxError, parse_indexing_map, parse_symbolic_map
from xshardy.dialects.aliases import AliasAttr

T = TypeVar("T")


def parse_map_literals(parser: AttrParser, parse: Callable[[str], T] = parse_indexing_map) -> T:
    """
    A map from a chain of adjacent string literals, which are joined as they stand.

    Where the map does not parse, the diagnostic points at the character of the literal that is wrong.
    """
    start = parser.pos
    pieces: list[str] = []
    starts: list[int] = []
    while True:
        starts.append(parser.pos)
        piece = parser.parse_optional_str_literal()
        if piece is None:
            break
        pieces.append(piece)
    if not pieces:
        parser.raise_error('expected an indexing map in quotes, as in "(d0) -> (d0), domain: d0 in [0, 7]"', start)
    try:
        return parse("".join(pieces))
    except IndexingMapSyntaxError as error:
        position = getattr(error, "position", 0)
        for piece, piece_start in zip(pieces, starts, strict=False):
            if position < len(piece):
                start = piece_start + 1 + position  # past the opening quote
                break
            position -= len(piece)
        parser.raise_error(str(error), start, start + 1)


@irdl_attr_definition
class IndexingMapAttr(AliasAttr, Data[IndexingMap]):
    """`#xla_gpu.indexing_map<"(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 7]">`: a map with its domain."""

    name = "xla_gpu.indexing_map"
    ALIAS: ClassVar[str] = "indexing_map"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> IndexingMap:
        with parser.in_angle_brackets():
            return parse_map_literals(parser)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(str(self.data))


@irdl_attr_definition
class SymbolicMapAttr(Data[AffineMap]):
    """`#xla_gpu.symbolic_map<"(d0)[s0] -> (max(d0, s0 / 2))">`: a map without a domain."""

    name = "xla_gpu.symbolic_map"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> AffineMap:
        with parser.in_angle_brackets():
            return parse_map_literals(parser, parse_symbolic_map)

    def print_parameter(self, printer: Printer) -> None:
        dims, symbols = self.data.num_dims, self.data.num_symbols
        header = f"({', '.join(f'd{i}' for i in range(dims))})"
        header += f"[{', '.join(f's{i}' for i in range(symbols))}]" if symbols else ""
        with printer.in_angle_brackets(), spelled(Spelling.SYMBOLIC):
            printer.print_string_literal(f"{header} -> ({', '.join(map(print_expr, self.data.results))})")


class MemorySpace(StrEnum):
    """Where a tensor lives: in the memory of the device, or in the shared memory of a block."""

    Device = "device"
    Shmem = "shmem"


@irdl_attr_definition
class MemorySpaceAttr(EnumAttribute[MemorySpace]):
    """A memory space. It is only written inside a layout."""

    name = "xla_gpu.memory_space"


@irdl_attr_definition
class LayoutAttr(AliasAttr, ParametrizedAttribute):
    """
    `#xla_gpu.layout<"shmem", "(d0) -> (), domain: d0 in [0, 41]">`: where a tensor lives, and a map from its indices.

    Used as the encoding of a tensor type.
    """

    name = "xla_gpu.layout"
    ALIAS: ClassVar[str] = "layout"

    memory_space: MemorySpaceAttr = param_def(converter=MemorySpaceAttr.get)
    thread_map: IndexingMapAttr = param_def(converter=IndexingMapAttr.get)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            start = parser.pos
            space = parser.parse_str_literal(' for the memory space of a layout, as in "shmem"')
            if space not in list(MemorySpace):
                parser.raise_error(f'unknown memory space "{space}": use {_one_of(MemorySpace)}', start)
            parser.parse_punctuation(",")
            return MemorySpaceAttr(MemorySpace(space)), IndexingMapAttr(parse_map_literals(parser))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.memory_space.data.value)
            printer.print_string(", ")
            printer.print_string_literal(str(self.thread_map.data))


class BackendKind(StrEnum):
    """What a function is compiled for."""

    Cpu = "cpu"
    Gpu = "gpu"
    Tpu = "tpu"


@irdl_attr_definition
class BackendKindAttr(EnumAttribute[BackendKind]):
    """`#xla_gpu.backend_kind<gpu>`: what the function that carries it is compiled for."""

    name = "xla_gpu.backend_kind"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> BackendKind:
        with parser.in_angle_brackets():
            start = parser.pos
            try:
                return super().parse_parameter(parser)
            except ParseError:
                parser.raise_error("expected ::xla::BackendKind to be one of: cpu, gpu, tpu", start)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            super().print_parameter(printer)


@irdl_attr_definition
class DimensionAttr(EnumAttribute[DimensionEnum], SpacedOpaqueSyntaxAttribute):
    """`#xla_gpu<dim x>`: an axis of a grid."""

    name = "xla_gpu.dim"


def _one_of(choices: type[StrEnum]) -> str:
    return " or ".join(f'"{choice}"' for choice in choices)
