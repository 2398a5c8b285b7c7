"""Execute a partitioned program on the simulated mesh, and compare it with the whole program."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, auto

import numpy as np
from partitioning.samples import Sample
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.discardable import verify
from xshardy.dialects.sdy import ops as sdy
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.value_shardings import lookup_mesh
from xshardy.interpreters.spmd import evaluate_spmd
from xshardy.interpreters.stablehlo import evaluate
from xshardy.interpreters.stablehlo.evaluator import entry_of
from xshardy.numerics.element_types import Array
from xshardy.sharding.devices import shard_indices
from xshardy.syntax import parse_module
from xshardy.transforms.failures import OperationFailedException, OperationWarning
from xshardy.transforms.sdy.function_shardings import written_shardings
from xshardy.transforms.sdy.shardable_values import sharding_of
from xshardy.transforms.sdy_export.drop_sharding_and_mesh import DropShardingAndMeshPass
from xshardy.transforms.sdy_partition.local.convert_global_to_local import ConvertGlobalToLocalPass
from xshardy.universe import new_context

Shardings = Sequence[TensorShardingAttr | None]


EXPORTED: Mapping[type[Operation], type[Operation]] = {stablehlo.ConstantOp: sdy.ConstantOp}
"""What the pipelines make of operations before they become local."""


class Outcome(Enum):
    """What became of a program; in parts, if an operation of the tested kind has parts of tensors."""

    REFUSED = auto()
    RAN_IN_PARTS = auto()
    RAN_WHOLE = auto()


def shardings_of(function: func.FuncOp) -> tuple[Shardings, Shardings]:
    """Those of the arguments and of the results."""
    types = function.function_type
    return (
        written_shardings(function.arg_attrs, len(types.inputs)),
        written_shardings(function.res_attrs, len(types.outputs)),
    )


def parts_of(whole: Array, sharding: TensorShardingAttr | None, devices: int, function: func.FuncOp) -> list[Array]:
    """What each device has of `whole`."""
    parts = [whole] * devices
    mesh = None if sharding is None else lookup_mesh(sharding, function)
    if sharding is None or mesh is None:
        return parts
    for dim, of_dim in enumerate(sharding.dim_shardings):
        indices = shard_indices(of_dim.axes.data, mesh)
        parts = [np.split(part, max(indices) + 1, dim)[index] for part, index in zip(parts, indices, strict=True)]
    return parts


def values_of(op: Operation) -> Iterator[SSAValue]:
    """The operands and results of `op`, and what its regions return."""
    yield from (*op.operands, *op.results)
    yield from (value for region in op.regions for end in [region.block.last_op] if end for value in end.operands)


def has_parts(module: ModuleOp, kind: type[Operation]) -> bool:
    """Whether an operation of this kind has a tensor that is divided between devices."""
    kinds = (kind, EXPORTED.get(kind, kind))
    values = (value for op in module.walk() if isinstance(op, kinds) for value in values_of(op))
    return any((found := sharding_of(value)) is not None and not found.is_fully_replicated for value in values)


def check_partitioned(module: ModuleOp, sample: Sample, mesh: MeshAttr, kind: type[Operation]) -> Outcome:
    """
    Make `module` local, execute it on all devices of `mesh`, and compare the results with those of the whole program.

    A refusal must have a reason, and leave `module` as it was. A warning that the result is not that of the whole
    program counts as one. Programs without arguments are only verified.
    """
    before, local = str(module), module.clone()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", OperationWarning)
            ConvertGlobalToLocalPass().apply(new_context(), local)
    except (OperationFailedException, OperationWarning) as refused:
        assert str(refused).strip() and str(local) == before
        return Outcome.REFUSED
    verify(local)
    DropShardingAndMeshPass().apply(new_context(), local)
    if sample.arguments is not None:
        _compare_with_whole(local, entry_of(module), sample, sample.arguments, mesh.device_count)
    return Outcome.RAN_IN_PARTS if has_parts(module, kind) else Outcome.RAN_WHOLE


def _compare_with_whole(
    local: ModuleOp, function: func.FuncOp, sample: Sample, arguments: Sequence[Array], devices: int
) -> None:
    of_arguments, of_results = shardings_of(function)
    given = [parts_of(*each, devices, function) for each in zip(arguments, of_arguments, strict=True)]
    found = evaluate_spmd(local, [[parts[device] for parts in given] for device in range(devices)])
    wholes = evaluate(parse_module(sample.text), arguments)
    wanted = [parts_of(*each, devices, function) for each in zip(wholes, of_results, strict=True)]
    for device, results in enumerate(found):
        for result, parts in zip(results, wanted, strict=True):
            _compare(result, parts[device])


def _compare(found: Array, wanted: Array) -> None:
    """Integers are equal; floats are close, as sums have another order."""
    assert found.dtype == wanted.dtype and found.shape == wanted.shape
    if np.issubdtype(wanted.dtype, np.inexact):
        np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4)
    else:
        np.testing.assert_array_equal(found, wanted)
