"""A few threads of those that are executed together, as lanes of their own: what they compute costs what they are."""

from collections.abc import Iterable, Mapping

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.lanes import Lanes


class SelectedLanes(Lanes):
    """
    The threads of a mask of `base`. Arrays are [1, selected threads], in the order of their numbers.

    A register is here once `prepare` names it. `settle` gives `base` what the threads have written.
    """

    def __init__(self, base: Lanes, mask: Array):
        self.base, self._whole = base, base.whole
        self.launch, self.clusters, self.blocks = base.launch, base.clusters, base.blocks
        self.clocks, self.engine, self.launched = base.clocks, base.engine, base.launched
        self._places = np.flatnonzero(mask)
        """Of each thread, its place in the flattened arrays of `base`."""
        self._numbers = base.numbers(self._places)
        self.shape = (1, len(self._places))
        self.mask = None
        self.exited = np.zeros(self.shape, np.bool_)
        self.registers = [*base.registers]
        self._prepared: dict[int, Array] = {}
        """By their slots, the registers that are here, as `base` has them."""

    @property
    def whole(self) -> Lanes:
        return self._whole

    @property
    def time(self) -> int:
        return self.whole.time

    @time.setter
    def time(self, value: int) -> None:
        self.whole.time = value

    def prepare(self, slots: Iterable[int]) -> None:
        prepared = self._prepared
        for slot in slots:
            if slot not in prepared:
                self.base.prepare((slot,))
                prepared[slot] = self.registers[slot] = self._selected(self.base.registers[slot])

    def prepared(self) -> Mapping[int, Array]:
        return {slot: self.registers[slot] for slot in self._prepared}

    def settle(self, live: int) -> None:
        """Give `base` those registers of a set that have changed: the set has a bit for each slot."""
        base = self.base
        for slot, before in self._prepared.items():
            if (now := self.registers[slot]) is not before and live >> slot & 1:
                everything = np.array(np.broadcast_to(base.registers[slot], base.shape))
                everything.reshape(-1)[self._places] = now.reshape(-1)
                base.registers[slot] = everything
                self._prepared[slot] = now

    def _selected(self, values: Array) -> Array:
        if values.size == 1:
            return values
        return np.broadcast_to(values, self.base.shape).reshape(-1).take(self._places)[None]

    def mask_in_base(self, mask: Array) -> Array:
        """A mask of these threads as one of `base`."""
        result = np.zeros(self.base.shape, np.bool_)
        result.reshape(-1)[self._places[mask[0]]] = True
        return result

    def mask_in_whole(self, mask: Array) -> Array:
        result = np.zeros(self.whole.shape, np.bool_)
        result.reshape(-1)[self._numbers[mask[0]]] = True
        return result

    def numbers(self, places: Array) -> Array:
        return self._numbers[places]

    def places(self, numbers: Array) -> Array:
        return np.searchsorted(self._numbers, numbers)

    def of_owners(self, values: Array) -> Array:
        of_threads = values.shape[1] > 1
        return values.reshape(-1)[self._numbers if of_threads else self._numbers // self.launch.threads][None]

    def ranks_in_clusters(self) -> Array:
        return self._numbers[None] // self.launch.threads % self.clusters.size

    def place(self, block: int, thread: int) -> str:
        return self.whole.place(*divmod(int(self._numbers[thread]), self.launch.threads))
