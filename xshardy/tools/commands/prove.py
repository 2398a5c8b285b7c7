"""`xshardy prove`: whether the program of each device computes its part of the whole program, for all inputs."""

import argparse
from pathlib import Path

from xshardy.programs.meshes import mesh_of
from xshardy.programs.program import Program, read_program
from xshardy.proving.certificate import CertificateError, check
from xshardy.proving.kernel import BUDGET
from xshardy.proving.log import chains_in, steps_of
from xshardy.proving.pair import Pair, import_local, pair_of, partitioned_pair
from xshardy.proving.prove import Kept
from xshardy.proving.relation import relate
from xshardy.proving.verdict import Answer, prove_pair
from xshardy.tools.arguments import mesh_option, path, positive
from xshardy.tools.output import print_json, printable, write_text
from xshardy.tools.placed_diagnostics import diagnostics_of, imported_program
from xshardy.tools.progress import stage
from xshardy.tools.prove import STATUS, as_json, witness_file
from xshardy.tools.relations.page import page
from xshardy.tools.source_file import add_program, read_file, read_source
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
    parser.add_argument("--mesh", **mesh_option())
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
    parser.add_argument(
        "--budget",
        type=positive,
        default=BUDGET,
        metavar="STEPS",
        help="give a proof up after so many steps, some 10,000 a second (default: %(default)s)",
    )
    parser.add_argument("--witness", type=path, metavar="NPZ", help="write the whole arguments that refute")
    parser.add_argument(
        "--html", type=path, metavar="FILE", help="write a page with both programs, and how their values are related"
    )
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")


def run(args: argparse.Namespace) -> int:
    """The command; gives the exit status: 0 for proved, 1 for refuted, 3 for undecided."""
    _refuse_contradictions(args)
    if args.log:
        return _log(args)
    with stage(f"reading {args.file}"):
        source = read_source(args.file, args.module)
    with imported_program(source) as program:
        program.resize(args.mesh)
        if args.relation is not None:
            relate(program.module, read_file(str(args.relation)).text, str(args.relation), program.context)
        if args.local is None:
            with stage(f"partitioning {args.file}"):
                pair = partitioned_pair(program)
        else:
            pair = _pair_of_files(args, program)
        return _checked(args, pair) if args.check is not None else _answer(args, pair)


def _refuse_contradictions(args: argparse.Namespace) -> None:
    """Raises `UsageError` for options that do not go together."""
    if args.check is not None and args.certificate is not None:
        raise UsageError("error: --check reads a certificate and --certificate writes one: leave one of them out")
    others = {"--html": args.html, "--json": args.json, "--witness": args.witness}
    if args.check is not None and any(others.values()):
        name = next(name for name, value in others.items() if value)
        raise UsageError(f"error: {name} is about a verdict, and --check has none: leave one of them out")
    if args.witness is not None and args.no_run:
        raise UsageError("error: --witness writes an input that refutes, and --no-run looks for none: leave one out")


def _pair_of_files(args: argparse.Namespace, program: Program) -> Pair:
    """`program` and that of LOCAL, whose diagnostics have its places."""
    with stage(f"reading {args.local}"):
        local = read_program(read_source(args.local)).named()
    with diagnostics_of(local):
        import_local(local)
        if args.relation is not None and mesh_of(local.module)[0] is not None:
            raise UsageError(
                f"error: --relation is for the program of a device, and {args.local} has a mesh and shardings of "
                "its own: leave it out"
            )
        return pair_of(program, local)


def _checked(args: argparse.Namespace, pair: Pair) -> int:
    """Say what a certificate proves of `pair`."""
    try:
        is_proved = check(pair, read_file(str(args.check)).text).is_proved
    except CertificateError as error:
        raise CertificateError(f"{args.check}: error: {error}") from None
    proves = "proves" if is_proved else "does not prove"
    print(f"{args.check}: the certificate {proves} that each of {pair.devices} devices computes its part")
    return 0 if is_proved else 3


def _log(args: argparse.Namespace) -> int:
    """Print a line for each pass of a log; the exit status is the worst."""
    others = (args.local, args.relation, args.certificate, args.check, args.mesh, args.witness, args.json, args.html)
    if any(others):
        raise UsageError("error: --log takes a log, and no other program or option than --no-run and --budget")
    chains = chains_in(Path(args.file))
    worst, first = Answer.PROVED, ""
    for chain in chains:
        for step in steps_of(chain, run=not args.no_run, budget=args.budget):
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
    kept = None if args.html is None else Kept()
    with stage("proving"):
        verdict = prove_pair(
            pair, run=not args.no_run, certify=args.certificate is not None, kept=kept, budget=args.budget
        )
    if args.json:
        print_json(as_json(verdict))
    else:
        print(printable(str(verdict), keep="\n"))
    if args.certificate is not None and verdict.certificate is not None:
        write_text(args.certificate, verdict.certificate)
    if args.witness is not None and verdict.witness is not None:
        write_text(args.witness, witness_file(verdict.witness))
    if kept is not None:
        write_text(args.html, page(verdict, kept, args.file))
    return STATUS[verdict.answer]
