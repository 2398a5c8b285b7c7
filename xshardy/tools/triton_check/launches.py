"""The launches of kernels by Triton on tensors in the memory of the CPU, as launches of the PTX machine."""

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from xshardy.gpus.sizes import WARP_SIZE
from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import LaunchError
from xshardy.ptx.machine import Argument, Machine, PointerInto
from xshardy.ptx.tensor_maps import SWIZZLES, TensorMap

DESCRIPTOR = "tensordesc"
"""How the types of tensor descriptors begin."""
HALVES: Mapping[str, str] = {"fp16": "float16", "bf16": "bfloat16"}
"""Types of numbers whose bits a parameter has."""


@dataclass(frozen=True, slots=True)
class TritonLaunch:
    """A launch of a compiled kernel."""

    ptx: str
    grid: Sequence[int]
    """In programs; each is a cluster of blocks if the kernel has several."""
    metadata: Any
    """What Triton says of the compiled kernel."""
    signature: Sequence[object]
    """The types of the parameters of the function in Python, as Triton writes them: `*fp32`, `i32`, `constexpr`."""
    arguments: Sequence[object]

    @property
    def clusters(self) -> int:
        """The blocks of a program."""
        return int(getattr(self.metadata, "num_ctas", 1))

    def machine_grid(self) -> tuple[int, int, int]:
        """The grid in blocks."""
        x, y, z = map(int, self.grid)
        return x * self.clusters, y, z

    def block(self, machine: Machine) -> Sequence[int]:
        """The threads of a block."""
        return machine.entry.directives.get("reqntid") or (WARP_SIZE * int(self.metadata.num_warps),)

    def machine_arguments(self, machine: Machine) -> list[Argument]:
        """
        The arguments of the PTX: those that are no constants, and memory that Triton adds for its own use.

        Raises `LaunchError` for tensors that are not in the memory of the CPU, and for descriptors that no map can be.
        """
        buffers = _Buffers()
        maps = iter(getattr(self.metadata, "tensordesc_meta", None) or ())
        found = [*_flattened(self.signature, self.arguments, buffers, maps)]
        programs = int(np.prod(self.machine_grid()))
        for size in (self.metadata.global_scratch_size, self.metadata.profile_scratch_size):
            found.append(np.zeros(max(int(size) * programs, WARP_SIZE), np.uint8))
        return found[: len(machine.entry.parameters)]


@dataclass(slots=True)
class _Buffers:
    """The storages of tensors as arrays of bytes, each once."""

    arrays: dict[int, Array] = field(default_factory=dict[int, Array])

    def storage(self, tensor: Any) -> Array:
        """All bytes of the storage that a tensor is in."""
        if str(tensor.device.type) != "cpu":
            raise LaunchError(f"a tensor is on {tensor.device}: only tensors of the CPU can be checked")
        storage = tensor.untyped_storage()
        start, size = int(storage.data_ptr()), int(storage.nbytes())
        if start not in self.arrays:
            self.arrays[start] = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(start))
        return self.arrays[start]

    def pointer(self, tensor: Any) -> Argument:
        """The argument that points to the first element of a tensor."""
        tensor = getattr(tensor, "base", tensor)  # `triton.reinterpret` wraps a tensor
        if not tensor.data_ptr():
            return 0
        return PointerInto(self.storage(tensor), tensor.data_ptr() - tensor.untyped_storage().data_ptr())

    def map(self, descriptor: Any, about: Mapping[str, Any]) -> TensorMap:
        """The tensor map of a descriptor."""
        base = descriptor.base
        if about.get("fp4_padded") or about.get("is_im2col") or not base.is_contiguous():
            raise LaunchError("a descriptor of a tensor that is not contiguous, of f4 or of im2col is not supported")
        start = base.data_ptr() - base.untyped_storage().data_ptr()
        size = int(about["elem_size"])
        dtype = np.dtype(np.uint8) if size == 1 else np.dtype(str(base.dtype).removeprefix("torch."))
        shape = [int(size) for size in descriptor.shape]
        data = self.storage(base)[start : start + size * int(np.prod(shape))]
        box = tuple(map(int, about["block_size"]))
        return TensorMap(
            data.view(dtype).reshape(shape), box, SWIZZLES[about["swizzle"]], fills_with_nan=descriptor.padding == "nan"
        )


def _flattened(
    types: Sequence[object], values: Sequence[object], buffers: _Buffers, maps: Iterator[Mapping[str, Any]]
) -> Iterator[Argument]:
    """The arguments in the order of the parameters of PTX."""
    for type, value in zip(types, values, strict=True):
        if isinstance(type, tuple):
            yield from _flattened(cast(Sequence[object], type), cast(Sequence[object], value), buffers, maps)
        elif type == "constexpr":
            continue
        elif str(type).startswith(DESCRIPTOR):
            yield from _descriptor(value, buffers, next(maps, None))
        else:
            yield _argument(str(type), value, buffers)


def _descriptor(value: Any, buffers: _Buffers, about: Mapping[str, Any] | None) -> Iterator[Argument]:
    """A descriptor as a map, its shape and its strides; for GPUs without tensor maps as a pointer and these."""
    sizes = [*map(int, value.shape), *map(int, value.strides)]
    if about is not None:
        yield buffers.map(value, about)
    else:
        yield from (buffers.pointer(value.base), *sizes, int(value.padding == "nan"), int(value.round_f32_to_tf32))
    yield from sizes


def _argument(type: str, value: Any, buffers: _Buffers) -> Argument:
    if hasattr(value, "data_ptr"):
        return buffers.pointer(value)
    if value is None:
        return 0
    if type in HALVES:
        return int(np.array(value, HALVES[type]).view(np.uint16))
    return int(value) if isinstance(value, bool) else value
