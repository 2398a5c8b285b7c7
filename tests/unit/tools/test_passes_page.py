"""The page of passes is what the code says, and every pass is patterns or says why it is not."""

from pathlib import Path

from xshardy.rewriting import PatternPass
from xshardy.tools.passes_page import page
from xshardy.universe import PASSES, load

PAGE = Path(__file__).parents[3] / "docs" / "passes.md"


def test_the_page_is_up_to_date():
    assert PAGE.read_text() == page(), "run `python -m xshardy.tools.passes_page > docs/passes.md`"


def test_every_pass_is_patterns_or_says_why_not():
    for name, reference in PASSES.items():
        pass_class = load(reference)
        assert pass_class.source, name
        assert issubclass(pass_class, PatternPass) != hasattr(pass_class, "no_patterns"), name
