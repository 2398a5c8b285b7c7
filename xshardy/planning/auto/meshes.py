"""Which shape of a mesh is the best for a number of devices: shardings are searched for each of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from time import perf_counter

from xshardy.planning.auto.find import FoundShardings, MemoryExceeded, SlowerThanKnown, find_shardings
from xshardy.planning.topology import H100, Topology
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
    program: Program,
    devices: int,
    *,
    topology: Topology | str = H100,
    memory: float = inf,
    free: bool = False,
    keep: Mapping[str, Sequence[Sequence[str]]] | None = None,
    seconds: float = 60,
    progress: Callable[[str], None] = lambda text: None,
) -> FoundShardings:
    """
    The fastest answer of `find_shardings` among the shapes of a mesh of `devices` devices, with the axes of the mesh
    that `program` has, or `AXES`.

    The time is shared by the shapes; those that the bound of the model rules out take less. Raises `MemoryExceeded` if
    no shape fits, and what `find_shardings` raises.
    """
    begin = perf_counter()
    known = next(iter(meshes_of(program.module).values()), None)
    shapes = [*mesh_shapes(devices, [*known.sizes] if known is not None and known.sizes else AXES)]
    best: FoundShardings | None = None
    failure: EngineError | None = None
    for number, sizes in enumerate(shapes):
        progress(f"mesh of {', '.join(f'{name}={size}' for name, size in sizes.items())}")
        candidate, _ = program.copy()
        candidate.resize(sizes)
        left = (begin + seconds - perf_counter()) / (len(shapes) - number)
        fastest = inf if best is None else best.time
        try:
            found = find_shardings(
                candidate, topology=topology, memory=memory, free=free, keep=keep, seconds=left,
                faster_than=fastest, progress=progress,
            )  # fmt: skip
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
