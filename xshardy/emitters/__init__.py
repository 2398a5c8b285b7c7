"""
Emitters: from an HLO fusion to the xla_gpu dialect.

Five steps: prepare the fusion (`preparation`), choose an emitter by its hero (`heroes`), partition the computation into
functions (`partition`), emit the kernel, and emit every function element by element (`subgraph`, `operations`,
`elemental`). Source: rows XGPU-02, XGPU-10 to XGPU-22, XGPU-31.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from xshardy.dialects.hlo import FusionOp
    from xshardy.emitters.analysis import Choice
    from xshardy.gpus.devices import Device


def emit_fusion(fusion: "FusionOp", device: "Device | None" = None) -> "ModuleOp":
    """
    The kernel of a fusion: a module with the entry function `@main` and the private functions that it calls.

    The launch dimensions depend on the device, by default an H100. Operations have the locations of those that they
    compute, or else that of the fusion. Raises `PassFailedException` for an operation that
    cannot be emitted; the message names it.
    """
    # Imported lazily: launch dimensions and index arithmetic do not need every dialect.
    from xshardy.emitters.elemental.support import require_emittable
    from xshardy.emitters.heroes import choose_emitter
    from xshardy.emitters.index_width import narrow_indices
    from xshardy.emitters.preparation import prepare
    from xshardy.rewriting.locations import give_location
    from xshardy.transforms.call_graph import functions_of

    computation = prepare(fusion.callee_function())
    choice = choose_emitter(computation, device)
    require_emittable(computation, choice.hero)
    module = choice.emit(ENTRY_NAME)
    narrow_indices(module, computation)
    for function in functions_of(module).values():
        for op in function.body.block.ops:
            give_location(op, fusion.location)
    return module


def explain(fusion: "FusionOp", device: "Device | None" = None) -> "Choice":
    """The emitter chosen for a fusion, its hero, and the reason. Raises as `emit_fusion` does."""
    from xshardy.emitters.heroes import choose_emitter
    from xshardy.emitters.preparation import prepare

    return choose_emitter(prepare(fusion.callee_function()), device)


ENTRY_NAME = "main"
"""The name of the entry function."""
