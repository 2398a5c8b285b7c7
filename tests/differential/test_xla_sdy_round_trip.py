"""XLA's round trip of shardings: import of export is the identity up to the normal form, also through HLO."""

import jax
import pytest
from sdy_modules import random_sdy_module
from test_modules import PROGRAMS
from xla_sdy_round_trip import normal_form, normal_form_by_axes, round_trip

from xshardy.transforms.xla_sdy.round_trip_through_hlo import RoundTripThroughHloPass

DEFAULTS_OF_HLO = (", indices_are_sorted = false", ", unique_indices = false")
"""What is written out after HLO, and left out before it."""


def without_defaults(text: str) -> str:
    for default in DEFAULTS_OF_HLO:
        text = text.replace(default, "")
    return text


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(300, 308))
def test_random_modules(seed: int) -> None:
    text = random_sdy_module(seed)
    assert round_trip(text) == normal_form(text)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(320, 325))
def test_random_modules_through_hlo(seed: int) -> None:
    text = random_sdy_module(seed)
    assert without_defaults(round_trip(text, RoundTripThroughHloPass())) == without_defaults(normal_form(text))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(330, 338))
def test_random_modules_by_axes(seed: int) -> None:
    """The same in HLO's notation by the axes of meshes, but for priorities and the names of meshes, which it lacks."""
    text = random_sdy_module(seed)
    assert round_trip(text, by_axes=True) == normal_form_by_axes(text)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(340, 345))
def test_random_modules_by_axes_through_hlo(seed: int) -> None:
    text = random_sdy_module(seed)
    found = round_trip(text, RoundTripThroughHloPass(), by_axes=True)
    assert without_defaults(found) == without_defaults(normal_form_by_axes(text))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", PROGRAMS)
def test_modules_that_jax_lowers(program: str) -> None:
    function, arguments = PROGRAMS[program]
    text = jax.jit(function).trace(*arguments).lower(lowering_platforms=("cpu",)).as_text()
    assert round_trip(text) == normal_form(text)
