"""
Functions of `jax.experimental.custom_partitioning`, which a function of the user divides between the devices.

JAX keeps that function in the process that traced the program, by a number that the call has. It says how operands and
results are divided, and what each device computes of its parts; that becomes a manual computation. Source: the
documentation of `custom_partitioning`.
"""

import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, ClassVar

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.verification import axes_bound_around
from xshardy.dialects.shapes import rank_of
from xshardy.dialects.stablehlo.calls import CustomCallOp
from xshardy.dialects.stablehlo.python_callbacks import CANNOT_PARTITION, CUSTOM_PARTITIONING
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.programs.jax_functions import import_jax, lowered
from xshardy.programs.program import read_program
from xshardy.programs.source import source_of
from xshardy.rewriting import PatternPass, match_op_type, rewrite
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.failures import OperationFailedException, warn
from xshardy.transforms.inline import InlinePass
from xshardy.transforms.sdy.main_function import main_function
from xshardy.transforms.sdy.shardable_values import sharding_of
from xshardy.transforms.sdy.shardings import meshes_of
from xshardy.transforms.sdy_export.update_non_divisible_input_output_shardings import evenly_sharded_on
from xshardy.transforms.sdy_import.lift_inlined_meshes import NameMeshes


def callback_of(call: CustomCallOp) -> Any:
    """What JAX knows of the function that `call` calls; None if that is another call, or of another process."""
    if call.call_target_name.data != CUSTOM_PARTITIONING or not isinstance(number := call.backend_config, StringAttr):
        return None
    known = getattr(sys.modules.get("jax._src.custom_partitioning"), "_sharding_callbacks", {})
    return known.get(number.data.encode())


def divided(values: Sequence[SSAValue], call: CustomCallOp, mesh: Any) -> list[Any]:
    """`values` as `jax.ShapeDtypeStruct`s, divided over `mesh` as they are in the program, in equal parts."""
    from xshardy.numerics.element_types import stored_dtype  # with numpy, which JAX has

    jax = import_jax()
    specs: list[Any] = []
    for value in values:
        axes: Sequence[Sequence[str]] = [()] * rank_of(value)
        if (sharding := sharding_of(value)) is not None:
            even = evenly_sharded_on(sharding, value.type, call).dim_shardings
            axes = [tuple(axis.axis.data for axis in takewhile(lambda axis: axis.is_full, dim.axes)) for dim in even]
        of_value = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*axes))
        type = tensor_type(value)
        specs.append(jax.ShapeDtypeStruct(type.get_shape(), stored_dtype(type), sharding=of_value))
    return specs


def body_of(call: CustomCallOp, callback: Any, meshes: Mapping[str, MeshAttr]) -> tuple[Block, Operation]:
    """
    What `call` computes, a manual computation over one of `meshes` as `callback` wants it, and its return.

    Raises `ValueError` for what has no such form, and what functions of the user raise.
    """
    if axes_bound_around(call):
        raise ValueError("it is in a jax.shard_map along some axes: call it outside")
    name = next((name for name, mesh in meshes.items() if mesh == MeshAttr.of(callback.mesh.shape.items())), None)
    if name is None:
        raise ValueError(f"it was traced for {callback.mesh}, which is no mesh of the program")
    jax = import_jax()
    operands, results = (divided(values, call, callback.mesh) for values in (call.operands, call.results))
    wholes = callback.in_tree.unflatten(operands), callback.out_tree.unflatten(results)
    mesh, compute, of_results, of_operands = callback.partition(*callback.static_args, callback.mesh, *wholes)
    if dict(mesh.shape) != dict(callback.mesh.shape):
        raise ValueError(f"it returned {mesh}, but was called for {callback.mesh}")
    shardings = callback.in_tree.flatten_up_to(of_operands)

    def on_leaves(*parts: object) -> Sequence[object]:
        return tuple(jax.tree.leaves(compute(*callback.in_tree.unflatten(parts))))

    specs = tuple(sharding.spec for sharding in shardings)
    result_specs = tuple(sharding.spec for sharding in callback.out_tree.flatten_up_to(of_results))
    of_parts = jax.shard_map(on_leaves, mesh=mesh, in_specs=specs, out_specs=result_specs, check_vma=False)
    given = [operand.update(sharding=sharding) for operand, sharding in zip(operands, shardings, strict=True)]
    program = read_program(source_of(lowered(of_parts, given)))
    renamed = dict.fromkeys(meshes_of(program.module), name)
    rewrite(program.module, [NameMeshes({}, renamed, is_needed=True)])
    InlinePass().apply(program.context, program.module)
    (returned,) = operations_of(main := main_function(program.module), ReturnOp)
    if (computed := returned.operand_types) != (wanted := call.result_types):
        raise ValueError(f"its parts make {', '.join(map(str, computed))}, not {', '.join(map(str, wanted))}")
    return main.body.block, returned


@dataclass(frozen=True)
class DivideByCallback(RewritePattern):
    """`custom_call @CustomSPMDPartitioning(x)` -> `manual_computation(x)`, with the body that the callback gives."""

    module: ModuleOp

    @match_op_type
    def match_and_rewrite(self, op: CustomCallOp, rewriter: PatternRewriter, /) -> None:
        if op.call_target_name.data != CUSTOM_PARTITIONING:
            return
        if (callback := callback_of(op)) is None:
            warn(op, f"@{CUSTOM_PARTITIONING} is divided as its sharding rule says: {CANNOT_PARTITION}")
            return
        try:
            with redirect_stdout(sys.stderr):
                body, returned = body_of(op, callback, meshes_of(self.module))
        except Exception as error:  # a user's function may raise anything
            why = f"a function of custom_partitioning cannot be divided: {type(error).__name__}: {error}"
            raise OperationFailedException(op, why) from error
        for each in body.walk():
            each.location = op.location  # by which plans know where it comes from
        rewriter.inline_block(body, InsertPoint.before(op), op.operands)
        rewriter.replace(op, [], [*returned.operands])
        rewriter.erase(returned)


class CustomPartitioningPass(PatternPass):
    """Call the partition functions of `jax.experimental.custom_partitioning`; warn where they are not known."""

    name = "divide-by-callbacks"
    source: ClassVar[str] = "ours: XLA's partitioner calls them"

    def patterns(self, module: ModuleOp) -> tuple[RewritePattern, ...]:
        return (DivideByCallback(module),)
