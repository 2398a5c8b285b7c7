"""
Values that are unspecified in some lanes: a promise on them was broken there.

An operation may be executed in lanes that do not need its result, for example when it is hoisted out of a branch. So a
broken promise makes its result unspecified, and what is computed from that; only the use of an unspecified element by
an active lane, as an index, as a condition, or to store it, is an error. These are the semantics of LLVM's poison.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np

from xshardy.interpreters.simt.errors import SimtError
from xshardy.numerics.element_types import Array


class Place(Protocol):
    """A lane, as text."""

    def of(self, value: Array) -> object:
        """The element of `value` in the lane."""
        ...


class Threads(Protocol):
    """What is read here of the lanes of a kernel."""

    active: Array

    def on_vector(self, value: Array, ndim: int) -> Array:
        """A value per lane with `ndim` dimensions of size 1 appended."""
        ...

    def first(self, mask: Array) -> Place:
        """The first lane in `mask`."""
        ...


@dataclass(frozen=True, eq=False)
class Cause:
    """A broken promise: in the lanes of `where`, `name` has a value that `bounds` does not contain."""

    name: str
    value: Array
    bounds: object
    where: Array


class Unspecified(np.ndarray[Any, Any]):
    """An array whose elements in `where`, which broadcasts to its shape, are unspecified, because of `causes`."""

    where: Array
    causes: tuple[Cause, ...]

    def __array_finalize__(self, obj: object) -> None:
        """A view, a copy or a reshaped array has the same unspecified elements."""
        if isinstance(obj, Unspecified) and obj.size == self.size:
            self.where = np.broadcast_to(obj.where, obj.shape).reshape(self.shape)
            self.causes = obj.causes
        else:
            self.where, self.causes = np.zeros((1,) * self.ndim, np.bool_), ()

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        results = getattr(ufunc, method)(*map(plain, inputs), **options)
        if method != "__call__":
            return results
        where = of_and(*inputs) if ufunc is np.bitwise_and else union(map(where_unspecified, inputs))
        causes = causes_of(inputs)
        if isinstance(results, tuple):
            return tuple(unspecified(each, where, causes) for each in cast(tuple[Array, ...], results))
        return unspecified(results, where, causes)

    def __array_function__(
        self, func: Callable[..., Any], types: object, args: Iterable[object], kwargs: Mapping[str, object]
    ) -> Any:
        """A function that has no row below makes everything specified: no error is then reported."""
        result = func(*map(plain, args), **{name: plain(value) for name, value in kwargs.items()})
        rule = FUNCTIONS.get(func)
        return result if rule is None else unspecified(result, rule(*args), causes_of(args))


def plain(value: object) -> Any:
    """`value` as an array that is specified everywhere; alike for the elements of a sequence."""
    if isinstance(value, Unspecified):
        return np.asarray(value)
    if isinstance(value, list | tuple):
        return type(value)(map(plain, value))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return value


def unspecified(value: object, where: Array, causes: Iterable[Cause]) -> Any:
    """`value`, an array, unspecified in `where`, too; `value` itself if that is nowhere."""
    if not where.any():
        return value
    array: Array = plain(value)
    result = np.broadcast_to(array, np.broadcast_shapes(array.shape, where.shape)).view(Unspecified)
    result.where = where | where_unspecified(value)
    result.causes = tuple(dict.fromkeys((*causes_of([value]), *causes)))
    return result


def where_unspecified(value: object) -> Array:
    return value.where if isinstance(value, Unspecified) else NOWHERE


NOWHERE = np.zeros((), np.bool_)


def union(masks: Iterable[Array]) -> Array:
    result = NOWHERE
    for mask in masks:
        result = result | mask
    return result


def causes_of(values: Iterable[object]) -> tuple[Cause, ...]:
    return tuple(cause for value in values if isinstance(value, Unspecified) for cause in value.causes)


def of_and(x: object, y: object) -> Array:
    """`0 & y` is 0 for any `y`: a condition that fails guards the others, whether they are specified or not."""
    of_x, of_y = where_unspecified(x), where_unspecified(y)
    return (of_x & ((plain(y) != 0) | of_y)) | (of_y & ((plain(x) != 0) | of_x))


def of_where(condition: object, x: object, y: object) -> Array:
    """Only the chosen operand matters."""
    chosen = np.where(plain(condition), where_unspecified(x), where_unspecified(y))
    return chosen | where_unspecified(condition)


def of_broadcast(value: object, shape: tuple[int, ...]) -> Array:
    return np.broadcast_to(where_unspecified(value), shape)


FUNCTIONS: dict[object, Callable[..., Array]] = {
    np.where: of_where,
    np.broadcast_to: of_broadcast,
}
"""Where the result of a function is unspecified."""


def specified(lanes: Threads, value: Any, mask: Array, use: Callable[[], str]) -> Any:
    """`value`, for a `use` by the lanes in `mask`. Raises `SimtError` if it is unspecified in one of them."""
    if not isinstance(value, Unspecified):
        return value
    used = plain(value.where & plain(mask))
    if used.any():
        place = lanes.first(used)
        cause = next(cause for cause in value.causes if place.of(lanes.on_vector(cause.where, used.ndim)))
        number = place.of(lanes.on_vector(cause.value, used.ndim))
        raise SimtError(
            f"{use()}\n  it uses a value that is not specified in {place}: {cause.name} is {number} there, outside of "
            f"{cause.bounds}, where it is stated to be"
        )
    return plain(value)
