"""Which spelling of indexing maps is printed."""

from importlib import metadata

import pytest

from xshardy.affine import spelling as module
from xshardy.affine.spelling import VARIABLE, Spelling, spelled, spelling
from xshardy.affine.text import parse_indexing_map
from xshardy.tools import entry


def test_asked_for_in_code():
    map = parse_indexing_map("(d0) -> (d0 / 2), domain: d0 in [0, 3]")
    with spelled(Spelling.SYMBOLIC):
        assert str(map).startswith("(d0) -> (d0 / 2)")
        with spelled(None):
            assert spelling() is Spelling.SYMBOLIC
        with spelled(Spelling.AFFINE):
            assert str(map).startswith("(d0) -> (d0 floordiv 2)")


@pytest.mark.parametrize(
    ("installed", "expected"),
    [("0.10.2", Spelling.AFFINE), ("0.11.0", Spelling.SYMBOLIC), ("1.0", Spelling.SYMBOLIC), (None, Spelling.AFFINE)],
)
def test_of_the_installed_jaxlib(installed, expected, monkeypatch):
    def version(name: str) -> str:
        if installed is None:
            raise metadata.PackageNotFoundError(name)
        return installed

    monkeypatch.delenv(VARIABLE)
    monkeypatch.setattr(metadata, "version", version)
    module._of_jaxlib.cache_clear()
    try:
        assert spelling() is expected
    finally:
        module._of_jaxlib.cache_clear()


def test_an_unknown_name_is_an_error_of_the_commands(monkeypatch, capsys):
    monkeypatch.setenv(VARIABLE, "unknown")
    with pytest.raises(ValueError, match="XSHARDY_MAPS=unknown: expected one of affine, symbolic"):
        spelling()
    assert entry.xshardy_opt() == 1
    assert capsys.readouterr().err == "error: XSHARDY_MAPS=unknown: expected one of affine, symbolic\n"
