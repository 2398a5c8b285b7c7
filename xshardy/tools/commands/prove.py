"""`xshardy prove`: whether the program of each device computes its part of the whole program, for all inputs."""

import argparse
import json
from pathlib import Path

import numpy as np

from xshardy.programs.program import read_program
from xshardy.proving.certificate import check
from xshardy.proving.log import chains_in, steps_of
from xshardy.proving.pair import Pair, import_local, pair_of, partitioned_pair
from xshardy.proving.relation import relate
from xshardy.proving.verdict import Answer, Verdict, prove_pair
from xshardy.tools.arguments import mesh_axes, path
from xshardy.tools.output import write_text
from xshardy.tools.placed_diagnostics import diagnostics_of, imported_program
from xshardy.tools.progress import stage
from xshardy.tools.prove import STATUS, as_json
from xshardy.tools.source_file import add_program, read_source
from xshardy.tools.usage import UsageError

SEVERITY = (Answer.PROVED, Answer.UNDECIDED, Answer.REFUTED)
"""Answers, the worst one last."""

EXAMPLE = "example: xshardy prove examples/mlp.mlir --mesh data=2,model=4"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_program(parser)
    parser.add_argument(
        "local",
        nargs="?",
        metavar="LOCAL",
        help="the program of each device, with parts of the tensors of FILE by its shardings; or a program of whole "
        "tensors with a shard_map (default: what our passes make of FILE)",
    )
    parser.add_argument(
        "--log",
        action="store_true",
        help="FILE is a log of passes, or a folder that XLA dumped HLO to: prove each program against the one before",
    )
    parser.add_argument("--mesh", type=mesh_axes, metavar="AXIS=N,...", help="give axes of the mesh these sizes")
    parser.add_argument(
        "--relation", type=path, metavar="TOML", help="the shardings of arguments and results, for a FILE without them"
    )
    parser.add_argument(
        "--certificate", type=path, metavar="JSON", help="write the certificate of a proof, after checking it"
    )
    parser.add_argument("--check", type=path, metavar="JSON", help="check this certificate, and search for nothing")
    parser.add_argument(
        "--no-run", action="store_true", help="do not look for an input that refutes what is not proved"
    )
    parser.add_argument("--witness", type=path, metavar="NPZ", help="write the arguments that refute the program")
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")


def run(args: argparse.Namespace) -> int:
    """The command; gives the exit status: 0 for proved, 1 for refuted, 3 for undecided."""
    if args.check is not None and args.certificate is not None:
        raise UsageError("error: --check reads a certificate and --certificate writes one: leave one of them out")
    if args.log:
        return _log(args)
    with stage(f"reading {args.file}"):
        source = read_source(args.file, args.module)
    with imported_program(source) as program:
        program.resize(args.mesh)
        if args.relation is not None:
            relate(program.module, args.relation.read_text(), str(args.relation), program.context)
        if args.local is None:
            with stage(f"partitioning {args.file}"):
                pair = partitioned_pair(program)
            return _answer(args, pair)
        with stage(f"reading {args.local}"):
            local_source = read_source(args.local)
        local = read_program(local_source).named()
        with diagnostics_of(local):
            import_local(local)
            return _answer(args, pair_of(program, local))


def _log(args: argparse.Namespace) -> int:
    """Print a line for each pass of a log; the exit status is the worst."""
    if args.local or args.relation or args.certificate or args.check or args.mesh or args.witness or args.json:
        raise UsageError("error: --log takes a log, and no other program or option than --no-run")
    chains = chains_in(Path(args.file))
    worst, first = Answer.PROVED, ""
    for chain in chains:
        for step in steps_of(chain, run=not args.no_run):
            answer = step.verdict.answer
            print(f"{answer.value:9}  {step.verdict.seconds:7.2f} s  {step.name}", flush=True)
            if answer is not Answer.PROVED:
                print("\n".join(f"  {line}" for line in str(step.verdict).splitlines()), flush=True)
            if answer is Answer.REFUTED and not first:
                first = step.name
            worst = max(worst, answer, key=SEVERITY.index)
    if first:
        print(f"{first} is the first pass that changes what the program computes")
    return STATUS[worst]


def _answer(args: argparse.Namespace, pair: Pair) -> int:
    """Print the verdict about `pair`, and write what was asked for."""
    if args.check is not None:
        is_proved = check(pair, args.check.read_text()).is_proved
        print(f"{args.check}: {'proves' if is_proved else 'does not prove'} the program of {pair.devices} devices")
        return 0 if is_proved else 3
    with stage("proving"):
        verdict = prove_pair(pair, run=not args.no_run, certify=args.certificate is not None)
    if args.json:
        print(json.dumps(as_json(verdict), indent=2))
    else:
        print(verdict)
    _write(args, verdict)
    return STATUS[verdict.answer]


def _write(args: argparse.Namespace, verdict: Verdict) -> None:
    if args.certificate is not None and verdict.certificate is not None:
        write_text(args.certificate, verdict.certificate)
    if args.witness is not None and verdict.witness is not None:
        arrays = {f"argument{number}": array for number, array in enumerate(verdict.witness.arguments)}
        np.savez(args.witness, allow_pickle=False, **arrays)
