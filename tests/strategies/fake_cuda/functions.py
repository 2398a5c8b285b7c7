"""
The functions of the fake driver, by the names that cuda-bindings looks up. Source: the reference of the driver API.

Each takes the arguments of the C function; an exception becomes an error code.
"""

import ctypes
from collections.abc import Callable
from ctypes import c_float, c_int, c_size_t, c_ubyte, c_uint, c_ulonglong, c_void_p
from functools import partial
from time import perf_counter
from typing import Any

from fake_cuda.state import DRIVER, DriverError, Kernel, Result

FUNCTIONS: dict[str, Any] = {}
"""What C calls, by name."""

CONTEXT = 0x100
POOL = 0x200
VERSION = 13000

MAJOR, MINOR, L2_CACHE, POOLS_SUPPORTED, UNIFIED_ADDRESSES = 75, 76, 38, 115, 41
ATTRIBUTES = {MAJOR: 9, MINOR: 0, L2_CACHE: 50 << 20, POOLS_SUPPORTED: 1, UNIFIED_ADDRESSES: 1}
"""Attributes of the GPU by number; others are 0."""

MEMORY_TYPE, IS_MANAGED, ORDINAL = 2, 8, 9
DEVICE_MEMORY = 2


def function(*types: Any) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Make a function one of the driver's, with arguments of these types of C."""

    def add(implementation: Callable[..., object]) -> Callable[..., object]:
        def called(*arguments: Any) -> int:
            try:
                implementation(*arguments)
            except Exception as error:  # nothing may pass through C
                DRIVER.refusals.append(str(error) or repr(error))
                return error.result if isinstance(error, DriverError) else Result.UNKNOWN
            return Result.SUCCESS

        FUNCTIONS[implementation.__name__] = ctypes.CFUNCTYPE(c_int, *types)(called)
        return implementation

    return add


def unknown(name: str) -> Any:
    """A function that the fake driver lacks."""

    def refuse() -> None:
        raise DriverError(Result.NOT_SUPPORTED, f"the fake driver has no {name}")

    refuse.__name__ = name
    function()(refuse)
    return FUNCTIONS[name]


def put(place: int, value: int | float, type: Any = c_void_p) -> None:
    """Set the variable at `place`."""
    type.from_address(place).value = value


# -- The GPU ---------------------------------------------------------------------------------------------------------


@function(c_uint)
def cuInit(flags: int) -> None:
    if not DRIVER.is_present:
        raise DriverError(Result.NO_DEVICE, "there is no GPU")


@function(c_void_p)
def cuDriverGetVersion(version: int) -> None:
    put(version, VERSION, c_int)


@function(c_void_p)
def cuDeviceGetCount(count: int) -> None:
    put(count, 1, c_int)


@function(c_void_p, c_int)
def cuDeviceGet(device: int, ordinal: int) -> None:
    put(device, ordinal, c_int)


@function(c_void_p, c_int, c_int)
def cuDeviceGetAttribute(value: int, attribute: int, device: int) -> None:
    put(value, ATTRIBUTES.get(attribute, 0), c_int)


@function(c_void_p, c_int, c_int)
def cuDeviceGetName(name: int, size: int, device: int) -> None:
    ctypes.memmove(name, b"a GPU that is not there\0", 24)


@function(c_void_p, c_int)
def cuDevicePrimaryCtxRetain(context: int, device: int) -> None:
    put(context, CONTEXT)


@function(c_void_p)
def cuCtxSetCurrent(context: int) -> None:
    pass


@function(c_void_p)
def cuCtxGetCurrent(context: int) -> None:
    put(context, CONTEXT)


@function(c_void_p)
def cuCtxGetDevice(device: int) -> None:
    put(device, 0, c_int)


@function(c_void_p, c_void_p)
def cuCtxGetStreamPriorityRange(least: int, greatest: int) -> None:
    put(least, 0, c_int)
    put(greatest, -5, c_int)


NAMES = {result: f"CUDA_ERROR_{result.name}".encode() for result in Result}


@function(c_int, c_void_p)
def cuGetErrorName(result: int, name: int) -> None:
    text = ctypes.c_char_p(NAMES[Result(result)])
    put(name, ctypes.cast(text, c_void_p).value or 0)


FUNCTIONS["cuGetErrorString"] = FUNCTIONS["cuGetErrorName"]


# -- Streams and events ----------------------------------------------------------------------------------------------


@function(c_void_p, c_uint, c_int)
def cuStreamCreateWithPriority(stream: int, flags: int, priority: int) -> None:
    cuInit(0)  # cuda-core asks once per process only
    put(stream, DRIVER.handle("a stream"))


@function(c_void_p)
def cuStreamDestroy(stream: int) -> None:
    DRIVER.captured.pop(stream, None)


@function(c_void_p, c_void_p)
def cuStreamGetCtx(stream: int, context: int) -> None:
    put(context, CONTEXT)


@function(c_void_p)
def cuStreamSynchronize(stream: int) -> None:
    if DRIVER.failure is not None:
        raise DRIVER.failure


@function(c_void_p, c_void_p, c_uint)
def cuStreamWaitEvent(stream: int, event: int, flags: int) -> None:
    pass


@function(c_void_p, c_uint)
def cuEventCreate(event: int, flags: int) -> None:
    put(event, DRIVER.handle([0.0]))


@function(c_void_p, c_void_p)
def cuEventRecord(event: int, stream: int) -> None:
    DRIVER.handles[event] = perf_counter()


@function(c_void_p)
def cuEventDestroy(event: int) -> None:
    pass


@function(c_void_p, c_void_p, c_void_p)
def cuEventElapsedTime(milliseconds: int, start: int, stop: int) -> None:
    begun, ended = DRIVER.handles[start], DRIVER.handles[stop]
    assert isinstance(begun, float) and isinstance(ended, float)
    put(milliseconds, (ended - begun) * 1000, c_float)


# -- Memory ----------------------------------------------------------------------------------------------------------


@function(c_void_p, c_int)
def cuDeviceGetMemPool(pool: int, device: int) -> None:
    put(pool, POOL)


@function(c_void_p, c_int, c_void_p)
def cuMemPoolGetAttribute(pool: int, attribute: int, value: int) -> None:
    put(value, 0, c_ulonglong)


@function(c_void_p, c_int, c_void_p)
def cuMemPoolSetAttribute(pool: int, attribute: int, value: int) -> None:
    pass


@function(c_void_p, c_size_t, c_void_p, c_void_p)
def cuMemAllocFromPoolAsync(pointer: int, size: int, pool: int, stream: int) -> None:
    put(pointer, DRIVER.allocate(size))


@function(c_void_p, c_void_p)
def cuMemFreeAsync(pointer: int, stream: int) -> None:
    DRIVER.release(pointer)


@function(c_void_p, c_void_p, c_size_t, c_void_p)
def cuMemcpyAsync(target: int, source: int, size: int, stream: int) -> None:
    def copy() -> None:
        DRIVER.require(target, size)
        DRIVER.require(source, size)
        ctypes.memmove(target, source, size)

    DRIVER.do(stream, copy)


@function(c_void_p, c_ubyte, c_size_t, c_void_p)
def cuMemsetD8Async(target: int, byte: int, size: int, stream: int) -> None:
    def fill() -> None:
        DRIVER.require(target, size)
        ctypes.memset(target, byte, size)

    DRIVER.do(stream, fill)


def pointer_attribute(attribute: int, pointer: int) -> int:
    """An attribute of an address; all are 0 for those that the driver does not know."""
    known = {MEMORY_TYPE: DEVICE_MEMORY, IS_MANAGED: 0, ORDINAL: 0} if DRIVER.is_device_pointer(pointer) else {}
    return known.get(attribute, 0)


@function(c_void_p, c_int, c_void_p)
def cuPointerGetAttribute(value: int, attribute: int, pointer: int) -> None:
    put(value, pointer_attribute(attribute, pointer), c_int)


@function(c_uint, c_void_p, c_void_p, c_void_p)
def cuPointerGetAttributes(count: int, attributes: int, values: int, pointer: int) -> None:
    for index in range(count):
        attribute = c_int.from_address(attributes + 4 * index).value
        place = c_void_p.from_address(values + 8 * index).value
        assert place is not None
        put(place, pointer_attribute(attribute, pointer), c_int)


# -- Modules and kernels ---------------------------------------------------------------------------------------------


@function(c_void_p, c_void_p, c_void_p, c_void_p, c_uint, c_void_p, c_void_p, c_uint)
def cuLibraryLoadData(library: int, code: int, *options: int) -> None:
    put(library, DRIVER.load(ctypes.string_at(code).decode()))


@function(c_void_p)
def cuLibraryUnload(library: int) -> None:
    del DRIVER.kernels[library]


@function(c_void_p, c_void_p, ctypes.c_char_p)
def cuLibraryGetKernel(kernel: int, library: int, name: bytes) -> None:
    found = DRIVER.kernels[library].get(name.decode())
    if found is None:
        raise DriverError(Result.NOT_FOUND, f"the module has no kernel {name.decode()}")
    put(kernel, DRIVER.handle(found))


class LaunchConfig(ctypes.Structure):
    """`CUlaunchConfig`."""

    _fields_ = (
        ("grid", c_uint * 3),
        ("block", c_uint * 3),
        ("shared_memory", c_uint),
        ("stream", c_void_p),
        ("attributes", c_void_p),
        ("attribute_count", c_uint),
    )


@function(c_void_p, c_void_p, c_void_p, c_void_p)
def cuLaunchKernelEx(config: int, kernel: int, parameters: int, extra: int | None) -> None:
    chosen, found = LaunchConfig.from_address(config), DRIVER.handles[kernel]
    assert isinstance(found, Kernel)
    places = [c_void_p.from_address(parameters + 8 * index).value or 0 for index in range(len(found.alignments))]
    pointers = tuple(c_void_p.from_address(place).value or 0 for place in places)
    DRIVER.do(chosen.stream, partial(DRIVER.launch, found, tuple(chosen.grid), tuple(chosen.block), pointers))


# -- Graphs ----------------------------------------------------------------------------------------------------------


@function(c_void_p, c_void_p)
def cuStreamIsCapturing(stream: int, status: int) -> None:
    put(status, stream in DRIVER.captured, c_int)
