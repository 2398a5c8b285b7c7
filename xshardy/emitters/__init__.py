"""
Emitters: from an HLO fusion to the xla_gpu dialect.

Five steps: prepare the fusion (`preparation`), choose an emitter by its hero (`heroes`), partition the computation into
functions (`partition`), emit the kernel, and emit every function element by element (`subgraph`, `operations`,
`elemental`). Source: rows XGPU-02, XGPU-10 to XGPU-22, XGPU-31.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xdsl.dialects.builtin import ModuleOp
    from xdsl.dialects.func import FuncOp

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
    from xshardy.emitters.index_width import narrow_indices

    computation, choice = choose(fusion, device)
    module = choice.emit(ENTRY_NAME).module
    narrow_indices(module, computation)
    locate(module, fusion)
    return module


def choose(fusion: "FusionOp", device: "Device | None" = None) -> "tuple[FuncOp, Choice]":
    """The prepared computation of a fusion, and the emitter for it. Raises as `emit_fusion` does."""
    from xshardy.emitters.elemental.support import require_emittable
    from xshardy.emitters.heroes import choose_emitter
    from xshardy.emitters.preparation import prepare

    computation = prepare(fusion.callee_function())
    choice = choose_emitter(computation, device)
    require_emittable(computation, choice.hero)
    return computation, choice


def locate(module: "ModuleOp", fusion: "FusionOp") -> None:
    """Let operations of functions of `module` that have no location come from `fusion`."""
    from xshardy.rewriting.locations import give_location
    from xshardy.transforms.call_graph import functions_of

    for function in functions_of(module).values():
        for op in function.body.block.ops:
            give_location(op, fusion.location)


def levels_before_emission(fusion: "FusionOp", device: "Device | None" = None) -> "Mapping[str, ModuleOp]":
    """
    The levels before the kernel of a fusion, by name, as modules to look at: `prepared`, the computation that is
    emitted, and `partitioned`, the same divided into the functions of the kernel.

    Raises as `emit_fusion` does.
    """
    from xshardy.emitters.listing import partitioned_module, prepared_module

    computation, choice = choose(fusion, device)
    levels = {
        PREPARED: prepared_module(computation, choice),
        PARTITIONED: partitioned_module(choice.emit(ENTRY_NAME).partition, choice),
    }
    for module in levels.values():
        locate(module, fusion)
    return levels


def explain(fusion: "FusionOp", device: "Device | None" = None) -> "Choice":
    """The emitter chosen for a fusion, its hero, and the reason. Raises as `emit_fusion` does."""
    from xshardy.emitters.heroes import choose_emitter
    from xshardy.emitters.preparation import prepare

    return choose_emitter(prepare(fusion.callee_function()), device)


ENTRY_NAME = "main"
"""The name of the entry function."""

PREPARED, PARTITIONED = "prepared", "partitioned"
"""The names of the levels before the kernel."""
