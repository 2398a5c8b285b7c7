"""Propagate shardings where tensors agree. Source: Shardy's docs, "Propagation passes"."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp

from xshardy.rewriting import PatternPass, Step
from xshardy.sharding.rules.registry import ShardingRules
from xshardy.sharding.strategies import Strategy
from xshardy.transforms.failures import warn
from xshardy.transforms.save_module import save_module
from xshardy.transforms.sdy.pipeline_options import DebugOptions, PropagationOptions, RuleOptions
from xshardy.transforms.sdy_propagation.module_program import program_of
from xshardy.transforms.sdy_propagation.propagation_run import ObserverOfProgram, PropagationRun
from xshardy.transforms.sdy_propagation.sharding_groups import ConstrainGroupMember, conflicting_members


@dataclass(frozen=True)
class BasicPropagatePass(DebugOptions, PropagationOptions, RuleOptions, PatternPass):
    """Propagate shardings through all operations, along axes that all tensors of an operation agree on."""

    name = "sdy-basic-propagate"
    source: ClassVar[str] = 'Shardy, "Propagation passes", sdy-basic-propagate'

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        return self.observed_steps(module)

    def observed_steps(self, module: ModuleOp, observer: ObserverOfProgram | None = None) -> Iterator[Step]:
        """
        The steps: constrain members of conflicting groups, propagate, write the decisions.

        Warns of operations on tensors that no sharding rule is registered for, and of sharding groups with conflicts.
        Raises `OperationFailedException` if the module has tensors that cannot be sharded.
        """
        rules = ShardingRules(conservative=self.conservative_propagation, beyond_upstream=self.rules_beyond_upstream)
        module_program = program_of(module, rules)
        for message, op in rules.unknown.items():
            warn(op, message)
        conflicts = conflicting_members(module_program)
        yield Step((ConstrainGroupMember(conflicts),))
        if conflicts:
            module_program = program_of(module, rules)
        run = PropagationRun(
            module,
            module_program,
            origins=self.debug_sharding_origins,
            edges=self.debug_propagation_edge_sharding,
            observer=observer,
        )
        for stage in self.propagate(run):
            if self.module_dump_directory:
                yield from run.write_shardings()
                save_module(module, self.module_dump_directory, f"00.{stage}")
        yield from run.finish(keep_rules=self.keep_sharding_rules)

    def propagate(self, run: PropagationRun) -> Iterator[str]:
        """Propagate until nothing changes. Yields the name of each stage that is dumped, when it is done."""
        run.engine.run((Strategy.BASIC,), by_op_priority=False)
        yield from ()
