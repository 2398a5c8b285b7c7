"""The mesh of a program; one of another size for it, or one for a program without."""

from collections.abc import Iterator, Mapping
from itertools import islice

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr

from xshardy.dialects.discardable import verify
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.ops import MeshOp
from xshardy.programs.errors import EngineError
from xshardy.rewriting.walk import attributes_on, operations_from
from xshardy.sharding.group_axes import mesh_of_groups
from xshardy.transforms.sdy.shardings import meshes_of, shardings_of
from xshardy.transforms.sdy.stablehlo_meshes import STABLEHLO_MESH, group_meshes_in
from xshardy.transforms.sdy.symbols import SymbolNames
from xshardy.transforms.sdy_import.lift_inlined_meshes import LiftInlinedMeshesPass
from xshardy.transforms.sdy_partition.device_counts import check_device_counts

MeshSizes = Mapping[str, int] | str
"""The sizes of mesh axes by their names, also as the text that commands take: `data=2,model=4`."""


def sizes_in(text: str) -> dict[str, int]:
    """`data=2,model=4` -> `{"data": 2, "model": 4}`. Raises `EngineError` for another text."""
    sizes: dict[str, int] = {}
    for axis in text.split(","):
        name, _, size = axis.partition("=")
        if not name or not size.isdecimal() or int(size) < 1 or name in sizes:
            raise EngineError(f"expected axes with sizes, such as data=2,model=4, got '{text}'")
        sizes[name] = int(size)
    return sizes


def resize_meshes(module: ModuleOp, sizes: MeshSizes | None, context: Context) -> None:
    """
    Give the axes of the meshes of `module` these sizes. Axes that are not named keep theirs; None changes nothing.

    A module without meshes gets one with these axes. Raises `EngineError` for a text that has no sizes, an axis that no
    mesh has, and for sizes below 1; `VerifyException` if sub-axes, or the local types of manual computations, do not
    fit the sizes.
    """
    given = sizes_in(sizes) if isinstance(sizes, str) else sizes
    if given:
        _resize(module, given, context)
        verify(module)


def _resize(module: ModuleOp, sizes: Mapping[str, int], context: Context) -> None:
    if wrong := [f"{name}={size}" for name, size in sizes.items() if size < 1]:
        raise EngineError(f"mesh axis {wrong[0]}: expected at least 1 device along it")
    LiftInlinedMeshesPass().apply(context, module)
    meshes = [op for op in module.ops if isinstance(op, MeshOp) and op.mesh.axes.data]
    if not meshes:
        first = module.body.block.first_op
        if first is not None:
            module.body.block.insert_op_before(
                MeshOp(SymbolNames(module).fresh("mesh"), MeshAttr.of(sizes.items())), first
            )
        return
    axes = dict.fromkeys(name for op in meshes for name in op.mesh.sizes)
    if unknown := [name for name in sizes if name not in axes]:
        listed = ", ".join(f'"{name}"' for name in axes)
        raise EngineError(f'no mesh of the module has an axis "{unknown[0]}": its axes are {listed}')
    for op in meshes:
        if sizes.keys() & op.mesh.sizes.keys():
            op.mesh = MeshAttr.of((name, sizes.get(name, size)) for name, size in op.mesh.sizes.items())
            op.attributes.pop(STABLEHLO_MESH, None)  # it repeats the sizes


def mesh_of(module: ModuleOp) -> tuple[MeshAttr | None, int]:
    """
    The first mesh of `module` with all of its devices, and their number; None and 1 if there is no mesh.

    A mesh may be declared, or written out in a sharding. A mesh that nothing refers to counts only if there is no other
    one. A mesh of a single device says where a tensor is, not how many devices there are. Raises `EngineError` if
    meshes have different numbers of devices, and `OperationFailedException` for one that is too large.
    """
    check_device_counts(module)
    declared = {f"@{name}": mesh for name, mesh in meshes_of(module).items() if mesh.axes.data}
    found = dict(_meshes_referred_to(module, declared))
    used = {name: found[name] for name in (*declared, *found) if name in found} or dict(islice(declared.items(), 1))
    if len(counts := {mesh.device_count for mesh in used.values()}) > 1:
        listed = ", ".join(f"{name} has {mesh.device_count}" for name, mesh in used.items())
        raise EngineError(f"the meshes have different numbers of devices, but a program runs on one number: {listed}")
    return (next(iter(used.values())), counts.pop()) if counts else (None, 1)


def _meshes_referred_to(module: ModuleOp, declared: Mapping[str, MeshAttr]) -> Iterator[tuple[str, MeshAttr]]:
    """The meshes with axes that shardings and replica groups have, in the order of the text, with what stands there."""
    shardings = shardings_of(attributes_on(operations_from(module)).values())
    for reference in (*(sharding.mesh_or_ref for sharding in shardings), *group_meshes_in(module)):
        if isinstance(reference, SymbolRefAttr):
            if (mesh := declared.get(name := f"@{reference.string_value()}")) is not None:
                yield name, mesh
        elif reference.axes.data:
            mesh = reference if isinstance(reference, MeshAttr) else mesh_of_groups(reference)
            yield str(mesh).removeprefix("#sdy."), mesh
