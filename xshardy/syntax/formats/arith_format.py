"""Texts of the arith dialect."""

from collections.abc import Mapping

from xdsl.dialects import arith
from xdsl.ir import Operation

from xshardy.dialects.extensions.arith_elementwise import CmpiOp, SelectOp, print_comparison, print_selection
from xshardy.syntax.formats import Format

FORMATS: Mapping[type[Operation], Format] = {
    arith.CmpiOp: Format(CmpiOp.parse, print_comparison),
    arith.SelectOp: Format(SelectOp.parse, print_selection),
}
