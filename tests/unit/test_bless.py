"""`make bless`: check lines become what the tools print, and nothing else changes."""

import subprocess
import sys
from pathlib import Path

import pytest
from check_lines import Refusal
from check_update import updated

BLESS = Path(__file__).parents[2] / "scripts" / "bless"

CHECKS = """\
// RUN: cat %S/printed | filecheck %s
// What each function does.
// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[X:.*]]: i32)
// CHECK-NEXT:    %[[Y:.*]] = arith.addi %[[X]], %[[X]] : i32
// CHECK-NOT:     arith.muli
// CHECK-NEXT:    return %[[Y]] : i32
// CHECK-LABEL: func.func @g
// CHECK:         test.op
// CHECK-NEXT:    return"""

PRINTED = """\
module {
  func.func @f(%x: i32) {
    %0 = arith.addi %x, %x : i32
    return %0 : i32
  }
  func.func @g() {
    %0 = test.before
    %1 = test.op
    return
  }
}
"""


def after(printed: str, checks: str = CHECKS) -> list[str]:
    """The check lines that are new for what is printed."""
    lines = checks.split("\n")
    return [line for line in updated(lines, ["CHECK"], printed) if line not in lines]


def test_checks_that_match_stay():
    assert updated(CHECKS.split("\n"), ["CHECK"], PRINTED) == CHECKS.split("\n")


def test_a_changed_line_is_written_with_the_variables_of_the_test():
    changed = PRINTED.replace("%0 = arith.addi %x, %x", "%sum = arith.subi %x, %y").replace("return %0", "return %sum")
    assert after(changed) == ["// CHECK-NEXT:    %[[Y:.*]] = arith.subi %[[X]], %y : i32"]


def test_a_new_line_is_inserted_where_lines_follow_each_other():
    new = PRINTED.replace("    return %0", "    test.use %0, %x\n\n    return %0")
    checks = updated(CHECKS.split("\n"), ["CHECK"], new)
    assert checks[4:9] == [
        "// CHECK-NEXT:    %[[Y:.*]] = arith.addi %[[X]], %[[X]] : i32",
        "// CHECK-NEXT:    test.use %[[Y]], %[[X]]",
        "// CHECK-EMPTY:",
        "// CHECK-NOT:     arith.muli",
        "// CHECK-NEXT:    return %[[Y]] : i32",
    ]


def test_a_check_of_a_line_that_is_gone_goes():
    gone = PRINTED.replace("    %0 = arith.addi %x, %x : i32\n", "").replace("return %0", "return %x")
    assert after(gone) == ["// CHECK-NEXT:    return %[[X]] : i32"]
    assert len(updated(CHECKS.split("\n"), ["CHECK"], gone)) == len(CHECKS.split("\n")) - 1


def test_a_part_of_a_line_is_replaced_between_those_that_match():
    checks = "// CHECK-LABEL: @f(\n// CHECK-SAME: %x: f32\n// CHECK-SAME: -> i32"
    assert after("func.func @f(%x: i64) -> i32 {", checks) == ["// CHECK-SAME: %x: i64)"]


def test_results_and_types_that_a_check_leaves_out_stay_out():
    assert after("f\n  %0 = arith.subi %x, %x : i32\n", "// CHECK: f\n// CHECK-NEXT: arith.addi %x") == [
        "// CHECK-NEXT: arith.subi %x, %x"
    ]


def test_names_are_as_in_the_check():
    checks = "// CHECK: f\n// CHECK-NEXT: %{{.*}} = arith.addi %{{.*}}, %x"
    assert after("f\n%3 = arith.subi %2, %x", checks) == ["// CHECK-NEXT: %{{.*}} = arith.subi %{{.*}}, %x"]


def test_variables_of_other_functions_are_not_used():
    checks = "// CHECK-LABEL: @f\n// CHECK-NEXT: %[[X:.*]] = a\n// CHECK-LABEL: @g\n// CHECK-NEXT: b %0"
    assert after("@f\n%0 = a\n@g\nc %0", checks) == ["// CHECK-NEXT: c %0"]


def test_what_has_a_meaning_in_patterns_is_escaped():
    assert after("f\na [[x]] {{y}}", "// CHECK: f\n// CHECK-NEXT: b") == [r"// CHECK-NEXT: a {{\[\[}}x]] {{\{\{}}y}}"]


@pytest.mark.parametrize(
    ("printed", "reason"),
    [
        (PRINTED.replace("@g", "@h"), "line 8: no line of the output has this label: func.func @g"),
        (
            PRINTED.replace("test.before", "a").replace("test.op", "b"),
            "line 9: no line of the output is like this: test.op",
        ),
        (PRINTED.replace("%x: i32) {", ""), "line 4: the output has nothing where this was"),
        (
            PRINTED.replace("    return %0", "    arith.muli %0, %0\n    return %0"),
            "line 6: the output has what this excl",
        ),
    ],
)
def test_what_needs_a_person_is_refused(printed: str, reason: str):
    with pytest.raises(Refusal, match=reason):
        updated(CHECKS.split("\n"), ["CHECK"], printed)


def bless(file: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, BLESS, file], capture_output=True, text=True, check=False)


def test_the_difference_is_printed_and_written(tmp_path: Path):
    file = tmp_path / "test.mlir"
    file.write_text(CHECKS)
    (tmp_path / "printed").write_text(PRINTED.replace("addi", "subi"))
    done = bless(file)
    assert done.returncode == 0, done.stderr
    assert "-// CHECK-NEXT:    %[[Y:.*]] = arith.addi" in done.stdout
    assert "+// CHECK-NEXT:    %[[Y:.*]] = arith.subi" in done.stdout
    assert file.read_text() == CHECKS.replace("addi", "subi")
    assert bless(file).stdout == f"{file}: up to date\n"


def test_a_test_that_would_still_fail_is_left(tmp_path: Path):
    file = tmp_path / "test.mlir"
    text = CHECKS.replace("// CHECK-LABEL: func.func @g", "// CHECK-NOT:     arith.muli\n// CHECK-LABEL: func.func @g")
    file.write_text(text)
    (tmp_path / "printed").write_text(PRINTED.replace("  }", "    arith.muli\n  }"))
    done = bless(file)
    assert done.returncode == 1
    assert f"{file}: not updated: the updated checks do not match" in done.stderr
    assert file.read_text() == text


def test_commands_that_fail_are_not_blessed(tmp_path: Path):
    file = tmp_path / "test.mlir"
    file.write_text(CHECKS)
    done = bless(file)
    assert done.returncode == 1
    assert "not updated: a command of a RUN line fails: cat " in done.stderr
