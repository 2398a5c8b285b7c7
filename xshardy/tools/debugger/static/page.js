"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const byId = id => document.getElementById(id);
const ROW = 18, THREADS = 32;
const canvas = byId("strips"), pen = canvas.getContext("2d");
const starts = [];
let total = 0;
for (const [first, end] of data.runs) { starts.push(total); total += end - first; }

/** The first step that is shown, and how many are. */
function shown() {
  const width = Math.min(Math.max(total ** (1 - byId("zoom").value / 100), 8), total);
  return [byId("from").value / 1000 * Math.max(total - width, 0), width];
}

const colour = at => `hsl(${Math.round(300 * at / Math.max(data.instructions.length, 1))} 65% 50%)`;

function draw() {
  canvas.width = canvas.clientWidth;
  canvas.height = ROW * data.warps.length;
  const [from, width] = shown(), scale = canvas.width / width;
  data.runs.forEach(([first, end, activity], number) => {
    const start = starts[number];
    if (start > from + width || start + end - first < from) return;
    // One rectangle for each instruction while they are wide enough to be told apart.
    const step = scale >= 3 ? 1 : end - first;
    for (let at = first; at < end; at += step) {
      pen.fillStyle = colour(at);
      for (const [row, threads] of data.activities[activity]) {
        const height = (ROW - 2) * threads / THREADS;
        const gap = scale >= 6 ? 1 : 0;
        pen.fillRect((start + at - first - from) * scale, ROW * (row + 1) - 1 - height,
                     Math.max(step * scale - gap, .5), height);
      }
    }
  });
}

/** The run at a step. */
function runAt(step) {
  let low = 0, high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (starts[middle] <= step) low = middle; else high = middle - 1;
  }
  return low;
}

function say(event) {
  const [from, width] = shown(), box = canvas.getBoundingClientRect();
  const step = Math.floor(from + (event.clientX - box.left) / box.width * width);
  if (step < 0 || step >= total) return;
  const number = runAt(step), [first, , activity] = data.runs[number], at = first + step - starts[number];
  const row = Math.floor((event.clientY - box.top) / ROW);
  const active = (data.activities[activity].find(([each]) => each === row) || [row, 0])[1];
  byId("said").textContent = `step ${step}: ${data.warps[row]}, ${active} active threads\n${data.instructions[at]}`;
  for (const each of document.querySelectorAll(".marked")) each.classList.remove("marked");
  const line = byId("program").children[at];
  line.classList.add("marked");
  byId("program").scrollTop = line.offsetTop - byId("program").offsetTop - byId("program").clientHeight / 2;
}

const element = text => Object.assign(document.createElement("div"), {textContent: text});
byId("cut").textContent = data.cut;
byId("names").append(...data.warps.map(element));
byId("program").append(...data.instructions.map(element));
for (const id of ["zoom", "from"]) byId(id).addEventListener("input", draw);
window.addEventListener("resize", draw);
canvas.addEventListener("mousemove", say);
draw();
