"""A program with propagated shardings, and their history."""

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.programs.cut_shardings import cut_sharding
from xshardy.programs.garbage import collection_suspended
from xshardy.programs.names import SourceNames
from xshardy.programs.program import Program
from xshardy.transforms.pipeline_pass import IndexedPipeline
from xshardy.transforms.sdy_import.lift_inlined_meshes import LiftInlinedMeshesPass
from xshardy.transforms.sdy_partition.resolve.order_mesh_axes import OrderMeshAxesPass
from xshardy.transforms.sdy_propagation.propagation_history import History, propagate_with_history
from xshardy.transforms.sdy_propagation.propagation_pipeline import PropagationPipelinePass
from xshardy.transforms.stablehlo.legalize_arith_constants import LegalizeArithConstantsPass
from xshardy.transforms.stablehlo.legalize_composite_to_call import LegalizeCompositeToCallPass
from xshardy.transforms.stablehlo.legalize_if_to_case import LegalizeIfToCasePass

PREPARATION = (
    *(LegalizeArithConstantsPass(), LegalizeCompositeToCallPass(), LegalizeIfToCasePass()),
    *(LiftInlinedMeshesPass(), OrderMeshAxesPass()),
)
"""
The passes before all others: XLA takes constants of arith as those of StableHLO, composites as calls, and an `if` has
shardings as a `case` has them.
"""
PROPAGATION = PropagationPipelinePass(rules_beyond_upstream=True, pad_calls=True, keep_partial_sums=True)
"""
The pipeline that propagates shardings; tensors stay whole. JAX emits CHLO, which XLA legalizes before it propagates,
and partial sums.
"""


@dataclass(frozen=True, slots=True)
class Sharded:
    """A program whose module has been propagated up to its export, and the history of its shardings."""

    program: Program
    history: History

    @property
    def module(self) -> ModuleOp:
        """The module, whose tensors are whole."""
        return self.program.module

    @property
    def names(self) -> SourceNames:
        """The names of its values in the source."""
        return self.program.names

    def sharding(self, number: int) -> TensorShardingAttr | None:
        """The sharding of value `number` where the program runs: see `cut_sharding`."""
        return cut_sharding(self.history, number)


@collection_suspended()
def shard(program: Program) -> Sharded:
    """Propagate the shardings of `program`, in place. Raises what the pipeline does."""
    IndexedPipeline(PREPARATION).apply(program.context, program.module)
    return Sharded(program, propagate_with_history(program.module, program.context, PROPAGATION))


def export(sharded: Sharded) -> ModuleOp:
    """
    The module as `PROPAGATION` leaves it. After this, the history is no longer valid.

    Raises `PassFailedException` if it has no main function: see `main_if_any`.
    """
    IndexedPipeline(PROPAGATION.passes_after_propagation).apply(sharded.program.context, sharded.module)
    return sharded.module


def export_hlo(sharded: Sharded) -> str:
    """
    The program as HLO text, with its shardings in the notation of its own HLO text, as XLA's partitioner takes it.

    Raises what `export` raises, and `HLOPrintError` for an operation that HLO lacks.
    """
    from xshardy.programs.hlo import print_hlo_program

    return print_hlo_program(export(sharded), sharded.program.context, sharded.program.source)
