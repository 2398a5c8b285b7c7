"""Memory of the GPU: allocated in stream order, copied and set."""

import ctypes
from ctypes import c_int, c_size_t, c_ubyte, c_uint, c_ulonglong, c_void_p

from fake_cuda.registry import function, put
from fake_cuda.state import DRIVER

POOL = 0x200

MEMORY_TYPE, IS_MANAGED, ORDINAL = 2, 8, 9
DEVICE_MEMORY = 2


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
