"""One run of propagation on a module: what is read before, and written after it."""

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import ModuleOp

from xshardy.sharding.propagation import Engine, Observer
from xshardy.sharding.rules.registry import ShardingRules
from xshardy.sharding.steps import Steps
from xshardy.transforms.failures import warn
from xshardy.transforms.save_module import save_module
from xshardy.transforms.sdy_propagation.debug_records import DebugRecords
from xshardy.transforms.sdy_propagation.reading import ReadModule, read_module
from xshardy.transforms.sdy_propagation.sharding_groups import constrain_conflicting_groups, share_shardings
from xshardy.transforms.sdy_propagation.writing import erase_rules, write_rules, write_shardings


class Session:
    """
    The engine on a module, which is changed by `write`, and by the engine where operations are dead.

    Raises `OperationFailedException` if the module has tensors that cannot be sharded. Warns of operations that nobody
    knows how to shard, and of sharding groups whose members do not agree. `origins` and `edges` ask for the records of
    `DebugRecords`; `observer` makes another one who is told of each step.
    """

    def __init__(
        self,
        module: ModuleOp,
        *,
        conservative: bool = False,
        origins: bool = False,
        edges: bool = False,
        observer: Callable[[ReadModule], Observer] | None = None,
    ):
        rules = ShardingRules(conservative=conservative)
        read = read_module(module, rules)
        for message, op in rules.unknown.items():
            warn(op, message)
        if constrain_conflicting_groups(read):
            read = read_module(module, rules)
        self._module = module
        self._numbering = read.numbering
        self.program = read.program
        self._written = list(self.program.shardings)
        self._records = DebugRecords(module, read, origins=origins, edges=edges) if origins or edges else None
        share_shardings(read)
        observers: list[Observer] = [] if self._records is None else [self._records.observe]
        if observer is not None:
            observers.append(observer(read))
        self.engine = Engine(self.program, _all_of(observers) if observers else None)

    def write(self, *, keep_rules: bool) -> None:
        """Write what has been propagated into the module, and the rules if they are to be kept."""
        self._write_shardings()
        if keep_rules:
            write_rules(self.program, self._numbering)
        else:
            erase_rules(self._numbering)
        if self._records is not None:
            self._records.write()

    def dump(self, directory: str, name: str) -> None:
        """Write the module as it is now to a file of a folder; where that cannot be, go on with a complaint."""
        if directory:
            self._write_shardings()
            save_module(self._module, directory, f"00.{name}")

    def _write_shardings(self) -> None:
        write_shardings(self.program, self._numbering, self._written)
        self._written = list(self.program.shardings)


def _all_of(observers: Sequence[Observer]) -> Observer:
    """One who tells each of `observers`."""
    if len(observers) == 1:
        return observers[0]

    def observe(op: int, steps: Steps, key: tuple[int, ...]) -> None:
        for told in observers:
            told(op, steps, key)

    return observe
