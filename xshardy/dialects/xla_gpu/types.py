"""Types of the xla_gpu dialect."""

from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloat, ArrayAttr, ComplexType, IndexType, IntAttr, IntegerType
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from xshardy.dialects.xla_gpu.attributes import IndexingMapAttr


@irdl_attr_definition
class IndexedVectorType(ParametrizedAttribute, TypeAttribute):
    """
    `!xla_gpu.indexed_vector<32x64xf32, #map>`: values that the threads of a block hold in registers.

    The map gives, for a thread (its dimensions) and an element that the thread holds (its symbols), the index of the
    element in a tensor of that shape.
    """

    name = "xla_gpu.indexed_vector"

    shape: ArrayAttr[IntAttr]
    element_type: IntegerType | IndexType | AnyFloat | ComplexType
    indexing_map: IndexingMapAttr = param_def(converter=IndexingMapAttr.get)

    def get_shape(self) -> tuple[int, ...]:
        """The sizes of the dimensions, in elements."""
        return tuple(size.data for size in self.shape)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            shape, element_type = parser.parse_ranked_shape()
            parser.parse_punctuation(",", " before the indexing map")
            start = parser.pos
            indexing_map = parser.parse_attribute()
            if not isinstance(indexing_map, IndexingMapAttr):
                parser.raise_error("expected a #xla_gpu.indexing_map as the second parameter", start)
            return ArrayAttr(IntAttr(size) for size in shape), element_type, indexing_map

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            for size in self.shape:
                printer.print_string(f"{size.data}x")
            printer.print_attribute(self.element_type)
            printer.print_string(", ")
            printer.print_attribute(self.indexing_map)
