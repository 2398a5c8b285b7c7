"""
The layers that a program repeats one after the other, such as those of a model that is written as a Python loop.

They are found in the graph of operations alone. A *shift* maps operations to those of the next layer; it is found by a
walk from two values that are alike. To cut a layer out, what reads its result reads what it was given; what then
depends on the rest of the layer, and whose shift does not, belongs to it: forward, backward, and update of its weights.
"""

from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence

from xdsl.ir import Block, Operation

from xshardy.dialects.shapes import shape_of
from xshardy.ir.hashing import keys_of
from xshardy.planning.auto.classes import classes

ROUNDS = 2
"""How many reads away the surroundings of operations are compared, to find values that are alike."""
CUTS = 12
"""How many values, those with the most readers, are tried as results of a layer."""
MOST = 0.8
"""The part of the operations in layers from which on no other value is tried."""
INSIDE = -1
"""The operand of a read inside of a region."""


def repeated_layers(block: Block) -> Sequence[Sequence[Operation]]:
    """
    The operations of each layer, in one order for all: those at one place do the same. Empty if nothing is repeated.

    Those of the first and last layers may be missing.
    """
    graph, best = _Graph(block), list[list[int]]()
    shift: dict[int, int] = {}
    for members in graph.cuts():
        middle = members[len(members) // 2]
        if middle not in shift:
            shift = graph.shift(middle, members[len(members) // 2 + 1])
        elif shift[middle] < middle:  # found from values of the backward pass
            shift = _inverse(shift)
        if middle not in shift:
            continue
        layers = _shifted(graph.layer(middle, shift), shift)
        best = max(best, layers, key=_size)
        if _size(best) >= MOST * len(graph.operations):
            break
    return [[graph.operations[number] for number in layer] for layer in best]


def _size(layers: Sequence[Sequence[int]]) -> int:
    return sum(map(len, layers))


def _shifted(layer: Sequence[int], shift: Mapping[int, int]) -> list[list[int]]:
    """A layer, and all before and after it, as long as they have no operation of those that there are."""
    layers, taken = [[*layer]], {*layer}
    for images in (shift, _inverse(shift)):
        last = layers[-1]
        while last and all(images.get(number, number) not in taken for number in last):
            last = [images[number] for number in last]
            layers.append(last)
            taken.update(last)
        layers.reverse()
    return layers


def _inverse(shift: Mapping[int, int]) -> dict[int, int]:
    return {image: number for number, image in shift.items()}


class _Graph:
    """The operations of a block by number, and which ones read them."""

    def __init__(self, block: Block):
        self.operations = [*block.ops]
        numbers = {op: number for number, op in enumerate(self.operations)}
        kinds: dict[Hashable, int] = {}
        self._kinds = [kinds.setdefault(_kind(op), len(kinds)) for op in self.operations]
        self._readers: list[list[tuple[int, int, bool]]] = [[] for _ in self.operations]
        """By operation, the operand, the reader, and whether a tensor is read that has dimensions."""
        self._reads: list[list[tuple[int, int]]] = [[] for _ in self.operations]
        """By operation, the operand and the operation that is read."""
        for number, op in enumerate(self.operations):
            for result in op.results:
                for use in result.uses:
                    reader, operand = use.operation, use.index
                    while reader not in numbers:
                        around = reader.parent_op()
                        assert around is not None
                        reader, operand = around, INSIDE
                    self._readers[number].append((operand, numbers[reader], bool(shape_of(result.type))))
            self._readers[number].sort()
            for operand, reader, _ in self._readers[number]:
                self._reads[reader].append((operand, number))
        for reads in self._reads:
            reads.sort()

    def cuts(self) -> Sequence[Sequence[int]]:
        """Operations with like surroundings, the groups that are read most often first."""
        groups = defaultdict[int, list[int]](list)
        reads = [(reader, number, operand) for reader, own in enumerate(self._reads) for operand, number in own]
        for number, alike in enumerate(classes(self._kinds, reads, ROUNDS)):
            if any(is_tensor for *_, is_tensor in self._readers[number]):
                groups[alike].append(number)
        repeated = [members for members in groups.values() if len(members) > 2]
        return sorted(repeated, key=lambda members: -len(self._readers[members[0]]))[:CUTS]

    def shift(self, start: int, image: int) -> dict[int, int]:
        """Operations and what they become if `start` becomes `image`, as far as what is around is alike."""
        shift, images, pairs = {start: image}, {image}, [(start, image)]

        def add(number: int, other: int) -> None:
            is_alike = number != other and self._kinds[number] == self._kinds[other]
            if is_alike and number not in shift and other not in images:
                shift[number] = other
                images.add(other)
                pairs.append((number, other))

        for number, other in pairs:
            if len(self._reads[number]) == len(self._reads[other]):
                for (_, source), (_, of_other) in zip(self._reads[number], self._reads[other], strict=True):
                    add(source, of_other)
            theirs = self._readers_by_kind(other)
            for key, readers in self._readers_by_kind(number).items():
                if len(readers) == len(theirs.get(key, ())):
                    for reader, of_other in zip(readers, theirs[key], strict=True):
                        add(reader, of_other)
        return shift

    def _readers_by_kind(self, number: int) -> Mapping[tuple[int, int], Sequence[int]]:
        found: dict[tuple[int, int], list[int]] = {}
        for operand, reader, _ in self._readers[number]:
            found.setdefault((operand, self._kinds[reader]), []).append(reader)
        return found

    def layer(self, start: int, shift: Mapping[int, int]) -> Sequence[int]:
        """The layer from the result of `start` to its shift, in ascending order."""
        end = shift[start]
        forward = self._needed(end) - self._needed(start)
        depends, pending = {*forward}, [number for number in forward if number != end]
        while pending:
            for _, reader, is_tensor in self._readers[pending.pop()]:
                if is_tensor and reader not in depends:
                    depends.add(reader)
                    pending.append(reader)
        layer = {number for number in depends if number in shift and shift[number] not in depends}
        following = {shift[number] for number in layer}
        for number in range(max(layer, default=0), -1, -1):  # what only the layer reads, such as old averages
            if number in layer or number in following or (image := shift.get(number)) is None or image in layer:
                continue
            if self._is_read_only_by(layer, number):
                layer.add(number)
                following.add(image)
        return sorted(layer)

    def _needed(self, number: int) -> set[int]:
        """`number` and all that it is computed from."""
        found, pending = {number}, [number]
        while pending:
            for _, source in self._reads[pending.pop()]:
                if source not in found:
                    found.add(source)
                    pending.append(source)
        return found

    def _is_read_only_by(self, layer: Collection[int], number: int) -> bool:
        readers = self._readers[number]
        return bool(readers) and all(reader in layer for _, reader, _ in readers)


def _kind(op: Operation) -> Hashable:
    """What an operation is by itself, with all that is in it."""
    inside = [_kind(inner) for region in op.regions for block in region.blocks for inner in block.ops]
    held = keys_of((*op.operand_types, *op.result_types, *op.properties.values()))
    return op.name, len(op.operands), tuple(op.properties), held, tuple(inside)
