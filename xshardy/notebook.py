"""
An extension of IPython: `%load_ext xshardy.notebook` lets modules and values of xDSL show themselves in notebooks.

Classes of xDSL stay as they are: the functions are registered with IPython. Kernels, plans, explanations and
partitioned programs need no extension.
"""

from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from xshardy.dialects.sdy.value_shardings import get_sharding, lookup_mesh
from xshardy.dialects.shapes import is_tensor
from xshardy.display.html_parts import shown
from xshardy.programs.distributed_tensor import DistributedTensor
from xshardy.syntax import print_module


def load_ipython_extension(ipython: Any) -> None:
    """Register the functions below. IPython calls it for `%load_ext xshardy.notebook`."""
    html = ipython.display_formatter.formatters["text/html"]
    html.for_type(ModuleOp, module_html)
    for kind in (OpResult, BlockArgument):
        html.for_type(kind, value_html)


def module_html(module: ModuleOp) -> str:
    """The text of `module` in colours, folded if it is long."""
    return shown(print_module(module), "mlir", "module")


def value_html(value: SSAValue) -> str | None:
    """Which device has which part of a tensor with a sharding; None for any other value."""
    sharding, type = get_sharding(value), value.type
    owner = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
    if sharding is None or not is_tensor(type) or owner is None:
        return None
    mesh = lookup_mesh(sharding, owner)
    return None if mesh is None else DistributedTensor(type, mesh.device_count, sharding, mesh)._repr_html_()
