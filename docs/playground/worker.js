// Python in a worker. Messages: {pyodide, packages} starts it; {id, question, text, option} gets {id, result}.
const UNPACK = `
import lzma, sys
from pathlib import Path
Path("/packages.zip").write_bytes(lzma.decompress(Path("/packages.zip.xz").read_bytes()))
sys.path.insert(0, "/packages.zip")
`;
let answer = null;

async function start({ pyodide: folder, packages }) {
  const { loadPyodide } = await import(new URL("pyodide.mjs", folder).href);
  const [python, archive] = await Promise.all([
    loadPyodide({ indexURL: folder }),
    fetch(packages).then(response => response.arrayBuffer()),
  ]);
  python.FS.writeFile("/packages.zip.xz", new Uint8Array(archive));
  python.runPython(UNPACK);
  answer = python.pyimport("xshardy.tools.playground").answer;
  return "ready";
}

let last = Promise.resolve(); // one after the other
onmessage = ({ data }) => {
  last = last.then(async () => {
    try {
      const result = data.question ? JSON.parse(answer(data.question, data.text, data.option)) : await start(data);
      postMessage({ id: data.id, result });
    } catch (error) {
      postMessage({ id: data.id, error: String(error.message ?? error) });
    }
  });
};
