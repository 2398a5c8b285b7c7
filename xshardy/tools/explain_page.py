"""A self-contained HTML page about the shardings of a program: its text, a colour per axis, and the paths of axes."""

import html
import json
import re
from collections.abc import Sequence
from typing import TypedDict

from xdsl.ir import Operation

from xshardy.syntax.locations import without_locations
from xshardy.tools.explain import Story, axis_text
from xshardy.tools.output import printable
from xshardy.tools.sharded_program import ShardedProgram
from xshardy.transforms.sdy_propagation.numbering import FunctionResult


class Entry(TypedDict):
    """The data of a value: its line, and the lines on the paths of its axes."""

    line: int
    name: str
    dims: Sequence[Sequence[str]]
    """The axes of each dimension."""
    story: Sequence[str]
    path: Sequence[int]


def entries(program: ShardedProgram) -> Sequence[Entry]:
    """All values in the text of `program`, in text order."""
    found: list[Entry] = []
    history = program.history
    for number in history.numbers():
        home = history.home(number)
        owner = home.function if isinstance(home, FunctionResult) else home.owner
        op = owner if isinstance(owner, Operation) else owner.parent_op()
        line = None if op is None else program.names.line(op)
        if line is None:
            continue
        story, sharding = Story(program, number), history.sharding(number)
        dims = [] if sharding is None else [[axis_text(a) for a in dim.axes] for dim in sharding.dim_shardings]
        path = sorted({place for op in story.touched() if (place := program.names.line(op)) is not None})
        found.append(
            {"line": line, "name": story.name(number), "dims": dims, "story": list(story.lines()), "path": path}
        )
    return found


def page(program: ShardedProgram, title: str) -> str:
    """The page: HTML 5 without external resources."""
    lines = without_locations(program.text).removesuffix("\n").split("\n")
    data = {"lines": lines, "values": entries(program)}
    # No text of the program can end the script or begin a comment in it: in JSON, `<` stands in strings only.
    script = json.dumps(data).replace("<", "\\u003c")
    parts = {"@TITLE@": html.escape(printable(title)), "@DATA@": script}
    return re.sub("|".join(parts), lambda match: parts[match[0]], PAGE)  # in one pass: a title can be `@DATA@`


PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>@TITLE@</title>
<style>
  body { display: grid; grid-template-columns: 3fr 2fr; gap: 1em; margin: 1em; font: 13px/1.5 system-ui, sans-serif; }
  h1, #legend { grid-column: 1 / 3; margin: 0; font-size: 16px; }
  #program { font-family: ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; min-width: 0; }
  #program div { padding-left: 6em; text-indent: -6em; }
  #story { position: sticky; top: 1em; align-self: start; white-space: pre-wrap; }
  #legend .axis { margin-right: 6px; }
  .number { display: inline-block; width: 4em; text-indent: 0; color: #888; user-select: none; }
  .path { background: #fff3c4; }
  button { border: 1px solid #bbb; border-radius: 4px; background: #fff; margin-left: 6px; font: inherit;
           text-indent: 0; }
  button.chosen { border-color: #000; box-shadow: 0 0 0 1px #000; }
  .axis { border-radius: 3px; padding: 0 3px; color: #fff; }
</style>
<h1>@TITLE@</h1>
<div id="legend"></div>
<div id="program"></div>
<div id="story">Click a sharding: its path is marked, and told here.</div>
<script id="data" type="application/json">@DATA@</script>
<script>
  const { lines, values } = JSON.parse(document.getElementById("data").textContent);
  const axes = [...new Set(values.flatMap(v => v.dims.flat()).map(a => a.split(":")[0]))].sort();
  const colour = axis => `hsl(${axes.indexOf(axis.split(":")[0]) * 360 / axes.length + 210} 60% 42%)`;
  const make = (tag, className, text) => {
    const element = document.createElement(tag);
    element.className = className;
    element.textContent = text;
    return element;
  };
  const chip = axis => {
    const element = make("span", "axis", axis.replaceAll('"', ""));
    element.style.background = colour(axis);
    return element;
  };
  document.getElementById("legend").append(...axes.map(chip));
  const rows = lines.map((text, index) => {
    const row = make("div", "", "");
    row.append(make("span", "number", index + 1), text);
    document.getElementById("program").append(row);
    return row;
  });
  for (const value of values) {
    const button = make("button", "", value.name.split(" (line")[0] + " ");
    value.dims.forEach((dim, index) => {
      button.append(index ? ", " : "[", ...(dim.length ? dim.map(chip) : ["-"]));
    });
    button.append(value.dims.length ? "]" : "not sharded");
    button.onclick = () => {
      document.querySelectorAll(".chosen").forEach(other => other.classList.remove("chosen"));
      button.classList.add("chosen");
      rows.forEach((row, index) => row.classList.toggle("path", value.path.includes(index + 1)));
      document.getElementById("story").textContent = value.story.join("\\n");
    };
    rows[value.line - 1].append(button);
  }
</script>
</html>
"""
