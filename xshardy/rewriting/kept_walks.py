"""
The operations of a module in the order of a walk, kept while a pipeline runs, until a pattern inserts, moves or erases
one: most passes change attributes only, and take operations of few classes.
"""

from array import array
from collections import defaultdict
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from itertools import chain

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Region

from xshardy.rewriting.region_walk import walk_regions
from xshardy.rewriting.walks import FORWARD, INNER_FIRST, Walk


class _Order:
    """The operations in a module in one order, and where in it those of each class are."""

    def __init__(self, module: ModuleOp, walk: Walk):
        self._ops = walk_regions(module.regions, walk)
        self._positions: dict[type[Operation], array[int]] = defaultdict(lambda: array("l"))
        for position, op in enumerate(self._ops):
            self._positions[type(op)].append(position)

    def select(self, wanted: Mapping[type[Operation], object]) -> list[Operation]:
        """The operations whose class `wanted` maps to something true."""
        chosen = [positions for kind, positions in self._positions.items() if wanted[kind]]
        if len(chosen) == len(self._positions):
            return self._ops.copy()
        return [self._ops[position] for position in (sorted(chain(*chosen)) if len(chosen) > 1 else chain(*chosen))]


class KeptWalks:
    """The walks over one module that are known."""

    def __init__(self, module: ModuleOp):
        self._module = module
        self._known: dict[Walk, _Order] = {}

    def select(self, walk: Walk, wanted: Mapping[type[Operation], object]) -> list[Operation]:
        """The operations in the module whose class `wanted` maps to something true, in the order of `walk`."""
        # The reverse of a walk with outer operations first visits inner ones first.
        order = INNER_FIRST if walk.walk_regions_first != walk.walk_reverse else FORWARD
        if (known := self._known.get(order)) is None:
            known = self._known[order] = _Order(self._module, order)
        found = known.select(wanted)
        return found[::-1] if walk.walk_reverse else found

    def forget(self) -> None:
        """Walk again when asked next: operations are inserted, moved or erased."""
        self._known.clear()


_KEPT: dict[Operation, KeptWalks] = {}
"""By module, its walks, while a pipeline runs on it."""


@contextmanager
def walks_kept(module: ModuleOp) -> Generator[None]:
    """Keep the walks over `module` within the context. All changes of the module go through our driver."""
    is_outermost = module not in _KEPT
    _KEPT.setdefault(module, KeptWalks(module))
    try:
        yield
    finally:
        if is_outermost:
            del _KEPT[module]


@contextmanager
def walks_not_kept(module: ModuleOp) -> Generator[None]:
    """Walk over `module` each time within the context, and forget the walks before it: any code may change it."""
    del _KEPT[module]
    try:
        yield
    finally:
        _KEPT[module] = KeptWalks(module)


def kept_walks_over(root: Operation) -> KeptWalks | None:
    """The kept walks over `root`, a module; None if there are none."""
    return _KEPT.get(root) if _KEPT else None


def kept_walks_around(root: Operation | Region) -> KeptWalks | None:
    """The kept walks over the module around `root`, or that `root` is; None if there are none."""
    if not _KEPT:
        return None
    op = root.parent if isinstance(root, Region) else root
    while op is not None and op not in _KEPT:
        op = op.parent_op()
    return None if op is None else _KEPT[op]
