"""`xshardy hlo-stats FILE|DIR`: statistics of HLO dumps by opcode, by kind of fusion, and by computation or module."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from math import prod
from pathlib import Path

from rich.console import Console
from rich.table import Table
from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp, TensorType, TupleType, i1
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import DiagnosticException

from xshardy.dialects import hlo
from xshardy.dialects.hlo.async_operation import AsyncOperation
from xshardy.dialects.hlo.async_types import AsyncBundleType
from xshardy.dialects.hlo.instruction import elements
from xshardy.dialects.stablehlo.calls import contents_of
from xshardy.dialects.stablehlo.types import bit_width, bounds_of, tensor_type
from xshardy.hlo_text import read_hlo
from xshardy.hlo_text.asynchronous import WRAPPED
from xshardy.hlo_text.opcodes import FORMS
from xshardy.hlo_text.tuples import is_implicit
from xshardy.programs.errors import InputError
from xshardy.tools.console import console
from xshardy.tools.diagnostics import describe
from xshardy.tools.source_file import read_file

START = b"HloModule"
"""The first characters of HLO text."""

NO_BYTES = frozenset({"bitcast", "get-tuple-element", "opt-barrier", "parameter", "tuple"})
"""Opcodes whose results are in the memory of their operands or of the caller."""


@dataclass(slots=True)
class Tally:
    """The number of instructions of a kind, and the bytes of their results."""

    count: int = 0
    bytes: int = 0


@dataclass(slots=True)
class Stats:
    """The statistics of a module. A computation counts once, for any number of calls."""

    opcodes: dict[str, Tally] = field(default_factory=dict[str, Tally])
    fusions: Counter[str] = field(default_factory=Counter[str])
    computations: dict[str, int] = field(default_factory=dict[str, int])
    """The instructions in each computation."""

    @property
    def instructions(self) -> int:
        """The number of instructions in all computations."""
        return sum(self.computations.values())

    @property
    def bytes(self) -> int:
        """The bytes of the results of all instructions."""
        return sum(tally.bytes for tally in self.opcodes.values())


def stats_of(module: ModuleOp) -> Stats:
    """The statistics of a module that `read_hlo` returned."""
    stats = Stats()
    for function in module.ops:
        if isinstance(function, func.FuncOp) and function.body.blocks and WRAPPED not in function.sym_name.data:
            count_computation(function, stats)
    return stats


def count_computation(function: func.FuncOp, stats: Stats) -> None:
    """Add the instructions of one computation."""
    block = function.body.block
    found = [("parameter", 0)] * len(block.args)
    for op in block.ops:
        if is_implicit(op) or isinstance(op, func.ReturnOp):
            continue
        opcode = opcode_of(op)
        found.append((opcode, 0 if opcode in NO_BYTES else sum(map(byte_size, op.result_types))))
        if isinstance(op, hlo.FusionOp):
            stats.fusions[op.kind.data.value] += 1
    for opcode, size in found:
        tally = stats.opcodes.setdefault(opcode, Tally())
        tally.count += 1
        tally.bytes += size
    stats.computations[function.sym_name.data] = len(found)


def opcode_of(op: Operation) -> str:
    """The HLO opcode of `op`; its own name if HLO has no opcode for it."""
    if isinstance(op, hlo.OpaqueOp):
        return op.opcode.data
    if isinstance(op, AsyncOperation):
        return op.opcode
    return FORMS[type(op)][0] if type(op) in FORMS else op.name


def byte_size(type: Attribute) -> int:
    """
    The bytes of a value; for a dynamic size, its bound.

    Elements of less than a byte are packed, except predicates.
    """
    return sum(array_bytes(array) for array in arrays_in(type))


def arrays_in(type: Attribute) -> Iterator[Attribute]:
    """The arrays in a value of `type`. Of a bundle, the outputs count: the start writes them."""
    match type:
        case TupleType():
            for part in elements(type):
                yield from arrays_in(part)
        case AsyncBundleType():
            for part in type.outputs:
                yield from arrays_in(part)
        case TensorType():
            yield type
        case MemRefType():
            yield contents_of(type)
        case _:
            pass


def array_bytes(type: Attribute) -> int:
    """The bytes of an array."""
    tensor = tensor_type(type)
    sizes = [
        max(bound, 0) if size == DYNAMIC_INDEX else size
        for size, bound in zip(tensor.get_shape(), bounds_of(tensor), strict=True)
    ]
    bits = 8 if tensor.element_type == i1 else bit_width(tensor.element_type)
    return (prod(sizes) * bits + 7) // 8


def merged(all: Iterable[Stats]) -> Stats:
    """The statistics of several modules together, without their computations."""
    total = Stats()
    for stats in all:
        for opcode, tally in stats.opcodes.items():
            sum_ = total.opcodes.setdefault(opcode, Tally())
            sum_.count += tally.count
            sum_.bytes += tally.bytes
        total.fusions += stats.fusions
    return total


def is_hlo_file(path: Path) -> bool:
    """Whether `path` is a file that starts as HLO text does. Dumps of XLA lie beside LLVM IR, PTX and reports."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(START)) == START


def folder_stats(folder: Path, *, verifies: bool = True) -> tuple[dict[str, Stats], list[str]]:
    """
    The statistics of each module in `folder` and below, by its path from there.

    The second part are the diagnostics of those that cannot be read; `verifies` is that of `read_hlo`. Raises
    `InputError` if there is no HLO text at all.
    """
    files = sorted(filter(is_hlo_file, folder.rglob("*")))
    if not files:
        raise InputError(f"{folder}: error: no HLO text in this folder: a module starts with `HloModule`")
    found: dict[str, Stats] = {}
    failures: list[str] = []
    for file in files:
        try:
            found[str(file.relative_to(folder))] = stats_of(
                read_hlo(read_file(str(file)).text, str(file), verifies=verifies)
            )
        except (DiagnosticException, ValueError) as error:
            failures.append(describe(error, str(file)))
    return found, failures


def stats_as_json(stats: Stats) -> dict[str, object]:
    """The statistics as `--json` prints them."""
    return {
        "instructions": stats.instructions,
        "bytes": stats.bytes,
        "opcodes": {opcode: asdict(tally) for opcode, tally in stats.opcodes.items()},
        "fusions": stats.fusions,
        "computations": stats.computations,
    }


def print_folder_stats(found: Mapping[str, Stats]) -> None:
    """Print a table with a row for each module, and the statistics of all of them."""
    out = console()
    table = Table("module", "instructions", "computations", "fusions", "bytes written")
    for name, stats in found.items():
        table.add_row(
            name, *map(str, (stats.instructions, len(stats.computations), stats.fusions.total(), stats.bytes))
        )
    out.print(table)
    _print_opcodes(out, merged(found.values()))


def print_stats(stats: Stats, most: int) -> None:
    """Print tables of the statistics, with the `most` largest computations."""
    out = console()
    out.print(f"{stats.instructions} instructions in {len(stats.computations)} computations")
    _print_opcodes(out, stats)
    largest = dict(sorted(stats.computations.items(), key=lambda item: (-item[1], item[0]))[:most])
    out.print(counts("computation", largest))


def _print_opcodes(out: Console, stats: Stats) -> None:
    """Print a table of opcodes and one of the kinds of fusions."""
    total = stats.bytes or 1
    table = Table("opcode", "instructions", "bytes written", "% of bytes")
    for opcode, tally in sorted(stats.opcodes.items(), key=lambda item: (-item[1].count, item[0])):
        table.add_row(opcode, str(tally.count), str(tally.bytes), f"{100 * tally.bytes / total:.1f}")
    out.print(table)
    if stats.fusions:
        out.print(counts("fusion", stats.fusions))


def counts(title: str, numbers: Mapping[str, int]) -> Table:
    """A table of names and numbers of instructions."""
    table = Table(title, "instructions")
    for name, number in numbers.items():
        table.add_row(name, str(number))
    return table
