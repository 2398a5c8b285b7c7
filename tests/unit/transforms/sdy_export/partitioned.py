"""Run a program on the simulated mesh, partitioned, and compare it with the whole program."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute

from xshardy.dialects.discardable import verify
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.value_shardings import lookup_mesh
from xshardy.interpreters.element_types import Array
from xshardy.interpreters.spmd import evaluate_spmd
from xshardy.interpreters.stablehlo import evaluate
from xshardy.interpreters.stablehlo.evaluator import entry_of
from xshardy.syntax import parse_module
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.function_shardings import written_shardings
from xshardy.transforms.sdy_export.convert_global_to_local import ConvertGlobalToLocalPass
from xshardy.transforms.sdy_export.drop_sharding_and_mesh import DropShardingAndMeshPass
from xshardy.transforms.sdy_export.local.devices import shard_indices
from xshardy.universe import new_context

Shardings = Sequence[TensorShardingAttr | None]


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


def is_sharded(module: ModuleOp) -> bool:
    """Whether a tensor of `module` is divided."""
    attributes = [str(value) for op in module.walk() for value in (*op.attributes.values(), *op.properties.values())]
    return any("sdy" in text and '{"' in text for text in attributes)


def check_partitioned(module: ModuleOp, whole: str, mesh: MeshAttr, arguments: Sequence[Array] | None) -> bool:
    """
    Make `module` local, execute it on all devices of `mesh`, and compare the results with those of `whole`.

    Returns False, with `module` unchanged, if it is refused; the reason must not be empty. Without `arguments`, the
    module is only verified.
    """
    before = str(module)
    local = module.clone()
    try:
        ConvertGlobalToLocalPass().apply(new_context(), local)
    except OperationFailedException as refused:
        assert str(refused).strip() and str(local) == before
        return False
    verify(local)
    DropShardingAndMeshPass().apply(new_context(), local)
    if arguments is None:
        return True
    function = entry_of(module)
    of_arguments, of_results = shardings_of(function)
    devices = mesh.device_count
    given = [parts_of(*each, devices, function) for each in zip(arguments, of_arguments, strict=True)]
    found = evaluate_spmd(local, [[parts[device] for parts in given] for device in range(devices)])
    wanted = [
        parts_of(*each, devices, function)
        for each in zip(evaluate(parse_module(whole), arguments), of_results, strict=True)
    ]
    for device, results in enumerate(found):
        for result, parts in zip(results, wanted, strict=True):
            _compare(result, parts[device])
    return True


def _compare(found: Array, wanted: Array) -> None:
    assert found.dtype == wanted.dtype and found.shape == wanted.shape
    if np.issubdtype(wanted.dtype, np.inexact):
        np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4)
    else:
        np.testing.assert_array_equal(found, wanted)


_: Any = Attribute
