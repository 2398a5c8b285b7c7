"""Propagate shardings where nothing is in conflict. Source: Shardy's docs, "Propagation passes"."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xshardy.garbage import no_collection
from xshardy.sharding.strategies import Strategy
from xshardy.transforms.sdy_propagation.session import Session


@dataclass(frozen=True)
class BasicPropagatePass(ModulePass):
    """Propagate shardings through all operations, along axes that all tensors of an operation agree on."""

    name = "sdy-basic-propagate"
    keep_sharding_rules: bool = False
    """Whether to leave on each operation the rule by which shardings went through it."""
    module_dump_directory: str = ""
    """Where to write the module after each user priority; nowhere if empty."""
    conservative_propagation: bool = False
    """Whether to propagate only whole axes that divide dimensions."""
    debug_sharding_origins: bool = False
    """Whether to write on each value from which sharding of the input it has each of its axes."""
    debug_propagation_edge_sharding: bool = False
    """Whether to write on each operation which axes went through it, from where to where, and in which step."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        with no_collection():
            self._apply(op)  # by its end all that it made beside the module is gone, so that it is never looked through

    def _apply(self, module: ModuleOp) -> None:
        session = Session(
            module,
            conservative=self.conservative_propagation,
            origins=self.debug_sharding_origins,
            edges=self.debug_propagation_edge_sharding,
        )
        self.propagate(session)
        session.write(keep_rules=self.keep_sharding_rules)

    def propagate(self, session: Session) -> None:
        """Do what this pass is about."""
        session.engine.run((Strategy.BASIC,), by_op_priority=False)
