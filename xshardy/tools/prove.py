"""`xshardy prove`: the verdict about a partitioned program as JSON and as an exit status, and the file of a witness."""

import io

import numpy as np

from xshardy.proving.refutation import Witness
from xshardy.proving.verdict import Answer, Verdict

STATUS = {Answer.PROVED: 0, Answer.REFUTED: 1, Answer.UNDECIDED: 3}
"""The exit status of the command."""


def as_json(verdict: Verdict) -> dict[str, object]:
    """The verdict as `--json` prints it."""
    witness = verdict.witness
    return {
        "answer": verdict.answer.value,
        "devices": verdict.pair.devices,
        "results": len(verdict.pair.results),
        "unrelated": list(verdict.unrelated),
        "related_operations": verdict.related,
        "seconds": verdict.seconds,
        "was_run": verdict.was_run,
        "given_up": None
        if (op := verdict.given_up) is None
        else {"operation": op.name, "line": verdict.pair.names.line(op)},
        "not_related": [
            {"operation": op.name, "line": verdict.pair.names.line(op), "why": why} for op, why in verdict.frontier
        ],
        "witness": None
        if witness is None
        else {
            "seed": witness.seed,
            "result": witness.result,
            "device": witness.device,
            "element": list(witness.element),
            "found": witness.found,
            "expected": witness.expected,
        },
    }


def witness_file(witness: Witness) -> bytes:
    """The whole arguments in numpy's format; floats that numpy does not have, as float32, which has their values."""
    plain = [array.astype(np.float32) if array.dtype.kind == "V" else array for array in witness.arguments]
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **{f"argument{number}": array for number, array in enumerate(plain)})
    return stream.getvalue()
