"""The passes in the help of xshardy-opt."""

from xshardy.tools.pass_listing import SECTIONS, first_sentence, listing, paragraph
from xshardy.tools.xshardy_opt import run
from xshardy.universe import PASSES, load


def test_sentences_are_those_of_the_classes():
    for name, reference in PASSES.items():
        sentence = first_sentence(reference)
        assert sentence and paragraph(load(reference).__doc__).startswith(sentence), name


def test_the_help_lists_every_pass_under_a_heading():
    status, printed, _ = run(["--help"], "")
    assert status == 0
    lines = printed.splitlines()
    assert all(f"  {heading}:" in lines for heading in SECTIONS.values())
    assert {line.split()[0] for line in lines if line.startswith("    ") and line.strip()} >= PASSES.keys()


def test_lines_have_the_width_of_the_terminal():
    text = listing([*PASSES, "convert-scf-to-cf"], 80)
    assert max(map(len, text.splitlines())) <= 80
    assert text.endswith("  of xDSL and other packages:\n    convert-scf-to-cf\n")
