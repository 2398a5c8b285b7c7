"""A puzzle: its page, the files that the page gives, and its checker."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.resources import files
from io import StringIO
from typing import Any

from xshardy.programs.source import Source
from xshardy.tools.puzzles import PUZZLES

_FILE = re.compile(r'^```\w+ title="([^"]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)
_HINT = re.compile(r"^<details.*?>\n<summary>.*?</summary>\n\n(.*?)\n\n</details>$", re.MULTILINE | re.DOTALL)


class StillWrong(Exception):
    """An answer is not right yet; the message says why, and is for the one who wrote it."""


@dataclass(frozen=True)
class Puzzle:
    """The puzzle of a row of `PUZZLES`."""

    name: str

    @cached_property
    def page(self) -> str:
        """The page, in Markdown."""
        return (files("xshardy.tools.puzzles") / "pages" / f"{self.name}.md").read_text(encoding="utf-8")

    @property
    def title(self) -> str:
        """The first heading of the page."""
        return self.page.partition("\n")[0].removeprefix("# ")

    @property
    def task(self) -> str:
        """The page without the hint."""
        return _HINT.sub("", self.page).rstrip() + "\n"

    @property
    def hint(self) -> str:
        """The text that the page folds away."""
        (hint,) = _HINT.findall(self.page)
        return hint

    @property
    def given(self) -> Mapping[str, str]:
        """The files on the page; the one with the name `start` is what the answer starts from."""
        return dict(_FILE.findall(self.page))

    @property
    def start(self) -> Source:
        """The file that the answer starts from."""
        (source,) = (Source(text, name) for name, text in self.given.items() if name.startswith("start."))
        return source

    def check(self, answer: Source) -> str:
        """A sentence about an answer that is right. Raises `StillWrong`, and what reading the answer raises."""
        module, _, function = PUZZLES[self.name].partition(":")
        checker: Callable[[Source, Puzzle], str] = getattr(import_module(f"{__package__}.{module}"), function)
        return checker(answer, self)

    def judge(self, answer: Source) -> tuple[bool, str]:
        """Whether an answer is right, and what to say of it. Raises what reading the answer raises."""
        try:
            return True, f"Right. {self.check(answer)}"
        except StillWrong as wrong:
            return False, f"Not yet. {wrong}"


def puzzles() -> Sequence[Puzzle]:
    """All puzzles, in their order."""
    return [*map(Puzzle, PUZZLES)]


def require(holds: bool, *words: str) -> None:
    """Raise `StillWrong` with lines of words, unless it holds."""
    if not holds:
        raise StillWrong("\n".join(words))


def printed(show: Callable[..., object], *arguments: Any) -> str:
    """What `show` prints of its arguments."""
    with redirect_stdout(StringIO()) as shown:
        show(*arguments)
    return shown.getvalue().rstrip()
