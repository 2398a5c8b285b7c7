"""A puzzle about the program of a device: `prove` judges it."""

from xshardy.programs.meshes import mesh_of
from xshardy.programs.source import Source
from xshardy.proving.pair import import_local, pair_of
from xshardy.proving.verdict import Answer, prove_pair
from xshardy.tools.placed_diagnostics import imported_program
from xshardy.tools.puzzles.puzzle import Puzzle, require


def computes_its_part(answer: Source, puzzle: Puzzle) -> str:
    """The program of each device is proved to compute its part of the whole program, or no input refutes it."""
    with imported_program(Source(puzzle.given["whole.mlir"], "whole.mlir")) as whole, imported_program(answer) as local:
        require(mesh_of(local.module)[0] is None, "This is a program of whole tensors: write that of each device.")
        import_local(local)
        verdict = prove_pair(pair_of(whole, local))
    is_refuted = verdict.answer is Answer.REFUTED or not verdict.was_run
    require(bool(verdict) or not is_refuted, str(verdict))
    return "Each device is proved to compute its part, for all inputs." if verdict else "No input refutes it."
