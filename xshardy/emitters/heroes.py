"""
The choice of an emitter for a fusion, by its hero: the operation that shapes the code of the whole kernel.

A new emitter is a module of its own and a row here. Source: rows XGPU-02 to XGPU-09, XGPU-46.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects import hlo
from xshardy.emitters.loop import emit_loop_fusion

LOOP = "loop"
"""The emitter of fusions without a hero."""

EMITTER_OF_HERO: Mapping[str, str] = {
    "stablehlo.dynamic_update_slice": "in-place dynamic-update-slice",
    "stablehlo.reduce": "reduction",
    "stablehlo.scatter": "scatter",
}
"""Which emitter a root of this name makes the fusion need. Others can be emitted in a loop, if more slowly."""

EMITTERS: Mapping[str, Callable[[FuncOp, str], ModuleOp]] = {LOOP: emit_loop_fusion}
"""From a fused computation and the name of the kernel to the module of the kernel."""


@dataclass(frozen=True, slots=True)
class Hero:
    """The emitter that a fusion needs, and the operation because of which; None: no special one."""

    emitter: str
    op: Operation | None


def find_hero(computation: FuncOp) -> Hero:
    """The first root that needs an emitter of its own, seen through bitcasts; else the loop emitter without a hero."""
    terminator = computation.body.block.last_op
    assert isinstance(terminator, ReturnOp)
    for root in terminator.arguments:
        op = _behind_bitcasts(root).owner
        if isinstance(op, Operation) and (emitter := EMITTER_OF_HERO.get(op.name)) is not None:
            return Hero(emitter, op)
    return Hero(LOOP, None)


def choose_emitter(computation: FuncOp) -> Callable[[FuncOp, str], ModuleOp]:
    """The emitter for a computation. Raises `PassFailedException`, naming the hero, if there is none yet."""
    hero = find_hero(computation)
    if (emitter := EMITTERS.get(hero.emitter)) is not None:
        return emitter
    assert hero.op is not None
    raise PassFailedException(
        f"@{computation.sym_name.data}: its hero {hero.op.name} takes the {hero.emitter} emitter, and there is none; "
        f"supported emitters: {', '.join(EMITTERS)}"
    )


def _behind_bitcasts(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, hlo.BitcastOp):
        value = value.owner.operand
    return value
