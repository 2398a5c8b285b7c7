"""
Exercises that check themselves: a page for each in `pages/`, and a function that judges an answer.

A checker gets the answer and what the page gives; it returns a sentence, or raises `StillWrong` with what is missing.
It measures by plans, propagation, proofs and the PTX machine, so that it accepts every right answer.
"""

from collections.abc import Mapping

PUZZLES: Mapping[str, str] = {
    "which_axis": "sharding:predicted",
    "one_axis_twice": "sharding:predicted",
    "too_large": "sharding:fits_in_memory",
    "all_gather": "sharding:gathers_nothing",
    "two_layers": "sharding:reduces_once",
    "reduce_scatter": "sharding:scatters_sums",
    "bias": "proof:computes_its_part",
    "rule": "rule:rule_is_true",
    "coalesced": "kernel:copies_coalesced",
    "race": "kernel:blurs_without_races",
    "bank_conflicts": "kernel:transposes_without_conflicts",
    "write_a_pass": "rewriting:gathers_what_is_narrow",
}
"""The pages in the order of difficulty, and their checkers: `MODULE:FUNCTION` in this package."""

SHARDING = "sharding:"
"""How the checkers begin that need nothing but xDSL: a browser has them."""
