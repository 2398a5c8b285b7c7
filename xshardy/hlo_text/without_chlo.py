"""Operations of CHLO that HLO has no opcode for, in operations that it has opcodes for."""

from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.chlo.decompositions import DECOMPOSITIONS
from xshardy.dialects.stablehlo.building import Tensors
from xshardy.hlo_text.computation_printer import HLOPrintError
from xshardy.hlo_text.opcodes import FORMS
from xshardy.rewriting import rewrite
from xshardy.rewriting.walk import operations_in

WITHOUT_OPCODE = tuple(op for op in DECOMPOSITIONS if op not in FORMS)


class DecomposeWithoutOpcode(RewritePattern):
    """`chlo.erfc %a` -> its decomposition."""

    op_types: ClassVar[tuple[type[Operation], ...]] = WITHOUT_OPCODE

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        try:
            results = DECOMPOSITIONS[type(op)](op, Tensors(rewriter))
        except NotImplementedError as error:
            raise HLOPrintError(f"HLO has no opcode for '{op.name}': {error}") from None
        rewriter.replace(op, (), results)


def has_chlo_without_opcode(module: ModuleOp) -> bool:
    return any(isinstance(op, WITHOUT_OPCODE) for op in operations_in(module))


def decompose_chlo(module: ModuleOp) -> None:
    """Replace the operations of `module` without an opcode, in place. Raises `HLOPrintError` for one that cannot be."""
    rewrite(module, (DecomposeWithoutOpcode(),))
