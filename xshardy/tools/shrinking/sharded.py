"""Dimensions that a program's annotations divide among devices: they stay divisible."""

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import ModuleOp, TupleType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from xshardy.hlo_text.shardings.hlo_sharding import HloSharding, Tiled
from xshardy.launch.leaves import Leaf
from xshardy.rewriting.walk import operations_in
from xshardy.tools.shrinking.atoms import Atom, freeze, resolved
from xshardy.tools.shrinking.dimensions import Dimensions
from xshardy.transforms.xla_sdy.from_hlo_shardings import shardings_of_values
from xshardy.transforms.xla_sdy.signatures import Attributes, signature_of


def keep_divisible(dimensions: Dimensions, module: ModuleOp) -> None:
    """
    Let each tensor of `module` that has an annotation keep as many tiles of equal size.

    Precondition: all equal dimensions are known, because the major atom of a dimension is what is divided.
    """
    for leaf, sharding in _annotated(module):
        if isinstance(sharding.placement, Tiled):
            for atoms, parts in zip(dimensions.of(leaf), sharding.placement.tiles.shape, strict=False):
                _keep_parts(resolved(atoms), parts)


def _keep_parts(atoms: list[Atom], parts: int) -> None:
    """The major one of `atoms` stays a multiple of `parts`; a dimension in parts of different sizes keeps its size."""
    if not atoms or (size := atoms[0].size) % parts:
        freeze(atoms)
    else:
        atoms[0].group.found().conditions.append(lambda division: division.of(size) % parts == 0)


def _annotated(module: ModuleOp) -> Iterator[tuple[Leaf, HloSharding]]:
    """The arrays of `module` with their annotation. Raises `OperationFailedException` for one that does not fit."""
    for op in operations_in(module):
        for attributes, values in _annotations(op):
            if not any(isinstance(value.type, TupleType) for value in values):  # those of library calls
                found = shardings_of_values(attributes, [value.type for value in values], op)
                yield from ((Leaf(value), each.sharding) for value, each in zip(values, found, strict=False))


def _annotations(op: Operation) -> Iterator[tuple[Attributes, Sequence[SSAValue]]]:
    """The attributes of an argument or result of a function, or of the results of `op`, and these values."""
    if isinstance(op, FuncOp):
        signature, end = signature_of(op), op.get_return_op()
        yield from ((attributes, [value]) for attributes, value in zip(signature.arguments, op.args, strict=True))
        assert end is not None
        yield from ((attributes, [value]) for attributes, value in zip(signature.results, end.operands, strict=False))
    else:
        yield op.attributes, op.results
