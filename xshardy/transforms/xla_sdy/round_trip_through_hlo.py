"""Write a module as HLO text, and read it back: what HLO does not carry is lost."""

from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType
from xdsl.dialects.func import ReturnOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects.stablehlo.calls import CustomCallOp
from xshardy.hlo_text.errors import HLOPrintError
from xshardy.hlo_text.parser import parse_hlo
from xshardy.hlo_text.tuples import ROOT
from xshardy.hlo_text.write_values import ShapeWriter
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.hlo.inline_regions import InlineRegionsPass
from xshardy.transforms.hlo.to_opcodes import write_hlo


class RoundTripThroughHloPass(ModulePass):
    """
    Replace a module by what its HLO text says, with the computations of loops and conditionals in their regions.

    A module that HLO text cannot say stays as it is. Custom calls get the attributes that XLA's importer writes: an
    empty configuration, and the shape of a result that is no array.
    """

    name = "xla-sdy-round-trip-stablehlo-to-hlo-to-stablehlo"
    no_patterns: ClassVar[str] = "the module is written as text and read back"
    source: ClassVar[str] = "XLA, xla/service/spmd/shardy, sdy_round_trip/test_utils"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        try:
            text = write_hlo(op)
        except HLOPrintError as error:
            raise PassFailedException(str(error)) from error
        carried = parse_hlo(text)
        for old in list(op.body.block.ops):
            old.detach()
            old.erase(safe_erase=False)
        for new in list(carried.body.block.ops):
            new.detach()
            op.body.block.add_op(new)
        op.attributes = dict(carried.attributes)
        InlineRegionsPass().apply(ctx, op)
        for end in operations_of(op, ReturnOp):
            end.attributes.pop(ROOT, None)
        shapes = ShapeWriter()
        for call in operations_of(op, CustomCallOp):
            call.backend_config = call.backend_config or StringAttr("")
            (result,) = call.result_types
            if not isinstance(result, TensorType):
                call.attributes["xla_shape"] = StringAttr(shapes.write(result))
