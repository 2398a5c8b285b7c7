"""
The program of each device as one `sdy.manual_computation` over a flat mesh of all devices.

XLA then neither propagates shardings nor partitions anything. `jax.shard_map` is lowered to the same form. Source:
Shardy's docs, `sdy.manual_computation`.
"""

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, TensorType, i1
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region

from xshardy.dialects.extensions.llvm import ModuleFlagsOp
from xshardy.dialects.sdy import ops as sdy
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.dialects.shapes import is_tensor
from xshardy.engines.callbacks import refuse_callbacks
from xshardy.engines.pjrt.extremes import extremes_as_integers
from xshardy.ir import clone_operation
from xshardy.programs.partitioned import PartitionedProgram
from xshardy.transforms.sdy.symbols import SymbolNames

AXIS = "device"
"""The axis of the flat mesh."""
DONATED = ("jax.buffer_donor", "tf.aliasing_output")
"""Attributes of an argument whose buffer the results may reuse."""
MEMORY_KIND = "mhlo.memory_kind"
"""The attribute of a result that names the memory in which the buffer is."""


def on_flat_mesh(program: PartitionedProgram) -> ModuleOp:
    """
    A module whose main function executes `program` on each device; `program` stays as it is.

    Its arguments and results are the parts of all devices, one after another along dimension 0. A scalar is one for all
    devices: shardings divide no scalars. Raises `OperationRefusedError` for a call into Python.
    """
    refuse_callbacks(program.module)
    module = clone_operation(program.module)
    extremes_as_integers(module)
    for flags in [op for op in module.ops if isinstance(op, ModuleFlagsOp)]:
        module.body.block.erase_op(flags)  # XLA knows no operation of LLVM
    module.attributes.clear()  # of XLA's partitioner, such as the numbers of partitions and replicas
    local = next(op for op in module.ops if isinstance(op, FuncOp) and op.sym_name == program.main.sym_name)
    names = SymbolNames(module)
    mesh_name = names.fresh("all_devices")
    types, donated = local.function_type, _donated(local)
    memories = memory_kinds(local.res_attrs, len(types.outputs))
    local.sym_name, local.sym_visibility = StringAttr(names.fresh("local")), StringAttr("private")
    local.arg_attrs = local.res_attrs = None

    inputs, outputs = types.inputs.data, types.outputs.data
    body = Block(arg_types=inputs)
    call = CallOp(local.sym_name.data, body.args, outputs)
    body.add_ops((call, sdy.ReturnOp(*call.results)))

    stacked_inputs, stacked_outputs = ([_stacked(t, program.devices) for t in types] for types in (inputs, outputs))
    main = FuncOp("main", (stacked_inputs, stacked_outputs))
    along = [_along_devices(type, mesh_name) for type in inputs]
    computation = sdy.ManualComputationOp(
        main.args,
        along,
        [_along_devices(type, mesh_name) for type in outputs],
        (AXIS,),
        Region(body),
        main.function_type.outputs.data,
    )
    main.body.block.add_ops((computation, ReturnOp(*computation.results)))
    # XLA drops an unused operand of the computation: the argument keeps its own sharding.
    main.arg_attrs = ArrayAttr(
        [DictionaryAttr({**entry.data, SHARDING: part}) for entry, part in zip(donated, along, strict=True)]
    )
    main.res_attrs = ArrayAttr(
        [DictionaryAttr({} if kind is None else {MEMORY_KIND: StringAttr(kind)}) for kind in memories]
    )
    mesh = sdy.MeshOp(mesh_name, MeshAttr.of([(AXIS, program.devices)]))
    first = module.body.block.first_op
    assert first is not None
    module.body.block.insert_ops_before((mesh, main), first)
    return module


def memory_kinds(attributes: ArrayAttr[DictionaryAttr] | None, count: int) -> list[str | None]:
    """The memory in which each of `count` arguments or results of a function is; None for that of the device."""
    kinds = [entry.data.get(MEMORY_KIND) for entry in attributes or [DictionaryAttr({})] * count]
    return [kind.data if isinstance(kind, StringAttr) and kind.data != "device" else None for kind in kinds]


def _donated(function: FuncOp) -> list[DictionaryAttr]:
    """The attributes of each argument of `function` in the main function: whether its buffer may be reused."""
    entries = [DictionaryAttr({})] * len(function.args) if function.arg_attrs is None else function.arg_attrs.data
    donor = DictionaryAttr({DONATED[0]: IntegerAttr(1, i1)})
    return [donor if any(name in entry.data for name in DONATED) else DictionaryAttr({}) for entry in entries]


def _stacked(type: Attribute, devices: int) -> Attribute:
    """`tensor<4x8xf32>` -> `tensor<32x8xf32>` on 8 devices"""
    assert is_tensor(type)
    shape = type.get_shape()
    return TensorType(type.element_type, (devices * shape[0], *shape[1:])) if shape else type


def _along_devices(type: Attribute, mesh_name: str) -> TensorShardingAttr:
    assert is_tensor(type)
    axes = ((AxisRefAttr(AXIS),), *((),) * type.get_num_dims())[: type.get_num_dims()]
    return TensorShardingAttr(mesh_name, [DimensionShardingAttr(of_dim, is_closed=True) for of_dim in axes])
