"""Headings of dumps in all their forms, and what users call a dump."""

import pytest

from xshardy.syntax.pass_dumps import UnknownDumpError, chosen, dumps_in

HEADINGS = {
    "// -----// IR Dump Before CSEPass: cse ('builtin.module' operation: @m) //----- //": (
        "before",
        ["CSEPass", "cse"],
    ),
    "// -----// IR Dump After Canonicalizer (canonicalize) //----- //": ("after", ["Canonicalizer", "canonicalize"]),
    "// -----// IR Dump After FooPass: xla-foo{a=1 b=2} Failed //----- //": ("after", ["FooPass", "xla-foo"]),
    "// -----// IR after canonicalize //----- //": ("after", ["canonicalize"]),
    "// -----// IR dump after emit //----- //": ("after", ["emit"]),
}


@pytest.mark.parametrize("heading", HEADINGS)
def test_headings(heading: str):
    (dump,) = dumps_in(f"any(cse)\n\n{heading}\nmodule {{}}\n")
    assert (dump.when, list(dump.names)) == HEADINGS[heading]


@pytest.mark.parametrize(
    "text", ["module {}", "// -----\nmodule {}", "// CHECK: // -----// IR Dump Before X //----- //", ""]
)
def test_other_texts_are_no_logs(text: str):
    assert not dumps_in(text)


def test_a_dump_is_the_text_up_to_the_next_heading():
    log = "".join(f"{heading}\nmodule {{}} // {i}\n" for i, heading in enumerate(HEADINGS))
    dumps = dumps_in(log)
    assert [log[dump.start : dump.end].strip() for dump in dumps] == [
        f"module {{}} // {i}" for i in range(len(HEADINGS))
    ]
    assert not dumps_in("".join(f"{heading}\n\n" for heading in HEADINGS))


def test_dumps_are_chosen_by_pass_number_and_last():
    dumps = dumps_in("".join(f"{heading}\nmodule {{}}\n" for heading in HEADINGS))
    assert list(chosen(dumps, "canonicalize")) == [dumps[1], dumps[3]]
    assert list(chosen(dumps, "xla-gpu-foo")) == list(chosen(dumps, "FooPass")) == [dumps[2]]
    assert list(chosen(dumps, "1")) == [dumps[0]]
    assert list(chosen(dumps, "last")) == [dumps[-1]]
    for wanted in ("nothing", "0", "6"):
        with pytest.raises(UnknownDumpError, match=wanted):
            chosen(dumps, wanted)
