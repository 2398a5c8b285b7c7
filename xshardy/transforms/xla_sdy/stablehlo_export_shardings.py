"""Write shardings in a notation of HLO."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter

from xshardy.dialects import stablehlo
from xshardy.dialects.hlo.annotation_names import SHARDING as HLO_SHARDING
from xshardy.dialects.sdy.attributes.mesh import ManualAxesAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.ops import MeshOp
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.dialects.stablehlo.control_flow import CONTROL_FLOW
from xshardy.hlo_text.shardings.hlo_sharding_text import hlo_sharding_text
from xshardy.rewriting import DecisionPattern, PatternPass, Step
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.xla_sdy.names import MANUAL_AXES, target_of
from xshardy.transforms.xla_sdy.signatures import Attributes, SetAttributes, SetSignature, Signature, signature_of
from xshardy.transforms.xla_sdy.to_hlo_shardings import WITH_MESHES, WITHOUT_MESHES, Notation

NEED_A_SHARDING = (stablehlo.SendOp, stablehlo.RecvOp, stablehlo.CreateTokenOp)
"""Operations that XLA partitions only with a sharding, which must be one device's."""

MHLO_ATTRIBUTES = "mhlo.attributes"
"""An attribute of a custom call: those of the operation of HLO that the call stands for."""
STAND_FOR_OPERATIONS = frozenset({"mhlo.erf", "mhlo.topk"})
"""Targets of custom calls that stand for operations of HLO which StableHLO lacks."""


def exported_value(attributes: Attributes, function: FuncOp, notation: Notation) -> Attributes:
    """The `attributes` of an argument or a result of `function`, with the sharding in `notation`."""
    sharding = attributes.get(SHARDING)
    if not isinstance(sharding, TensorShardingAttr):
        return attributes
    kept = {name: value for name, value in attributes.items() if name not in (SHARDING, MANUAL_AXES)}
    text = notation.text([sharding], function, is_tuple=False, manual_axes=manual_axes_in(attributes))
    return {**kept, HLO_SHARDING: text}


def manual_axes_in(attributes: Attributes) -> Sequence[str]:
    """The manual axes that are written on a value or an operation."""
    axes = attributes.get(MANUAL_AXES)
    return axes.names if isinstance(axes, ManualAxesAttr) else ()


def exported_attributes(op: Operation, notation: Notation, *, with_control_flow: bool) -> Attributes | None:
    """
    The attributes of `op`, not a function, with its shardings in `notation`; None if it keeps its own.

    Loops and conditionals without a sharding are replicated if `with_control_flow`.
    """
    written = op.attributes.get(SHARDING)
    shardings = written.shardings.data if isinstance(written, TensorShardingPerValueAttr) else ()
    attributes = {name: value for name, value in op.attributes.items() if name not in (SHARDING, MANUAL_AXES)}
    if shardings:
        manual_axes = manual_axes_in(op.attributes)
        text = notation.text(shardings, op, is_tuple=len(op.results) > 1, manual_axes=manual_axes)
    elif with_control_flow and isinstance(op, CONTROL_FLOW):
        text = StringAttr(hlo_sharding_text(notation.replicated))
    elif isinstance(op, NEED_A_SHARDING) and HLO_SHARDING not in attributes:
        text = StringAttr(hlo_sharding_text(notation.on_device_0))
    else:
        return None if attributes == op.attributes else attributes
    of_operation = attributes.get(MHLO_ATTRIBUTES)
    if target_of(op) in STAND_FOR_OPERATIONS and isinstance(of_operation, DictionaryAttr):
        return {**attributes, MHLO_ATTRIBUTES: DictionaryAttr({**of_operation.data, HLO_SHARDING: text})}
    return {**attributes, HLO_SHARDING: text}


class WriteSignature(SetSignature):
    """`func @f(%x {sdy.sharding = <@mesh, [{"a"}]>})` -> `func @f(%x {mhlo.sharding = "{devices=[2]<=[2]}"})`"""


class WriteSharding(SetAttributes):
    """`f(x) {sdy.sharding = <[<@mesh, [{"a"}]>]>}` -> `f(x) {mhlo.sharding = "{devices=[2]<=[2]}"}`"""


class EraseMesh(DecisionPattern[MeshOp, None]):
    """`sdy.mesh @mesh = <["a"=2]>` -> nothing: HLO shardings have their devices in them."""

    def rewrite(self, op: MeshOp, decision: None, rewriter: PatternRewriter, /) -> None:
        rewriter.erase(op)


@dataclass(frozen=True)
class StablehloExportShardingsPass(PatternPass):
    """
    Replace shardings by their text in the notation of HLO, `mhlo.sharding`, and erase the meshes.

    Operations with an effect on other programs (send, recv, create_token) are on device 0 if they have no sharding.
    Loops and conditionals without one are replicated if `add_missing_sharding_to_control_flow`: XLA would otherwise
    replicate also what it makes an additional result of them. With `enable_hlo_sharding_v3`, the text has the mesh, its
    axes and which dimensions are open: `{mesh['a'=2], [{'a', ?}]}`.
    """

    name = "xla-sdy-stablehlo-export-shardings"
    source: ClassVar[str] = "XLA, xla/service/spmd/shardy, xla-sdy-stablehlo-export-shardings"
    add_missing_sharding_to_control_flow: bool = False
    enable_hlo_sharding_v3: bool = False

    @property
    def notation(self) -> Notation:
        """The notation to write."""
        return WITH_MESHES if self.enable_hlo_sharding_v3 else WITHOUT_MESHES

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        functions = functions_of(module).values()
        signatures = {f: new for f in functions if (new := self._exported_signature(f)) != signature_of(f)}
        yield Step((WriteSignature(signatures),))
        yield Step((WriteSharding(dict(self._exported(functions))),))
        yield Step((EraseMesh(dict.fromkeys(op for op in module.ops if isinstance(op, MeshOp))),))

    def _exported(self, functions: Iterable[FuncOp]) -> Iterator[tuple[Operation, Attributes]]:
        for function in functions:
            for op in operations_in(function):
                if op.name.startswith("sdy."):
                    raise OperationFailedException(
                        op, f"HLO has no '{op.name}': export operations of sdy before shardings"
                    )
                with_control_flow = self.add_missing_sharding_to_control_flow
                new = exported_attributes(op, self.notation, with_control_flow=with_control_flow)
                if new is not None:
                    yield op, new

    def _exported_signature(self, function: FuncOp) -> Signature:
        known = signature_of(function)
        return Signature(
            [exported_value(entry, function, self.notation) for entry in known.arguments],
            [exported_value(entry, function, self.notation) for entry in known.results],
        )
