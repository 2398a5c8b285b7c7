# cuda-core chooses its modules at run time, by the version of CUDA, so its names have no types.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
"""One GPU: its memory, the kernels loaded onto it, and a stream on which everything runs in order."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any, Protocol, TypeVar

import numpy as np
from xdsl.utils.exceptions import DiagnosticException

from xshardy.lowering.cuda_files import MissingCudaExtraError
from xshardy.numerics.element_types import Array, DType

T = TypeVar("T")


class GpuError(DiagnosticException):
    """There is no usable GPU, or its driver reports an error."""


class View(Protocol):
    """An array of another library on a GPU."""

    device_id: int
    ptr: int
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    """In elements."""
    dtype: DType
    readonly: bool


@dataclass(frozen=True, slots=True)
class DeviceMemory:
    """Bytes of a GPU's memory. They are freed with the last reference to `owner`."""

    pointer: int
    size: int
    owner: Any


@dataclass(frozen=True, slots=True)
class Launch:
    """A kernel that is ready to run: where, on how many threads, and with which pointers."""

    kernel: object
    """A kernel that `Gpu.load` returned."""
    grid: tuple[int, ...]
    block: tuple[int, ...]
    pointers: tuple[int, ...]


class Gpu:
    """
    The GPU of a number. All its methods but `download` and `wait` return before the GPU has done the work.

    Raises `GpuError` if there is no such GPU or no driver, and `MissingCudaExtraError` if cuda-core is not installed.
    """

    def __init__(self, number: int = 0):
        self._core = core = _cuda_core()
        try:
            self._device = core.Device(number)
            self._device.set_current()
            self._stream = self._device.create_stream()
        except (
            Exception
        ) as error:  # the driver is missing, too old, or has no such device: cuda-core has a class for each
            raise GpuError(f"GPU {number} cannot be used: {_first_line(error)}") from error
        self.number = number

    @property
    def name(self) -> str:
        """The name of the product, such as `NVIDIA H100 80GB HBM3`."""
        return self._device.name

    @property
    def target(self) -> str:
        """What to compile for, such as `sm_90`."""
        return f"sm_{self._device.arch}"

    @property
    def cache_size(self) -> int:
        """Bytes of the cache in front of the memory."""
        return self._device.properties.l2_cache_size

    @property
    def stream_pointer(self) -> int:
        """The stream as the number that other libraries know it by."""
        return int(self._stream.handle)

    def load(self, ptx: str, entry: str) -> object:
        """The kernel `entry` of a module in PTX. Raises `GpuError` if the driver rejects the module."""
        return self._checked(
            lambda: self._core.ObjectCode.from_ptx(ptx.encode()).get_kernel(entry), f"the kernel '{entry}'"
        )

    def view(self, array: object) -> View:
        """
        The pointer, shape, strides (in elements) and element type of an array of another library.

        Work of this GPU waits for work of the library. Raises `GpuError` for what is no array on a GPU.
        """
        return self._checked(
            lambda: self._core.utils.StridedMemoryView.from_any_interface(array, stream_ptr=self.stream_pointer),
            f"an argument of type {type(array).__name__}",
        )

    def allocate(self, size: int) -> DeviceMemory:
        """Uninitialised memory of `size` bytes. Raises `GpuError` if there is too little."""
        buffer = self._checked(
            lambda: self._device.allocate(max(size, 1), stream=self._stream), f"a buffer of {size:,} bytes"
        )
        return DeviceMemory(int(buffer.handle), size, buffer)

    def upload(self, data: Array) -> DeviceMemory:
        """A copy of a contiguous array in the GPU's memory."""
        memory = self.allocate(data.nbytes)
        self.store(data, memory)
        return memory

    def store(self, data: Array, memory: DeviceMemory) -> None:
        """Copy a contiguous array to memory of its size."""
        if data.nbytes:
            self._copy(self._host(data), memory.owner)
            self.wait()  # the array may change after this

    def part(self, memory: DeviceMemory, offset: int, size: int) -> DeviceMemory:
        """The `size` bytes of `memory` from `offset` on."""
        return self.memory_at(memory.pointer + offset, size, memory.owner)

    def memory_at(self, pointer: int, size: int, owner: object) -> DeviceMemory:
        """The `size` bytes at `pointer`, which are there as long as `owner` is."""
        return DeviceMemory(pointer, size, self._core.Buffer.from_handle(pointer, size, owner=owner))

    def export(self, memory: DeviceMemory, shape: tuple[int, ...], strides: tuple[int, ...], dtype: DType) -> Any:
        """`memory` as an array with `__dlpack__`; strides are in elements."""
        return self._core.utils.StridedMemoryView.from_buffer(memory.owner, shape, strides, dtype=dtype)

    def download(self, memory: DeviceMemory) -> Array:
        """The bytes of `memory`, after the work so far is done."""
        data = np.empty(memory.size, np.uint8)
        if memory.size:
            self._copy(memory.owner, self._host(data))
        self.wait()
        return data

    def _host(self, data: Array) -> object:
        return self._core.Buffer.from_handle(data.ctypes.data, data.nbytes, owner=data)

    def fill(self, memory: DeviceMemory, byte: int) -> None:
        """Set every byte of `memory`."""
        self._checked(lambda: memory.owner.fill(byte, stream=self._stream), "to set memory")

    def copy(self, source: DeviceMemory, target: DeviceMemory) -> None:
        """Copy `source` to `target`, of the same size."""
        self._copy(source.owner, target.owner)

    def _copy(self, source: object, target: Any) -> None:
        self._checked(lambda: target.copy_from(source, stream=self._stream), "a copy")

    def launch(self, launch: Launch, stream: int | None = None) -> None:
        """Start a kernel, also on a stream of another library. Raises `GpuError` if the driver refuses."""
        config = self._core.LaunchConfig(grid=launch.grid, block=launch.block)
        chosen = self._stream if stream is None else self._core.Stream.from_handle(stream)
        self._checked(lambda: self._core.launch(chosen, config, launch.kernel, *launch.pointers), "a launch")

    def record(self, work: Callable[[], None]) -> Any:
        """A CUDA graph of the launches, copies and fills of `work`, which are not done now. `work` may not wait."""
        builder = self._checked(lambda: self._device.create_graph_builder().begin_building(), "to record a graph")
        stream, self._stream = self._stream, builder
        try:
            work()
        finally:
            self._stream = stream
            builder.end_building()
        return self._checked(builder.complete, "a graph")

    def replay(self, graph: Any) -> None:
        """Start what `record` has recorded."""
        self._checked(lambda: graph.launch(self._stream), "to launch a graph")

    def wait(self) -> None:
        """Wait for the work so far. Raises `GpuError` if a kernel failed, for example by a read outside of memory."""
        self._checked(self._stream.sync, "the kernel")

    def seconds_of(self, work: Callable[[], None], repeats: int, before: Callable[[], None]) -> Sequence[float]:
        """
        The time that the GPU needs for `work`, `repeats` times, each after `before`.

        `before` should keep the GPU busy for longer than the host needs to submit `work`, or that time is counted too.
        """
        options = self._core.EventOptions(timing_enabled=True)
        events = list[tuple[Any, Any]]()
        for _ in range(repeats):
            before()
            start = self._stream.record(options=options)
            work()
            events.append((start, self._stream.record(options=options)))
        self.wait()
        return [(stop - start) / 1000 for start, stop in events]

    def _checked(self, act: Callable[[], T], what: str) -> T:
        try:
            return act()
        except Exception as error:  # cuda-core has several classes for errors of the driver
            raise GpuError(f"GPU {self.number} ({self.name}) refuses {what}: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__


@cache
def _cuda_core() -> ModuleType:
    try:
        import cuda.core
    except ImportError as error:
        raise MissingCudaExtraError(
            "launching a kernel needs cuda-core: install the 'cuda' extra with `pip install 'xshardy[cuda]'`"
        ) from error
    return cuda.core
