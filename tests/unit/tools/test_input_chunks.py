"""Logs of passes as input of `xshardy-opt`."""

from xshardy.tools.xshardy_opt import run

HEADING = "// -----// IR Dump Before {}Pass: {} ('builtin.module' operation) //----- //\n"
LOG = (
    f"any(cse)\n\n{HEADING.format('CSE', 'cse')}module {{\n}}\n\n{HEADING.format('Foo', 'foo')}module {{\n  oops\n}}\n"
)


def test_a_diagnostic_has_its_line_in_the_log():
    status, output, complaint = run([], LOG)
    assert (status, output) == (1, "")
    assert "<stdin>:9:3: error: operation 'oops' is not registered" in complaint


def test_the_other_dumps_of_a_broken_log_can_be_taken():
    assert run(["--stage", "cse"], LOG) == (0, "module {\n}\n", "")
    assert run(["--list-stages"], LOG)[1].split() == ["1", "before", "cse", "CSEPass", "2", "before", "foo", "FooPass"]


def test_wrong_stages_are_wrong_usage():
    assert run(["--stage", "bar"], LOG)[2] == "error: <stdin>: there is no dump of a pass 'bar': the log has cse, foo\n"
    assert "there is no dump 3: the log has 2" in run(["--stage", "3"], LOG)[2]
    assert "--stage needs a log of passes" in run(["--stage", "cse"], "module {}")[2]


def test_a_log_is_no_reason_to_read_text_that_is_none():
    status, _, complaint = run([], LOG.replace("oops", "\udcff").encode(errors="surrogateescape").decode("latin-1"))
    assert status == 1 and "9:3: error" in complaint
