"""The attribute of MLIR's sparse_tensor dialect that StableHLO's tensors may have. What it says is carried along."""

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Dialect, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from xshardy.dialects.aliases import AliasAttr


@irdl_attr_definition
class EncodingAttr(ParametrizedAttribute, AliasAttr):
    """`#sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>`: which elements are stored, and how."""

    name = "sparse_tensor.encoding"
    ALIAS = "sparse"
    body: StringAttr
    """What stands in the angle brackets, with one blank between words."""

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        body = parser._parse_dialect_symbol_body()  # pyright: ignore[reportPrivateUsage]
        return [StringAttr(" ".join(body.split()))]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.body.data}>")


SPARSE_TENSOR = Dialect("sparse_tensor", [], [EncodingAttr])
