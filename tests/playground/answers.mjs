// node answers.mjs PACKAGES.zip.xz < QUESTIONS: the answers of xshardy.tools.playground in Pyodide.
// QUESTIONS is JSON, a list of [question, text, passes]; a line of JSON comes out for each: {answer, milliseconds}.
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { loadPyodide } from "pyodide";

process.on("uncaughtException", error => {
  console.error(String(error.message).slice(-2000)); // without the line of Pyodide's source, a megabyte
  process.exit(1);
});
const python = await loadPyodide();
python.FS.writeFile("/packages.zip.xz", new Uint8Array(readFileSync(process.argv[2])));
python.runPython(`
import lzma, sys
from pathlib import Path
Path("/packages.zip").write_bytes(lzma.decompress(Path("/packages.zip.xz").read_bytes()))
sys.path.insert(0, "/packages.zip")
`);
const begin = performance.now();
const { answer } = python.pyimport("xshardy.tools.playground");
console.error(`${Math.round(performance.now() - begin)} ms to import`);
for (const asked of JSON.parse(await text(process.stdin))) {
  const start = performance.now();
  console.log(JSON.stringify({ answer: answer(...asked), milliseconds: performance.now() - start }));
}
