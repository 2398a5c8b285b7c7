"""The GPU, its streams and its events. Source of this and its neighbours: the reference of CUDA's driver API."""

import ctypes
from ctypes import c_float, c_int, c_uint, c_void_p
from time import perf_counter

from fake_cuda.registry import FUNCTIONS, function, put
from fake_cuda.state import DRIVER, DriverError, Result

CONTEXT = 0x100
VERSION = 13000

MAJOR, MINOR, L2_CACHE, POOLS_SUPPORTED, UNIFIED_ADDRESSES = 75, 76, 38, 115, 41
ATTRIBUTES = {MAJOR: 9, MINOR: 0, L2_CACHE: 50 << 20, POOLS_SUPPORTED: 1, UNIFIED_ADDRESSES: 1}
"""Attributes of the GPU by number; others are 0."""


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


# -- Streams and events ------------------------------------------------------------------------------------------------


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
