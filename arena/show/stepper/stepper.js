// Steps through the positions of a match. `data` is written before this script.

const SVG = "http://www.w3.org/2000/svg";
const board = document.getElementById("board");
const said = document.getElementById("said");
const slider = document.getElementById("slider");
const items = [...document.querySelectorAll(".moves button")];
const last = data.lines.length - 1;

/** The pieces on all cells after each ply, from the changes of each. */
function states() {
  const found = [data.start];
  for (const changes of data.changes) {
    const next = [...found[found.length - 1]];
    for (let i = 0; i < changes.length; i += 2) next[changes[i]] = changes[i + 1];
    found.push(next);
  }
  return found;
}

/** Return a function that draws the position after so many plies. */
function painter() {
  if (!data.board) {
    const drawn = board.appendChild(document.createElement("pre"));
    return (ply) => { drawn.textContent = data.boards[ply]; };
  }
  const { size } = data.board;
  const drawn = board.appendChild(document.createElementNS(SVG, "svg"));
  drawn.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
  drawn.setAttribute("width", data.width);
  drawn.setAttribute("role", "img");
  drawn.setAttribute("font-family", "sans-serif");
  const all = states();
  let last = null; // the ply that is drawn
  return (ply) => {
    const [state, before] = [all[ply], all[Math.max(ply - 1, 0)]];
    drawn.innerHTML = boardSvg(data.board, state, before);
    if (last !== null && Math.abs(ply - last) === 1) glide(data.board, drawn, state, all[last]);
    last = ply;
    drawn.setAttribute("aria-label", data.lines[ply]);
  };
}

const paint = painter();
const buttons = Object.fromEntries(["first", "back", "next", "end"].map((id) => [id, document.getElementById(id)]));
let ply = 0;

function go(to) {
  ply = Math.max(0, Math.min(last, to));
  paint(ply);
  said.textContent = data.lines[ply];
  slider.value = ply;
  buttons.first.disabled = buttons.back.disabled = ply === 0;
  buttons.next.disabled = buttons.end.disabled = ply === last;
  items.forEach((item, i) => item.toggleAttribute("aria-current", i + 1 === ply));
  const list = document.getElementById("moves"), item = items[ply - 1];
  // scrollIntoView would scroll the notebook, too
  if (item) list.scrollTop = item.offsetTop - list.clientHeight / 2;
  else list.scrollTop = 0;
}

const steps = { first: () => go(0), back: () => go(ply - 1), next: () => go(ply + 1), end: () => go(last) };
for (const [id, step] of Object.entries(steps)) buttons[id].onclick = step;
slider.max = last;
slider.oninput = () => go(Number(slider.value));
items.forEach((item, i) => { item.onclick = () => go(i + 1); });
const keys = { Home: "first", ArrowLeft: "back", ArrowRight: "next", End: "end" };
document.onkeydown = (event) => {
  if (!(event.key in keys) || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  steps[keys[event.key]]();
};
go(data.at);
