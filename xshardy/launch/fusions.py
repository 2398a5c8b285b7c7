"""The fusions of a program, equal ones together."""

from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from xshardy.dialects import hlo
from xshardy.launch.fusion_text import fusion_text
from xshardy.launch.kernels import fingerprint_of
from xshardy.launch.prepared_program import scheduled
from xshardy.transforms.call_graph import functions_of


@dataclass(slots=True)
class Fusions:
    """The fusions of a program: what equal ones have in common."""

    fingerprints: dict[hlo.FusionOp, str] = field(default_factory=dict[hlo.FusionOp, str])
    """That of each fusion, in schedule order."""
    texts: dict[str, str] = field(default_factory=dict[str, str])
    """The `fusion_text` of each fingerprint."""

    @staticmethod
    def of(entry: FuncOp) -> "Fusions":
        """The fusions of the prepared program `entry`."""
        module = entry.parent_op()
        assert isinstance(module, ModuleOp)
        functions, found = functions_of(module), Fusions()
        for op in scheduled(entry.body.block):
            if isinstance(op, hlo.FusionOp):
                text = fusion_text(op, functions)
                found.fingerprints[op] = fingerprint_of(text)
                found.texts[found.fingerprints[op]] = text
        return found
