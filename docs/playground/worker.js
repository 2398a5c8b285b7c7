// Python in a worker. Messages: {pyodide, packages} starts it; {id, question, text, option} gets {id, result}.
let answer = null;

async function start({ pyodide: folder, packages }) {
  const { loadPyodide } = await import(new URL("pyodide.mjs", folder).href);
  const [python, archive] = await Promise.all([
    loadPyodide({ indexURL: folder }),
    fetch(packages).then(response => response.arrayBuffer()),
  ]);
  python.FS.writeFile("/packages.zip", new Uint8Array(archive));
  python.runPython("import sys; sys.path.insert(0, '/packages.zip')");
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
