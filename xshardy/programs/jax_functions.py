"""Functions of JAX: lowered to StableHLO, with their arguments, and how these are nested."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from xshardy.programs.errors import EngineError
from xshardy.programs.jax_types import PyTreeDef

if TYPE_CHECKING:
    from xshardy.numerics.element_types import Array

EXTRA = "engine pjrt needs JAX: run `pip install 'xshardy[jax]'`"


def check_installed() -> None:
    """Raises `EngineError` that names the extra if JAX is not installed. Does not import it."""
    if find_spec("jax") is None:
        raise EngineError(EXTRA)


def import_jax() -> Any:
    """The module `jax`. Raises `EngineError` that names the extra if it is not installed."""
    try:
        import jax
    except ImportError:
        raise EngineError(EXTRA) from None
    return jax


def lowered(function: object, arguments: Sequence[object], *, keep_unused: bool = False) -> Any:
    """
    What `jax.jit(function).lower(*arguments)` returns, also if shardings are over a mesh without devices.

    JAX drops arguments that `function` does not use, unless `keep_unused`, or if the `jax.jit` of it says so.
    """
    jax = import_jax()
    jitted: Any = function if hasattr(function, "trace") else jax.jit(function, keep_unused=keep_unused)
    return lower_traced(jitted.trace(*arguments))


def lower_traced(traced: Any) -> Any:
    """
    What `traced.lower()` returns, for a `jax.stages.Traced`.

    The platform is named, so that shardings may be over a mesh without devices.
    """
    return traced.lower(lowering_platforms=(import_jax().devices()[0].client.platform,))


def values_of(arguments: Sequence[object]) -> "Sequence[Array] | None":
    """
    The arrays among the arguments of a function, in the order and of the types in which a program gets them; None if
    one of them has only a shape.
    """
    import numpy as np

    jax = import_jax()
    leaves = jax.tree.leaves(arguments)
    if any(isinstance(leaf, jax.ShapeDtypeStruct) for leaf in leaves):
        return None
    data = map(leaf_data, leaves)
    return [np.asarray(leaf, jax.dtypes.canonicalize_dtype(jax.numpy.result_type(leaf))) for leaf in data]


def is_key(value: Any) -> bool:
    """Whether `value` has random keys, which programs hold as integers."""
    jax = import_jax()
    return jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key)


def leaf_data(leaf: object) -> Any:
    """`leaf`, or the integers of random keys."""
    jax = import_jax()
    return jax.random.key_data(leaf) if isinstance(leaf, jax.Array) and is_key(leaf) else leaf


@dataclass(frozen=True, slots=True)
class Structure:
    """How arguments and results are nested: `jax.tree_util.PyTreeDef`s, or None for a flat program."""

    arguments: PyTreeDef | None = None
    """Of `(args, kwargs)`."""
    results: PyTreeDef | None = None
    kept: frozenset[int] | None = None
    """The leaves of the arguments that are arguments of the program; all if None."""

    def kept_of(self, leaves: "Sequence[Array] | None") -> "Sequence[Array] | None":
        """Those of all `leaves` of the arguments that the program takes: JAX leaves unused ones out."""
        if leaves is None or self.kept is None or self.arguments is None or len(leaves) != self.arguments.num_leaves:
            return leaves
        return [leaf for index, leaf in enumerate(leaves) if index in self.kept]

    def of_arguments(self, leaves: Sequence[object]) -> Any:
        """`leaves` nested as the positional arguments; None for those that are not kept."""
        if self.arguments is None:
            return tuple(leaves)
        remaining = iter(leaves)
        count = self.arguments.num_leaves
        every = [next(remaining) if self.kept is None or index in self.kept else None for index in range(count)]
        return self.arguments.unflatten(every)[0]

    def of_results(self, leaves: Sequence[object]) -> Any:
        """`leaves` nested as the results."""
        return tuple(leaves) if self.results is None else self.results.unflatten(leaves)


FLAT = Structure()
"""That of a program that is no function of JAX."""


def compile_argument(source: object, name: str) -> Any:
    """What JAX holds of `jax.stages.Lowered` for its compilation; None for anything else."""
    return getattr(getattr(source, "_lowering", None), "compile_args", {}).get(name)


def structure_of(source: object) -> Structure:
    """That of `jax.stages.Lowered` or `jax.export.Exported`; a flat one for anything else."""
    arguments, results = getattr(source, "in_tree", None), getattr(source, "out_tree", None)
    kept = getattr(source, "module_kept_var_idx", None)
    if kept is None:
        kept = compile_argument(source, "kept_var_idx")
    return Structure(arguments, results, None if kept is None else frozenset(kept))
