"""Logs of a compilation: the program after each pass is proved against the one before it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path

from xdsl.dialects.builtin import FunctionType
from xdsl.ir import Attribute

from xshardy.dialects.declared_grid import declared_grid
from xshardy.dialects.shapes import is_tensor
from xshardy.programs.distributed_tensor import DistributedTensor
from xshardy.programs.errors import InputError
from xshardy.programs.program import Program, read_program
from xshardy.programs.sharded import PREPARATION
from xshardy.programs.source import Source, source_in
from xshardy.proving.kernel import BUDGET
from xshardy.proving.pair import Pair, check_types, divided_pair, import_local, is_of_device
from xshardy.proving.verdict import Verdict, prove_pair
from xshardy.syntax.pass_dumps import dumps_in
from xshardy.transforms.pipeline_pass import IndexedPipeline
from xshardy.transforms.sdy.main_function import main_function

_DUMP = re.compile(
    r"(?P<module>module_\d+\..*?)\."
    r"(?:(?P<first>before_optimizations)|(?P<number>\d{4,})\..*|(?:\w+_)*(?P<last>after_optimizations))\.txt"
)
"""`module_0001.jit_f.0002.spmd-partitioner.after_spmd-partitioning.before_dce.txt`, as `--xla_dump_to` names files."""

_AFTER, _BEFORE = re.compile(r".*\.after_(.*?)(?:\.before_.*)?\.txt$"), re.compile(r"\.before_(.*)\.txt$")


@dataclass(frozen=True, slots=True)
class Dumped:
    """A program of a log, and the pass that made it."""

    by: str
    source: Source


@dataclass(frozen=True, slots=True)
class Step:
    """A pass of a log."""

    name: str
    verdict: Verdict


def chains_in(path: Path) -> list[list[Dumped]]:
    """
    The programs of the log at `path`, in order: one list for each module of a folder of XLA's dumps, or a log of MLIR.

    Raises `InputError` if there are no two programs of one module.
    """
    chains = _chains_of_folder(path) if path.is_dir() else [_chain_of_text(path)]
    chains = [chain for chain in chains if len(chain) > 1]
    if not chains:
        raise InputError(
            f"{path}: error: a log has the program after each of several passes: give a folder that --xla_dump_to and "
            "--xla_dump_hlo_pass_re=.* have filled, or what MLIR prints with --mlir-print-ir-after-all"
        )
    return chains


def _chains_of_folder(folder: Path) -> list[list[Dumped]]:
    found = [match for file in folder.iterdir() if (match := _DUMP.fullmatch(file.name)) is not None]
    found.sort(key=lambda match: (match["module"], not match["first"], match["last"] or "", int(match["number"] or 0)))
    chains = list[list[Dumped]]()
    for _, matches in groupby(found, lambda match: match["module"]):
        chains.append([])
        coming = None
        for match in matches:
            file = folder / match[0]
            past = _AFTER.match(file.name)
            is_start = coming is not None and past is not None and past[1] == "pipeline-start"
            by = coming if is_start else past
            chains[-1].append(
                Dumped(by[1] if by else match["last"] or match["first"], source_in(file.read_bytes(), str(file)))
            )
            coming = _BEFORE.search(file.name)
    return chains


def _chain_of_text(file: Path) -> list[Dumped]:
    text = file.read_text(errors="surrogateescape")
    chain, before = list[Dumped](), ""
    for dump in dumps_in(text):
        name = dump.names[-1] if dump.names else f"pass {len(chain)}"
        lines = text.count("\n", 0, dump.start)
        source = Source("\n" * lines + text[dump.start : dump.end], str(file))
        chain.append(Dumped(name if dump.when == "after" else before or name, source))
        before = name
    return chain


def steps_of(chain: Sequence[Dumped], *, run: bool = True, budget: int = BUDGET) -> Iterator[Step]:
    """
    The verdict about each pass of `chain`, each within `budget` steps.

    Whole programs are compared with whole ones, and programs of a device with those of a device. The pass after which
    types are others, or devices take part in collectives, is the partitioner: each device is to have the parts that the
    shardings before it say. Raises `InputError` if types change later, and what reading raises.
    """
    devices = 0
    before = _read(chain[0].source, is_local=False)
    if is_of_device(before.module):
        before, devices = _read(chain[0].source, is_local=True), declared_grid(before.module).size
    for _, each in pairwise(chain):
        after = _read(each.source, is_local=bool(devices))
        if not devices and (_types(before) != _types(after) or is_of_device(after.module)):
            after = _read(each.source, is_local=True)
            pair = divided_pair(before, after)
            devices = pair.devices
        else:
            pair = _same_level(before, after, devices)
        yield Step(each.by, prove_pair(pair, run=run, budget=budget))
        before = after


def _read(source: Source, *, is_local: bool) -> Program:
    program = read_program(source).named()
    with program.failures_placed():
        if is_local:
            import_local(program)
        else:
            program.import_shardings()
            IndexedPipeline(PREPARATION).apply(program.context, program.module)
    return program


def _types(program: Program) -> FunctionType:
    return main_function(program.module).function_type


def _same_level(before: Program, after: Program, devices: int) -> Pair:
    """Two whole programs, or two of a device if there are `devices`: both get the same arguments, of any values."""
    arguments, results = (
        [_undivided(type, devices or 1, after) for type in types]
        for types in (_types(after).inputs, _types(after).outputs)
    )
    level = bool(devices)
    pair = Pair(before.module, after.module, arguments, results, devices or 1, after.names, are_of_devices=level)
    check_types(pair, before, after, "whole")
    return pair


def _undivided(type: Attribute, devices: int, program: Program) -> DistributedTensor:
    if not is_tensor(type) or not type.has_static_shape():
        raise InputError(
            f"{program.source.name}: error: the program takes or returns a {type}: only tensors are proved"
        )
    return DistributedTensor(type, devices)
