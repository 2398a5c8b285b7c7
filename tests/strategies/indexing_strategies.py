"""Random maps whose domain is small enough to be walked through."""

from itertools import product

from hypothesis import strategies as st
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineExpr

from xshardy.affine.expressions import BUILDERS, EXTREMA, constant, dim, sym
from xshardy.affine.indexing_map import Constraint, IndexingMap, Variable
from xshardy.affine.interval import Interval

DIMS, RANGES, RUNTIMES = 2, 1, 1

intervals = st.builds(lambda low, width: Interval(low, low + width), st.integers(-9, 9), st.integers(0, 6))
wide_intervals = st.builds(lambda low, width: Interval(low, low + width), st.integers(-40, 40), st.integers(0, 60))
divisors = st.sampled_from([1, 2, 3, 4, 5, 6, 8, 12, 24])
factors = st.sampled_from([-12, -6, -4, -3, -2, -1, 1, 2, 3, 4, 6, 8, 12, 24])
DIVISIONS = (AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.CeilDiv, AffineBinaryOpKind.Mod)


def raw(kind: AffineBinaryOpKind, lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    """A node as the text cannot spell it: nothing folded."""
    return AffineBinaryOpExpr(kind, lhs, rhs)


def divided_and_put_together(value: AffineExpr, n: int, k: int) -> AffineExpr:
    """`(value floordiv n) * n * k + (value mod n) * k`."""
    quotient = raw(AffineBinaryOpKind.Mul, raw(AffineBinaryOpKind.FloorDiv, value, constant(n)), constant(n * k))
    remainder = raw(AffineBinaryOpKind.Mul, raw(AffineBinaryOpKind.Mod, value, constant(n)), constant(k))
    return raw(AffineBinaryOpKind.Add, quotient, remainder)


def less_its_quotient(value: AffineExpr, n: int, k: int) -> AffineExpr:
    """`value * k - (value floordiv n) * n * k`."""
    quotient = raw(AffineBinaryOpKind.Mul, raw(AffineBinaryOpKind.FloorDiv, value, constant(n)), constant(-n * k))
    return raw(AffineBinaryOpKind.Add, raw(AffineBinaryOpKind.Mul, value, constant(k)), quotient)


def nested_divisions(outer: AffineBinaryOpKind, inner: AffineBinaryOpKind, value: AffineExpr, m: int, n: int):
    """`(value inner m) outer n`."""
    return raw(outer, raw(inner, value, constant(m)), constant(n))


def exprs(
    dims: int = DIMS, symbols: int = RANGES + RUNTIMES, extrema: tuple[AffineBinaryOpKind, ...] = (*EXTREMA,)
) -> st.SearchStrategy[AffineExpr]:
    """Sums, products (semi-affine ones too), divisions and extrema of variables and constants, folded or not."""
    variables = [dim(i) for i in range(dims)] + [sym(i) for i in range(symbols)]
    leaves = st.sampled_from(variables) | st.integers(-30, 30).map(constant) if variables else st.just(constant(3))

    def larger(smaller: st.SearchStrategy[AffineExpr]) -> st.SearchStrategy[AffineExpr]:
        build = st.sampled_from([raw, lambda kind, lhs, rhs: BUILDERS[kind](lhs, rhs)])
        return st.one_of(
            st.builds(lambda f, a, b: f(AffineBinaryOpKind.Add, a, b), build, smaller, smaller),
            st.builds(lambda f, a, c: f(AffineBinaryOpKind.Mul, a, constant(c)), build, smaller, factors),
            st.builds(
                lambda f, kind, a, c: f(kind, a, constant(c)), build, st.sampled_from(DIVISIONS), smaller, divisors
            ),
            st.builds(lambda f, a, b: f(AffineBinaryOpKind.Mul, a, b), build, smaller, smaller),
            *(st.builds(lambda f, a, b, kind=kind: f(kind, a, b), build, smaller, smaller) for kind in extrema),
            st.builds(divided_and_put_together, smaller, divisors, factors),
            st.builds(less_its_quotient, smaller, divisors, factors),
            st.builds(
                nested_divisions, st.sampled_from(DIVISIONS), st.sampled_from(DIVISIONS), smaller, divisors, divisors
            ),
        )

    return st.recursive(leaves, larger, max_leaves=8)


def variables(count: int, names: str) -> st.SearchStrategy[tuple[Variable, ...]]:
    """`count` variables, each with its own name or none."""
    return st.tuples(*(st.builds(Variable, st.sampled_from(["", f"{names}_{i}"]), intervals) for i in range(count)))


def maps(results: st.SearchStrategy[list[AffineExpr]] | None = None) -> st.SearchStrategy[IndexingMap]:
    return st.builds(
        lambda results, dims, ranges, runtimes, constraints: IndexingMap(
            tuple(results), dims, ranges, runtimes, tuple(constraints)
        ),
        st.lists(exprs(), max_size=3) if results is None else results,
        variables(DIMS, "th"),
        variables(RANGES, "r"),
        variables(RUNTIMES, "rt"),
        st.lists(st.builds(Constraint, exprs(), wide_intervals) | restricting_constraints(), max_size=3),
    )


def restricting_constraints() -> st.SearchStrategy[Constraint]:
    """Constraints that restrict a variable: on quotients, remainders, and sums with aligned bounds."""
    leaves = st.sampled_from([dim(0), dim(1), sym(0), sym(1)])
    offsets = st.integers(-3, 3).map(constant)
    small = st.builds(lambda low, width: Interval(low, low + width), st.integers(-4, 4), st.integers(0, 3))
    offset_leaves = st.builds(lambda a, c: raw(AffineBinaryOpKind.Add, a, c), leaves, offsets)
    return st.one_of(
        st.builds(
            lambda kind, a, n, bounds: Constraint(raw(kind, a, constant(n)), bounds),
            st.sampled_from(DIVISIONS), leaves | offset_leaves, divisors, small,
        ),
        st.builds(
            lambda a, g, b, bounds: Constraint(
                raw(AffineBinaryOpKind.Add, raw(AffineBinaryOpKind.Mul, a, constant(g)), b),
                Interval(bounds.lower * g, bounds.upper * g + g - 1),
            ),
            leaves, st.integers(1, 8), offset_leaves, small,
        ),
    )  # fmt: skip


def points(map: IndexingMap) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Every point of the domain, as dimensions and symbols."""
    values = [range(bounds.lower, bounds.upper + 1) for bounds in (*map.dimension_intervals, *map.symbol_intervals)]
    split = len(map.dimensions)
    box = ((point[:split], point[split:]) for point in product(*values))
    return [(dims, symbols) for dims, symbols in box if map.holds(dims, symbols)]


def values(map: IndexingMap) -> dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[int, ...]]:
    """What the map is on each point of its domain: two maps are equal if their values are."""
    return {(dims, symbols): map.evaluate(dims, symbols) for dims, symbols in points(map)}
