"""Instructions of HLO with unknown opcodes."""

from xdsl.dialects.builtin import DictionaryAttr, StringAttr
from xdsl.irdl import irdl_op_definition, prop_def, var_operand_def, var_result_def

from xshardy.dialects.hlo.instruction import InstructionOp
from xshardy.dialects.stablehlo.types import VALUE

__all__ = ["OpaqueOp"]


@irdl_op_definition
class OpaqueOp(InstructionOp):
    """
    An instruction with an unknown `opcode`, kept as written.

    `fields` are its attributes in HLO text. It may have any effect.
    """

    name = "hlo.opaque"
    inputs = var_operand_def(VALUE)
    opcode = prop_def(StringAttr)
    fields = prop_def(DictionaryAttr)
    outputs = var_result_def(VALUE)
