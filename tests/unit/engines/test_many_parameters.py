"""Programs of many parameters: no step copies all arguments of a block for each of them, as two methods of xDSL do."""

import pytest
from xdsl.ir import Attribute, Block, BlockArgument

import xshardy

COUNT = 40
PARAMETERS = "\n".join(f"  a{i} = f32[8] parameter({i})" for i in range(COUNT))
MANY = f"HloModule m\nENTRY main {{\n{PARAMETERS}\n  ROOT r = f32[8] add(a0, a{COUNT - 1})\n}}"

TUPLE = f"({', '.join(['f32[8]'] * COUNT)})"
ELEMENTS = "\n".join(f"  a{i} = f32[8] get-tuple-element(t), index={i}" for i in range(COUNT))
ONE_TUPLE = f"""HloModule m
ENTRY main {{
  t = {TUPLE} parameter(0)
{ELEMENTS}
  ROOT r = f32[8] add(a0, a{COUNT - 1})
}}"""


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of arguments that each call of `insert_arg` and `erase_arg` copied."""
    lengths: list[int] = []
    insert, erase = Block.insert_arg, Block.erase_arg

    def insert_arg(block: Block, type: Attribute, *rest: int) -> BlockArgument:
        lengths.append(len(block.args))
        return insert(block, type, *rest)

    def erase_arg(block: Block, argument: BlockArgument, safe_erase: bool = True) -> None:
        lengths.append(len(block.args))
        erase(block, argument, safe_erase)

    monkeypatch.setattr(Block, "insert_arg", insert_arg)
    monkeypatch.setattr(Block, "erase_arg", erase_arg)
    return lengths


@pytest.mark.parametrize("text", [MANY, ONE_TUPLE])
def test_arguments_are_inserted_and_erased_at_once(text: str, copied: list[int]):
    xshardy.compile_program(text)
    assert sum(copied) <= 4 * COUNT
