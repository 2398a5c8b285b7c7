"""Shardings of sdy as `NamedSharding`s over JAX's devices."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jax import Array
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from numpy.typing import DTypeLike

from xshardy.programs.distributed_tensor import DistributedTensor
from xshardy.programs.errors import EngineError
from xshardy.programs.jax_functions import import_jax
from xshardy.programs.jax_types import Device, JaxArray

jax = import_jax()  # without its types, which are incomplete


@dataclass(frozen=True)
class Devices:
    """The devices of a program in the order of its partitions, and the mesh that its user knows them by."""

    mesh: Mesh

    @property
    def listed(self) -> list[Device]:
        """The devices, by partition."""
        return list(self.mesh.devices.flat)

    def sharding_of(self, tensor: DistributedTensor) -> NamedSharding:
        """How JAX divides `tensor`. Raises `EngineError` for a mesh that has its devices in another order."""
        if tensor.mesh is None:
            return NamedSharding(self.mesh, PartitionSpec())
        if tensor.mesh.device_ids.data:
            raise EngineError("meshes with different orders of devices: put all arguments on one mesh")
        divided = max((number + 1 for number, axes in enumerate(tensor.axes) if axes), default=0)
        spec = PartitionSpec(*(axes[0] if len(axes) == 1 else axes or None for axes in tensor.axes[:divided]))
        if tensor.mesh.sizes == dict(self.mesh.shape) and [*tensor.mesh.sizes] == [*self.mesh.shape]:
            return NamedSharding(self.mesh, spec)
        sizes = tensor.mesh.sizes
        return NamedSharding(Mesh(self.mesh.devices.reshape([*sizes.values()]), [*sizes]), spec)


def _is_sharding(leaf: object) -> bool:
    """None stands for a sharding that is left to the propagation."""
    return leaf is None or isinstance(leaf, NamedSharding | PartitionSpec)


def mesh_in(*trees: object) -> Mesh | None:
    """The mesh of the first `NamedSharding` among the leaves of `trees`, or of an array that is divided by one."""
    for leaf in jax.tree.leaves(trees, is_leaf=_is_sharding):
        sharding = leaf if isinstance(leaf, NamedSharding) else getattr(leaf, "sharding", None)
        if isinstance(sharding, NamedSharding) and isinstance(sharding.mesh, Mesh):
            return sharding.mesh
    return None


def named(specs: object, mesh: Mesh | None) -> Any:
    """`specs` with `NamedSharding`s over `mesh` in place of `PartitionSpec`s. Raises `ValueError` without a mesh."""

    def one(leaf: object) -> object:
        if not isinstance(leaf, PartitionSpec):
            return leaf
        if mesh is None:
            raise ValueError(f"{leaf} names axes of a mesh: give jit the mesh, or a NamedSharding")
        return NamedSharding(mesh, leaf)

    return jax.tree.map(one, specs, is_leaf=_is_sharding)


def placed(value: object, sharding: NamedSharding, dtype: DTypeLike) -> Array:
    """`value` as an array of `dtype` that is divided by `sharding`, in the order of its devices."""
    if isinstance(value, Array):
        if has_sharding(value, sharding):
            return value
        if not value.is_fully_addressable or sharding.is_fully_addressable:
            return jax.device_put(value, sharding)
    array = np.asarray(value, dtype)
    # Unlike device_put, this does not compare the values of all processes.
    return jax.make_array_from_callback(array.shape, sharding, array.__getitem__)


def has_sharding(value: Array, sharding: NamedSharding) -> bool:
    """Whether the array `value` is divided by `sharding`, in the order of its devices."""
    own = value.sharding
    return (
        isinstance(own, NamedSharding)
        and devices_of(own) == devices_of(sharding)
        and own.is_equivalent_to(sharding, value.ndim)
    )


def as_promised(sharding: NamedSharding, promised: object, dimensions: int) -> NamedSharding:
    """
    `sharding` of a result as the user wrote it, if there is such a sharding `promised`.

    Raises `EngineError` if that divides the result in another way.
    """
    if not isinstance(promised, NamedSharding) or not isinstance(promised.mesh, Mesh):
        return sharding
    if devices_of(promised) == devices_of(sharding) and promised.is_equivalent_to(sharding, dimensions):
        return promised
    raise EngineError(f"a result would be divided by {sharding.spec}, but out_shardings has {promised.spec}")


def devices_of(sharding: Any) -> list[Device]:
    """The devices of a `NamedSharding`, in the order of its mesh."""
    return list(sharding.mesh.devices.flat)


def assembled(
    shape: Sequence[int], sharding: NamedSharding, parts: Sequence[JaxArray], *, is_weak: bool = False
) -> Array:
    """The array of the `parts` on the devices of this process, perhaps of a weak type."""
    if 0 in shape:  # XLA divides no array without elements, so that parts may have the shape of the whole
        return jax.make_array_from_callback(tuple(shape), sharding, np.empty(shape, parts[0].dtype).__getitem__)
    array: Any = jax.make_array_from_single_device_arrays(tuple(shape), sharding, list(parts))
    if not is_weak:
        return array
    return type(array)(jax.typeof(array).update(weak_type=True), sharding, list(parts), committed=True)
