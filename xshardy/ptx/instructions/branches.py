"""Branches, and the end of threads. Source: PTX ISA, "Control Flow Instructions"."""

from collections.abc import Mapping

from xshardy.ptx.control import Branch, Switch
from xshardy.ptx.decode import Context
from xshardy.ptx.errors import PtxError
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.row import ONE, Row, Scope
from xshardy.ptx.module import Register, Symbol, Vector


def branch(form: Form, context: Context) -> Branch:
    """`bra{.uni} label`."""
    match form.instruction.operands:
        case (Symbol(name),) if name in context.labels:
            return _to(context.labels[name], form, context)
        case _:
            raise PtxError(form.instruction.line, "a branch needs a label of this entry")


def end(form: Form, context: Context) -> Branch:
    """`ret`, `exit`."""
    return _to(None, form, context)


def _to(target: int | None, form: Form, context: Context) -> Branch:
    form.take("uni")
    guard = form.instruction.guard
    slot = None if guard is None else context.registers.slot(guard.register.name)
    return Branch(target, slot, guard is not None and guard.negated)


def switch(form: Form, context: Context) -> Switch:
    """`brx.idx{.uni} number, {labels}`."""
    form.required("idx")
    form.take("uni")
    match form.instruction.operands:
        case (Register(name), Vector(elements)) if form.instruction.guard is None:
            labels = [element.name for element in elements if isinstance(element, Symbol)]
            if missing := [label for label in labels if label not in context.labels]:
                raise form.error(f"{missing[0]} is no label of this entry")
            return Switch(tuple(context.labels[label] for label in labels), context.registers.slot(name))
        case _:
            raise form.error("expected a register and a table of labels, and no guard")


BRANCHES: Mapping[str, Row] = {
    "bra": Row(branch, "branch", ONE, Scope.THREAD),
    "brx": Row(switch, "branch", ONE, Scope.THREAD),
    **dict.fromkeys(("ret", "exit"), Row(end, "branch", ONE, Scope.THREAD)),
}
