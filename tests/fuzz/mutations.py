"""Random changes of a text by tokens and lines. They know nothing of the grammar but what a token is."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from random import Random

from xshardy.tools.reducing import TOKEN

NUMBERS = (
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "255",
    "65536",
    "2147483648",
    "4294967295",
    "9223372036854775808",
    "1e309",
    "-0.0",
)
CHARACTERS = ("\0", "\x1b", "\ufeff", "é", "𝔘", "\r", "\t", '"', "\\", "{", "}", "<", ">", "(", ")", "[", "]", "%", "-")

Mutation = Callable[[Random, list[str], list[str]], None]
"""Changes the tokens or lines of a text in place; the third are those of another text."""


def kind_of(token: str) -> str:
    """What may stand for what: names with the same sigil, numbers, strings, words, spaces, punctuation by itself."""
    if token[0].isdigit():
        return "0"
    if token[0].isalpha():
        return "a"
    return token[0] if not token.isspace() else " "


def delete(random: Random, parts: list[str], _: list[str]) -> None:
    start = random.randrange(len(parts))
    del parts[start : start + random.choice((1, 1, 1, 2, 4, 8))]


def duplicate(random: Random, parts: list[str], _: list[str]) -> None:
    start = random.randrange(len(parts))
    parts[start:start] = parts[start : start + random.choice((1, 1, 2, 4))]


def exchange(random: Random, parts: list[str], _: list[str]) -> None:
    i, j = random.randrange(len(parts)), random.randrange(len(parts))
    parts[i], parts[j] = parts[j], parts[i]


def move(random: Random, parts: list[str], _: list[str]) -> None:
    parts.insert(random.randrange(len(parts)), parts.pop(random.randrange(len(parts))))


def insert_other(random: Random, parts: list[str], others: list[str]) -> None:
    start = random.randrange(len(others))
    position = random.randrange(len(parts))
    parts[position:position] = others[start : start + random.choice((1, 1, 2, 5))]


def replace_by_own(random: Random, parts: list[str], _: list[str]) -> None:
    _replace_by(random, parts, parts)


def replace_by_other(random: Random, parts: list[str], others: list[str]) -> None:
    _replace_by(random, parts, others)


def _replace_by(random: Random, parts: list[str], source: Sequence[str]) -> None:
    position = random.randrange(len(parts))
    twins = [each for each in source if kind_of(each) == kind_of(parts[position]) and each != parts[position]]
    if twins:
        parts[position] = random.choice(twins)


def change_number(random: Random, parts: list[str], _: list[str]) -> None:
    positions = [i for i, part in enumerate(parts) if part[0].isdigit()]
    if positions:
        position = random.choice(positions)
        near = [str(int(parts[position]) + step) for step in (-1, 1)] if parts[position].isdigit() else []
        parts[position] = random.choice((*NUMBERS, *near, *near, *near))


def insert_character(random: Random, parts: list[str], _: list[str]) -> None:
    parts.insert(random.randrange(len(parts)), random.choice(CHARACTERS))


def truncate(random: Random, parts: list[str], _: list[str]) -> None:
    del parts[random.randrange(len(parts)) :]


OF_TOKENS: Mapping[Mutation, int] = {
    replace_by_own: 6,
    replace_by_other: 6,
    change_number: 5,
    delete: 3,
    exchange: 2,
    duplicate: 1,
    insert_other: 1,
    insert_character: 1,
    truncate: 1,
}
"""Mutations of a list of tokens, with their weights."""

OF_LINES: Mapping[Mutation, int] = {delete: 3, duplicate: 2, exchange: 2, move: 3, insert_other: 3}


@cache
def tokens_of(text: str) -> tuple[str, ...]:
    return tuple(TOKEN.findall(text))


def mutated(random: Random, text: str, other: str, count: int) -> str:
    """`text` after `count` random mutations; pieces of `other` may come in."""
    for _ in range(count):
        by_lines = random.random() < 0.2
        table = OF_LINES if by_lines else OF_TOKENS
        split = _lines_of if by_lines else tokens_of
        parts, others = list(split(text)), list(split(other))
        if not parts or not others:
            return text
        (mutation,) = random.choices(list(table), list(table.values()))
        mutation(random, parts, others)
        text = "".join(parts)
    return text


def _lines_of(text: str) -> list[str]:
    return text.splitlines(keepends=True)
