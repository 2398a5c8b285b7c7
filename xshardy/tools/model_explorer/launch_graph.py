"""The graph of a launch plan: its steps, with the memory that they read and write."""

from collections.abc import Iterator, Mapping, Sequence

from xdsl.ir import Block, Operation

from xshardy.launch.launch_plan import Call, LaunchPlan, LaunchStep
from xshardy.tools.model_explorer.graphs import Collection, GraphNode, node


def launch_graphs(plan: LaunchPlan) -> Collection:
    """A graph of the steps of `plan`, those of a loop or branch in a box, with an overlay of the bytes they move."""
    collection = Collection(plan.name)
    ids = {step.op: str(step.number) for step in plan.all_steps()}
    collection.graphs[plan.name] = [*_nodes(plan.steps, (), ids)]
    for step in plan.all_steps():
        if isinstance(step, Call):
            moved = sum(argument.slice.size for argument in (*step.operands, *step.results))
            collection.lay_over("bytes moved", plan.name, str(step.number), moved)
    return collection


def _nodes(steps: Sequence[LaunchStep], around: tuple[str, ...], ids: Mapping[Operation, str]) -> Iterator[GraphNode]:
    for step in steps:
        arguments = (*step.operands, *step.results) if isinstance(step, Call) else ()
        places = {
            f"argument {number}": f"{each.leaf.shape_text} in allocation {each.slice.allocation} at {each.slice.offset}"
            for number, each in enumerate(arguments)
        }
        yield node(str(step.number), step.name, around, {"kind": step.kind} | places, _sources(step.op, ids))
        for inner in step.inner:
            yield from _nodes(inner, (*around, step.name), ids)


def _sources(op: Operation, ids: Mapping[Operation, str]) -> Sequence[tuple[str, int]]:
    """The steps that compute what `op` reads, also through operations that are no steps."""
    found: dict[str, None] = {}
    pending, seen = [*op.operands], set[Operation]()
    while pending:
        owner = pending.pop(0).owner
        if isinstance(owner, Block) or owner in seen:
            continue
        seen.add(owner)
        if owner in ids:
            found[ids[owner]] = None
        else:
            pending += owner.operands
    return [(step, 0) for step in found]
