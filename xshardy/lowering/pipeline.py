"""The lowering to LLVM: its passes in their order, and all of them as one."""

from collections.abc import Callable, Iterable, Mapping
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, UnrealizedConversionCastOp
from xdsl.ir import Operation
from xdsl.transforms.reconcile_unrealized_casts import ReconcileUnrealizedCastsPattern
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects.data_layout import index_width
from xshardy.gpus.capability import DEFAULT_TARGET
from xshardy.gpus.targets import Vendor, target_of
from xshardy.lowering.arith_to_llvm import ConvertArithToLLVMPass
from xshardy.lowering.cf_to_llvm import ConvertCfToLLVMPass
from xshardy.lowering.complex_to_llvm import ConvertComplexToLLVMPass
from xshardy.lowering.complex_to_standard import ConvertComplexToStandardPass
from xshardy.lowering.conversion import ConversionPass, conversions_of
from xshardy.lowering.func_to_llvm import ConvertFuncToLLVMPass
from xshardy.lowering.gpu_to_nvvm import ConvertGpuToNVVMPass
from xshardy.lowering.gpu_to_rocdl import ConvertGpuToROCDLPass
from xshardy.lowering.kernel_marks import stated_target
from xshardy.lowering.math_to_libdevice import ConvertMathToIntrinsicsPass, ConvertMathToLibdevicePass
from xshardy.lowering.scf_to_cf import LowerScfToCfPass
from xshardy.lowering.specialize_memory_for_amd import SpecializeMemoryForAmdPass
from xshardy.lowering.vector_to_llvm import ConvertVectorToLLVMPass
from xshardy.lowering.widen_divided_registers import WidenDividedRegistersPass
from xshardy.rewriting import TO_FIXPOINT, PatternPass, PatternSet, Step
from xshardy.rewriting.walk import operations_in

PATTERNS = PatternSet((ReconcileUnrealizedCastsPattern(),))


class ReconcileCastsPass(PatternPass):
    """Remove the casts between old and LLVM types. One that is left has a user that was not lowered, and stays."""

    name = "reconcile-unrealized-casts"
    walk = TO_FIXPOINT
    fixed_patterns = PATTERNS


COMMON: tuple[ConversionPass, ...] = (
    ConvertArithToLLVMPass(),
    ConvertComplexToLLVMPass(),
    ConvertVectorToLLVMPass(),
    ConvertCfToLLVMPass(),
)
"""The conversions for every target. None makes operations that another one converts, so the order does not matter."""


def _for_nvidia(chip: str) -> tuple[PatternPass, ...]:
    return (
        ConvertMathToLibdevicePass(),
        ConvertGpuToNVVMPass(),
        ConvertFuncToLLVMPass(),
        ReconcileCastsPass(),
        WidenDividedRegistersPass(),
    )


def _for_amd(chip: str) -> tuple[PatternPass, ...]:
    return (
        ConvertMathToIntrinsicsPass(),
        ConvertGpuToROCDLPass(chip),
        ConvertFuncToLLVMPass(Vendor.AMD),
        ReconcileCastsPass(),
        SpecializeMemoryForAmdPass(),
    )


VENDOR_STEPS: Mapping[Vendor, Callable[[str], tuple[PatternPass, ...]]] = {
    Vendor.AMD: _for_amd,
    Vendor.NVIDIA: _for_nvidia,
}
"""The other conversions for a GPU, and what follows them."""


def steps_for(chip: str = DEFAULT_TARGET) -> tuple[PatternPass, ...]:
    """The passes for a GPU. Each is a pass of its own, to be run, timed and looked at alone."""
    own = VENDOR_STEPS[target_of(chip).vendor](chip)
    return LowerScfToCfPass(), ConvertComplexToStandardPass(), *COMMON, *own


DIALECTS = frozenset({"builtin", "llvm", "nvvm", "rocdl"})
"""What is left after the last step."""


def check_lowered(module: ModuleOp) -> None:
    """Raise `PassFailedException` if `module` holds an operation that no step lowers, or a cast to its operands."""
    left = [op for op in operations_in(module) if op.dialect_name() not in DIALECTS or _is_cast(op)]
    if left:
        first = min(left, key=_is_cast)
        raise PassFailedException(f"'{first.name}' has no lowering to the llvm dialect: lower it before this pass")


def _is_cast(op: Operation) -> bool:
    return type(op) is UnrealizedConversionCastOp


class LowerToLLVMPass(PatternPass):
    """
    Lower func, scf, cf, arith, math, complex, vector and gpu to the llvm and nvvm dialects; nothing else is left.

    For a module that states an AMD GPU, rocdl takes the place of nvvm. The same as `steps_for` its GPU one by one, but
    all conversions share a walk: most casts between them are then never built.
    """

    name = "xla-gpu-lower-to-llvm"
    source: ClassVar[str] = 'XLA:GPU emitters, "Conversion to LLVM" (XGPU-37)'

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        stated = stated_target(module)
        steps = steps_for(DEFAULT_TARGET if stated is None else stated.chip.data)
        conversions = tuple(step for step in steps if isinstance(step, ConversionPass))
        for step in steps:
            if step not in conversions:
                yield from step.steps(module)
            elif step is conversions[0]:
                yield Step(conversions_of(conversions, index_width(module)))
        check_lowered(module)
