"""One run of the engine on a module, and the steps that write its decisions back."""

from collections.abc import Callable, Iterator, Sequence

from xdsl.dialects.builtin import ModuleOp

from xshardy.rewriting import BACKWARD, Step
from xshardy.sharding.propagation import Engine, Observer
from xshardy.sharding.steps import MemoKey, Steps
from xshardy.transforms.sdy_propagation.debug_records import DebugRecords
from xshardy.transforms.sdy_propagation.module_program import ModuleProgram
from xshardy.transforms.sdy_propagation.sharding_groups import share_shardings
from xshardy.transforms.sdy_propagation.write_back import (
    EraseDead,
    EraseRule,
    WriteAttributes,
    WriteFunctionAttributes,
    WriteValueShardings,
    add_attributes,
    pending_shardings,
    rules_to_erase,
    rules_to_write,
)

ObserverOfProgram = Callable[[ModuleProgram], Observer]
"""Makes an observer once the program of the module is known."""


class PropagationRun:
    """
    The engine and what it decided. The module changes only by the steps that this class makes.

    `origins` and `edges` select debug records; `observer` adds another observer.
    """

    def __init__(
        self,
        module: ModuleOp,
        module_program: ModuleProgram,
        *,
        origins: bool,
        edges: bool,
        observer: ObserverOfProgram | None,
    ):
        self._numbering, self._use_graph = module_program.numbering, module_program.uses
        self.program = module_program.program
        self._written: Sequence[int] = tuple(self.program.shardings)
        """By value, its sharding in the module."""
        self._records = DebugRecords(module, module_program, origins=origins, edges=edges) if origins or edges else None
        share_shardings(module_program)
        observers: list[Observer] = [] if self._records is None else [self._records.observe]
        if observer is not None:
            observers.append(observer(module_program))
        self.engine = Engine(self.program, _all_of(observers) if observers else None)

    def write_shardings(self, *, with_rules: bool = False) -> Iterator[Step]:
        """Erase dead operations, and write shardings that the module does not have yet; with their rules if wanted."""
        yield Step((EraseDead(dict.fromkeys(self._use_graph.dead)),), BACKWARD)
        pending = pending_shardings(self.program, self._numbering, self._written)
        self._written = tuple(self.program.shardings)
        attributes = pending.results
        if with_rules:
            add_attributes(attributes, rules_to_write(self.program))
        # A step of one decision pattern visits the decided operations only.
        yield Step((WriteFunctionAttributes(pending.functions),))
        yield Step((WriteValueShardings(pending.values),))
        ops = self._numbering.ops
        yield Step((WriteAttributes({ops[number]: each for number, each in attributes.items()}),))

    def finish(self, *, keep_rules: bool) -> Iterator[Step]:
        """Write all decisions. Rules in the input are erased unless they are kept or custom."""
        yield from self.write_shardings(with_rules=keep_rules)
        yield Step((EraseRule({} if keep_rules else rules_to_erase(self._numbering)),))
        if self._records is not None:
            yield Step(self._records.origin_patterns())
            yield Step(
                (
                    WriteFunctionAttributes(self._records.edges_of_functions()),
                    WriteAttributes(self._records.edges_of_operations()),
                )
            )


def _all_of(observers: Sequence[Observer]) -> Observer:
    """An observer that calls each of `observers`."""
    if len(observers) == 1:
        return observers[0]

    def observe(op: int, steps: Steps, key: MemoKey) -> None:
        for each in observers:
            each(op, steps, key)

    return observe
