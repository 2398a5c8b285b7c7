"""Which nodes are alike: those of one kind whose surroundings look alike. Repeated layers are decided once."""

from collections.abc import Hashable, Iterable, Mapping, Sequence

from xshardy.planning.auto.nodes import Node, ProgramNodes

ROUNDS = 3
"""How many reads away the surroundings of nodes are compared."""


def classes_of(program: ProgramNodes) -> Mapping[Node, int]:
    """The number of the class of each node, in the order of the first nodes."""
    numbers = {node: number for number, node in enumerate(program.nodes)}
    reads = [
        (number, numbers[read.source], (read.produced, read.placements))
        for node, number in numbers.items()
        for read in node.reads
    ]
    return dict(zip(program.nodes, classes([*map(_alone, program.nodes)], reads, ROUNDS), strict=True))


def classes(kinds: Sequence[Hashable], reads: Iterable[tuple[int, int, Hashable]], rounds: int) -> Sequence[int]:
    """
    The number of the class of each place, in the order of the first places.

    A read is a reader, what it reads, and how. Surroundings are compared `rounds` reads away, by colour refinement:
    Weisfeiler, Leman, "The reduction of a graph to canonical form" (1968).
    """
    ways: dict[Hashable, int] = {}
    around: list[list[tuple[int, int]]] = [[] for _ in kinds]
    for reader, source, how in reads:
        way = ways.setdefault(how, len(ways))
        around[reader].append((way, source))
        around[source].append((~way, reader))
    colours = _numbers(kinds)
    for _ in range(rounds):
        colours = _numbers(
            (colour, *sorted((way, colours[other]) for way, other in near))
            for colour, near in zip(colours, around, strict=True)
        )
    return colours


def _numbers(keys: Iterable[Hashable]) -> list[int]:
    """The number of each key, in the order of the first ones."""
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]


def _alone(node: Node) -> Hashable:
    """What a node is without its surroundings."""
    names = tuple(op.name for op in node.operations) if len(node.operations) < 2 else ()
    return node.choices, names, node.count, tuple(value.type for value in node.results)
