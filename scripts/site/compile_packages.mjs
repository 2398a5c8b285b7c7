// node compile_packages.mjs PYODIDE SOURCES.zip COMPILED.zip EXAMPLES.json: the modules that answers about the examples
// load, as bytecode of the Python in Pyodide, which is the folder of its npm package. A browser starts twice as fast.
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

const COMPILE = `
import json
import sys
from importlib._bootstrap_external import _code_to_timestamp_pyc
from zipfile import ZipFile

sys.path.insert(0, "/sources.zip")
from xshardy.tools.playground import PIPELINE, answer

for example in json.loads(examples):
    for question in [example["question"]] if "question" in example else ["shardings", "plan", "device", "passes"]:
        found = answer(question, example["text"], example.get("option", PIPELINE))
        assert json.loads(found)["answer"], (question, example["title"], found)
loaded = {getattr(module, "__file__", None) for module in sys.modules.values()}
with ZipFile("/sources.zip") as sources, ZipFile("/compiled.zip", "w") as out:
    for info in sources.infolist():
        data = sources.read(info)
        if "/sources.zip/" + info.filename in loaded:
            data = _code_to_timestamp_pyc(compile(data, info.filename, "exec", dont_inherit=True))
            info.filename += "c"
        out.writestr(info, data)
`;

process.on("uncaughtException", error => {
  console.error(String(error.message).slice(-2000)); // without the line of Pyodide's source, a megabyte
  process.exit(1);
});
const [folder, sources, compiled, examples] = process.argv.slice(2);
const { loadPyodide } = await import(resolve(folder, "pyodide.mjs"));
const python = await loadPyodide();
python.FS.writeFile("/sources.zip", new Uint8Array(readFileSync(sources)));
python.globals.set("examples", readFileSync(examples, "utf8"));
python.runPython(COMPILE);
writeFileSync(compiled, python.FS.readFile("/compiled.zip"));
