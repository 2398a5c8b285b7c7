"""Modules, kernels, and graphs of recorded launches."""

import ctypes
from ctypes import c_int, c_uint, c_void_p
from functools import partial

from fake_cuda.registry import function, put
from fake_cuda.state import DRIVER, DriverError, Kernel, Launch, Result


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
    launch = Launch(found.name, tuple(chosen.grid), tuple(chosen.block), pointers, chosen.stream)
    DRIVER.do(chosen.stream, partial(DRIVER.launch, found, launch))


# -- Graphs ------------------------------------------------------------------------------------------------------------


@function(c_void_p, c_void_p)
def cuStreamIsCapturing(stream: int, status: int) -> None:
    put(status, stream in DRIVER.captured, c_int)


@function(c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)
def cuStreamGetCaptureInfo(stream: int, status: int, number: int, graph: int | None, *dependencies: int | None) -> None:
    put(status, stream in DRIVER.captured, c_int)
    if graph is not None:
        put(graph, DRIVER.captured[stream])


@function(c_void_p, c_int)
def cuStreamBeginCapture(stream: int, mode: int) -> None:
    DRIVER.captured[stream] = DRIVER.handle([])


@function(c_void_p, c_void_p)
def cuStreamEndCapture(stream: int, graph: int) -> None:
    put(graph, DRIVER.captured.pop(stream))


@function(c_void_p, c_void_p, c_void_p)
def cuGraphInstantiateWithParams(executable: int, graph: int, parameters: int) -> None:
    put(executable, graph)


@function(c_void_p, c_void_p)
def cuGraphLaunch(graph: int, stream: int) -> None:
    DRIVER.graph_launches += 1
    for work in DRIVER.recorded(graph):
        DRIVER.do(stream, work)


@function(c_void_p)
def cuGraphExecDestroy(graph: int) -> None:
    pass


@function(c_void_p)
def cuGraphDestroy(graph: int) -> None:
    pass


@function(c_void_p, c_void_p, c_void_p, c_uint, c_uint)
def cuUserObjectCreate(created: int, thing: int, destroy: int, count: int, flags: int) -> None:
    """An object that a graph keeps alive, here for ever."""
    put(created, DRIVER.handle("an object of the user"))


@function(c_void_p, c_void_p, c_uint, c_uint)
def cuGraphRetainUserObject(graph: int, kept: int, count: int, flags: int) -> None:
    pass


@function(c_void_p, c_void_p, c_uint)
def cuGraphReleaseUserObject(graph: int, kept: int, count: int) -> None:
    pass


@function(c_void_p, c_uint)
def cuUserObjectRelease(kept: int, count: int) -> None:
    pass
