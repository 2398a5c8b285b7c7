"""XLA's canonical text of a module: two texts are equal if their canonical texts are."""

from collections.abc import Mapping

from xla_oracle import read_by_xla


def canonical(texts: Mapping[str, str]) -> dict[str, str]:
    """What XLA prints of each of `texts`, or its complaint. Skips the test without jaxlib."""
    answers = {name: read_by_xla(text, prints=True) for name, text in texts.items()}
    return {name: f"XLA complains: {error}" if error else printed for name, (error, printed) in answers.items()}


def assert_round_trips(texts: Mapping[str, str], printed: Mapping[str, str]) -> None:
    """XLA reads what was `printed` of each of `texts` as the same module."""
    expected, found = canonical(texts), canonical(printed)
    for name, text in expected.items():
        assert not text.startswith("XLA "), f"{name}: {text}"
        assert found[name] == text, name
