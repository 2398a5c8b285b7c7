"""`xshardy.jax.jit`: a function whose shardings xshardy propagates and whose program it partitions."""

import functools
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

from jax.sharding import Mesh

from xshardy.engines.callbacks import refuse_callbacks
from xshardy.jax.nesting import is_tracing, on_devices
from xshardy.jax.shardings import Devices, mesh_in, mesh_of_context, named
from xshardy.jax.stages import Compiled, Lowered
from xshardy.jax.static_arguments import StaticArguments
from xshardy.programs.errors import EngineError
from xshardy.programs.jax_functions import import_jax
from xshardy.programs.meshes import mesh_of
from xshardy.programs.partitioned import partition_module
from xshardy.programs.program import read_program
from xshardy.programs.source import source_of
from xshardy.transforms.failures import OperationFailedException

jax = import_jax()  # without its types, which are incomplete


def jit(
    function: Callable[..., object] | None = None,
    *,
    mesh: Mesh | None = None,
    in_shardings: object = None,
    out_shardings: object = None,
    static_argnums: int | Sequence[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    donate_argnums: int | Sequence[int] | None = None,
    donate_argnames: str | Iterable[str] | None = None,
    auto: bool = False,
) -> Any:
    """
    `function` as a `Jitted`, which runs on all devices of `mesh`; without `function`, a decorator.

    Shardings are those of `jax.jit`, and may be `PartitionSpec`s over `mesh`; None leaves an argument or a result to
    the propagation. Without `mesh`, that of the first `NamedSharding` of the shardings is taken, else that of
    `jax.set_mesh` at the call, else that of the first argument that has one. With `auto`, shardings that make the
    function fast are searched for once per program, beside those that are given; see `xshardy.auto`. The other
    parameters are those of `jax.jit`.
    """
    options = {
        "static_argnums": static_argnums,
        "static_argnames": static_argnames,
        "donate_argnums": donate_argnums,
        "donate_argnames": donate_argnames,
    }
    if function is None:
        given = {"mesh": mesh, "in_shardings": in_shardings, "out_shardings": out_shardings, "auto": auto}
        return functools.partial(jit, **given, **options)
    mesh = mesh or mesh_in(in_shardings, out_shardings)
    return Jitted(function, mesh, in_shardings, out_shardings, options, auto=auto)


class Jitted:
    """
    A function of JAX that is traced, partitioned and compiled at the first call with arguments of some types.

    Where JAX traces the caller, for `jax.grad`, `jax.vmap`, `jax.jit` or another function of this class, it is a part
    of that program, as a function of `jax.jit` with the same shardings is. The outermost one decides who partitions.
    """

    def __init__(
        self,
        function: Callable[..., object],
        mesh: Mesh | None,
        in_shardings: object,
        out_shardings: object,
        options: Mapping[str, Any],
        *,
        auto: bool = False,
    ):
        functools.update_wrapper(self, function)
        self._function, self._mesh, self._auto = function, mesh, auto
        given = {"in_shardings": in_shardings, "out_shardings": out_shardings}
        shardings = {
            name: specs if mesh is None else named(specs, mesh) for name, specs in given.items() if specs is not None
        }
        self._options = {**shardings, **options}
        self._jitted = jax.jit(function, keep_unused=True, **self._options)
        self._nested: dict[Mesh, Any] = {}
        """Functions of JAX for calls from what JAX traces, by the mesh whose devices they run on."""
        self._static = StaticArguments.of(function, options["static_argnums"], options["static_argnames"])
        self._compiled: dict[Hashable, list[Compiled]] = {}
        """
        By the mesh around the call, static values, structure and types: executables, each for other shardings of
        committed arguments.
        """

    def lower(self, *args: object, **kwargs: object) -> Lowered:
        """
        Trace the function for `args`, arrays or `jax.ShapeDtypeStruct`s, propagate its shardings and partition it.

        Raises what `jax.jit` does, `EngineError` with the place of what a pass refuses, or of a call back into Python,
        and what `xshardy.partition` does. Raises `TypeError` inside of a function that JAX traces.
        """
        if is_tracing():
            raise TypeError("lower() gives a program of its own: call it outside of functions that JAX traces")
        mesh = self._mesh or mesh_of_context() or mesh_in(args, kwargs)
        if mesh is None:
            raise ValueError(
                "no mesh: set one by jax.set_mesh, or give jit a mesh, a NamedSharding, or arrays that are divided by "
                "one"
            )
        abstract = functools.partial(jax.tree.map, type_if_uncommitted)
        types, types_by_name = self._static.map_others(abstract, args, kwargs)
        with jax.set_mesh(mesh):
            traced = self._jitted.trace(*types, **types_by_name)
            lowered = traced.lower()
        weak_types = [type.weak_type for type in traced.jaxpr.out_avals]
        return _partitioned(lowered, Devices(mesh), weak_types, auto=self._auto)

    def __call__(self, *args: object, **kwargs: object) -> Any:
        if is_tracing():
            return self._call_nested(args, kwargs)
        static, dynamic = self._static.split(args, kwargs)
        leaves, tree = jax.tree.flatten(dynamic)
        candidates = self._compiled.setdefault((mesh_of_context(), static, tree, *map(type_key, leaves)), [])
        compiled = next((known for known in candidates if known.takes_as_they_are(leaves)), None)
        if compiled is None:
            compiled = self.lower(*args, **kwargs).compile()
            candidates.append(compiled)
        return compiled.call_flat(leaves)

    def _call_nested(self, args: Sequence[object], kwargs: Mapping[str, object]) -> Any:
        """The results as parts of the program that JAX traces. Raises `TypeError` inside of `jax.shard_map`."""
        if jax.sharding.get_abstract_mesh().manual_axes:
            raise TypeError(
                "a function of xshardy.jax.jit runs on all devices, and inside of jax.shard_map each runs for itself: "
                "call the function without jit there"
            )
        mesh = self._mesh or mesh_in(args, kwargs)
        if mesh is None:
            return self._jitted(*args, **kwargs)
        if mesh not in self._nested:
            self._nested[mesh] = jax.jit(on_devices(self._function, mesh), **self._options)
        # The devices are those of the shardings: JAX sets no mesh of devices within a trace.
        with jax.sharding.use_abstract_mesh(mesh.abstract_mesh):
            return self._nested[mesh](*args, **kwargs)


def type_key(leaf: object) -> Hashable:
    """What a function is traced for: the type of `leaf`, with its axes of explicit sharding but without its mesh."""
    type = jax.typeof(leaf)
    return type.shape, type.dtype, type.weak_type, type.sharding.spec


def type_if_uncommitted(leaf: object) -> object:
    """The shape and type of a value that may go to any device: in a job of several processes, JAX refuses the value."""
    if isinstance(leaf, jax.ShapeDtypeStruct) or getattr(leaf, "committed", False):
        return leaf
    type = jax.typeof(leaf)
    return jax.ShapeDtypeStruct(type.shape, type.dtype, weak_type=type.weak_type)


def _partitioned(lowered: Any, devices: Devices, weak_types: Sequence[bool], *, auto: bool) -> Lowered:
    given = read_program(source_of(lowered))
    try:
        refuse_callbacks(given.module)
        if mesh_of(given.module)[0] is None:
            given.resize(dict(devices.mesh.shape))
        if auto:
            from xshardy.planning.auto.find import find_shardings  # loads the solver

            given = find_shardings(given.named()).program
        program = partition_module(given.module, given.context)
    except OperationFailedException as refused:
        raise EngineError(f"{given.place(refused.operation)}: {refused}") from refused.__cause__
    if program.devices != devices.mesh.size:
        raise EngineError(
            f"the mesh of jit has {devices.mesh.size} devices, and that of the function {program.devices}: use one mesh"
        )
    types = jax.tree.leaves(lowered.in_avals)
    if len(types) != len(program.arguments):
        raise EngineError(
            "JAX made constants of the function to arguments: set jax_use_simplified_jaxpr_constants=False"
        )
    return Lowered(program, devices, lowered.in_tree, types, lowered.out_info, weak_types)
