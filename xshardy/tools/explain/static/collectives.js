// What the devices send to each other, and why. Collectives that differ in numbers only, as those of layers, are one row.
const collectives = data.collectives.map(([kind, axes, bytes, times, isExact, tensor, operation, line, cause]) => ({
  kind, axes, bytes, times, isExact, tensor, operation, line, cause,
}));
const collectivesOfLine = grouped(collectives, ({ line }) => line);

function collectiveGroups() {
  const alike = ({ kind, axes, bytes, cause }) => JSON.stringify([kind, axes, bytes, cause.replace(/\d+/g, "")]);
  return [...grouped(collectives, alike).values()].map(members => {
    const times = members.reduce((sum, member) => sum + member.times, 0);
    return { ...members[0], members, times, total: times * members[0].bytes };
  });
}

function collectiveCell({ members }) {
  const items = members.map(({ tensor, operation, line, cause, isExact }) => make("li", "",
    `${tensor} for `, lineLink(line, operation), isExact ? "" : ", in a branch or a loop of unknown length",
    make("div", "faint", cause)));
  return [folded(make("ul"), items, 1, "alike")];
}

function collectivesView() {
  const groups = collectiveGroups();
  const sum = groups.reduce((total, group) => total + group.total, 0);
  return make("section", "",
    make("p", "", `Each device sends ${inBytes(sum)} in ${groups.reduce((total, { times }) => total + times, 0)} collectives.`),
    sortable([
      { title: "sent", className: "number", of: row => row.total, show: row => [inBytes(row.total)] },
      { title: "collective", of: row => row.kind },
      { title: "along", of: row => row.axes },
      { title: "times", className: "number", of: row => row.times },
      { title: "of which tensor, and why", of: row => row.line, show: collectiveCell },
    ], groups, 0));
}

// `all-reduce 16 KiB`: what the operation of a line needs.
function collectiveBadges(line) {
  return (collectivesOfLine.get(line) ?? []).map(({ kind, bytes, times, cause }) => {
    const badge = button("collective", [`${kind} ${inBytes(bytes * times)}`], () => showView("Collectives"));
    badge.title = cause;
    return badge;
  });
}
