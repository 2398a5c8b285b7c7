"""
How many random programs, partitioned by our passes, are proved: `python tests/fuzz/proofs.py COUNT SEED any|sums`.

Programs are counted once. What is undecided is written into the folder `.fuzz/proofs`, with the operations at which the
relation ends. `any` has any shardings, `sums` tensors of whose sum devices have parts. 2,000 programs take 3 minutes.
"""

import sys
import warnings
from collections import Counter
from pathlib import Path
from random import Random

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[1] / "strategies"))

from partitioning.shardings import meshes, shard
from proof_pairs import trial_of
from stablehlo_programs import random_program

from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.syntax import parse_module, print_module
from xshardy.transforms.failures import OperationFailedException

OUT = Path(".fuzz/proofs")


def programs(number: int, kind: str) -> list[str]:
    """Up to four programs with shardings: those of a seed."""
    found = list[str]()

    @settings(
        max_examples=4, database=None, deadline=None, phases=[Phase.generate], suppress_health_check=[*HealthCheck]
    )
    @seed(number)
    @given(st.data(), st.randoms(use_true_random=False), st.integers(1, 8), meshes)
    def draw(data: st.DataObject, random: Random, length: int, mesh: MeshAttr) -> None:
        module = parse_module(random_program(random, length, linear=kind == "sums")[0])
        shard(data.draw, module, mesh, inside=data.draw(st.booleans()), unreduced=kind == "sums")
        found.append(print_module(module))

    draw()
    return found


def main() -> None:
    count, number, kind = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    answers, reasons, seen = Counter[str](), Counter[tuple[str, str]](), set[str]()
    OUT.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    while answers.total() < count:
        for text in programs(number, kind):
            if text in seen:
                continue
            seen.add(text)
            try:
                decision = trial_of(text).decision
            except OperationFailedException:
                continue
            answers["proved" if decision.is_proved else "undecided"] += 1
            if not decision.is_proved:
                why = [(op.name, reason) for op, reason in decision.frontier] or [("none", "")]
                reasons[why[0]] += 1
                (OUT / f"{kind}_{answers['undecided']}.mlir").write_text(f"// {why}\n{text}\n")
        number += 1
    print(dict(answers), *(f"{often} {reason}" for reason, often in reasons.most_common()), sep="\n")


if __name__ == "__main__":
    main()
