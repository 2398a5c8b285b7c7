"""A parser of arguments that suggests what is close to a word that it does not know."""

import argparse
from collections.abc import Iterable
from typing import Any

from xshardy.close_names import did_you_mean


class Parser(argparse.ArgumentParser):
    """As `argparse.ArgumentParser`; a parser of a command rejects unknown options itself, with its own usage."""

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride]  # it is generic
        self, args: Iterable[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            name = unknown[0].partition("=")[0]
            hint = did_you_mean(name, self._option_string_actions) if name.startswith("-") else ""
            self.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        return found, unknown

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            choices = [*map(str, action.choices)]
            hint = did_you_mean(str(value), choices)
            message = f"invalid choice: '{value}'{hint} (choose from {', '.join(choices)})"
            raise argparse.ArgumentError(action, message)
