"""Dimensions that a program's annotations divide among devices: they stay divisible."""

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from xshardy.axes.hlo_sharding import HloSharding, Tiled
from xshardy.axes.hlo_sharding_parser import parse_hlo_shardings
from xshardy.dialects.hlo.annotation_names import SHARDING
from xshardy.modules.leaves import Leaf, leaves_of
from xshardy.modules.shrinking.atoms import Atom, freeze, resolved
from xshardy.modules.shrinking.dimensions import Dimensions
from xshardy.rewriting.walk import operations_in


def keep_divisible(dimensions: Dimensions, module: ModuleOp) -> None:
    """
    Let each tensor of `module` that has an annotation keep as many tiles of equal size.

    Precondition: all equal dimensions are known, because the major atom of a dimension is what is divided.
    """
    for leaf, sharding in _annotated(module):
        match sharding:
            case HloSharding(placement=Tiled(tiles=tiles)):
                for atoms, parts in zip(dimensions.of(leaf), tiles.shape, strict=False):
                    if parts > 1:
                        _keep_parts(resolved(atoms), parts)
            case _:
                pass


def _keep_parts(atoms: list[Atom], parts: int) -> None:
    """The major one of `atoms` stays a multiple of `parts`; a dimension in parts of different sizes keeps its size."""
    if not atoms or (size := atoms[0].size) % parts:
        freeze(atoms)
    else:
        atoms[0].group.found().conditions.append(lambda ratio: size // ratio % parts == 0)


def _annotated(module: ModuleOp) -> Iterator[tuple[Leaf, HloSharding]]:
    """The arrays of `module` with their annotation."""
    for op in operations_in(module):
        for values, written in _annotations(op):
            shardings = parse_hlo_shardings(written.data)
            leaves = [leaf for value in values for leaf in leaves_of(value)]
            if isinstance(shardings, HloSharding):
                shardings = (shardings,) * len(leaves)
            yield from zip(leaves, shardings, strict=True)


def _annotations(op: Operation) -> Iterator[tuple[Sequence[SSAValue], StringAttr]]:
    """Values that have one annotation: an argument or result of a function, or the results of `op`."""
    if isinstance(op, FuncOp):
        listed = (op.arg_attrs, op.res_attrs)
        end = op.get_return_op()
        for values, attributes in zip((op.args, end.operands if end else ()), listed, strict=True):
            for value, entry in zip(values, attributes or (), strict=False):
                if isinstance(written := entry.data.get(SHARDING), StringAttr):
                    yield [value], written
    elif isinstance(written := op.attributes.get(SHARDING), StringAttr):
        yield op.results, written
