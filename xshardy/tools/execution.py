"""`xshardy run`: execute kernels on the CPU at each level, and compare their results with the reference."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from rich.table import Table
from rich.text import Text
from xdsl.dialects.builtin import ModuleOp, TensorType, TupleType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from xshardy import compiler
from xshardy.dialects.hlo import FusionOp
from xshardy.dialects.shapes import is_tensor
from xshardy.gpus.capability import DEFAULT_TARGET
from xshardy.interpreters import simt
from xshardy.interpreters.check import Comparison, Tolerance, tolerance_of, unlike
from xshardy.interpreters.inputs import inputs_of
from xshardy.interpreters.reference import Reference
from xshardy.interpreters.simt.memory import in_memory_order, in_tensor_order
from xshardy.launch.kernel_levels import OPT_LEVELS, PTX, compiled_at, first_of_buffer, run_compiled
from xshardy.lowering.code_generators import compile_module
from xshardy.lowering.kernel import NoPTXError
from xshardy.numerics.element_types import Array, numpy_dtype
from xshardy.ptx.errors import PtxError
from xshardy.tools.console import console, summary
from xshardy.tools.output import print_diagnostic
from xshardy.transforms.xla_gpu.codegen_pipeline import LEVELS


@dataclass(frozen=True, slots=True)
class Output:
    """One result of a kernel at one level."""

    fusion: str
    """The name of the fusion, or of the program."""
    level: str
    index: int
    type: TensorType[Attribute]
    value: Array
    comparison: Comparison | None
    """The comparison with the reference; None without `--check`, and for a result that is not compared."""
    seconds: float
    """The execution time of the kernel, with all its results."""
    not_compared: str | None = None
    """With `--check`: why HLO does not define this result, so that it is not compared."""


@dataclass(frozen=True, slots=True)
class ErrorBounds:
    """Tolerances that replace those of the reference."""

    absolute: float | None = None
    relative: float | None = None

    def tolerance(self, type: Attribute) -> Tolerance | None:
        """The tolerance for elements of `type`; None if none is given. That of the type stands for a missing one."""
        if self.absolute is None and self.relative is None:
            return None
        usual = tolerance_of(numpy_dtype(type))
        absolute = usual.absolute if self.absolute is None else self.absolute
        return Tolerance(usual.relative if self.relative is None else self.relative, absolute)


def execute_fusion(
    fusion: FusionOp,
    module: ModuleOp,
    levels: Sequence[str],
    *,
    check: bool,
    seed: int = 0,
    target: str = DEFAULT_TARGET,
    math: str = "auto",
    bounds: ErrorBounds | None = None,
    observe: compiler.Observer | None = None,
    on_gpu: bool = False,
) -> Iterator[Output]:
    """
    Execute `module`, the emitted kernel of `fusion`, at each of `levels`, with inputs that depend on `seed` only.

    Level `PTX` runs on GPU 0 if `on_gpu`, else on the PTX machine; all others run on the CPU. This lowers the module in
    place. With `check`, every result is compared with the reference. Raises `SimtError` or `FaultError` for invalid
    kernels, for example for out-of-bounds access, and `GpuError` where there is no GPU.
    """
    computation = fusion.callee_function()
    inputs = inputs_of(computation, seed)
    reference = Reference(computation, inputs) if check else None
    types = result_types(computation)
    zeros = [np.zeros(type.get_shape(), numpy_dtype(type)) for type in types]
    arrays = [*inputs, *(map(unlike, reference.results) if reference else zeros)]  # unwritten elements must differ
    # Lower levels have no layouts, so all levels get the elements in memory order.
    kernel = simt.find_kernel(module)
    layouts = [type for type in kernel.function_type.inputs if is_tensor(type)]
    written_in = first_of_buffer(kernel)[len(inputs) :]
    buffers = [in_memory_order(array, layout) for array, layout in zip(arrays, layouts, strict=True)]
    bounds = bounds or ErrorBounds()
    name = compiler.fusion_name(fusion)
    last = LEVELS[-1] if PTX in levels else levels[-1]
    for reached in compiler.lower_by_level(module, target=target, math=math, last=last, observe=observe):
        for level in levels:
            if level != reached and not (level == PTX and reached == LEVELS[-1]):
                continue
            start = perf_counter()
            if level == PTX and on_gpu:
                written = run_arguments_on_gpu(module, target, buffers, written_in)
            elif level in OPT_LEVELS:
                try:
                    written = run_compiled(compiled_at(level, module, target), buffers, written_in)
                except (NoPTXError, PtxError) as error:
                    if len(levels) == 1:
                        raise
                    print_diagnostic(f"{name}: warning: level {level} is left out: {error}")
                    continue
            else:
                written = simt.run_kernel(module, buffers)
            seconds = perf_counter() - start
            values = map(in_tensor_order, written, layouts[len(inputs) :])
            for index, (type, value) in enumerate(zip(types, values, strict=True)):
                undefined = reference.undefined.get(index) if reference else None
                comparison = None
                if reference is not None and undefined is None:
                    comparison = reference.compare(index, value, bounds.tolerance(type.element_type))
                yield Output(name, level, index, type, value, comparison, seconds, undefined)


def run_arguments_on_gpu(
    module: ModuleOp, target: str, buffers: Sequence[Array], written_in: Sequence[int]
) -> list[Array]:
    """`run_compiled` on GPU 0, for `module` compiled for `target`."""
    from xshardy.engines.cuda import run_on_gpu

    written = run_on_gpu(compile_module(module, target), dict(enumerate(buffers)))
    return [written[number] for number in written_in]


def result_types(computation: FuncOp) -> list[TensorType[Attribute]]:
    """The tensors that a fused computation returns, those of a tuple one by one."""
    types: list[TensorType[Attribute]] = []
    for type in computation.function_type.outputs:
        elements = type.types.data if isinstance(type, TupleType) else (type,)
        types += [element for element in elements if is_tensor(element)]
    return types


def print_outputs(outputs: Sequence[Output]) -> None:
    """A table of results on standard output."""
    table = Table("fusion", "level", "result", "type", "max abs", "max ulp", "ms", "verdict")
    for output in outputs:
        comparison = output.comparison
        table.add_row(
            output.fusion,
            output.level,
            str(output.index),
            str(output.type),
            f"{comparison.max_absolute:.3g}" if comparison else "-",
            str(comparison.max_ulp) if comparison else "-",
            f"{output.seconds * 1e3:.0f}",
            verdict(output),
        )
    console().print(table)


def outputs_as_json(outputs: Sequence[Output]) -> dict[str, object]:
    """The results as `--json` prints them; times in seconds."""
    return {
        "results": [
            {
                "fusion": output.fusion,
                "level": output.level,
                "result": output.index,
                "type": str(output.type),
                "seconds": output.seconds,
            }
            | compared_as_json(output.comparison if output.not_compared is None else output.not_compared)
            for output in outputs
        ]
    }


def compared_as_json(compared: Comparison | str | None) -> dict[str, object]:
    """The comparison of a result, or the reason why it is not compared; nothing without `--check`."""
    match compared:
        case None:
            return {}
        case str():
            return {"not_compared": compared}
        case Comparison():
            errors = {"max_absolute": float(compared.max_absolute), "max_ulp": int(compared.max_ulp)}
            return {"agrees": bool(compared), **errors}


def report_outputs(outputs: Sequence[Output], file: str) -> int:
    """Diagnostics for the results of `file` that differ, or are not compared; the exit status."""
    for output in outputs:
        if output.not_compared is not None:
            place = f"{file}: warning: {output.fusion}, result {output.index}, level {output.level}"
            print_diagnostic(f"{place}: {output.not_compared}: the result depends on the order; not compared")
    wrong = [output for output in outputs if output.comparison is not None and not output.comparison]
    for output in wrong:
        place = f"{file}: error: {output.fusion}, result {output.index}, level {output.level}"
        print_diagnostic(f"{place}: {output.comparison}")
    return 1 if wrong else 0


def verdict(output: Output) -> str | Text:
    """The text of the last column of the table."""
    if output.not_compared is not None:
        return Text("not compared", "yellow")
    if output.comparison is None:
        return summary(output.value)
    return verdict_of(output.comparison)


def verdict_of(comparison: Comparison) -> Text:
    """Whether a result agrees, and how much that says."""
    if not comparison:
        return Text("differs", "bold red")
    if comparison.only_nan:
        return Text("agrees (all elements are NaN)", "yellow")
    if comparison.undetermined:
        return Text(f"agrees ({comparison.undetermined} elements: no digit to compare)", "green")
    return Text("agrees", "green")
