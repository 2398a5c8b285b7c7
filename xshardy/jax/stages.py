"""A function of JAX on its way to execution: partitioned, then compiled."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from jax import Array
from jax.core import ShapedArray
from jax.sharding import NamedSharding
from numpy.typing import DTypeLike

from xshardy.engines.pjrt.executable import Executable, load
from xshardy.engines.pjrt.flat_mesh import memory_kinds, on_flat_mesh
from xshardy.jax.nesting import is_tracing
from xshardy.jax.shardings import Devices, as_promised, assembled, has_sharding, placed
from xshardy.programs.errors import EngineError
from xshardy.programs.jax_functions import import_jax, is_key, leaf_data
from xshardy.programs.jax_types import PyTreeDef
from xshardy.programs.partitioned import PartitionedProgram
from xshardy.syntax import print_module

jax = import_jax()  # without its types, which are incomplete


@dataclass(frozen=True)
class Lowered:
    """The partitioned program of a function, for arguments of some shapes and types."""

    program: PartitionedProgram = field(repr=False)
    devices: Devices
    in_tree: PyTreeDef
    """The structure of the arguments that are not static: of `(args, kwargs)`."""
    in_types: Sequence[ShapedArray]
    """The shape and type of each leaf of the arguments."""
    out_info: object
    """The results, with their shapes and types in place of arrays."""
    weak_types: Sequence[bool]
    """Whether the type of each leaf of the results is weak."""

    def as_text(self) -> str:
        """The program of each device, in StableHLO."""
        return str(self.program)

    def compile(self) -> "Compiled":
        """
        Compile the program with XLA. Raises `EngineError` with its reason if XLA refuses it, and for results that are
        not divided as `out_shardings` has it.
        """
        devices, result_shardings = self.devices.listed, self._result_shardings()
        loaded = load(print_module(on_flat_mesh(self.program)), devices)
        return Compiled(
            self,
            Executable(loaded, devices),
            [self.devices.sharding_of(tensor) for tensor in self.program.arguments],
            result_shardings,
        )

    def _result_shardings(self) -> list[NamedSharding]:
        """How JAX divides the results, and in which memory they are."""
        shardings: list[NamedSharding] = []
        infos = jax.tree.leaves(self.out_info)
        kinds = memory_kinds(self.program.main.res_attrs, len(infos))
        for info, tensor, kind in zip(infos, self.program.results, kinds, strict=True):
            sharding = in_memory(self.devices.sharding_of(tensor), kind)
            shardings.append(sharding if is_key(info) else as_promised(sharding, info.sharding, len(tensor.shape)))
        return shardings


@dataclass(frozen=True)
class Compiled:
    """An executable of a function. Static arguments are left out in a call."""

    lowered: Lowered
    executable: Executable = field(repr=False)
    argument_shardings: Sequence[NamedSharding]
    result_shardings: Sequence[NamedSharding]

    @property
    def input_shardings(self) -> Any:
        """The shardings of the arguments: those of the positional ones, and of the others by name."""
        kinds = memory_kinds(self.lowered.program.main.arg_attrs, len(self.argument_shardings))
        return jax.tree.unflatten(self.lowered.in_tree, map(in_memory, self.argument_shardings, kinds))

    @property
    def output_shardings(self) -> Any:
        """The shardings of the results, in their structure."""
        return jax.tree.unflatten(jax.tree.structure(self.lowered.out_info), self.result_shardings)

    def as_text(self) -> str:
        """What XLA executes, in HLO."""
        return self.executable.loaded.get_hlo_text()

    def cost_analysis(self) -> object:
        """XLA's estimates for one device."""
        return self.executable.loaded.cost_analysis()

    def memory_analysis(self) -> object:
        """The bytes that each device needs."""
        return self.executable.loaded.get_compiled_memory_stats()

    def __call__(self, *args: object, **kwargs: object) -> Any:
        leaves, tree = jax.tree.flatten((args, kwargs))
        if is_tracing():
            raise TypeError("a compiled function is executed as it is: call the function itself where JAX traces")
        if tree != self.lowered.in_tree:
            raise TypeError(f"compiled for arguments of structure {self.lowered.in_tree}, but got {tree}")
        for index, (leaf, type) in enumerate(zip(leaves, self.lowered.in_types, strict=True)):
            found = jax.typeof(leaf)
            if (found.shape, found.dtype) != (type.shape, type.dtype):
                raise TypeError(f"argument {index} is a {found.str_short()}, but was compiled for {type.str_short()}")
        return self.call_flat(leaves)

    def takes_as_they_are(self, leaves: Sequence[object]) -> bool:
        """Whether each of `leaves` that is committed to devices is divided as the argument is."""
        return all(
            not isinstance(leaf, Array) or not leaf.committed or has_sharding(leaf_data(leaf), sharding)
            for leaf, sharding in zip(leaves, self.argument_shardings, strict=True)
        )

    def call_flat(self, leaves: Sequence[object]) -> Any:
        """The results for the leaves of the arguments."""
        data = [leaf_data(leaf) for leaf in leaves]
        types = [leaf_type(type) for type in self.lowered.in_types]
        tensors = self.lowered.program.arguments
        arguments = [placed(*each) for each in zip(data, tensors, self.argument_shardings, types, strict=True)]
        try:
            parts = self.executable.execute_buffers(arguments)
        except RuntimeError as error:
            raise EngineError(f"the execution failed: {error}") from None
        expected, tree = jax.tree.flatten(self.lowered.out_info)
        results: list[object] = []
        for info, tensor, sharding, is_weak, of_result in zip(
            expected,
            self.lowered.program.results,
            self.result_shardings,
            self.lowered.weak_types,
            parts,
            strict=True,
        ):
            array = assembled(tensor.shape, sharding, of_result, is_weak=is_weak)
            results.append(jax.random.wrap_key_data(array, impl=_key_type(info)) if is_key(info) else array)
        return jax.tree.unflatten(tree, results)


def in_memory(sharding: NamedSharding, kind: str | None) -> NamedSharding:
    """`sharding` in the memory `kind`; None stands for that of the device."""
    return sharding if kind is None else sharding.with_memory_kind(kind)


def leaf_type(type: ShapedArray) -> DTypeLike:
    """The element type of a leaf in a program."""
    return "uint32" if is_key(type) else type.dtype


def _key_type(info: Any) -> str:
    """`fry`, the implementation of `key<fry>`."""
    return info.dtype._impl.name
