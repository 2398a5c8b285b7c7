"""
The xDSL entry point: every dialect, pass and target of xshardy, each imported on first use.

`xdsl-opt` finds `XSHARDY_UNIVERSE` through the entry point group `xdsl.universe`. Everything here is a row of a table
that names a module and an object in it, so importing this module imports nothing else of ours. Nothing here changes a
class of xDSL.
"""

from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.ir import Dialect
from xdsl.targets import get_all_targets
from xdsl.transforms import get_all_passes
from xdsl.universe import XDSL_UNIVERSE, Universe
from xdsl.utils.target import Target

DIALECTS: Mapping[str, str] = {
    "check": "dialects.checks:CHECK",
    "chlo": "dialects.chlo:CHLO",
    "hlo": "dialects.hlo:HLO",
    "interpreter": "dialects.interpreter:INTERPRETER",
    "mhlo": "dialects.mhlo:MHLO",
    "nvvm": "dialects.nvvm:NVVM",
    "quant": "dialects.quant:QUANT",
    "rocdl": "dialects.rocdl:ROCDL",
    "sdy": "dialects.sdy:SDY",
    "sparse_tensor": "dialects.sparse_tensor:SPARSE_TENSOR",
    "stablehlo": "dialects.stablehlo:STABLEHLO",
    "xla_gpu": "dialects.xla_gpu:XLA_GPU",
    "xtile": "dialects.xtile:XTILE",
}

ATTRIBUTE_VERIFIERS: Mapping[str, str] = {
    "sdy": "dialects.sdy.discardable_verification:SdyAttributeVerifier",
    "xla": "dialects.xla_gpu.discardable_verification:XlaAttributeVerifier",
    "xla_gpu": "dialects.xla_gpu.discardable_verification:XlaAttributeVerifier",
}
"""The dialects that check their discardable attributes on operations of others, and what does."""

EXTENSIONS: Mapping[str, str] = {
    name: f"dialects.extensions.{name}:extend"
    for name in ("arith", "builtin", "gpu", "llvm", "math", "scf", "tensor", "vector")
}
"""
Dialects of xDSL that lack operations which upstream MLIR has: `extend(dialect)` returns a fuller one for our contexts.
"""

REFINEMENTS: Mapping[str, str] = {
    **{name: reference for name, reference in EXTENSIONS.items() if name != "builtin"},
    "llvm": "dialects.extensions.llvm:refine",
}
"""The fuller dialects for plain `xdsl-opt`, in which what xDSL's operations can say is an operation of xDSL."""

OUR_ENTRY_POINT = "xshardy.universe:XSHARDY_UNIVERSE"
XDSL_ENTRY_POINT = "xdsl.universe:XDSL_UNIVERSE"


NAMED_AS_FILES: Mapping[tuple[str, str], str] = {
    ("fusing", "hlo-"): "hlo-combine-collectives hlo-fuse hlo-normalize-layouts hlo-split-reductions hlo-split-sorts",
    ("lowering", "xla-gpu-"): "xla-gpu-attach-target xla-gpu-specialize-memory-for-amd xla-gpu-widen-divided-registers",
    ("transforms.hlo", "hlo-"): """
        hlo-buffers-to-arrays hlo-draw-elided-constants hlo-expand-library-calls hlo-fold-dot-transposes
        hlo-fuse-epilogues hlo-gather-simplifier hlo-inline-regions hlo-outline-regions
        hlo-pad-dynamic-dimensions hlo-rewrite-convolutions hlo-rewrite-gemms hlo-split-dynamic-borders
    """,
    ("transforms.hlo_async", "hlo-async-"): "hlo-async-print-liveness hlo-async-verify-buffers",
    ("transforms.sdy_export", "sdy-"): """
        sdy-close-shardings sdy-constant-or-scalar-merger sdy-drop-sharding-and-mesh sdy-drop-sharding-rules
        sdy-export-named-computations sdy-export-pipeline sdy-inline-meshes sdy-insert-explicit-reshards
        sdy-insert-func-call-reshards sdy-keep-partial-sums sdy-optimize-collectives
        sdy-propagate-to-func-results sdy-remove-propagation-debug-info sdy-remove-sharding-groups
        sdy-remove-sub-axes-in-input-output-shardings sdy-reshard-to-collectives
        sdy-sharding-constraint-to-reshard sdy-sink-data-flow-edges sdy-sink-func-data-flow-edges
        sdy-unflatten-call-graph sdy-update-non-divisible-input-output-shardings sdy-verify-unreduced-axes
    """,
    ("transforms.sdy_import", "sdy-"): """
        sdy-add-data-flow-edges sdy-add-func-data-flow-edges sdy-apply-sharding-constraints
        sdy-constant-or-scalar-splitter sdy-constant-splitter sdy-explicit-gather-scatter-batching
        sdy-flatten-call-graph sdy-import-func-calls sdy-import-pipeline sdy-lift-inlined-meshes
        sdy-manual-axes-cleanup sdy-pre-order-funcs sdy-propagate-sharding-from-func-to-call
        sdy-remove-size-one-axes sdy-sharding-group-import sdy-verify-strict
    """,
    ("transforms.sdy_partition", "sdy-"): "sdy-partitioner-pipeline sdy-per-instruction-partitioning",
    ("transforms.sdy_partition.local", "sdy-"): "sdy-convert-global-to-local sdy-merge-collective-permutes",
    ("transforms.sdy_partition.resolve", "sdy-"): """
        sdy-choose-cheaper-reshards sdy-gather-between-meshes sdy-order-mesh-axes sdy-remove-needless-reshards
        sdy-replicate-whole-operations sdy-resolve-permutation-factors sdy-resolve-single-device-sharding
        sdy-scatter-sliced-reductions sdy-sum-short-gathers
    """,
    ("transforms.sdy_propagation", "sdy-"): """
        sdy-aggressive-propagate sdy-basic-propagate sdy-op-priority-propagate sdy-populate-op-sharding-rules
        sdy-propagation-pipeline sdy-user-priority-propagate
    """,
    ("transforms.stablehlo", "stablehlo-"): """
        stablehlo-erase-unused stablehlo-inline-applied-calls stablehlo-legalize-arith-constants
        stablehlo-legalize-composite-to-call stablehlo-legalize-deprecated-ops stablehlo-legalize-if-to-case
    """,
    ("transforms.xla_gpu", "xla-gpu-"): """
        xla-gpu-codegen-pipeline xla-gpu-convert-float-amd xla-gpu-convert-float-nvidia xla-gpu-convert-index-type
        xla-gpu-convert-pure-call-ops xla-gpu-erase-dead-functions xla-gpu-expand-float-ops
        xla-gpu-expand-integer-power xla-gpu-expand-math-functions xla-gpu-flatten-tensors xla-gpu-fuse-loops
        xla-gpu-inline-into-loops xla-gpu-insert-pdl xla-gpu-lower-affine xla-gpu-lower-tensors
        xla-gpu-lower-xla-gpu-loops-to-scf xla-gpu-lower-xla-gpu-to-scf xla-gpu-lower-xla-intrinsic-lib
        xla-gpu-lower-xla-shared xla-gpu-merge-pointers xla-gpu-optimize-loops xla-gpu-pack-atomic-adds
        xla-gpu-peel-loops xla-gpu-propagate-slice-indices xla-gpu-read-words-atomically xla-gpu-recover-exp2
        xla-gpu-safe-integer-arithmetic xla-gpu-simplify-affine xla-gpu-simplify-arith xla-gpu-threads-to-forall
        xla-gpu-unswitch-loops xla-gpu-vectorize-loads-stores
    """,
    ("transforms.xla_sdy", "xla-sdy-"): """
        xla-sdy-export-named-computations xla-sdy-export-ops xla-sdy-import-constants xla-sdy-import-func-calls
        xla-sdy-import-sdy-custom-calls xla-sdy-import-shardings xla-sdy-open-while-free-vars-sharding
        xla-sdy-round-trip-dedup-meshes xla-sdy-round-trip-export-ops xla-sdy-round-trip-export-pipeline
        xla-sdy-round-trip-export-shardy-attrs xla-sdy-round-trip-import-pipeline
        xla-sdy-round-trip-import-shardy-attrs xla-sdy-round-trip-shard-map-export
        xla-sdy-round-trip-shard-map-import xla-sdy-round-trip-testing-pipeline
        xla-sdy-stablehlo-export-manual-reduction-collectives xla-sdy-stablehlo-export-pipeline
        xla-sdy-stablehlo-export-shardings xla-sdy-stablehlo-import-pipeline
        xla-sdy-stablehlo-round-trip-shard-map-export
    """,
}
"""Passes by their folder and a prefix of their names: behind it, `foo-bar` is `FooBarPass` in the file `foo_bar.py`."""


def file_and_class(folder: str, name: str) -> str:
    """`folder.foo_bar:FooBarPass` for `foo-bar`"""
    return f"{folder}.{name.replace('-', '_')}:{name.title().replace('-', '')}Pass"


PASSES: Mapping[str, str] = {
    "chlo-legalize-to-stablehlo": "transforms.chlo.legalize_to_stablehlo:LegalizeToStablehloPass",
    "convert-arith-to-llvm": "lowering.arith_to_llvm:ConvertArithToLLVMPass",
    "convert-cf-to-llvm": "lowering.cf_to_llvm:ConvertCfToLLVMPass",
    "convert-complex-to-llvm": "lowering.complex_to_llvm:ConvertComplexToLLVMPass",
    "convert-complex-to-standard": "lowering.complex_to_standard:ConvertComplexToStandardPass",
    "convert-func-to-llvm": "lowering.func_to_llvm:ConvertFuncToLLVMPass",
    "convert-gpu-to-nvvm": "lowering.gpu_to_nvvm:ConvertGpuToNVVMPass",
    "convert-gpu-to-rocdl": "lowering.gpu_to_rocdl:ConvertGpuToROCDLPass",
    "convert-math-to-intrinsics": "lowering.math_to_libdevice:ConvertMathToIntrinsicsPass",
    "convert-math-to-libdevice": "lowering.math_to_libdevice:ConvertMathToLibdevicePass",
    "convert-vector-to-llvm": "lowering.vector_to_llvm:ConvertVectorToLLVMPass",
    "hlo-async-schedule": "transforms.hlo_async.schedule:AsyncSchedulePass",
    "hlo-async-unwrap": "transforms.hlo_async.unwrap:AsyncUnwrapPass",
    "hlo-async-wrap": "transforms.hlo_async.wrap:AsyncWrapPass",
    "hlo-dissolve-tuples": "hlo_text.dissolve_tuples:DissolveTuplesPass",
    "hlo-fusion-pipeline": "fusing.pipeline:FusionPipelinePass",
    "hlo-prepare-fusion": "fusing.prepare:PrepareFusionPass",
    "hlo-to-opcodes": "transforms.hlo.to_opcodes:HloToOpcodesPass",
    "inline": "transforms.inline:InlinePass",
    "sdy-canonicalize-collectives": "transforms.sdy_export.canonicalize_communication:CanonicalizeCollectivesPass",
    "sdy-canonicalize-reshards": "transforms.sdy_export.canonicalize_communication:CanonicalizeReshardsPass",
    "sdy-pad-for-divisibility": "transforms.sdy_partition.pad.pad_for_divisibility:PadForDivisibilityPass",
    "sdy-remove-all-gather-reduce-scatter-for-cmv1": (
        "transforms.sdy_export.remove_all_gather_reduce_scatter_for_cmv1:RemoveAllGatherReduceScatterForCMV1Pass"
    ),
    "sdy-save-module": "transforms.save_module:SaveModulePass",
    "stablehlo-ext-canonicalize-from-hlo-import": (
        "transforms.hlo.canonicalize_from_hlo_import:CanonicalizeFromHloImportPass"
    ),
    "symbol-dce": "transforms.symbol_dce:SymbolDCEPass",
    "verify-discardable-attributes": "transforms.verify_discardable_attributes:VerifyDiscardableAttributesPass",
    "xla-gpu-canonicalize": "transforms.canonicalize:CanonicalizePass",
    "xla-gpu-cse": "transforms.cse:CSEPass",
    "xla-gpu-licm": "transforms.loop_invariant_code_motion:LoopInvariantCodeMotionPass",
    "xla-gpu-link-xla-intrinsic-lib": "transforms.xla_gpu.lower_xla_intrinsic_lib:LinkXlaIntrinsicLibPass",
    "xla-gpu-lower-pdl-wait": "lowering.gpu_to_nvvm:LowerPdlWaitPass",
    "xla-gpu-lower-scf-to-cf": "lowering.scf_to_cf:LowerScfToCfPass",
    "xla-gpu-lower-to-llvm": "lowering.pipeline:LowerToLLVMPass",
    "xla-sdy-canonicalize": "transforms.xla_sdy.canonicalize:CanonicalizeImportedPass",
    "xla-sdy-round-trip-import-named-shardings": "transforms.xla_sdy.import_named_shardings:ImportNamedShardingsPass",
    "xla-sdy-round-trip-stablehlo-to-hlo-to-stablehlo": (
        "transforms.xla_sdy.round_trip_through_hlo:RoundTripThroughHloPass"
    ),
    "xla-sdy-stablehlo-round-trip-export-callback-custom-calls": (
        "transforms.xla_sdy.stablehlo_export_callback_custom_calls:StablehloExportCallbackCustomCallsPass"
    ),
    **{
        name: file_and_class(folder, name.removeprefix(prefix))
        for (folder, prefix), names in NAMED_AS_FILES.items()
        for name in names.split()
    },
}

TARGETS: Mapping[str, str] = {
    "hlo": "transforms.hlo.to_opcodes:HLOTarget",
    "llvm-ir": "lowering.code_generators:LLVMIRTarget",
    "ptx": "lowering.code_generators:PTXTarget",
}


def load(reference: str) -> Any:
    """The object that `module:name` names, where `module` is one of ours, without `xshardy.`."""
    module, _, name = reference.partition(":")
    return getattr(import_module(f"xshardy.{module}"), name)


def _factories(table: Mapping[str, str]) -> dict[str, Callable[[], Any]]:
    # xDSL takes a target's factory for one only if it has no parameters, not even one with a default.
    return {name: partial(load, reference) for name, reference in table.items()}


def _extended(dialect: Callable[[], Dialect], reference: str) -> Callable[[], Dialect]:
    return lambda: load(reference)(dialect())


@cache
def entry_point() -> Universe:
    """
    What `xdsl-opt` loads: our dialects, passes and targets.

    xDSL allows one dialect of each name, so the rows of `XDSL_UNIVERSE` for dialects that lack operations are replaced
    by rows for fuller ones. Those are new `Dialect`s; the operations of xDSL in them are its own classes, as they were.
    """
    for name, reference in REFINEMENTS.items():
        XDSL_UNIVERSE.all_dialects[name] = _extended(XDSL_UNIVERSE.all_dialects[name], reference)
    return Universe(
        all_dialects=_factories(DIALECTS),
        all_passes=_factories(PASSES),
        all_targets=_factories(TARGETS),
    )


if TYPE_CHECKING:
    XSHARDY_UNIVERSE: Universe


def __getattr__(name: str) -> Any:
    # Not made by an import: `new_context` and the tables of this module must leave `XDSL_UNIVERSE` as it is.
    if name == "XSHARDY_UNIVERSE":
        return entry_point()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def _other_universes() -> tuple[Universe, ...]:
    """The universes of other packages than xDSL and this one. Reads the metadata of every installed package, once."""
    ours = (OUR_ENTRY_POINT, XDSL_ENTRY_POINT)
    return tuple(plugin.load() for plugin in entry_points(group="xdsl.universe") if plugin.value not in ours)


@cache
def installed_passes() -> Mapping[str, Callable[[], Any]]:
    """The passes of xDSL, ours, and those of other installed universes."""
    passes: dict[str, Callable[[], Any]] = {**get_all_passes()}
    for universe in _other_universes():
        passes |= universe.all_passes
    return passes | _factories(PASSES)


@cache
def installed_targets() -> Mapping[str, Callable[[], type[Target]]]:
    """The targets of xDSL, ours, and those of other installed universes."""
    targets = get_all_targets()
    for universe in _other_universes():
        targets |= universe.all_targets
    return targets | _factories(TARGETS)


@cache
def installed_dialects() -> Mapping[str, Callable[[], Dialect]]:
    """The dialects of our context: xDSL's or fuller ones, ours, and those of other installed universes."""
    dialects = get_all_dialects()
    for universe in _other_universes():
        dialects |= universe.all_dialects
    dialects |= {name: _extended(dialects[name], reference) for name, reference in EXTENSIONS.items()}
    return dialects | _factories(DIALECTS)


def new_context() -> Context:
    """A context that knows the `installed_dialects`, each loaded on first use, as in `xshardy-opt`."""
    context = Context()
    for name, factory in installed_dialects().items():
        context.register_dialect(name, factory)
    return context
