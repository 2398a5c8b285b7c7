"""
The pass pipeline from an emitted fusion to the llvm dialect, as a table of stages.

A stage ends at a level of the emitters' documentation, which the tools refer to by name. Source: spec row XGPU-10 and
section 7, in their order.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from xshardy.gpus.targets import GpuTarget, Vendor, target_of
from xshardy.lowering.attach_target import AttachTargetPass
from xshardy.lowering.complex_to_standard import ConvertComplexToStandardPass
from xshardy.lowering.pipeline import LowerToLLVMPass
from xshardy.rewriting.changes import PassRunner
from xshardy.syntax.close_names import did_you_mean
from xshardy.transforms.canonicalize import CanonicalizePass
from xshardy.transforms.cse import CSEPass
from xshardy.transforms.inline import InlinePass
from xshardy.transforms.loop_invariant_code_motion import LoopInvariantCodeMotionPass
from xshardy.transforms.symbol_dce import SymbolDCEPass
from xshardy.transforms.xla_gpu.convert_float_amd import ConvertFloatAmdPass
from xshardy.transforms.xla_gpu.convert_float_nvidia import ConvertFloatNvidiaPass
from xshardy.transforms.xla_gpu.convert_index_type import ConvertIndexTypePass
from xshardy.transforms.xla_gpu.convert_pure_call_ops import ConvertPureCallOpsPass
from xshardy.transforms.xla_gpu.erase_dead_functions import EraseDeadFunctionsPass
from xshardy.transforms.xla_gpu.expand_float_ops import ExpandFloatOpsPass
from xshardy.transforms.xla_gpu.expand_integer_power import ExpandIntegerPowerPass
from xshardy.transforms.xla_gpu.expand_math_functions import ExpandMathFunctionsPass
from xshardy.transforms.xla_gpu.flatten_tensors import FlattenTensorsPass
from xshardy.transforms.xla_gpu.fuse_loops import FuseLoopsPass
from xshardy.transforms.xla_gpu.inline_into_loops import InlineIntoLoopsPass
from xshardy.transforms.xla_gpu.insert_pdl import InsertPdlPass
from xshardy.transforms.xla_gpu.lower_affine import LowerAffinePass
from xshardy.transforms.xla_gpu.lower_tensors import LowerTensorsPass
from xshardy.transforms.xla_gpu.lower_xla_gpu_loops_to_scf import LowerXlaGpuLoopsToScfPass
from xshardy.transforms.xla_gpu.lower_xla_gpu_to_scf import LowerXlaGpuToScfPass
from xshardy.transforms.xla_gpu.lower_xla_shared import LowerXlaSharedPass
from xshardy.transforms.xla_gpu.merge_pointers import MergePointersPass
from xshardy.transforms.xla_gpu.optimize_loops import OptimizeLoopsPass
from xshardy.transforms.xla_gpu.pack_atomic_adds import PackAtomicAddsPass
from xshardy.transforms.xla_gpu.peel_loops import PeelLoopsPass
from xshardy.transforms.xla_gpu.propagate_slice_indices import PropagateSliceIndicesPass
from xshardy.transforms.xla_gpu.read_words_atomically import ReadWordsAtomicallyPass
from xshardy.transforms.xla_gpu.safe_integer_arithmetic import SafeIntegerArithmeticPass
from xshardy.transforms.xla_gpu.simplify_affine import SimplifyAffinePass
from xshardy.transforms.xla_gpu.simplify_arith import SimplifyArithPass
from xshardy.transforms.xla_gpu.unswitch_loops import UnswitchLoopsPass
from xshardy.transforms.xla_gpu.vectorize_loads_stores import VectorizeLoadsStoresPass

EMITTED = "xla_gpu"
"""The level of a module after emission, before any pass."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A sequence of passes, and the name of the level after them."""

    level: str
    passes: tuple[ModulePass, ...]


MATH_CHOICES = ("auto", "libdevice", "expanded")
"""
What computes exp, tanh, sin, ...: libdevice where it is installed and else arithmetic, or always one of the two. AMD's
GPUs have arithmetic only.
"""


def expands_math(math: str, gpu: GpuTarget) -> bool:
    """
    Whether functions are computed by arithmetic, for one of `MATH_CHOICES`.

    Raises `ValueError` for another one, and `PassFailedException` for libdevice on a GPU that it is not for.
    """
    if math not in MATH_CHOICES:
        hint = did_you_mean(math, MATH_CHOICES, f": expected one of {', '.join(MATH_CHOICES)}")
        raise ValueError(f"unknown math '{math}'{hint}")
    if not gpu.has_libdevice and math == "libdevice":
        raise PassFailedException("libdevice is for NVIDIA's GPUs: use math=expanded, which computes by arithmetic")
    if not gpu.has_libdevice or math != "auto":
        return math != "libdevice"
    from xshardy.lowering.libdevice import is_installed  # loads llvmlite

    return not is_installed()


SMALL_FLOATS: Mapping[Vendor, Callable[[str], ModulePass]] = {
    Vendor.AMD: ConvertFloatAmdPass.for_target,
    Vendor.NVIDIA: ConvertFloatNvidiaPass.for_target,
}
"""The pass that converts small floats by instructions of a target."""


def stages(target: str = "sm_90", math: str = "auto") -> tuple[Stage, ...]:
    """
    The pipeline for `target`, in order. Vector widths, atomics and the size of warps depend on the target.

    `math` is one of `MATH_CHOICES`. Raises `ValueError` for another one, or an unknown target.
    """
    gpu = target_of(target)
    device = gpu.device_info
    # Before tensors are lowered: the reduction of large arguments reads a constant tensor.
    expansions = (ConvertComplexToStandardPass(), ExpandMathFunctionsPass()) if expands_math(math, gpu) else ()
    wait = (InsertPdlPass(),) if gpu.overlaps_kernels else ()
    clean_up = (CanonicalizePass(), CSEPass())
    return (
        Stage("inlined", (SimplifyArithPass(), *clean_up, EraseDeadFunctionsPass(), InlinePass(), *clean_up)),
        Stage(
            "scf",
            (
                LowerXlaSharedPass(),
                LowerXlaGpuToScfPass(gpu.device.threads_per_warp, gpu.moves_lanes),
                FuseLoopsPass(),
                PeelLoopsPass(),
                LowerXlaGpuLoopsToScfPass(),
                *clean_up,
            ),
        ),
        Stage(
            "flattened",
            # Folds the bounds check of a loop if `xla.range` implies it.
            (SimplifyArithPass(), CanonicalizePass(), PropagateSliceIndicesPass(), FlattenTensorsPass(), *clean_up),
        ),
        Stage(
            "vectorized",
            (
                InlineIntoLoopsPass(),
                CanonicalizePass(),
                # Unswitching needs hoisted conditions, and enables more hoisting.
                LoopInvariantCodeMotionPass(),
                UnswitchLoopsPass(),
                LoopInvariantCodeMotionPass(),
                VectorizeLoadsStoresPass(gpu_device_info=device),
                *clean_up,
            ),
        ),
        Stage("unrolled", (OptimizeLoopsPass(), *clean_up)),
        Stage(
            "llvm",
            (
                AttachTargetPass(target),
                *wait,
                *expansions,
                ConvertPureCallOpsPass(),
                LowerTensorsPass(gpu_device_info=device),
                PackAtomicAddsPass(device),
                ReadWordsAtomicallyPass(),
                MergePointersPass(),
                *clean_up,
                SimplifyArithPass(),
                SimplifyAffinePass(),
                LowerAffinePass(),
                ConvertIndexTypePass(),
                LoopInvariantCodeMotionPass(),
                SymbolDCEPass(),
                CSEPass(),
                SafeIntegerArithmeticPass(),
                ExpandIntegerPowerPass(),
                SMALL_FLOATS[gpu.vendor](target),
                ExpandFloatOpsPass(approximate_tanh=False),
                LowerToLLVMPass(),
            ),
        ),
    )


LEVELS: tuple[str, ...] = (EMITTED, *(stage.level for stage in stages(math="libdevice")))
"""The names of all levels, from the emitted module to the llvm dialect."""


def check_level(level: str) -> None:
    """Raise `ValueError` for an unknown level."""
    if level not in LEVELS:
        hint = did_you_mean(level, LEVELS, f": expected one of {', '.join(LEVELS)}")
        raise ValueError(f"unknown level '{level}'{hint}")


@dataclass(frozen=True)
class CodegenPipelinePass(ModulePass):
    """Lower an emitted fusion to the llvm dialect: all stages, or those up to the level `until`."""

    name = "xla-gpu-codegen-pipeline"
    source: ClassVar[str] = "XLA:GPU emitters, the passes of the codegen pipeline in their order (XGPU-10)"
    no_patterns: ClassVar[str] = "runs the passes of its stages; `canonicalize` and `cse` on what changed since last"
    target: str = "sm_90"
    until: str = "llvm"
    math: str = "auto"

    def __post_init__(self) -> None:
        gpu = target_of(self.target)
        check_level(self.until)
        expands_math(self.math, gpu)

    @property
    def passes(self) -> tuple[ModulePass, ...]:
        """The passes, in order."""
        wanted = LEVELS[1 : LEVELS.index(self.until) + 1]
        return tuple(each for stage in stages(self.target, self.math) if stage.level in wanted for each in stage.passes)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        runner = PassRunner(ctx, op)
        for each in self.passes:
            runner.run(each)
