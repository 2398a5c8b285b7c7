"""The attribute of the xtile dialect: how a buffer is laid out."""

from collections.abc import Sequence

from xdsl.dialects.builtin import I64, DenseArrayBase, MemRefLayoutAttr, MemRefType
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.stablehlo.attributes import parse_integers, print_integers


@irdl_attr_definition
class LayoutAttr(MemRefLayoutAttr, ParametrizedAttribute):
    """`#xtile.layout<[1, 0]>`: the dimensions of a buffer from the fastest to the slowest one in memory."""

    name = "xtile.layout"
    minor_to_major: DenseArrayBase[I64] = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [parse_integers(parser)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            print_integers(printer, self.minor_to_major)

    def verify(self) -> None:
        if sorted(self.order) != [*range(len(self.order))]:
            raise VerifyException("layout is not a permutation")

    @property
    def order(self) -> tuple[int, ...]:
        return self.minor_to_major.get_values()

    def get_affine_map(self) -> AffineMap:
        """The indices in the order of `minor_to_major`."""
        return AffineMap(len(self.order), 0, tuple(AffineExpr.dimension(position) for position in self.order))


def verify_layout(type: MemRefType) -> None:
    """Raise `VerifyException` if the layout of a buffer is one for another number of dimensions."""
    if isinstance(type.layout, LayoutAttr) and len(type.layout.order) != type.get_num_dims():
        raise VerifyException(
            f"layout has {len(type.layout.order)} dimensions, but shape has {type.get_num_dims()}: {type}"
        )
