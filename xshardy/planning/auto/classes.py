"""
Which nodes are alike: those with the same strategies whose surroundings look alike. Repeated layers are decided once.
"""

from collections import defaultdict
from collections.abc import Hashable, Mapping

from xshardy.planning.auto.nodes import Node, ProgramNodes

ROUNDS = 3
"""How many reads away the surroundings are compared."""


def classes_of(program: ProgramNodes, rounds: int = ROUNDS) -> Mapping[Node, int]:
    """
    The number of the class of each node, in the order of the first nodes.

    By colour refinement: Weisfeiler, Leman, "The reduction of a graph to canonical form" (1968).
    """
    numbers: dict[Hashable, int] = {}

    def number(key: Hashable) -> int:
        return numbers.setdefault(key, len(numbers))

    colours = {node: number(_alone(node)) for node in program.nodes}
    around = defaultdict[Node, list[tuple[Node, Hashable]]](list)
    for node in program.nodes:
        for read in node.reads:
            around[node].append((read.source, ("reads", read.produced, read.placements)))
            around[read.source].append((node, ("is read", read.produced, read.placements)))
    for _ in range(rounds):
        colours = {
            node: number((colours[node], tuple(sorted((number(how), colours[other]) for other, how in around[node]))))
            for node in program.nodes
        }
    first: dict[int, int] = {}
    return {node: first.setdefault(colour, len(first)) for node, colour in colours.items()}


def _alone(node: Node) -> Hashable:
    """What a node is without its surroundings."""
    names = tuple(op.name for op in node.operations) if len(node.operations) < 2 else ()
    return node.choices, names, node.count, tuple(value.type for value in node.results)
