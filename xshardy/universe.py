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
    "sdy": "dialects.sdy:SDY",
    "sparse_tensor": "dialects.sparse_tensor:SPARSE_TENSOR",
    "stablehlo": "dialects.stablehlo:STABLEHLO",
    "xla_gpu": "dialects.xla_gpu:XLA_GPU",
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

PASSES: Mapping[str, str] = {
    "chlo-legalize-to-stablehlo": "transforms.chlo.legalize_to_stablehlo:LegalizeToStablehloPass",
    "convert-arith-to-llvm": "lowering.arith_to_llvm:ConvertArithToLLVMPass",
    "convert-cf-to-llvm": "lowering.cf_to_llvm:ConvertCfToLLVMPass",
    "convert-complex-to-llvm": "lowering.complex_to_llvm:ConvertComplexToLLVMPass",
    "convert-complex-to-standard": "lowering.complex_to_standard:ConvertComplexToStandardPass",
    "convert-func-to-llvm": "lowering.func_to_llvm:ConvertFuncToLLVMPass",
    "convert-gpu-to-nvvm": "lowering.gpu_to_nvvm:ConvertGpuToNVVMPass",
    "convert-math-to-libdevice": "lowering.math_to_libdevice:ConvertMathToLibdevicePass",
    "convert-vector-to-llvm": "lowering.vector_to_llvm:ConvertVectorToLLVMPass",
    "hlo-async-print-liveness": "transforms.hlo_async.print_liveness:PrintLivenessPass",
    "hlo-async-schedule": "transforms.hlo_async.schedule:AsyncSchedulePass",
    "hlo-async-unwrap": "transforms.hlo_async.unwrap:AsyncUnwrapPass",
    "hlo-async-verify-buffers": "transforms.hlo_async.verify_buffers:VerifyBuffersPass",
    "hlo-async-wrap": "transforms.hlo_async.wrap:AsyncWrapPass",
    "hlo-buffers-to-arrays": "transforms.hlo.buffers_to_arrays:BuffersToArraysPass",
    "hlo-combine-collectives": "fusing.combine_collectives:CombineCollectivesPass",
    "hlo-dissolve-tuples": "hlo_text.dissolve_tuples:DissolveTuplesPass",
    "hlo-draw-elided-constants": "transforms.hlo.draw_elided_constants:DrawElidedConstantsPass",
    "hlo-expand-library-calls": "transforms.hlo.expand_library_calls:ExpandLibraryCallsPass",
    "hlo-fold-dot-transposes": "transforms.hlo.fold_dot_transposes:FoldDotTransposesPass",
    "hlo-fuse": "fusing.fuse:FusePass",
    "hlo-fuse-epilogues": "transforms.hlo.fuse_epilogues:FuseEpiloguesPass",
    "hlo-fusion-pipeline": "fusing.pipeline:FusionPipelinePass",
    "hlo-gather-simplifier": "transforms.hlo.gather_simplifier:GatherSimplifierPass",
    "hlo-inline-regions": "transforms.hlo.inline_regions:InlineRegionsPass",
    "hlo-outline-regions": "transforms.hlo.outline_regions:OutlineRegionsPass",
    "hlo-normalize-layouts": "fusing.normalize_layouts:NormalizeLayoutsPass",
    "hlo-pad-dynamic-dimensions": "transforms.hlo.pad_dynamic_dimensions:PadDynamicDimensionsPass",
    "hlo-prepare-fusion": "fusing.prepare:PrepareFusionPass",
    "hlo-rewrite-convolutions": "transforms.hlo.rewrite_convolutions:RewriteConvolutionsPass",
    "hlo-rewrite-gemms": "transforms.hlo.rewrite_gemms:RewriteGemmsPass",
    "hlo-split-dynamic-borders": "transforms.hlo.split_dynamic_borders:SplitDynamicBordersPass",
    "hlo-split-reductions": "fusing.split_reductions:SplitReductionsPass",
    "hlo-split-sorts": "fusing.split_sorts:SplitSortsPass",
    "hlo-to-opcodes": "transforms.hlo.to_opcodes:HloToOpcodesPass",
    "inline": "transforms.inline:InlinePass",
    "sdy-verify-strict": "transforms.sdy_import.verify_strict:VerifyStrictPass",
    "sdy-add-data-flow-edges": "transforms.sdy_import.add_data_flow_edges:AddDataFlowEdgesPass",
    "sdy-add-func-data-flow-edges": "transforms.sdy_import.add_func_data_flow_edges:AddFuncDataFlowEdgesPass",
    "sdy-aggressive-propagate": "transforms.sdy_propagation.aggressive_propagate:AggressivePropagatePass",
    "sdy-apply-sharding-constraints": "transforms.sdy_import.apply_sharding_constraints:ApplyShardingConstraintsPass",
    "sdy-basic-propagate": "transforms.sdy_propagation.basic_propagate:BasicPropagatePass",
    "sdy-canonicalize-collectives": "transforms.sdy_export.canonicalize_communication:CanonicalizeCollectivesPass",
    "sdy-canonicalize-reshards": "transforms.sdy_export.canonicalize_communication:CanonicalizeReshardsPass",
    "sdy-choose-cheaper-reshards": "transforms.sdy_partition.resolve.choose_cheaper_reshards:ChooseCheaperReshardsPass",
    "sdy-close-shardings": "transforms.sdy_export.close_shardings:CloseShardingsPass",
    "sdy-constant-or-scalar-merger": "transforms.sdy_export.constant_or_scalar_merger:ConstantOrScalarMergerPass",
    "sdy-constant-or-scalar-splitter": "transforms.sdy_import.constant_or_scalar_splitter:ConstantOrScalarSplitterPass",
    "sdy-constant-splitter": "transforms.sdy_import.constant_splitter:ConstantSplitterPass",
    "sdy-explicit-gather-scatter-batching": (
        "transforms.sdy_import.explicit_gather_scatter_batching:ExplicitGatherScatterBatchingPass"
    ),
    "sdy-convert-global-to-local": "transforms.sdy_partition.local.convert_global_to_local:ConvertGlobalToLocalPass",
    "sdy-drop-sharding-and-mesh": "transforms.sdy_export.drop_sharding_and_mesh:DropShardingAndMeshPass",
    "sdy-drop-sharding-rules": "transforms.sdy_export.drop_sharding_rules:DropShardingRulesPass",
    "sdy-export-named-computations": "transforms.sdy_export.export_named_computations:ExportNamedComputationsPass",
    "sdy-export-pipeline": "transforms.sdy_export.export_pipeline:ExportPipelinePass",
    "sdy-flatten-call-graph": "transforms.sdy_import.flatten_call_graph:FlattenCallGraphPass",
    "sdy-gather-between-meshes": "transforms.sdy_partition.resolve.gather_between_meshes:GatherBetweenMeshesPass",
    "sdy-import-func-calls": "transforms.sdy_import.import_func_calls:ImportFuncCallsPass",
    "sdy-import-pipeline": "transforms.sdy_import.import_pipeline:ImportPipelinePass",
    "sdy-inline-meshes": "transforms.sdy_export.inline_meshes:InlineMeshesPass",
    "sdy-insert-explicit-reshards": "transforms.sdy_export.insert_explicit_reshards:InsertExplicitReshardsPass",
    "sdy-insert-func-call-reshards": "transforms.sdy_export.insert_func_call_reshards:InsertFuncCallReshardsPass",
    "sdy-lift-inlined-meshes": "transforms.sdy_import.lift_inlined_meshes:LiftInlinedMeshesPass",
    "sdy-manual-axes-cleanup": "transforms.sdy_import.manual_axes_cleanup:ManualAxesCleanupPass",
    "sdy-op-priority-propagate": "transforms.sdy_propagation.op_priority_propagate:OpPriorityPropagatePass",
    "sdy-merge-collective-permutes": (
        "transforms.sdy_partition.local.merge_collective_permutes:MergeCollectivePermutesPass"
    ),
    "sdy-optimize-collectives": "transforms.sdy_export.optimize_collectives:OptimizeCollectivesPass",
    "sdy-order-mesh-axes": "transforms.sdy_partition.resolve.order_mesh_axes:OrderMeshAxesPass",
    "sdy-pad-for-divisibility": "transforms.sdy_partition.pad.pad_for_divisibility:PadForDivisibilityPass",
    "sdy-partitioner-pipeline": "transforms.sdy_partition.partitioner_pipeline:PartitionerPipelinePass",
    "sdy-per-instruction-partitioning": (
        "transforms.sdy_partition.per_instruction_partitioning:PerInstructionPartitioningPass"
    ),
    "sdy-populate-op-sharding-rules": (
        "transforms.sdy_propagation.populate_op_sharding_rules:PopulateOpShardingRulesPass"
    ),
    "sdy-pre-order-funcs": "transforms.sdy_import.pre_order_funcs:PreOrderFuncsPass",
    "sdy-propagate-sharding-from-func-to-call": (
        "transforms.sdy_import.propagate_sharding_from_func_to_call:PropagateShardingFromFuncToCallPass"
    ),
    "sdy-propagate-to-func-results": "transforms.sdy_export.propagate_to_func_results:PropagateToFuncResultsPass",
    "sdy-propagation-pipeline": "transforms.sdy_propagation.propagation_pipeline:PropagationPipelinePass",
    "sdy-remove-all-gather-reduce-scatter-for-cmv1": (
        "transforms.sdy_export.remove_all_gather_reduce_scatter_for_cmv1:RemoveAllGatherReduceScatterForCMV1Pass"
    ),
    "sdy-remove-needless-reshards": (
        "transforms.sdy_partition.resolve.remove_needless_reshards:RemoveNeedlessReshardsPass"
    ),
    "sdy-remove-propagation-debug-info": (
        "transforms.sdy_export.remove_propagation_debug_info:RemovePropagationDebugInfoPass"
    ),
    "sdy-remove-size-one-axes": "transforms.sdy_import.remove_size_one_axes:RemoveSizeOneAxesPass",
    "sdy-remove-sharding-groups": "transforms.sdy_export.remove_sharding_groups:RemoveShardingGroupsPass",
    "sdy-remove-sub-axes-in-input-output-shardings": (
        "transforms.sdy_export.remove_sub_axes_in_input_output_shardings:RemoveSubAxesInInputOutputShardingsPass"
    ),
    "sdy-replicate-whole-operations": (
        "transforms.sdy_partition.resolve.replicate_whole_operations:ReplicateWholeOperationsPass"
    ),
    "sdy-reshard-to-collectives": "transforms.sdy_export.reshard_to_collectives:ReshardToCollectivesPass",
    "sdy-resolve-permutation-factors": (
        "transforms.sdy_partition.resolve.resolve_permutation_factors:ResolvePermutationFactorsPass"
    ),
    "sdy-resolve-single-device-sharding": (
        "transforms.sdy_partition.resolve.resolve_single_device_sharding:ResolveSingleDeviceShardingPass"
    ),
    "sdy-save-module": "transforms.save_module:SaveModulePass",
    "sdy-sharding-constraint-to-reshard": (
        "transforms.sdy_export.sharding_constraint_to_reshard:ShardingConstraintToReshardPass"
    ),
    "sdy-sharding-group-import": "transforms.sdy_import.sharding_group_import:ShardingGroupImportPass",
    "sdy-sink-data-flow-edges": "transforms.sdy_export.sink_data_flow_edges:SinkDataFlowEdgesPass",
    "sdy-sink-func-data-flow-edges": "transforms.sdy_export.sink_func_data_flow_edges:SinkFuncDataFlowEdgesPass",
    "sdy-scatter-sliced-reductions": (
        "transforms.sdy_partition.resolve.scatter_sliced_reductions:ScatterSlicedReductionsPass"
    ),
    "sdy-sum-short-gathers": "transforms.sdy_partition.resolve.sum_short_gathers:SumShortGathersPass",
    "sdy-unflatten-call-graph": "transforms.sdy_export.unflatten_call_graph:UnflattenCallGraphPass",
    "sdy-update-non-divisible-input-output-shardings": (
        "transforms.sdy_export.update_non_divisible_input_output_shardings:UpdateNonDivisibleInputOutputShardingsPass"
    ),
    "sdy-user-priority-propagate": "transforms.sdy_propagation.user_priority_propagate:UserPriorityPropagatePass",
    "sdy-keep-partial-sums": "transforms.sdy_export.keep_partial_sums:KeepPartialSumsPass",
    "sdy-verify-unreduced-axes": "transforms.sdy_export.verify_unreduced_axes:VerifyUnreducedAxesPass",
    "stablehlo-erase-unused": "transforms.stablehlo.erase_unused:EraseUnusedPass",
    "stablehlo-ext-canonicalize-from-hlo-import": (
        "transforms.hlo.canonicalize_from_hlo_import:CanonicalizeFromHloImportPass"
    ),
    "stablehlo-inline-applied-calls": "transforms.stablehlo.inline_applied_calls:InlineAppliedCallsPass",
    "stablehlo-legalize-arith-constants": "transforms.stablehlo.legalize_arith_constants:LegalizeArithConstantsPass",
    "stablehlo-legalize-composite-to-call": (
        "transforms.stablehlo.legalize_composite_to_call:LegalizeCompositeToCallPass"
    ),
    "stablehlo-legalize-deprecated-ops": "transforms.stablehlo.legalize_deprecated_ops:LegalizeDeprecatedOpsPass",
    "stablehlo-legalize-if-to-case": "transforms.stablehlo.legalize_if_to_case:LegalizeIfToCasePass",
    "symbol-dce": "transforms.symbol_dce:SymbolDCEPass",
    "verify-discardable-attributes": "transforms.verify_discardable_attributes:VerifyDiscardableAttributesPass",
    "xla-gpu-attach-target": "lowering.attach_target:AttachTargetPass",
    "xla-gpu-canonicalize": "transforms.canonicalize:CanonicalizePass",
    "xla-gpu-codegen-pipeline": "transforms.xla_gpu.codegen_pipeline:CodegenPipelinePass",
    "xla-gpu-convert-float-nvidia": "transforms.xla_gpu.convert_float_nvidia:ConvertFloatNvidiaPass",
    "xla-gpu-convert-index-type": "transforms.xla_gpu.convert_index_type:ConvertIndexTypePass",
    "xla-gpu-convert-pure-call-ops": "transforms.xla_gpu.convert_pure_call_ops:ConvertPureCallOpsPass",
    "xla-gpu-cse": "transforms.cse:CSEPass",
    "xla-gpu-erase-dead-functions": "transforms.xla_gpu.erase_dead_functions:EraseDeadFunctionsPass",
    "xla-gpu-expand-float-ops": "transforms.xla_gpu.expand_float_ops:ExpandFloatOpsPass",
    "xla-gpu-expand-integer-power": "transforms.xla_gpu.expand_integer_power:ExpandIntegerPowerPass",
    "xla-gpu-expand-math-functions": "transforms.xla_gpu.expand_math_functions:ExpandMathFunctionsPass",
    "xla-gpu-flatten-tensors": "transforms.xla_gpu.flatten_tensors:FlattenTensorsPass",
    "xla-gpu-inline-into-loops": "transforms.xla_gpu.inline_into_loops:InlineIntoLoopsPass",
    "xla-gpu-licm": "transforms.loop_invariant_code_motion:LoopInvariantCodeMotionPass",
    "xla-gpu-link-xla-intrinsic-lib": "transforms.xla_gpu.lower_xla_intrinsic_lib:LinkXlaIntrinsicLibPass",
    "xla-gpu-fuse-loops": "transforms.xla_gpu.fuse_loops:FuseLoopsPass",
    "xla-gpu-insert-pdl": "transforms.xla_gpu.insert_pdl:InsertPdlPass",
    "xla-gpu-lower-affine": "transforms.xla_gpu.lower_affine:LowerAffinePass",
    "xla-gpu-lower-scf-to-cf": "lowering.scf_to_cf:LowerScfToCfPass",
    "xla-gpu-lower-tensors": "transforms.xla_gpu.lower_tensors:LowerTensorsPass",
    "xla-gpu-lower-to-llvm": "lowering.pipeline:LowerToLLVMPass",
    "xla-gpu-lower-xla-gpu-loops-to-scf": "transforms.xla_gpu.lower_xla_gpu_loops_to_scf:LowerXlaGpuLoopsToScfPass",
    "xla-gpu-lower-xla-gpu-to-scf": "transforms.xla_gpu.lower_xla_gpu_to_scf:LowerXlaGpuToScfPass",
    "xla-gpu-lower-xla-intrinsic-lib": "transforms.xla_gpu.lower_xla_intrinsic_lib:LowerXlaIntrinsicLibPass",
    "xla-gpu-lower-xla-shared": "transforms.xla_gpu.lower_xla_shared:LowerXlaSharedPass",
    "xla-gpu-merge-pointers": "transforms.xla_gpu.merge_pointers:MergePointersPass",
    "xla-gpu-optimize-loops": "transforms.xla_gpu.optimize_loops:OptimizeLoopsPass",
    "xla-gpu-pack-atomic-adds": "transforms.xla_gpu.pack_atomic_adds:PackAtomicAddsPass",
    "xla-gpu-read-words-atomically": "transforms.xla_gpu.read_words_atomically:ReadWordsAtomicallyPass",
    "xla-gpu-peel-loops": "transforms.xla_gpu.peel_loops:PeelLoopsPass",
    "xla-gpu-propagate-slice-indices": "transforms.xla_gpu.propagate_slice_indices:PropagateSliceIndicesPass",
    "xla-gpu-recover-exp2": "transforms.xla_gpu.recover_exp2:RecoverExp2Pass",
    "xla-gpu-safe-integer-arithmetic": "transforms.xla_gpu.safe_integer_arithmetic:SafeIntegerArithmeticPass",
    "xla-gpu-simplify-affine": "transforms.xla_gpu.simplify_affine:SimplifyAffinePass",
    "xla-gpu-simplify-arith": "transforms.xla_gpu.simplify_arith:SimplifyArithPass",
    "xla-gpu-unswitch-loops": "transforms.xla_gpu.unswitch_loops:UnswitchLoopsPass",
    "xla-gpu-vectorize-loads-stores": "transforms.xla_gpu.vectorize_loads_stores:VectorizeLoadsStoresPass",
    "xla-gpu-widen-divided-registers": "lowering.widen_divided_registers:WidenDividedRegistersPass",
    "xla-sdy-canonicalize": "transforms.xla_sdy.canonicalize:CanonicalizeImportedPass",
    "xla-sdy-export-ops": "transforms.xla_sdy.export_ops:ExportOpsPass",
    "xla-sdy-export-named-computations": "transforms.xla_sdy.export_named_computations:ExportNamedComputationsPass",
    "xla-sdy-import-constants": "transforms.xla_sdy.import_constants:ImportConstantsPass",
    "xla-sdy-import-func-calls": "transforms.xla_sdy.import_func_calls:ImportFuncCallsPass",
    "xla-sdy-import-sdy-custom-calls": "transforms.xla_sdy.import_sdy_custom_calls:ImportSdyCustomCallsPass",
    "xla-sdy-import-shardings": "transforms.xla_sdy.import_shardings:ImportShardingsPass",
    "xla-sdy-open-while-free-vars-sharding": (
        "transforms.xla_sdy.open_while_free_vars_sharding:OpenWhileFreeVarsShardingPass"
    ),
    "xla-sdy-round-trip-dedup-meshes": "transforms.xla_sdy.round_trip_dedup_meshes:RoundTripDedupMeshesPass",
    "xla-sdy-round-trip-export-ops": "transforms.xla_sdy.round_trip_export_ops:RoundTripExportOpsPass",
    "xla-sdy-round-trip-export-pipeline": "transforms.xla_sdy.round_trip_export_pipeline:RoundTripExportPipelinePass",
    "xla-sdy-round-trip-export-shardy-attrs": (
        "transforms.xla_sdy.round_trip_export_shardy_attrs:RoundTripExportShardyAttrsPass"
    ),
    "xla-sdy-round-trip-import-named-shardings": "transforms.xla_sdy.import_named_shardings:ImportNamedShardingsPass",
    "xla-sdy-round-trip-import-pipeline": "transforms.xla_sdy.round_trip_import_pipeline:RoundTripImportPipelinePass",
    "xla-sdy-round-trip-import-shardy-attrs": (
        "transforms.xla_sdy.round_trip_import_shardy_attrs:RoundTripImportShardyAttrsPass"
    ),
    "xla-sdy-round-trip-shard-map-export": "transforms.xla_sdy.round_trip_shard_map_export:RoundTripShardMapExportPass",
    "xla-sdy-round-trip-shard-map-import": "transforms.xla_sdy.round_trip_shard_map_import:RoundTripShardMapImportPass",
    "xla-sdy-round-trip-stablehlo-to-hlo-to-stablehlo": (
        "transforms.xla_sdy.round_trip_through_hlo:RoundTripThroughHloPass"
    ),
    "xla-sdy-round-trip-testing-pipeline": (
        "transforms.xla_sdy.round_trip_testing_pipeline:RoundTripTestingPipelinePass"
    ),
    "xla-sdy-stablehlo-export-manual-reduction-collectives": (
        "transforms.xla_sdy.stablehlo_export_manual_reduction_collectives:StablehloExportManualReductionCollectivesPass"
    ),
    "xla-sdy-stablehlo-export-pipeline": "transforms.xla_sdy.stablehlo_export_pipeline:StablehloExportPipelinePass",
    "xla-sdy-stablehlo-export-shardings": "transforms.xla_sdy.stablehlo_export_shardings:StablehloExportShardingsPass",
    "xla-sdy-stablehlo-import-pipeline": "transforms.xla_sdy.stablehlo_import_pipeline:StablehloImportPipelinePass",
    "xla-sdy-stablehlo-round-trip-export-callback-custom-calls": (
        "transforms.xla_sdy.stablehlo_export_callback_custom_calls:StablehloExportCallbackCustomCallsPass"
    ),
    "xla-sdy-stablehlo-round-trip-shard-map-export": (
        "transforms.xla_sdy.stablehlo_round_trip_shard_map_export:StablehloRoundTripShardMapExportPass"
    ),
}

TARGETS: Mapping[str, str] = {
    "hlo": "transforms.hlo.to_opcodes:HLOTarget",
    "llvm-ir": "lowering.nvptx:LLVMIRTarget",
    "ptx": "lowering.nvptx:PTXTarget",
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
