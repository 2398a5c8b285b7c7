"""Executes a grid of a kernel on the CPU, many blocks at a time."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from xshardy.gpus.launch import Launch, padded
from xshardy.numerics.element_types import Array
from xshardy.ptx.accumulators import PendingProducts
from xshardy.ptx.checks import Checks
from xshardy.ptx.clocks import Clocks, engines_of
from xshardy.ptx.clusters import Clusters, clusters_of
from xshardy.ptx.decode import print_text
from xshardy.ptx.errors import LaunchError
from xshardy.ptx.faults import Fault, FaultKind, Faults
from xshardy.ptx.instructions.row import Scope
from xshardy.ptx.instructions.table import row_of
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.memory import LARGEST_ACCESS, RANGE_BITS, Memory, Observer, Region, Spaces
from xshardy.ptx.module import Entry, Module, Parameter, Variable
from xshardy.ptx.orders import Order, Warp, orders
from xshardy.ptx.program import program_of
from xshardy.ptx.releases import Releases
from xshardy.ptx.schedule import Counter, Schedule
from xshardy.ptx.tensor_maps import TensorMap
from xshardy.ptx.text import entry_of, read_ptx
from xshardy.ptx.textures import BoundTexture, Texture
from xshardy.ptx.types import REFERENCES


@dataclass(frozen=True, slots=True)
class PointerInto:
    """An argument that points `offset` bytes behind the start of an array."""

    array: Array
    offset: int


Argument = Array | int | float | Region | TensorMap | Texture | PointerInto
"""Of a kernel: an array, region or texture for a pointer, a number, or a map for a parameter of 128 bytes."""

POINTING = (np.ndarray, Region, TensorMap, Texture, PointerInto)
"""Arguments that are memory, or point to it."""

TOGETHER = 1 << 14
"""How many threads are executed together, if a block has no more: so many values of each register fit in a cache."""
TOGETHER_WITH_TENSORS = 8
"""How many blocks are executed together at most, if they have tensor memory: the checks note much about each cell."""
MAX_ITERATIONS = 1 << 20
FUNCTIONS = 4 << 60
"""The first of the addresses of device functions: nothing is there."""
GRID_BARRIER = 8
"""
The bytes of two words, the second of which blocks count at. Cooperative groups of CUDA C++ take their address from
`%envreg1` (its upper half) and `%envreg2`, which the PTX ISA leaves to the driver.
"""
HANDLES = 5 << 60
"""The handle of no texture; those of the textures of a launch are the next ones. Nothing is there."""
CLUSTERED = {"reqnctapercluster", "explicitcluster"}
"""Directives of a kernel that is launched in clusters."""


@dataclass(slots=True)
class Options:
    """How a grid is executed."""

    blocks: Sequence[int] | None = None
    """The numbers of the blocks to execute; None for all."""
    dynamic_shared: int = 0
    """Bytes of shared memory that the launch adds for `.extern .shared` variables."""
    collects_faults: bool = False
    """Note faults and go on, instead of raising the first one."""
    checks: bool = False
    """Find races, and reads of uninitialized shared memory, too."""
    weak_volatile: bool = False
    """Volatile accesses are in races as weak ones are, as in C++. For the PTX ISA they are relaxed ones."""
    vectors_end_in_bounds: bool = False
    """A vector that is loaded may not end behind its buffer, even if only words of it that do not matter are there."""
    max_iterations: int = MAX_ITERATIONS
    """A loop with more iterations is an endless one."""
    together: int = TOGETHER
    errors: np.random.Generator | None = None
    """Move the results of approximate functions by random errors below the documented ones."""
    observers: list[Observer] = field(default_factory=list[Observer])
    counters: list[Counter] = field(default_factory=list[Counter])
    order: Order | None = None
    """Which warps go first; None for all together."""
    learners: dict[Warp, None] = field(default_factory=dict[Warp, None])
    """Gets the warps that have learned what others have published by releases, in their order, if there are checks."""
    cluster: Sequence[int] | None = None
    """The blocks of a cluster along x, y and z; None for what the kernel says, or one block."""
    cooperative: bool = False
    """Give the kernel what a barrier of the grid needs, as a cooperative launch does."""
    textures: Mapping[str, Texture] = field(default_factory=dict[str, Texture])
    """What variables `.texref` and `.surfref` of the module stand for, by their names."""
    output: Callable[[str], object] = print_text
    """Is told what the kernel prints by `vprintf`; on standard output by default."""
    schedule: Callable[..., Schedule] = Schedule
    """What makes the schedule of blocks that are executed together; a debugger has its own."""


ADDRESS_BYTES = 8


class Machine:
    """An entry of a module with its arguments."""

    def __init__(self, module: Module | str, entry: str | None = None):
        self.module = read_ptx(module) if isinstance(module, str) else module
        self.entry: Entry = entry_of(self.module, entry)

    def run(
        self,
        grid: Sequence[int],
        block: Sequence[int],
        arguments: Sequence[Argument],
        options: Options | None = None,
    ) -> list[Fault]:
        """
        Execute the kernel; arrays among the arguments are changed in place. The faults, if they are collected.

        An argument is a contiguous array for a pointer, a number, or a `Region`; for a structure, which is a parameter
        of another size than a pointer's, an array of its bytes. Arrays of the same bytes are one buffer. Raises
        `LaunchError` for arguments that do not fit, `PtxError` for an unknown instruction, and `FaultError` for a
        fault.
        """
        options = options or Options()
        launch = Launch(padded(block), padded(grid))
        self._check_block(launch)
        textures: dict[int, BoundTexture] = {}
        regions, parameters, references = self._bind(arguments, options.textures, textures)
        symbols, sizes = self._layout(regions, options.dynamic_shared)
        symbols |= references
        self._point(regions, symbols)
        faults = Faults(options.collects_faults)
        observers: list[Observer] = [
            *options.observers,
            *([Checks(faults, weak_volatile=options.weak_volatile)] if options.checks else []),
        ]
        if options.cooperative:
            regions.append(Region("the barrier of the grid", GRID_BARRIER))
        memory = Memory(regions, parameters, faults, observers, options.vectors_end_in_bounds)
        memory.textures = textures
        memory.constants = [symbols[variable.name] for variable in self._variables("const")]
        shared = {variable.name for variable in self._variables("shared")}
        program = program_of(self.entry, symbols, memory, options.errors, options.output, shared)
        clusters = self.clusters(grid, options)
        launched = {
            "%dynamic_smem_size": options.dynamic_shared,
            **dict.fromkeys(("%total_smem_size", "%aggr_smem_size"), sizes[0]),
            "%is_explicit_cluster": bool(options.cluster or CLUSTERED & self.entry.directives.keys()),
            "%envreg1": len(regions) << RANGE_BITS - 32 if options.cooperative else 0,
        }
        counters = [*options.counters]
        scopes = {row_of(instruction).scope for instruction in self.entry.body.instructions}
        if options.checks and Scope.WARP_GROUP in scopes:
            counters.append(PendingProducts(self.entry.body.instructions, faults))
        blocks = clusters.whole(range(launch.blocks) if options.blocks is None else options.blocks)
        if options.order is not None:
            blocks = options.order.of_clusters(blocks, clusters.size)
        size = max(options.together // max(launch.threads * clusters.size, 1), 1) * clusters.size
        if Scope.TENSOR_MEMORY in scopes:
            size = min(size, max(TOGETHER_WITH_TENSORS // clusters.size, 1) * clusters.size)
        selects = not (counters or options.observers or options.errors)
        groups = [blocks[first : first + size] for first in range(0, len(blocks), size)]
        with np.errstate(all="ignore"):
            stuck: list[tuple[Schedule, Spaces]] = []
            releases, engines = Releases(blocks, options.learners), engines_of(self.entry.body.instructions)
            for number, together in enumerate(groups):
                lanes = Lanes(launch, together, clusters)
                lanes.launched = launched
                if options.checks:
                    first = number * size // clusters.size
                    lanes.clocks = Clocks(*lanes.shape, clusters.size, releases, first, engines)
                program.registers.initialize(lanes)
                memory.allocate(lanes, *sizes)
                alone = len(groups) == 1
                ranks = None if options.order is None else lanes.ranks(options.order)
                schedule = options.schedule(
                    program,
                    lanes,
                    memory,
                    faults,
                    options.max_iterations,
                    is_whole_grid=alone,
                    ranks=ranks,
                    selects=selects,
                )
                schedule.counters = counters
                if not _ends(schedule, schedule.run):
                    stuck.append((schedule, memory.spaces()))
            _run_in_turns(memory, stuck)
        _write_back(self._buffers(arguments, options), regions)
        return [*faults.found.values()]

    def check(
        self,
        grid: Sequence[int],
        block: Sequence[int],
        arguments: Sequence[Argument],
        options: Options | None = None,
        *,
        schedules: int = 1,
    ) -> list[Fault]:
        """
        The faults that `run` finds in so many schedules, each line's of a kind once: the one of `run`, then others
        (`orders`). Arrays among the arguments are as `run` leaves them in the last schedule.
        """
        options = replace(options or Options(), checks=True, collects_faults=True, learners={})
        buffers = [_data_of(buffer) for buffer in self._buffers(arguments, options)]
        before = [data.copy() for data in buffers]
        found = {(fault.kind, fault.line): fault for fault in self.run(grid, block, arguments, options)}
        for order in orders(schedules - 1, [*options.learners]):
            for data, old in zip(buffers, before, strict=True):
                data[...] = old
            for fault in self.run(grid, block, arguments, replace(options, order=order, learners={})):
                found.setdefault((fault.kind, fault.line), fault)
        return [*found.values()]

    def clusters(self, grid: Sequence[int], options: Options) -> Clusters:
        """The clusters in which a grid is executed. Raises `LaunchError` if they do not fill it."""
        return clusters_of(padded(grid), options.cluster or self.entry.directives.get("reqnctapercluster", ()))

    def _check_block(self, launch: Launch) -> None:
        required = self.entry.directives.get("reqntid")
        if required is not None and padded(required) != launch.block:
            raise LaunchError(f"the kernel requires blocks of {padded(required)} threads, not {launch.block}")
        most = self.entry.directives.get("maxntid")
        if most is not None and launch.threads > np.prod(most):
            raise LaunchError(f"the kernel allows blocks of at most {np.prod(most)} threads, not {launch.threads}")

    def _buffers(self, arguments: Sequence[Argument], options: Options) -> list[Array | Region]:
        """The memory that arguments and textures point to, each once, in the order of its addresses."""
        found: dict[tuple[int, int], Array | Region] = {}
        for parameter, argument in zip(self.entry.parameters, arguments, strict=True):
            is_value = isinstance(argument, np.ndarray) and _is_by_value(parameter)
            if isinstance(argument, POINTING) and not is_value:
                found.setdefault(_memory_of(buffer := _buffer_of(argument)), buffer)
        for texture in options.textures.values():
            found.setdefault(_memory_of(texture.array), texture.array)
        return [*found.values()]

    def _bind(
        self, arguments: Sequence[Argument], references: Mapping[str, Texture], textures: dict[int, BoundTexture]
    ) -> tuple[list[Region], Region, dict[str, int]]:
        """
        The buffers behind the arguments, then those of global variables; the memory of the parameters; and the values
        of variables that stand for textures. Adds to `textures`, by their handles.
        """
        parameters = self.entry.parameters
        if len(arguments) != len(parameters):
            raise LaunchError(f"the kernel has {len(parameters)} parameters, but there are {len(arguments)} arguments")
        size = max((parameter.offset + parameter.size for parameter in parameters), default=0)
        memory = Region("the parameters", size)
        regions: list[Region] = []
        bound: dict[tuple[int, int], int] = {}
        """By the memory of a buffer, its number."""

        def address_of(name: str, buffer: Array | Region) -> int:
            number = bound.setdefault(_memory_of(buffer), len(regions))
            if number == len(regions):
                regions.append(_region(name, buffer))
            return number + 1 << RANGE_BITS

        def handle_of(name: str, texture: Texture) -> int:
            handle = HANDLES + len(textures) + 1
            textures[handle] = BoundTexture(texture, address_of(name, texture.array))
            return handle

        for parameter, argument in zip(parameters, arguments, strict=True):
            if isinstance(argument, np.ndarray) and _is_by_value(parameter):
                value = np.ascontiguousarray(argument)
            elif isinstance(argument, Texture):
                value = np.array(handle_of(parameter.name, argument), np.uint64)
            elif isinstance(argument, POINTING):
                address = address_of(parameter.name, _buffer_of(argument))
                value = np.array(address + (argument.offset if isinstance(argument, PointerInto) else 0), np.uint64)
                if isinstance(argument, TensorMap):
                    value = np.frombuffer(argument.encoded(address), np.uint8)
            else:
                value = np.array(argument).astype(parameter.type.dtype)
            raw = np.frombuffer(value.tobytes(), np.uint8)
            if len(raw) != parameter.size:
                raise LaunchError(f"parameter {parameter.name} has {parameter.size} bytes, the argument {len(raw)}")
            memory.data[parameter.offset : parameter.offset + parameter.size] = raw
        values = {variable.name: HANDLES for variable in self._variables(*REFERENCES)}
        for name, texture in references.items():
            if name not in values:
                raise LaunchError(
                    f"{name} is no variable .texref or .surfref of the module: {', '.join(values) or 'none'}"
                )
            values[name] = handle_of(name, texture)
        for variable in self._variables("global", "const"):
            data = np.frombuffer(variable.initial.ljust(variable.size, b"\0"), np.uint8).copy()
            regions.append(_region_of_bytes(variable.name, data))
        return regions, memory, values

    def _variables(self, *spaces: str) -> list[Variable]:
        everything = [*self.module.variables.values(), *self.entry.body.variables]
        return [variable for variable in everything if variable.space in spaces]

    def _layout(self, regions: Sequence[Region], dynamic_shared: int) -> tuple[dict[str, int], tuple[int, int]]:
        """The address of each symbol, and the bytes of shared memory per block and local memory per thread."""
        symbols = {name: FUNCTIONS + number for number, name in enumerate(self.module.functions)}
        symbols |= {parameter.name: parameter.offset for parameter in self.entry.parameters}
        variables = self._variables("global", "const")
        for number, variable in enumerate(variables, start=len(regions) - len(variables) + 1):
            symbols[variable.name] = number << RANGE_BITS
        sizes: list[int] = []
        for space in ("shared", "local"):
            size = 0
            for variable in sorted(self._variables(space), key=lambda variable: variable.size == 0):
                size = -(-size // variable.alignment) * variable.alignment
                symbols[variable.name] = size
                size += variable.size
            sizes.append(size)
        return symbols, (sizes[0] + dynamic_shared, sizes[1])

    def _point(self, regions: Sequence[Region], symbols: Mapping[str, int]) -> None:
        """Set the initial addresses in the global variables, whose buffers are the last of `regions`."""
        variables = self._variables("global", "const")
        for variable, region in zip(variables, regions[len(regions) - len(variables) :], strict=True):
            for pointer in variable.pointers:
                address = symbols[pointer.symbol.name] + pointer.symbol.offset
                bytes = (address >> pointer.shift) % (1 << 8 * pointer.size)
                data = np.frombuffer(bytes.to_bytes(pointer.size, "little"), np.uint8)
                region.data[pointer.place : pointer.place + pointer.size] = data


def _ends(schedule: Schedule, run: Callable[[], bool]) -> bool:
    """Run blocks. Whether they have ended; that tensor memory is not freed then is a fault."""
    ended = run()
    if schedule.lanes.exited.all():
        _report_kept(schedule.lanes, schedule.memory)
    return ended


def _run_in_turns(memory: Memory, stuck: list[tuple[Schedule, Spaces]]) -> None:
    """Run groups of blocks that wait for each other, until all have ended or none can continue, which is a fault."""
    while stuck:
        changes, advances = memory.changes, any(schedule.advances for schedule, _ in stuck)
        left: list[tuple[Schedule, Spaces]] = []
        for schedule, spaces in stuck:
            memory.restore(spaces)
            if not _ends(schedule, schedule.resume):
                left.append((schedule, memory.spaces()))
        if len(left) == len(stuck) and memory.changes == changes and not advances:
            left = [(schedule, spaces) for schedule, spaces in left if schedule.report()]
        stuck = left


def _report_kept(lanes: Lanes, memory: Memory) -> None:
    """Report tensor memory that blocks have not freed at their end."""
    for kept in memory.tensor.kept():
        threads = np.zeros(lanes.shape, np.bool_)
        threads[kept.block, 0] = True
        what = f"has exited, and its block has not freed the {kept.columns} columns of tensor memory allocated here"
        memory.faults.report(FaultKind.TENSOR_MEMORY, kept.line, lanes, threads, lambda _, what=what: what)


def _data_of(buffer: Array | Region) -> Array:
    """What a kernel may change."""
    return buffer.data if isinstance(buffer, Region) else buffer


def _buffer_of(argument: Array | Region | TensorMap | Texture | PointerInto) -> Array | Region:
    """The memory that an argument points to."""
    return argument.array if isinstance(argument, TensorMap | Texture | PointerInto) else argument


def _memory_of(buffer: Array | Region) -> tuple[int, int]:
    """Where it is in the memory of this process, and how many bytes it has."""
    data = _data_of(buffer)
    return data.__array_interface__["data"][0], data.nbytes


def _is_by_value(parameter: Parameter) -> bool:
    """Whether an array is a structure that `parameter` holds, not the memory behind a pointer."""
    return parameter.size != ADDRESS_BYTES


def _write_back(buffers: Sequence[Array | Region], regions: Sequence[Region]) -> None:
    """Copy the contents of regions that do not share memory with their array there."""
    for buffer, region in zip(buffers, regions, strict=False):
        if isinstance(buffer, np.ndarray):
            data = buffer.reshape(-1).view(np.uint8)
            if not np.shares_memory(data, region.data):
                data[:] = region.data[: region.size]


def _region(name: str, buffer: Array | Region) -> Region:
    """The buffer behind the argument for a parameter or variable."""
    if isinstance(buffer, Region):
        return buffer
    if not buffer.flags.c_contiguous:
        raise LaunchError(f"the array for parameter {name} is not contiguous: pass a copy")
    return _region_of_bytes(name, buffer.reshape(-1).view(np.uint8))


def _region_of_bytes(name: str, data: Array) -> Region:
    """A region that shares the memory of `data`; if that has no whole number of the widest words, it has a copy."""
    if data.size % LARGEST_ACCESS == 0:
        return Region(name, data.size, data)
    region = Region(name, data.size)
    region.data[: data.size] = data
    return region
