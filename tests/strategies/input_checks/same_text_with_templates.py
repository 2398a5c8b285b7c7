"""A printer with templates against one without: the same text."""

from collections.abc import Iterable

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Dialect, Operation

from xshardy.syntax.printer import Printer


def check(module: Operation, dialects: Iterable[Dialect] = ()) -> str:
    """The text of `module`, which is the same with and without templates in each form."""
    for forms in ({"print_generic_format": True}, {"print_debuginfo": True}, {}):
        text = Printer(**forms).module_text(module, dialects)
        assert text == Printer(**forms, templates=False).module_text(module, dialects)
    return text


def check_with_copy(module: ModuleOp, dialects: Iterable[Dialect]) -> None:
    """Each operation again: those of the copy are like those of the original. Changes the module."""
    copy = module.clone()
    for block in (module.body.block, copy.body.block):
        for op in tuple(block.ops):
            op.detach()
            block.add_op(op)
    module.body.block.add_op(copy)
    check(module, dialects)
