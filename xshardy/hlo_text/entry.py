"""A computation without an entry is executed as a fusion, as in upstream's emitter tests."""

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Attribute, Block, Region

from xshardy.dialects.hlo import LAYOUT, FusionKind, FusionOp, layout_of
from xshardy.dialects.stablehlo.attributes import integers


def fuse_entry(module: ModuleOp, computation: func.FuncOp) -> FusionOp:
    """
    Add an entry function to `module` that executes `computation`, which becomes private, as one loop fusion.

    The entry has the arguments and results of `computation`, with their layouts. It is called `main` if the name is
    free.
    """
    computation.sym_visibility = StringAttr("private")
    types = computation.function_type
    block = Block(arg_types=types.inputs)
    for argument, inner in zip(block.args, computation.body.block.args, strict=True):
        argument.name_hint = inner.name_hint
    fusion = FusionOp(FusionKind.LOOP, computation.sym_name.data, block.args, types.outputs.data)
    fusion.attributes.update(result_layouts(computation))
    block.add_ops([fusion, func.ReturnOp(*fusion.outputs)])
    entry = func.FuncOp(free_name(module, "main"), types, Region(block), arg_attrs=computation.arg_attrs)
    module.body.block.add_op(entry)
    return fusion


def result_layouts(computation: func.FuncOp) -> dict[str, Attribute]:
    """The layouts of the results of `computation`, as an attribute of an operation that executes it."""
    returned = computation.get_return_op()
    layouts = [layout_of(value) for value in returned.operands] if returned is not None else []
    if all(layout is None for layout in layouts):
        return {}
    attributes = [UnitAttr() if layout is None else integers(layout) for layout in layouts]
    return {LAYOUT: attributes[0] if len(attributes) == 1 else ArrayAttr(attributes)}


def free_name(module: ModuleOp, name: str) -> str:
    """`name`, or `name` with a number if a function of `module` has this name."""
    taken = {op.sym_name.data for op in module.ops if isinstance(op, func.FuncOp)}
    candidate, number = name, 0
    while candidate in taken:
        candidate, number = f"{name}_{number}", number + 1
    return candidate
