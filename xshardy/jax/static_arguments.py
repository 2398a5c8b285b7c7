"""Which arguments of a call are static: values that a function is traced for, not arrays."""

import inspect
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Call: TypeAlias = tuple[tuple[object, ...], dict[str, object]]
"""The `(args, kwargs)` of a call."""


@dataclass(frozen=True, slots=True)
class StaticArguments:
    """The positions and names of the static arguments. Source: the documentation of `jax.jit`, `static_argnums`."""

    numbers: frozenset[int]
    """Positions, from the first one on, or from the last one on if negative."""
    names: frozenset[str]

    @classmethod
    def of(
        cls, function: Callable[..., object], numbers: int | Sequence[int] | None, names: str | Iterable[str] | None
    ) -> "StaticArguments":
        """Of positions and names, one follows from the other if only that is given."""
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):  # a built-in function has none
            parameters = []
        by_number = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        listed = (numbers,) if isinstance(numbers, int) else tuple(numbers or ())
        named = (names,) if isinstance(names, str) else tuple(names or ())
        if names is None:
            named = tuple(by_number[n].name for n in listed if -len(by_number) <= n < len(by_number))
        elif numbers is None:
            listed = tuple(n for n, parameter in enumerate(by_number) if parameter.name in named)
        return cls(frozenset(listed), frozenset(named))

    def _positions(self, args: Sequence[object]) -> set[int]:
        return {n % len(args) for n in self.numbers if -len(args) <= n < len(args)}

    def split(self, args: Sequence[object], kwargs: dict[str, object]) -> tuple[Hashable, Call]:
        """The static values of a call, with their places, and its other `(args, kwargs)`."""
        numbers = self._positions(args)
        static = tuple((n, args[n]) for n in sorted(numbers))
        static += tuple((name, kwargs[name]) for name in sorted(self.names & kwargs.keys()))
        others = tuple(value for n, value in enumerate(args) if n not in numbers)
        return static, (others, {name: value for name, value in kwargs.items() if name not in self.names})

    def map_others(
        self, change: Callable[[object], object], args: Sequence[object], kwargs: dict[str, object]
    ) -> tuple[list[object], dict[str, object]]:
        """The arguments of a call, with those that are not static changed."""
        numbers = self._positions(args)
        return (
            [value if n in numbers else change(value) for n, value in enumerate(args)],
            {name: value if name in self.names else change(value) for name, value in kwargs.items()},
        )
