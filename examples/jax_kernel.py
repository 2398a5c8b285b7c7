"""
A kernel of ours inside of `jax.jit`: XLA calls it on the memory of its own arrays, through XLA's foreign functions.

    python examples/jax_kernel.py

On a GPU, the kernel is launched on XLA's stream. On a machine without one, where XLA runs on the CPU, the PTX machine
executes the same PTX; XLA's threads flush subnormals, and so does what they call. The foreign function is Python; XLA
asks it for its version first. Source of the structures: `xla/ffi/api/c_api.h`, in the folder `jax.ffi.include_dir()`.
"""

import ctypes
from collections.abc import Callable
from ctypes import c_char_p, c_int, c_int64, c_size_t, c_void_p
from pathlib import Path

import jax
import numpy as np
from jax import numpy as jnp

import xshardy
from xshardy.engines.cuda import LoadedKernel, load
from xshardy.lowering.code_generators import Kernel
from xshardy.ptx.kernels import run_kernel

VERSION = 0, 3
"""Of the interface, as written below."""
METADATA = 1
"""The extension with which XLA asks for the version."""
INTERNAL_ERROR = 13


def structure(name: str, *fields: tuple[str, type]) -> type[ctypes.Structure]:
    """A structure of the interface: all begin with their size and a list of extensions."""
    first = (("struct_size", c_size_t), ("extension", c_void_p))
    return type(name, (ctypes.Structure,), {"_fields_": (*first, *fields)})


Version = structure("Version", ("major", c_int), ("minor", c_int))
Buffer = structure("Buffer", ("dtype", c_int), ("data", c_void_p), ("rank", c_int64), ("dims", c_void_p))
Buffers = structure("Buffers", ("size", c_int64), ("types", c_void_p), ("places", ctypes.POINTER(c_void_p)))
Attributes = structure("Attributes", ("size", c_int64), ("types", c_void_p), ("names", c_void_p), ("places", c_void_p))
GetStream = structure("GetStream", ("context", c_void_p), ("stream", c_void_p))
CreateError = structure("CreateError", ("message", c_char_p), ("code", c_int))
Functions = structure(
    "Functions",
    ("version", Version),
    ("internal", c_void_p),
    ("create_error", ctypes.CFUNCTYPE(c_void_p, c_void_p)),
    ("get_error_message", c_void_p),
    ("destroy_error", c_void_p),
    ("register", c_void_p),
    ("get_stream", ctypes.CFUNCTYPE(c_void_p, c_void_p)),
)
Call = structure(
    "Call",
    ("functions", ctypes.POINTER(Functions)),
    ("context", c_void_p),
    ("stage", c_int),
    ("operands", Buffers),
    ("results", Buffers),
    ("attributes", Attributes),
    ("future", c_void_p),
)


class Extension(ctypes.Structure):
    _fields_ = (("struct_size", c_size_t), ("kind", c_int), ("next", c_void_p), ("metadata", c_void_p))


class Metadata(ctypes.Structure):
    _fields_ = (("struct_size", c_size_t), ("version", Version))


Handler = ctypes.CFUNCTYPE(c_void_p, ctypes.POINTER(Call))
Run = Callable[[ctypes.Structure, list[int]], None]
"""Executes a kernel for a call, on the addresses of its operands and results."""


def handler_of(run: Run) -> "ctypes._FuncPointer":
    """The foreign function that XLA calls: null, or what is wrong."""

    def called(call: "ctypes._Pointer[Call]") -> int | None:
        frame = call.contents
        if frame.extension and (extension := Extension.from_address(frame.extension)).kind == METADATA:
            version = Metadata.from_address(extension.metadata).version
            version.major, version.minor = VERSION
            return None
        listed = [
            Buffer.from_address(buffers.places[i])
            for buffers in (frame.operands, frame.results)
            for i in range(buffers.size)
        ]
        try:
            run(frame, [buffer.data for buffer in listed])
        except Exception as error:  # nothing may pass through XLA
            created = CreateError(ctypes.sizeof(CreateError), None, str(error).encode(), INTERNAL_ERROR)
            return frame.functions.contents.create_error(ctypes.addressof(created))
        return None

    return Handler(called)


def on_cpu(kernel: Kernel) -> Run:
    """The PTX machine, on copies of XLA's arrays."""

    def run(frame: ctypes.Structure, pointers: list[int]) -> None:
        arguments = zip(kernel.arguments, pointers, strict=True)
        arrays = [
            np.ctypeslib.as_array((ctypes.c_uint8 * argument.size).from_address(at)) for argument, at in arguments
        ]
        for number, data in run_kernel(kernel, dict(enumerate(arrays))).items():
            arrays[number][:] = data

    return run


def on_gpu(loaded: LoadedKernel) -> Run:
    """The GPU, on XLA's stream."""

    def run(frame: ctypes.Structure, pointers: list[int]) -> None:
        asked = GetStream(ctypes.sizeof(GetStream), None, frame.context, None)
        if frame.functions.contents.get_stream(ctypes.addressof(asked)):
            raise RuntimeError("XLA has no stream for this call")
        loaded.launch_pointers(pointers, stream=asked.stream)

    return run


def main() -> None:
    x = jax.random.normal(jax.random.key(0), (6, 512, 64), jnp.bfloat16)
    text = Path(__file__).with_name("gelu.hlo").read_text().replace("4096", "64")
    platform = jax.default_backend()
    kernel = xshardy.compile(text)
    handler = handler_of(on_gpu(load(kernel)) if platform == "gpu" else on_cpu(kernel))
    jax.ffi.register_ffi_target("our_gelu", jax.ffi.pycapsule(handler), platform="CUDA" if platform == "gpu" else "cpu")

    @jax.jit
    def layer(x: jax.Array) -> jax.Array:
        our_gelu = jax.ffi.ffi_call("our_gelu", jax.ShapeDtypeStruct(x.shape, x.dtype))
        return our_gelu(x * 2) + 1

    result = layer(x)
    error = jnp.max(jnp.abs(result - (jax.nn.gelu(x * 2) + 1)).astype(jnp.float32))
    print(f"on the {platform}: {result[0, 0, :3]}..., which differs from jax.nn.gelu by at most {error:.3g}")


if __name__ == "__main__":
    main()
