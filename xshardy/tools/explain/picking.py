"""The tensor that a user means: by name, by place, or by index."""

import re
from collections.abc import Iterator, Mapping

from xdsl.dialects.func import FuncOp
from xdsl.ir import OpResult, SSAValue

from xshardy.dialects.sdy.ops import NamedComputationOp
from xshardy.dialects.sdy.sharding_text import dimensions
from xshardy.programs.errors import InputError
from xshardy.programs.names import along_edges
from xshardy.programs.sharded import Sharded
from xshardy.tools.explain.story import value_name
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.sdy.main_function import main_if_any
from xshardy.transforms.sdy_propagation.numbering import FunctionResult

LISTED = 10
"""How many tensors a diagnostic lists."""

_NAME = re.compile(r"%[\w.$-]+(?:#\d+)?(?: \(.+\))?|line \d+|(?:argument|result) \d+.*|\S+\.py:\d+")
"""What names a tensor in every program; arguments of JAX may have any name."""


def chosen(sharded: Sharded, file: str, value: str | None, index: int | None, result_index: int | None) -> int:
    """The number of the tensor that is named as a value, or by its index among arguments or among results."""
    if value is not None:
        return named_value(sharded, value, file)
    return argument(sharded, index, file) if index is not None else result(sharded, result_index or 0, file)


def named_value(sharded: Sharded, name: str, file: str) -> int:
    """
    The number of the tensor that `name` means in `sharded`, whose text is `file`.

    `name` is one that `shard` and `explain` print, `%44 (line 116)` or `argument 0 (p['emb'])`; a name alone, `%7#1`
    or `p['emb']`; or a place alone, `line 116` or `model.py:42`. What has that name in the body of the main function
    goes before what has it in another function. Raises `InputError` if there is no such tensor, or several.
    """
    found = _by_name(sharded, name) or _by_place(sharded, name)
    in_main = [number for number in found if _is_in_main(sharded, number)]
    if len(in_main) == 1:
        return in_main[0]
    if len(set(found.values())) == 1:  # copies of a constant
        return next(iter(found))
    if found:
        listed = "".join(f"\n  {text}" for text in [*found.values()][:LISTED])
        rest = f"\n  and {len(found) - LISTED} more" if len(found) > LISTED else ""
        raise InputError(f"{file}: error: {name} is {len(found)} tensors, name one of them:{listed}{rest}")
    if _NAME.fullmatch(name) is None:
        raise InputError(
            f'{file}: error: "{name}" is not the name of a value: expected one such as %42, %7#1, "%44 (line 116)", '
            '"line 116", model.py:42, or that of an argument in a program with debug information'
        )
    raise InputError(
        f"{file}: error: there is no tensor {name} after propagation, which erases what is dead and gives each use "
        "of a constant a copy of its own"
    )


def _by_name(sharded: Sharded, name: str) -> Mapping[int, str]:
    """The tensors that `name` names, and how each is sharded."""
    names = sharded.names
    found: dict[int, str] = {}
    for value in _values(sharded):
        number = sharded.history.number(value)
        if number is None or number in found:
            continue
        source = along_edges(value)
        of_value = names.of(source)
        operation = names.operation_name(source.op) if isinstance(source, OpResult) else None
        if name in (of_value, names.given(source), names.describe(source), operation) or of_value == f"{name}#0":
            found[number] = _listed(sharded, number)
    for number in sharded.history.numbers():
        if isinstance(sharded.history.home(number), FunctionResult) and value_name(sharded, number) == name:
            found[number] = _listed(sharded, number)
    return found


def _by_place(sharded: Sharded, place: str) -> Mapping[int, str]:
    """The tensors that the operations at `place` make, and how each is sharded."""
    found: dict[int, str] = {}
    for op in sharded.module.walk():
        if place not in (sharded.names.place(op), f"line {sharded.names.line(op)}"):
            continue
        for result in op.results:
            number = sharded.history.number(result)
            if number is not None and sharded.names.knows(result):
                found.setdefault(number, _listed(sharded, number))
    return found


def _is_in_main(sharded: Sharded, number: int) -> bool:
    """Whether a tensor is in the body of the main function, not in that of a call in it."""
    home = sharded.history.home(number)
    if isinstance(home, FunctionResult):
        return True
    around = along_edges(home).owner.parent_op()
    while around is not None and not isinstance(around, FuncOp | NamedComputationOp):
        around = around.parent_op()
    return around is main_if_any(functions_of(sharded.module))


def _listed(sharded: Sharded, number: int) -> str:
    return f"{value_name(sharded, number)}: {dimensions(sharded.sharding(number)) or 'no sharding'}"


def _values(sharded: Sharded) -> Iterator[SSAValue]:
    for op in sharded.module.walk():
        for region in op.regions:
            for block in region.blocks:
                yield from block.args
        yield from op.results


def argument(sharded: Sharded, index: int, file: str) -> int:
    """Argument `index` of the main function. Raises `InputError` if it has none."""
    function = main_if_any(functions_of(sharded.module))
    arguments = () if function is None else function.args
    number = sharded.history.number(arguments[index]) if 0 <= index < len(arguments) else None
    if number is None:
        raise InputError(f"{file}: error: there is no tensor argument {index}: the function has {len(arguments)}")
    return number


def result(sharded: Sharded, index: int, file: str) -> int:
    """Result `index` of the main function. Raises `InputError` if it has none."""
    number = sharded.history.result(index)
    if number is None:
        raise InputError(f"{file}: error: there is no tensor result {index} of the main function")
    return number
