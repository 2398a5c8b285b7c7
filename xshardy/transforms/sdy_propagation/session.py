"""One run of propagation on a module: what is checked and read before, and written after it."""

import sys
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp, ShapedType, TupleType

from xshardy.sharding.propagation import Engine
from xshardy.sharding.rules.registry import ShardingRules
from xshardy.syntax.printer import Printer
from xshardy.transforms.failures import OperationFailedException, warn
from xshardy.transforms.sdy_propagation.reading import read_program
from xshardy.transforms.sdy_propagation.sharding_groups import sharding_groups, share_shardings
from xshardy.transforms.sdy_propagation.writing import erase_rules, write_rules, write_shardings


def check_shapes(module: ModuleOp) -> None:
    """Raise `OperationFailedException` at the first result that is a tuple, or a tensor without a static shape."""
    checked: set[int] = set()
    for op in module.walk():
        for result in op.results:
            if id(result.type) in checked:
                continue
            checked.add(id(result.type))
            if isinstance(result.type, ShapedType) and not result.type.has_static_shape():
                raise OperationFailedException(
                    op, f"Shardy propagation only supports ranked tensors with a static shape. type: {result.type}"
                )
            if isinstance(result.type, TupleType):
                raise OperationFailedException(op, f"Shardy propagation doesn't support tuples: {result.type}")


class Session:
    """
    The engine on a module, which is changed by `write`, and by the engine where operations are dead.

    Raises `OperationFailedException` if the module has tensors that cannot be sharded. Warns of operations that nobody
    knows how to shard, and of sharding groups whose members do not agree.
    """

    def __init__(self, module: ModuleOp, *, conservative: bool = False):
        check_shapes(module)
        groups = sharding_groups(module)
        share_shardings(groups)
        rules = ShardingRules(conservative=conservative)
        self._module = module
        self.program, self._numbering = read_program(module, rules)
        for members in groups:
            numbers = tuple(map(self._numbering.value, members))
            for member, number in zip(members, numbers, strict=True):
                if self._numbering.homes[number] is member:
                    self.program.groups[number] = numbers
        self._written = list(self.program.shardings)
        self.engine = Engine(self.program)
        for message, op in rules.unknown.items():
            warn(op, message)

    def write(self, *, keep_rules: bool) -> None:
        """Write what has been propagated into the module, and the rules if they are to be kept."""
        write_shardings(self.program, self._numbering, self._written)
        self._written = list(self.program.shardings)
        if keep_rules:
            write_rules(self._numbering)
        else:
            erase_rules(self._module)

    def dump(self, directory: str, name: str) -> None:
        """Write the module as it is now to a file of a folder; where that cannot be, go on with a complaint."""
        if not directory:
            return
        write_shardings(self.program, self._numbering, self._written)
        self._written = list(self.program.shardings)
        path = Path(directory) / f"00.{name}.mlir"
        try:
            with path.open("w") as file:
                Printer(stream=file).print_op(self._module)
        except OSError as error:
            print(f"error when writing file {path}: {error.strerror}", file=sys.stderr)
