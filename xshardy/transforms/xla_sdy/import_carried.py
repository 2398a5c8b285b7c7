"""Import the shardings that a module carries in the notations of XLA: texts of Shardy in attributes, or HLO's own."""

from collections.abc import Iterator

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from xshardy.dialects.hlo.annotation_names import SHARDING as HLO_SHARDING
from xshardy.dialects.sdy.ops import MeshOp
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.xla_sdy.frontend_attributes import frontend_entries
from xshardy.transforms.xla_sdy.names import MANUAL_COMPUTATION_BODY, MESHES
from xshardy.transforms.xla_sdy.signatures import Attributes, signature_of

# The pipelines load slowly, so they are imported for modules that need them only.


def import_carried(module: ModuleOp, context: Context) -> None:
    """
    Make the shardings that `module` carries those of Shardy, in place: its texts `xla.sdy.*` if it has meshes of them,
    else HLO shardings, `mhlo.sharding`, by the axes of meshes if it has bodies of manual computations.

    Source: XLA, xla/service/spmd/shardy/shardy_xla_pass, which chooses so. Raises `OperationFailedException`.
    """
    from xshardy.transforms.xla_sdy.round_trip_import_pipeline import RoundTripImportPipelinePass
    from xshardy.transforms.xla_sdy.stablehlo_import_pipeline import StablehloImportPipelinePass

    has_texts = MESHES in frontend_entries(module.attributes)
    has_bodies = any(MANUAL_COMPUTATION_BODY in name for name in functions_of(module))
    pipeline = (
        RoundTripImportPipelinePass(enable_hlo_sharding_v3=not has_texts)
        if has_texts or has_bodies
        else StablehloImportPipelinePass()
    )
    pipeline.apply(context, module)


def import_if_carried(module: ModuleOp, context: Context) -> None:
    """
    As `import_carried`, for a module of StableHLO, which has shardings of Shardy unless a JAX wrote it that lowered for
    GSPMD, or whose `jax.export` wrote shardings as texts.
    """
    if carries_shardings(module):
        import_carried(module, context)


def carries_shardings(module: ModuleOp) -> bool:
    """Whether `module` has shardings in a notation of XLA and no mesh: with a mesh, the shardings of Shardy count."""
    if any(isinstance(op, MeshOp) for op in module.ops):
        return False
    return MESHES in frontend_entries(module.attributes) or any(
        HLO_SHARDING in attributes
        for function in functions_of(module).values()
        for attributes in attributes_in(function)
    )


def attributes_in(function: FuncOp) -> Iterator[Attributes]:
    """The attributes of each argument, result and operation of `function`."""
    signature = signature_of(function)
    yield from signature.arguments
    yield from signature.results
    yield from (op.attributes for op in operations_in(function))
