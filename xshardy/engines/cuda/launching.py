"""Kernels of ours on a GPU: with arrays that are there already, or with numpy arrays that are copied."""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, cast

import numpy as np

from xshardy.engines.cuda.gpu import DeviceMemory, Gpu, Launch
from xshardy.engines.cuda.gpu_views import LaunchError, has_strides, require_alignment, row_major, view_of
from xshardy.lowering.code_generators import Kernel, KernelArgument
from xshardy.numerics.element_types import Array, packed, unpacked


class LoadedKernel:
    """A kernel on a GPU."""

    def __init__(self, kernel: Kernel, gpu: Gpu):
        self.kernel, self.gpu = kernel, gpu
        self._handle = None if kernel.is_empty else gpu.load(kernel.ptx, kernel.entry)

    def launch(self, *arrays: Any) -> None:
        """
        Run the kernel on `arrays`, one for each of its arguments, and wait for it.

        An array is one of cupy, torch, jax or another library that offers DLPack or `__cuda_array_interface__`, on this
        GPU and contiguous; or a numpy array, which is copied there, and back if the kernel writes to it. Arguments that
        are one buffer to the kernel must be one array. Raises `LaunchError` for arrays that do not fit the kernel.
        """
        arguments = self.kernel.arguments
        if len(arrays) != len(arguments):
            raise LaunchError(f"the kernel has {len(arguments)} arguments, but there are {len(arrays)} arrays")
        views = [self._view(argument, array) for argument, array in zip(arguments, arrays, strict=True)]
        self._check_buffers(arrays)
        uploaded: dict[int, DeviceMemory] = {}
        """By the identity of an array, since arrays do not hash: its copy on the GPU."""
        pointers = list[int]()
        for array, view in zip(arrays, views, strict=True):
            if view is None and id(array) not in uploaded:
                uploaded[id(array)] = self.gpu.upload(packed(array))
            pointers.append(uploaded[id(array)].pointer if view is None else view)
        self.launch_pointers(pointers)
        self.gpu.wait()
        for argument, array in zip(arguments, arrays, strict=True):
            if argument.is_output and id(array) in uploaded:
                array[...] = unpacked(self.gpu.download(uploaded[id(array)]), array)

    def launch_pointers(self, pointers: Sequence[int], stream: int | None = None) -> None:
        """
        Start the kernel with a pointer for each of its arguments, and do not wait. Nothing is checked.

        `stream` is one of another library (`CUstream`, as a number), in place of that of the GPU.
        """
        if self._handle is not None:
            self.gpu.launch(Launch(self._handle, self.kernel.grid, self.kernel.block, tuple(pointers)), stream)

    def _view(self, argument: KernelArgument, array: object) -> int | None:
        """The pointer of an array on the GPU; None for a numpy array. Raises `LaunchError` if it does not fit."""
        where = f"argument {argument.index}"
        if isinstance(array, np.ndarray):
            if argument.is_output and not array.flags.writeable:
                raise LaunchError(f"{where}: the kernel writes to it, but the array is read-only")
            _check_size(where, argument, packed(cast(Array, array)).size)
            return None
        view = view_of(self.gpu, array, where)
        if view is None:
            raise LaunchError(f"{where}: a {type(array).__name__} on the host: pass a numpy array, or one on the GPU")
        if argument.is_output and view.readonly:
            raise LaunchError(f"{where}: the kernel writes to it, but the array is read-only")
        if not has_strides(view, row_major(view.shape)):
            raise LaunchError(f"{where}: the array is not contiguous (strides {view.strides}): pass a copy")
        _check_size(where, argument, prod(view.shape) * view.dtype.itemsize)
        require_alignment(view, argument.alignment, where)
        return view.ptr

    def _check_buffers(self, arrays: tuple[object, ...]) -> None:
        """Raises `LaunchError` if arguments that are one buffer to the kernel are different arrays."""
        first: dict[int, int] = {}
        for index, number in enumerate(self.kernel.buffers):
            other = first.setdefault(number, index)
            if arrays[other] is not arrays[index]:
                raise LaunchError(
                    f"argument {index}: the kernel works in place of argument {other}: pass the same array"
                )


def _check_size(where: str, argument: KernelArgument, size: int) -> None:
    if argument.size is not None and size < argument.size:
        raise LaunchError(f"{where}: the kernel uses {argument.size:,} bytes, but the array has {size:,}")


def load(kernel: Kernel, gpu: Gpu | None = None) -> LoadedKernel:
    """`kernel` on `gpu`, by default on GPU 0."""
    return LoadedKernel(kernel, gpu or Gpu())


def run_on_gpu(kernel: Kernel, buffers: Mapping[int, Array], gpu: Gpu | None = None) -> dict[int, Array]:
    """
    Run `kernel`; returns the written buffers by their slice index, in their original shapes.

    `buffers` are the arguments by slice index, elements in memory order; they are not changed. The counterpart of
    `ptx.kernels.run_kernel`.
    """
    loaded = load(kernel, gpu)
    memory = {number: loaded.gpu.upload(packed(array)) for number, array in buffers.items()}
    loaded.launch_pointers([memory[number].pointer for number in kernel.buffers])
    return {n: unpacked(loaded.gpu.download(memory[n]), buffers[n]) for n in kernel.written_buffers}
