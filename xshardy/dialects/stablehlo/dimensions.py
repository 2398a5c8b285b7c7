"""What verifiers ask of lists of dimensions."""

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


def verify_sorted(name: str, dims: Sequence[int]) -> None:
    """`dims` are in ascending order."""
    if list(dims) != sorted(dims):
        raise VerifyException(f"expects {name} to be sorted, got: {list(dims)}")


def verify_unique(name: str, dims: Sequence[int]) -> None:
    """No dimension occurs twice."""
    if len(set(dims)) != len(dims):
        raise VerifyException(f"expects {name} to not repeat, got: {list(dims)}")
