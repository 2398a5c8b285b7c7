"""The import passes as their specification has them: each test form, by the name of its row on the command line."""

import re

import pytest
from spec_listings import listings_in

from xshardy.api import parse, print_module
from xshardy.tools.xshardy_opt import run

COMMANDS = {
    "SDY-PASS-01": "-sdy-add-data-flow-edges",
    "SDY-PASS-02": "-sdy-apply-sharding-constraints",
    "SDY-PASS-03": "-sdy-constant-splitter",
    "SDY-PASS-04": "-sdy-lift-inlined-meshes",
    "SDY-PASS-05": "-sdy-manual-axes-cleanup",
    "SDY-PASS-06": "-sdy-sharding-group-import",
}
FORMS = listings_in("sdy_passes.mlir")
ADDED = re.compile(r" \{(sdy\.sharding_rule = #sdy\.op_sharding_rule<[^>]*->[^>]*>|stablehlo\.mesh = \{.*\})\}")
"""What today's upstream adds to constraints and meshes: `docs/requirements.md` lists it."""


@pytest.mark.parametrize("form", FORMS)
def test_form(form: str):
    text, _, message = FORMS[form].partition("// rejected: ")
    given, _, expected = text.partition("// expected\n")
    status, output, error = run([COMMANDS[form[:11]]], given)
    if message:
        assert status == 1 and not output and message.strip() in error
    else:
        assert status == 0 and not error
        assert ADDED.sub("", output) == print_module(parse((expected or given).encode()))


def test_passes_run_in_the_order_of_their_options():
    text = FORMS["SDY-PASS-01, C2 without a sharding"].partition("// expected")[0]
    once = run(["--sdy-add-data-flow-edges"], text)[1]
    assert run(["-sdy-constant-splitter", "--sdy-add-data-flow-edges"], text)[1] == once
    assert run(["--sdy-propagation-pipeline=inline-meshes=true"], text)[0] == 0
