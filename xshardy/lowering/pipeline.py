"""The lowering to LLVM, step by step: `STEPS` in their order."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnrealizedConversionCastOp
from xdsl.passes import ModulePass, PassPipeline
from xdsl.transforms.reconcile_unrealized_casts import reconcile_unrealized_casts
from xdsl.utils.exceptions import PassFailedException

from xshardy.lowering.arith_to_llvm import ConvertArithToLLVMPass
from xshardy.lowering.cf_to_llvm import ConvertCfToLLVMPass
from xshardy.lowering.complex_to_llvm import ConvertComplexToLLVMPass
from xshardy.lowering.complex_to_standard import ConvertComplexToStandardPass
from xshardy.lowering.func_to_llvm import ConvertFuncToLLVMPass
from xshardy.lowering.gpu_to_nvvm import ConvertGpuToNVVMPass
from xshardy.lowering.math_to_libdevice import ConvertMathToLibdevicePass
from xshardy.lowering.scf_to_cf import LowerScfToCfPass
from xshardy.lowering.vector_to_llvm import ConvertVectorToLLVMPass


class ReconcileCastsPass(ModulePass):
    """Remove the casts between old and LLVM types. One that is left has a user that was not lowered, and stays."""

    name = "reconcile-unrealized-casts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        reconcile_unrealized_casts(op, warn_on_failure=False)


STEPS: tuple[ModulePass, ...] = (
    LowerScfToCfPass(),
    ConvertComplexToStandardPass(),
    ConvertMathToLibdevicePass(),
    ConvertArithToLLVMPass(),
    ConvertComplexToLLVMPass(),
    ConvertVectorToLLVMPass(),
    ConvertGpuToNVVMPass(),
    ConvertCfToLLVMPass(),
    ConvertFuncToLLVMPass(),
    ReconcileCastsPass(),
)
"""Each is a pass of its own, to be run, timed and looked at alone."""


DIALECTS = frozenset({"builtin", "llvm", "nvvm"})
"""What is left after the last step."""


def check_lowered(module: ModuleOp) -> None:
    """Raise `PassFailedException` if `module` holds an operation that no step lowers, or a cast that it kept alive."""
    left = [op for op in module.walk() if op.dialect_name() not in DIALECTS]
    left += [op for op in module.walk() if isinstance(op, UnrealizedConversionCastOp)]
    if left:
        raise PassFailedException(f"'{left[0].name}' has no lowering to the llvm dialect: lower it before this pass")


class LowerToLLVMPass(ModulePass):
    """Lower func, scf, cf, arith, math, complex, vector and gpu to the llvm and nvvm dialects; nothing else is left."""

    name = "xla-gpu-lower-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PassPipeline(STEPS).apply(ctx, op)
        check_lowered(op)
