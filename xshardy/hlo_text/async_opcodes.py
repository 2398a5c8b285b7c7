"""The opcodes of asynchronous instructions: `slice-start` is the start of a `slice`."""

from collections.abc import Mapping

from xshardy.hlo_text.opcodes import OPCODES

GENERIC = "async"
SUFFIXES = ("-start", "-update", "-done")
OWN: Mapping[str, str] = {
    **{f"{opcode}-start": opcode for opcode in ("all-gather", "all-reduce", "collective-permute", "copy")},
    "recv": "recv",
    "send": "send",
}
"""Starts that have opcodes of their own, and what they start."""
OWN_DONES = frozenset(f"{opcode}-done" for opcode in OWN.values())


def stem_of(opcode: str) -> tuple[str, str]:
    """`slice-start` -> `slice` and `start`; `send` -> `send` and `start`; none of both for other opcodes."""
    if opcode in OWN:
        return OWN[opcode], "start"
    stem, _, suffix = opcode.rpartition("-")
    if f"-{suffix}" in SUFFIXES and (stem == GENERIC or stem in OPCODES or opcode in OWN_DONES):
        return stem, suffix
    return "", ""
