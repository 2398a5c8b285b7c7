"""
Indexing maps: affine functions from one index space to another, with a domain.

A map has dimensions, range variables, which iterate over their bounds, and runtime variables, whose values are known
only at run time. The domain is the box of their bounds, restricted by constraints. Source: XLA indexing docs, XGPU-23.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineSymExpr

from xshardy.affine.expression_text import print_expr
from xshardy.affine.expressions import constant, dim, leaves, substitute, sym, used_variables, value_of
from xshardy.affine.interval import Interval
from xshardy.affine.ranges import range_of, range_where
from xshardy.affine.simplify import Domain, simplify_in_domain
from xshardy.affine.variables import NOWHERE as NOWHERE
from xshardy.affine.variables import Constraint as Constraint
from xshardy.affine.variables import Variable as Variable


@dataclass(frozen=True, eq=False)
class IndexingMap:
    """
    `(dimensions)[ranges]{runtimes} -> (results)` on the points that satisfy the bounds and the constraints.

    In expressions `d_i` is `dimensions[i]` and `s_i` is `symbols[i]`, range variables first. Maps are equal if they are
    written alike, up to the order of constraints. Raises `ValueError` if two variables have one name.
    """

    results: tuple[AffineExpr, ...]
    dimensions: tuple[Variable, ...]
    ranges: tuple[Variable, ...] = ()
    runtimes: tuple[Variable, ...] = ()
    constraints: tuple[Constraint, ...] = ()

    def __post_init__(self):
        names = [variable.name for variable in (*self.dimensions, *self.symbols) if variable.name]
        if len(names) != len(set(names)):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"two variables named {twice}: rename one, or leave its name empty")

    @cached_property
    def _key(self) -> tuple[object, ...]:
        return self.results, self.dimensions, self.ranges, self.runtimes, frozenset(self.constraints)

    # Maps are keys of dictionaries and caches; hashing their expressions again would dominate the look-up.
    @cached_property
    def _hash(self) -> int:
        return hash(self._key)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, IndexingMap) and self._hash == other._hash and self._key == other._key

    def __str__(self) -> str:
        """One line that `parse_indexing_map` reads back. Constraints are sorted as text, so equal maps print equal."""
        dims = _names(self.dimensions, "d")
        ranges, runtimes = _names(self.ranges, "s"), _names(self.runtimes, "rt")
        symbols = ranges + runtimes
        header = f"({', '.join(dims)})"
        header += f"[{', '.join(ranges)}]" if ranges else ""
        header += f"{{{', '.join(runtimes)}}}" if runtimes else ""
        results = ", ".join(print_expr(result, dims, symbols) for result in self.results)
        domain = [
            f"{name} in {variable.bounds}"
            for name, variable in zip(dims + symbols, self.dimensions + self.symbols, strict=True)
        ]
        domain += sorted(f"{print_expr(c.expr, dims, symbols)} in {c.bounds}" for c in self.constraints)
        return f"{header} -> ({results})" + (f", domain: {', '.join(domain)}" if domain else "")

    # -- Constructors -------------------------------------------------------------------------------------------------

    @staticmethod
    def from_tensor_sizes(
        results: Iterable[AffineExpr], dim_sizes: Iterable[int], symbol_sizes: Iterable[int] = ()
    ) -> IndexingMap:
        """The map with dimension `i` and range variable `i` in `[0, size - 1]`; an empty domain if a size is 0."""
        return _with_sizes(tuple(results), tuple(dim_sizes), tuple(symbol_sizes))

    @staticmethod
    def identity(shape: Iterable[int]) -> IndexingMap:
        """`(d0, d1, ...) -> (d0, d1, ...)` over the indices of a tensor of this shape."""
        sizes = tuple(shape)
        return _with_sizes(tuple(dim(i) for i in range(len(sizes))), sizes, ())

    # -- Properties ---------------------------------------------------------------------------------------------------

    @property
    def symbols(self) -> tuple[Variable, ...]:
        """The range variables, then the runtime variables."""
        return self.ranges + self.runtimes

    @cached_property
    def dimension_intervals(self) -> tuple[Interval, ...]:
        return tuple(variable.bounds for variable in self.dimensions)

    @cached_property
    def symbol_intervals(self) -> tuple[Interval, ...]:
        return tuple(variable.bounds for variable in self.symbols)

    @cached_property
    def is_known_empty(self) -> bool:
        """Whether the domain is syntactically empty. `simplify` detects more cases."""
        return any(
            isinstance(c.expr, AffineConstantExpr) and not c.bounds.contains(c.expr.value) for c in self.constraints
        )

    def range_of(self, expr: AffineExpr) -> Interval:
        """A range that contains `expr` wherever the variables are in their bounds."""
        return range_of(expr, self.dimension_intervals, self.symbol_intervals)

    def range_in_domain(self, expr: AffineExpr) -> Interval:
        """A range that contains `expr` wherever bounds and constraints hold."""
        known = {constraint.expr: constraint.bounds for constraint in self.constraints}
        return range_where(expr, self.dimension_intervals, self.symbol_intervals, known)

    # -- Evaluation ---------------------------------------------------------------------------------------------------

    def evaluate(self, dims: Sequence[int], symbols: Sequence[int] = ()) -> tuple[int, ...]:
        """The results at one point, inside of the domain or not."""
        return tuple(value_of(result, dims, symbols) for result in self.results)

    def holds(self, dims: Sequence[int], symbols: Sequence[int] = ()) -> bool:
        """Whether the point is in the domain."""
        return (
            all(bounds.contains(value) for bounds, value in zip(self.dimension_intervals, dims, strict=True))
            and all(bounds.contains(value) for bounds, value in zip(self.symbol_intervals, symbols, strict=True))
            and all(c.bounds.contains(value_of(c.expr, dims, symbols)) for c in self.constraints)
        )

    # -- Transformations ----------------------------------------------------------------------------------------------

    def with_results(self, results: Iterable[AffineExpr]) -> IndexingMap:
        """The same domain with other results."""
        return replace(self, results=tuple(results))

    def constrained(self, expr: AffineExpr, bounds: Interval) -> IndexingMap:
        """
        This map with the constraint `expr in bounds` added.

        Narrows the bounds of a plain variable; drops a constraint that always holds.
        """
        if self.is_known_empty or bounds.includes(reach := self.range_of(expr)):
            return self
        common = bounds.intersect(reach)
        if common is None:
            return self.nowhere()
        match expr:
            case AffineDimExpr(position):
                return replace(self, dimensions=_narrowed(self.dimensions, position, common))
            case AffineSymExpr(position) if position < len(self.ranges):
                return replace(self, ranges=_narrowed(self.ranges, position, common))
            case AffineSymExpr(position):
                return replace(self, runtimes=_narrowed(self.runtimes, position - len(self.ranges), common))
            case _:
                added = Constraint(expr, bounds)
                return self if added in self.constraints else replace(self, constraints=(*self.constraints, added))

    def nowhere(self) -> IndexingMap:
        """This map with an empty domain; its results become 0."""
        return IndexingMap(
            (constant(0),) * len(self.results),
            *(
                tuple(Variable(variable.name, Interval.point(0)) for variable in group)
                for group in (self.dimensions, self.ranges, self.runtimes)
            ),
            constraints=(NOWHERE,),
        )

    def simplify(self) -> IndexingMap:
        """
        An equal map (same domain, same values) in simpler form.

        Constraints narrow the bounds and are normalised or dropped; results become canonical. Unused variables stay.
        Returns this map itself if it is in that form.
        """
        return self if self._simpler is None else self._simpler

    @cached_property
    def _simpler(self) -> IndexingMap | None:
        """The simpler form; None, and no reference to itself, if this map is in that form."""
        simplified = _simplified(self)
        return None if simplified == self else simplified

    def then(self, second: IndexingMap) -> IndexingMap:
        """
        The composition `second(self(x))`, where `x` is in this domain and `self(x)` in the domain of `second`.

        The symbols of `second` come before those of this map; conflicting names are dropped. Not simplified. Raises
        `ValueError` if `second` does not have one dimension per result of this map.
        """
        if len(second.dimensions) != len(self.results):
            raise ValueError(
                f"{len(self.results)} results cannot be the {len(second.dimensions)} dimensions of {second}"
            )
        ranges, runtimes = len(second.ranges), len(second.runtimes)
        own = (
            *(sym(ranges + i) for i in range(len(self.ranges))),
            *(sym(ranges + len(self.ranges) + runtimes + i) for i in range(len(self.runtimes))),
        )
        others = (
            *(sym(i) for i in range(ranges)),
            *(sym(ranges + len(self.ranges) + i) for i in range(runtimes)),
        )
        dims = tuple(dim(i) for i in range(len(self.dimensions)))
        between = tuple(substitute(result, dims, own) for result in self.results)
        taken = {variable.name for variable in (*self.dimensions, *self.symbols)}
        composed = IndexingMap(
            tuple(substitute(result, between, others) for result in second.results),
            self.dimensions,
            _renamed(second.ranges, taken) + self.ranges,
            _renamed(second.runtimes, taken) + self.runtimes,
            tuple(Constraint(substitute(c.expr, dims, own), c.bounds) for c in self.constraints),
        )
        if composed.is_known_empty or second.is_known_empty:
            return composed.nowhere()
        for expr, bounds in zip(between, second.dimension_intervals, strict=True):
            composed = composed.constrained(expr, bounds)
        for c in second.constraints:
            composed = composed.constrained(substitute(c.expr, between, others), c.bounds)
        return composed

    def symbols_to_dimensions(self) -> IndexingMap:
        """The same function with its symbols appended to the dimensions."""
        count = len(self.dimensions)
        dims = tuple(dim(i) for i in range(count))
        symbols = tuple(dim(count + i) for i in range(len(self.symbols)))
        return IndexingMap(
            tuple(substitute(result, dims, symbols) for result in self.results),
            self.dimensions + self.symbols,
            constraints=tuple(Constraint(substitute(c.expr, dims, symbols), c.bounds) for c in self.constraints),
        )

    def bind(self, dims: Mapping[int, int], symbols: Mapping[int, int] | None = None) -> IndexingMap:
        """
        The map with the given variables fixed to constants and removed. Nothing else is simplified.

        A constant outside the bounds of its variable gives an empty domain.
        """
        symbols = symbols or {}
        inside = all(self.dimension_intervals[i].contains(value) for i, value in dims.items()) and all(
            self.symbol_intervals[i].contains(value) for i, value in symbols.items()
        )
        bound = self._rebuilt(
            [constant(dims[i]) if i in dims else None for i in range(len(self.dimensions))],
            [constant(symbols[i]) if i in symbols else None for i in range(len(self.symbols))],
        )
        return bound if inside else bound.nowhere()

    def remove_unused_variables(
        self, *, keep_constraints: bool = True
    ) -> tuple[IndexingMap, tuple[bool, ...], tuple[bool, ...]]:
        """
        The map without unused variables, and for each dimension and each symbol whether it was removed.

        A variable is used if a result or a constraint reads it. Without `keep_constraints`, constraints unrelated to
        the results are dropped first. This is right if the domain is a promise, as in `apply_indexing`; in a loop,
        constraints decide which iterations run.
        """
        constraints = self.constraints if keep_constraints else self._relevant_constraints()
        removed_dims, removed_symbols = self._unused if keep_constraints else self._unused_beside(constraints)
        if not any(removed_dims) and not any(removed_symbols):
            return self, removed_dims, removed_symbols
        # Replacements of unused variables do not matter.
        rebuilt = replace(self, constraints=constraints)._rebuilt(
            [constant(0) if removed else None for removed in removed_dims],
            [constant(0) if removed else None for removed in removed_symbols],
        )
        return rebuilt, removed_dims, removed_symbols

    @cached_property
    def _unused(self) -> tuple[tuple[bool, ...], tuple[bool, ...]]:
        """For each dimension and each symbol, whether neither a result nor a constraint reads it."""
        return self._unused_beside(self.constraints)

    def _unused_beside(self, constraints: Sequence[Constraint]) -> tuple[tuple[bool, ...], tuple[bool, ...]]:
        """For each dimension and each symbol, whether neither a result nor one of `constraints` reads it."""
        dims, symbols = used_variables(*self.results, *[c.expr for c in constraints])
        unused_dims = tuple([i not in dims for i in range(len(self.dimensions))])
        return unused_dims, tuple([i not in symbols for i in range(len(self.symbols))])

    def remove_unused_symbols(self) -> IndexingMap:
        """The map without unused symbols. Dimensions stay."""
        _, unused = self._unused
        if not any(unused):
            return self
        return self._rebuilt([None] * len(self.dimensions), [constant(0) if each else None for each in unused])

    def _relevant_constraints(self) -> tuple[Constraint, ...]:
        """The constraints that share a variable with a result, or with another relevant constraint."""
        relevant = {leaf for result in self.results for leaf in leaves(result)}
        pending = [
            (c, {leaf for leaf in leaves(c.expr) if not isinstance(leaf, AffineConstantExpr)}) for c in self.constraints
        ]
        while True:
            reached = [variables for _, variables in pending if variables & relevant and not variables <= relevant]
            if not reached:
                return tuple(c for c, variables in pending if variables & relevant or not variables)
            relevant.update(*reached)

    def _rebuilt(self, dims: Sequence[AffineExpr | None], symbols: Sequence[AffineExpr | None]) -> IndexingMap:
        """The map with constants for some variables, and the remaining variables renumbered."""
        new_dims, kept_dims = _renumbered(dims, dim)
        new_symbols, kept_symbols = _renumbered(symbols, sym)
        constraints: list[Constraint] = []
        for c in self.constraints:
            expr = substitute(c.expr, new_dims, new_symbols)
            if not (isinstance(expr, AffineConstantExpr) and c.bounds.contains(expr.value)):
                constraints.append(Constraint(expr, c.bounds))
        count = len(self.ranges)
        return IndexingMap(
            tuple(substitute(result, new_dims, new_symbols) for result in self.results),
            tuple(self.dimensions[i] for i in kept_dims),
            tuple(self.ranges[i] for i in kept_symbols if i < count),
            tuple(self.runtimes[i - count] for i in kept_symbols if i >= count),
            tuple(dict.fromkeys(constraints)),
        )


def _with_sizes(results: tuple[AffineExpr, ...], dims: tuple[int, ...], symbols: tuple[int, ...]) -> IndexingMap:
    box = IndexingMap(
        results,
        tuple(Variable("", Interval.of_size(max(size, 1))) for size in dims),
        tuple(Variable("", Interval.of_size(max(size, 1))) for size in symbols),
    )
    return box.nowhere() if 0 in (*dims, *symbols) else box


def _narrowed(variables: tuple[Variable, ...], position: int, bounds: Interval) -> tuple[Variable, ...]:
    narrowed = Variable(variables[position].name, bounds)
    return (*variables[:position], narrowed, *variables[position + 1 :])


def _renamed(variables: tuple[Variable, ...], taken: set[str]) -> tuple[Variable, ...]:
    """`variables` with conflicting names dropped."""
    return tuple(Variable("", v.bounds) if v.name in taken else v for v in variables)


def _renumbered(
    replacements: Sequence[AffineExpr | None], variable: Callable[[int], AffineExpr]
) -> tuple[list[AffineExpr], list[int]]:
    """The replacement of each variable after renumbering, and the positions of the remaining variables."""
    kept = [i for i, replacement in enumerate(replacements) if replacement is None]
    position = {old: new for new, old in enumerate(kept)}
    exprs = [variable(position[i]) if r is None else r for i, r in enumerate(replacements)]
    return exprs, kept


@lru_cache(maxsize=8192)
def _simplified(map: IndexingMap) -> IndexingMap:
    """`IndexingMap.simplify`."""
    domain = Domain(map.dimension_intervals, map.symbol_intervals, map.constraints)
    simpler = None if map.is_known_empty else simplify_in_domain(map.results, domain)
    if simpler is None:
        return map.nowhere()
    results, domain = simpler
    count = len(map.ranges)
    return IndexingMap(
        results,
        _with_bounds(map.dimensions, domain.dims),
        _with_bounds(map.ranges, domain.symbols[:count]),
        _with_bounds(map.runtimes, domain.symbols[count:]),
        domain.constraints,
    )


def _with_bounds(variables: tuple[Variable, ...], bounds: Sequence[Interval]) -> tuple[Variable, ...]:
    return tuple(Variable(v.name, b) for v, b in zip(variables, bounds, strict=True))


def _names(variables: Sequence[Variable], prefix: str) -> list[str]:
    return [variable.name or f"{prefix}{i}" for i, variable in enumerate(variables)]
