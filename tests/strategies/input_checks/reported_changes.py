"""
A pass says that it changed a module exactly if the text of the module changed, and its patterns do the same under
xDSL's walker.

Pipelines rely on it: `PassRunner` does not run a pass again where nothing changed. An index does not walk again
where no operation was inserted, moved or erased, and reads the attributes of modified operations only.
"""

import re
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from input_checks import xdsl_walker
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException

from xshardy.rewriting import PatternPass
from xshardy.rewriting.operation_index import indexed
from xshardy.rewriting.walk import attributes_on, held_attributes_in, operations_in, operations_of
from xshardy.syntax import parse_module, print_module
from xshardy.tools.pipelines import passes_of
from xshardy.universe import installed_passes, new_context

RUN = re.compile(r"^// RUN: xshardy-opt %s (.*?)(?:\||$)", re.MULTILINE)
SEPARATOR = re.compile(r"^// -----.*$", re.MULTILINE)


def pipelines(path: Path) -> tuple[str, ...]:
    """The pipelines of the RUN lines for MLIR text."""
    commands = [shlex.split(command) for command in RUN.findall(path.read_text())]
    return tuple(command[command.index("-p") + 1] for command in commands if "-p" in command and "-f" not in command)


def walks_of(module: ModuleOp, kinds: Sequence[type[Operation]]) -> list[list[Operation]]:
    """The operations of each class in `module`, then in each operation at its top, in the two orders that are kept."""
    return [
        operations_of(root, *kinds, inner_first=inner_first)
        for kinds in (*((kind,) for kind in kinds), kinds)
        for inner_first in (False, True)
        for root in (module, *module.ops)
    ]


def printed(passes: Iterable[ModulePass], text: str) -> str:
    """The module of `text` after `passes`. Checks each that says whether it changed the module."""
    ctx = new_context()
    ctx.allow_unregistered = True
    module = parse_module(text, ctx=ctx)
    before = print_module(module)
    for each in passes:
        if isinstance(each, PatternPass) and each.records_changes:
            with indexed(module):
                kinds = tuple(dict.fromkeys(map(type, operations_in(module))))
                walks_of(module, kinds)
                held_attributes_in(module)
                changed = each.rewrite_module(module)
                kept = walks_of(module, kinds)
                held = [*held_attributes_in(module).distinct()]
            ids = {*map(id, held)}  # of objects that are kept, so that no others get these
            assert ids == {*attributes_on(operations_in(module))}, f"{each.name} does not say which operations change"
            assert kept == walks_of(module, kinds), f"{each.name} changes the structure and does not say so"
            after = print_module(module)
            assert changed == (after != before), f"{each.name} says {changed}"
        else:
            each.apply(ctx, module)
            after = print_module(module)
        before = after
    return before


def check(path: Path) -> None:
    """The passes of the RUN lines of `path`, on its modules."""
    for pipeline in pipelines(path):
        for text in SEPARATOR.split(path.read_text()):
            passes = passes_of(pipeline, installed_passes())
            try:
                expected = printed(passes, text)
            except DiagnosticException:
                continue  # some inputs are invalid, or refused
            assert xdsl_walker.printed(passes, text) == expected, f"{pipeline} under xDSL's walker"
