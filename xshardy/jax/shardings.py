"""Shardings of sdy as `NamedSharding`s over JAX's devices."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jax import Array
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from numpy.typing import DTypeLike

from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.planning.specs import partition_spec
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
        """How JAX divides `tensor`. Raises `EngineError` for what its shardings cannot say."""
        if tensor.mesh is None:
            return NamedSharding(self.mesh, PartitionSpec())
        if tensor.mesh.device_ids.data:
            raise EngineError("meshes with different orders of devices: put all arguments on one mesh")
        if tensor.summed_devices and tensor.reduction is not ReductionOp.SUM:
            raise EngineError(
                f"a tensor is a {tensor.reduction.value} of parts, and JAX has sums of parts only: reduce it"
            )
        mesh, sizes = self.mesh, tensor.mesh.sizes
        if sizes != dict(mesh.shape) or [*sizes] != [*mesh.shape]:
            mesh = Mesh(mesh.devices.reshape([*sizes.values()]), [*sizes])
        try:
            return NamedSharding(mesh, partition_spec(tensor.sharding))
        except ValueError as error:  # unreduced along an axis that is not explicit
            raise EngineError(f"JAX cannot take a tensor as the program divides it: {error}") from None


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


def mesh_of_context() -> Mesh | None:
    """The mesh that `jax.set_mesh` has set. Raises `ValueError` inside of a function that JAX traces."""
    mesh = jax.sharding.get_mesh()
    return None if mesh.empty else mesh


def named(specs: object, mesh: Mesh) -> Any:
    """`specs` with `NamedSharding`s over `mesh` in place of `PartitionSpec`s."""

    def one(leaf: object) -> object:
        return NamedSharding(mesh, leaf) if isinstance(leaf, PartitionSpec) else leaf

    return jax.tree.map(one, specs, is_leaf=_is_sharding)


def placed(value: object, tensor: DistributedTensor, sharding: NamedSharding, dtype: DTypeLike) -> Array:
    """`value` as an array of `dtype` that is divided by `sharding`, that of `tensor`, in the order of its devices."""
    if isinstance(value, Array) and has_sharding(value, sharding):
        return value
    if tensor.summed_devices:  # jax.device_put divides no sums
        parts = zip(tensor.parts(np.asarray(value, dtype)), devices_of(sharding), strict=True)
        here = [jax.device_put(part, device) for part, device in parts if device.process_index == jax.process_index()]
        return assembled(tensor.shape, sharding, here)
    if isinstance(value, Array) and (sharding.is_fully_addressable or not value.is_fully_addressable):
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
