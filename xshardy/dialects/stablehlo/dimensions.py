"""Checks of lists of dimensions for verifiers."""

from collections.abc import Sequence

from xdsl.utils.exceptions import VerifyException


def verify_distinct(lhs_name: str, lhs: Sequence[int], rhs_name: str, rhs: Sequence[int]) -> None:
    """No dimension occurs twice in two lists taken together."""
    for dimension in (dims := [*lhs, *rhs]):
        if dims.count(dimension) > 1:
            raise VerifyException(f"has duplicated dimension from {lhs_name} and {rhs_name}: {dimension}")


def verify_range(name: str, dims: Sequence[int], rank: int, rank_name: str) -> None:
    """Each of `dims` exists."""
    for dimension in dims:
        if not 0 <= dimension < rank:
            raise VerifyException(
                f"Expects each element of {name} to be in range [0, {rank_name}) i.e. [0, {rank}). got: {dimension}."
            )


OF_GATHER, OF_SCATTER = "expects {name} to {rule}, got: {dims}", "Expects {name} to {rule}; got: {dims}."
"""Upstream's messages about the order of dimensions."""


def verify_sorted(name: str, dims: Sequence[int], words: str = OF_GATHER) -> None:
    """`dims` are in ascending order."""
    if list(dims) != sorted(dims):
        raise VerifyException(words.format(name=name, rule="be sorted", dims=list(dims)))


def verify_unique(name: str, dims: Sequence[int], words: str = OF_GATHER) -> None:
    """No dimension occurs twice."""
    if len(set(dims)) != len(dims):
        raise VerifyException(words.format(name=name, rule="not repeat", dims=list(dims)))
