"""Passes to and from HLO refuse what it cannot carry, and leave the module as it was."""

from collections.abc import Mapping

import pytest
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException

from xshardy.syntax import parse_module, print_module
from xshardy.transforms.xla_sdy.round_trip_export_pipeline import RoundTripExportPipelinePass
from xshardy.transforms.xla_sdy.round_trip_through_hlo import RoundTripThroughHloPass
from xshardy.universe import new_context

REFUSED: Mapping[str, tuple[ModulePass, str]] = {
    "HLO cannot carry 'sdy.reshard'": (RoundTripExportPipelinePass(), 'sdy.reshard %x <mesh<["a"=2]>, [{"a"}]>'),
    "HLO has no opcode for 'sdy.reshard'": (RoundTripThroughHloPass(), 'sdy.reshard %x <mesh<["a"=2]>, [{"a"}]>'),
}


@pytest.mark.parametrize("message", REFUSED)
def test_a_module_that_is_refused_stays_as_it_was(message: str):
    each, operation = REFUSED[message]
    module = parse_module(f"""
        func.func @main(%x: tensor<8xf32> {{sdy.sharding = #sdy.sharding<mesh<["b"=2]>, [{{"b"}}]>}}) {{
          %0 = {operation} : tensor<8xf32>
          return
        }}""")
    before = print_module(module)
    with pytest.raises(DiagnosticException, match=message):
        each.apply(new_context(), module)
    assert print_module(module) == before
