"use strict";

/** The classes of parts of MLIR, HLO text, LLVM IR and PTX; the first that matches a part wins. */
const PARTS = [
  ["comment", /\/\/.*|\/\*.*?\*\//],
  ["string", /"(?:[^"\\]|\\.)*"/],
  ["value", /%[\w$.\-]+(?:#\d+)?/],
  ["symbol", /[@#^][\w$.\-]+|\$\w+/],
  ["type", /![a-z_]\w*(?:\.\w+)*|\b(?:tensor|vector|memref|complex|tuple)(?=<)|\b(?:bf|tf|pred|[fsuib])\d+\w*\b(?:\[[\d,]*\](?:\{[\d,]*\})?)?|\bpred\b(?:\[[\d,]*\])?|\bindex\b/],
  ["operation", /\b(?:[a-z_]\w*\.)+[a-z_]\w*\b|\b[a-z][\w\-]*(?=\()|\b(?:return|module|func)\b/],
];
const PATTERN = new RegExp(PARTS.map(([, part]) => `(${part.source})`).join("|"), "g");

/** `line` as text and spans. */
function highlighted(line) {
  const nodes = [];
  let end = 0;
  for (const match of line.matchAll(PATTERN)) {
    nodes.push(line.slice(end, match.index));
    nodes.push(element("span", PARTS[match.slice(1).findIndex(part => part !== undefined)][0], match[0]));
    end = match.index + match[0].length;
  }
  return [...nodes, line.slice(end)];
}
