"""The table of opcodes against itself, and against XLA where it is installed."""

import pytest
from xla_oracle import xla_complaints

from xshardy.hlo_text import HLOError, parse_hlo
from xshardy.hlo_text.fields import KEPT, READERS
from xshardy.hlo_text.opcodes import NOT_SUPPORTED_YET, OPCODES


def test_an_opcode_has_a_row_or_is_announced_as_missing():
    assert not OPCODES.keys() & NOT_SUPPORTED_YET


@pytest.mark.parametrize("opcode", OPCODES)
def test_attributes_of_a_row_can_be_read(opcode: str):
    row = OPCODES[opcode]
    assert row.allowed <= READERS.keys()
    assert not row.allowed & KEPT.keys()


def test_every_reader_is_used():
    assert READERS.keys() == {name for row in OPCODES.values() for name in row.allowed}


def test_xla_knows_exactly_these_opcodes():
    opcodes = [*sorted(OPCODES.keys() | NOT_SUPPORTED_YET), "no-such-opcode"]
    complaints = xla_complaints([f"HloModule m\nENTRY main {{\n  ROOT x = f32[] {opcode}()\n}}" for opcode in opcodes])
    unknown = [opcode for opcode, text in zip(opcodes, complaints, strict=True) if "Unknown opcode" in text]
    assert unknown == ["no-such-opcode"]


@pytest.mark.parametrize("opcode", sorted(NOT_SUPPORTED_YET))
def test_a_missing_row_is_one_clear_diagnostic(opcode: str):
    with pytest.raises(HLOError, match=f"3:18: error: opcode '{opcode}' is not supported yet"):
        parse_hlo(f"HloModule m\nENTRY main {{\n  ROOT x = f32[] {opcode}()\n}}")
