"""The mesh of a program; one of another size for it, or one for a program without."""

from collections.abc import Mapping

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from xshardy.dialects.discardable import verify
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.ops import MeshOp
from xshardy.programs.errors import EngineError
from xshardy.transforms.sdy.stablehlo_meshes import STABLEHLO_MESH
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

    A mesh of a single device says where a tensor is, not how many devices there are. Raises `EngineError` if meshes
    have different numbers of devices, and `OperationFailedException` for one that is too large to be partitioned.
    """
    check_device_counts(module)
    named = {op.sym_name.data: op.mesh for op in module.ops if isinstance(op, MeshOp)}
    meshes = {name: mesh for name, mesh in named.items() if mesh.axes.data}
    if len(counts := {mesh.device_count for mesh in meshes.values()}) > 1:
        listed = ", ".join(f"@{name} has {mesh.device_count}" for name, mesh in meshes.items())
        raise EngineError(f"the meshes have different numbers of devices, but a program runs on one number: {listed}")
    return (next(iter(meshes.values())), counts.pop()) if counts else (None, 1)
