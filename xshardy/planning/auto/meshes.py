"""Which shape of a mesh is the best for a number of devices: shardings are searched for each of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from time import perf_counter

from xshardy.planning.auto.find import FoundShardings, MemoryExceeded, SlowerThanKnown
from xshardy.programs.errors import EngineError
from xshardy.programs.program import Program
from xshardy.transforms.sdy.shardings import meshes_of

AXES = ("data", "model")
"""The axes of the meshes for a program without one."""


def mesh_shapes(devices: int, axes: Sequence[str] = AXES) -> Iterator[Mapping[str, int]]:
    """The sizes of `axes` for `devices` devices, the first axis largest at first."""
    if len(axes) == 1:
        yield {axes[0]: devices}
        return
    for first in range(devices, 0, -1):
        if devices % first == 0:
            for rest in mesh_shapes(devices // first, axes[1:]):
                yield {axes[0]: first, **rest}


def find_mesh_and_shardings(
    program: Program, devices: int, find: Callable[..., FoundShardings], *, seconds: float
) -> FoundShardings:
    """
    The fastest answer among the shapes of a mesh of `devices` devices, with the axes of the mesh that `program` has, or
    `AXES`. `find` is `find_shardings` with all of its options but `seconds` and `faster_than`.

    The time is shared by the shapes; those that the bound of the model rules out take less. Raises `MemoryExceeded` if
    no shape fits, and what `find` raises.
    """
    begin = perf_counter()
    known = next(iter(meshes_of(program.module).values()), None)
    shapes = [*mesh_shapes(devices, [*known.sizes] if known is not None and known.sizes else AXES)]
    best: FoundShardings | None = None
    failure: EngineError | None = None
    for number, sizes in enumerate(shapes):
        candidate, _ = program.copy()
        candidate.resize(sizes)
        left = (begin + seconds - perf_counter()) / (len(shapes) - number)
        fastest = inf if best is None else best.time
        try:
            found = find(candidate, seconds=left, faster_than=fastest)
        except MemoryExceeded as error:
            failure = error
            continue
        except SlowerThanKnown:
            continue
        if found.time < fastest:
            best = found
    if best is None:
        raise failure or EngineError(f"no mesh of {devices} devices divides the program")
    return best
