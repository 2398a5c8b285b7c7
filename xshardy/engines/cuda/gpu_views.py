"""Arrays of other libraries: whether they are on a GPU, and whether a kernel can use them there as they are."""

from collections.abc import Sequence
from typing import Any

from xdsl.utils.exceptions import DiagnosticException

from xshardy.engines.cuda.gpu import Gpu, View

CUDA, CUDA_MANAGED = 2, 13
"""Types of devices whose memory a GPU of NVIDIA uses. Source: `DLDeviceType` of `dlpack.h`."""


class LaunchError(DiagnosticException):
    """A kernel or module cannot run with these arrays."""


def view_of(gpu: Gpu, array: object, where: str) -> View | None:
    """
    The pointer, shape, strides (in elements) and type of an array on `gpu`; None for what is on the host.

    Raises `LaunchError` for an array on another GPU, and `GpuError` for one that cannot be used. `where` says which
    array it is.
    """
    if not _is_on_a_gpu(array):
        return None
    view = gpu.view(array)
    if view.device_id != gpu.number:
        raise LaunchError(f"{where}: the array is on device {view.device_id}, the kernel on GPU {gpu.number}")
    return view


def _is_on_a_gpu(array: Any) -> bool:
    if hasattr(array, "__dlpack_device__"):
        return array.__dlpack_device__()[0] in (CUDA, CUDA_MANAGED)
    return hasattr(array, "__cuda_array_interface__")


def has_strides(view: View, expected: Sequence[int]) -> bool:
    """Whether the elements of `view` lie as `expected` strides say, in elements; none are the row-major order."""
    strides = row_major(view.shape) if view.strides is None else view.strides
    if 0 in view.shape:
        return True
    return all(
        size == 1 or stride == wanted for size, stride, wanted in zip(view.shape, strides, expected, strict=True)
    )


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides, in elements, of an array whose last dimension is contiguous, without gaps."""
    strides: list[int] = []
    stride = 1
    for size in reversed(shape):
        strides.append(stride)
        stride *= size
    return tuple(reversed(strides))


def require_alignment(view: View, alignment: int | None, where: str) -> None:
    """Raises `LaunchError` if the address of `view` is no multiple of `alignment` bytes."""
    if alignment and view.ptr % alignment:
        raise LaunchError(f"{where}: the array begins at {view.ptr:#x}, no multiple of {alignment} bytes")
