"""The table of opcodes against itself, and against XLA where it is installed. Row HLO-ASYNC-16."""

import pytest
from xla_oracle import xla_errors

from xshardy.dialects.stablehlo import CustomCallOp
from xshardy.hlo_text import HLOError, parse_hlo
from xshardy.hlo_text.annotations import ANNOTATIONS
from xshardy.hlo_text.async_opcodes import OWN, OWN_DONES
from xshardy.hlo_text.fields import READERS
from xshardy.hlo_text.opcodes import FORMS, OPCODES

ASYNCHRONOUS = {*OWN, *OWN_DONES, "async-start", "async-update", "async-done"}


@pytest.mark.parametrize("opcode", OPCODES)
def test_attributes_of_a_row_can_be_read(opcode: str):
    row = OPCODES[opcode]
    assert row.required | row.optional | row.extras == row.readers.keys()
    properties = {"backend_config", "output_to_operand_aliasing"} if opcode == "custom-call" else set[str]()
    assert row.readers.keys() & ANNOTATIONS.keys() == properties


def test_every_reader_is_used():
    assert {name for row in OPCODES.values() for name in row.readers} >= READERS.keys()


@pytest.mark.parametrize("opcode", [opcode for opcode in OPCODES if opcode != "parameter"])
def test_every_row_can_be_printed(opcode: str):
    assert all(FORMS[form.op] == (opcode, form) for form in OPCODES[opcode].forms)
    assert OPCODES[opcode].forms


def test_xla_has_exactly_these_opcodes():
    opcodes = [*sorted(OPCODES.keys() | ASYNCHRONOUS), "no-such-opcode"]
    complaints = xla_errors([f"HloModule m\nENTRY main {{\n  ROOT x = f32[] {opcode}()\n}}" for opcode in opcodes])
    unknown = [opcode for opcode, text in zip(opcodes, complaints, strict=True) if "Unknown opcode" in text]
    assert unknown == ["no-such-opcode"]


@pytest.mark.parametrize(
    "name, number",
    [
        ("UNSPECIFIED", 0),
        ("ORIGINAL", 1),
        ("STATUS_RETURNING", 2),
        ("STATUS_RETURNING_UNIFIED", 3),
        ("TYPED_FFI", 4),
    ],
)
def test_versions_of_custom_calls(name: str, number: int):
    """The numbers are those of XLA's `CustomCallApiVersion`."""
    call = f'custom-call(), custom_call_target="f", api_version=API_VERSION_{name}'
    module = parse_hlo(f"HloModule m\nENTRY e {{\n  ROOT r = f32[] {call}\n}}")
    (op,) = (op for op in module.walk() if isinstance(op, CustomCallOp))
    assert op.api_version is not None and op.api_version.value.data == number


def test_an_unknown_opcode_is_one_clear_diagnostic():
    with pytest.raises(HLOError, match="3:18: error: unknown opcode 'no-such-opcode'"):
        parse_hlo("HloModule m\nENTRY main {\n  ROOT x = f32[] no-such-opcode()\n}")
