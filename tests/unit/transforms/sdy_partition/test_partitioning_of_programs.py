"""Random programs with any sharding of arguments, results and operations compute on a mesh what one device does."""

import warnings
from random import Random

import numpy as np
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from partitioning.shardings import meshes, shard
from stablehlo_programs import random_program

import xshardy
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.engines.checked_run import run_module
from xshardy.engines.simulated import Simulated
from xshardy.interpreters.stablehlo import evaluate
from xshardy.launch.prepared_program import entry_of
from xshardy.transforms.failures import OperationFailedException
from xshardy.universe import new_context


@settings(suppress_health_check=[*HealthCheck])
@given(st.data(), st.randoms(use_true_random=False), st.integers(1, 8), meshes)
def test_partitioned_programs_compute_the_same(data: st.DataObject, rng: Random, length: int, mesh: MeshAttr):
    check_program(data, rng, length, mesh)


@settings(suppress_health_check=[*HealthCheck])
@given(st.data(), st.randoms(use_true_random=False), st.integers(1, 8), meshes)
def test_programs_of_partial_sums_compute_the_same(data: st.DataObject, rng: Random, length: int, mesh: MeshAttr):
    """Any tensor may be unreduced: arguments, results, and what operations give."""
    check_program(data, rng, length, mesh, unreduced=True)


@settings(suppress_health_check=[*HealthCheck])
@given(st.data(), st.randoms(use_true_random=False), st.integers(1, 8), meshes)
def test_programs_with_operations_on_one_device_compute_the_same(
    data: st.DataObject, rng: Random, length: int, mesh: MeshAttr
):
    check_program(data, rng, length, mesh, alone=True)


def check_program(
    data: st.DataObject, rng: Random, length: int, mesh: MeshAttr, *, unreduced: bool = False, alone: bool = False
) -> None:
    text, arguments = random_program(rng, length, linear=unreduced)
    module = xshardy.parse(text)
    wanted = evaluate(entry_of(module), arguments)
    shard(data.draw, module, mesh, inside=alone or data.draw(st.booleans()), unreduced=unreduced, alone=alone)
    note(str(module))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            run = run_module(module, Simulated(), new_context(), arguments=arguments)
        except OperationFailedException as refused:
            assert str(refused).strip()
            return
    for one, other in zip(run.results, wanted, strict=True):
        np.testing.assert_array_equal(one, other)
