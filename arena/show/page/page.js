const games = JSON.parse(document.getElementById("data").textContent);
const viewer = document.getElementById("viewer");
const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes, and children that are elements or texts. */
function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

// --- tables that sort ---------------------------------------------------------------------------------

/** A cell's text as a number, if it is one to compare by. */
function number(text) {
  const found = /[−-]?[\d,]+(\.\d+)?/.exec(text);
  return found ? Number(found[0].replace(/,/g, "").replace("−", "-")) : NaN;
}

function sortable(table) {
  const body = table.tBodies[0];
  const original = [...body.rows];
  const heads = [...table.tHead.rows[0].cells].filter((head) => !head.classList.contains("chart"));
  for (const head of heads) {
    const words = head.textContent === "entry", ranks = head.textContent === "#";
    const key = (row) => {
      if (ranks) return original.indexOf(row);
      const text = row.cells[head.cellIndex].textContent;
      return words ? text : number(text);
    };
    const sort = () => {
      const way = { none: words || ranks ? "ascending" : "descending", ascending: "descending",
        descending: "ascending" }[head.getAttribute("aria-sort") || "none"];
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", way);
      const sign = way === "ascending" ? 1 : -1;
      const empty = (value) => value !== value; // which go last, whichever way
      const compare = (a, b) => {
        const [one, other] = [key(a), key(b)];
        if (empty(one) || empty(other)) return empty(one) - empty(other);
        return sign * (words ? one.localeCompare(other) : one - other);
      };
      body.append(...[...original].sort(compare));
    };
    const label = head.textContent;
    head.replaceChildren(make("button", { type: "button", title: `sort by ${label}`, onclick: sort }, label));
  }
}

// --- matches ------------------------------------------------------------------------------------------

const seats = (game, match) => match.seats.map((i) => game.names[i]);

function outcome(game, match) {
  const [first, second] = seats(game, match);
  const how = match.detail ? `${match.reason}: ${match.detail}` : match.reason;
  if (match.result === 0) return `drawn (${how})`;
  return `${match.result > 0 ? first : second} won (${match.detail ? "by forfeit, " : ""}${how})`;
}

const link = (game, match) => `#match-${games.indexOf(game)}-${game.matches.indexOf(match)}`;

function pairing(game, one, other) {
  const found = game.matches.filter((m) =>
    (m.seats[0] === one && m.seats[1] === other) || (m.seats[0] === other && m.seats[1] === one));
  const row = (match) => {
    const ahead = match.seats[0] === one;
    const result = ["lost", "drawn", "won"][1 + (ahead ? match.result : -match.result)];
    const how = match.detail ? `${match.reason}: ${match.detail}` : match.reason;
    return make("tr", {},
      make("th", { scope: "row" }, make("a", { href: link(game, match) }, `${match.tournament}/${match.number}`)),
      make("td", {}, result), make("td", {}, ahead ? "first" : "second"),
      make("td", {}, String(match.moves.length)), make("td", {}, how));
  };
  const heads = ["match", "result", "moved", "plies", "by"].map((head) => make("th", { scope: "col" }, head));
  const table = make("table", { class: "words" }, make("thead", {}, make("tr", {}, ...heads)),
    make("tbody", {}, ...found.map(row)));
  const none = make("p", {}, "None of these matches is on this page.");
  show(`${game.names[one]} against ${game.names[other]}, ${game.game}`,
    found.length ? make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Matches" }, table) : none);
}

/** The board of a match after so many plies, as a function of their number. */
function painter(game, match) {
  if (!match.start) {
    const boards = match.boards || [];
    const drawn = make("pre", {});
    return [drawn, (ply) => { drawn.textContent = boards.length ? game.boards[boards[Math.min(ply, boards.length - 1)]] : ""; }];
  }
  const { size } = game.board;
  const drawn = document.createElementNS(SVG, "svg");
  drawn.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
  drawn.setAttribute("role", "img");
  const states = [match.start];
  for (const changes of match.changes) {
    const next = [...states[states.length - 1]];
    for (let i = 0; i < changes.length; i += 2) next[changes[i]] = changes[i + 1];
    states.push(next);
  }
  return [drawn, (ply) => {
    const at = Math.min(ply, states.length - 1);
    const [state, before] = [states[at], states[Math.max(at - 1, 0)]];
    drawn.innerHTML = boardSvg(game.board, state, before);
  }];
}

function replay(game, match) {
  const last = match.moves.length;
  const [drawn, paint] = painter(game, match);
  const said = make("p", { role: "status" });
  const go = (to) => {
    ply = Math.max(0, Math.min(last, to));
    paint(ply);
    const text = match.said ? game.texts[match.said[Math.min(ply, match.said.length - 1)]] : "";
    const beyond = match.said && ply >= match.said.length ? `cannot be drawn: ${match.fault}` : text;
    said.textContent = `${ply ? `Ply ${ply} of ${last}, ${match.moves[ply - 1]}` : `Start, ${last} plies`}; ${match.said ? beyond : match.fault}`;
    drawn.setAttribute("aria-label", said.textContent);
    slider.value = ply;
    for (const button of [first, back]) button.ariaDisabled = ply === 0; // and keep the focus
    for (const button of [next, end]) button.ariaDisabled = ply === last;
    items.forEach((item, i) => item.firstChild.toggleAttribute("aria-current", i + 1 === ply));
    if (ply) items[ply - 1].scrollIntoView({ block: "nearest" });
  };
  let ply = 0;
  const button = (sign, label, step) => make("button", { type: "button", "aria-label": label, title: label, onclick: step }, sign);
  const first = button("«", "to the start", () => go(0));
  const back = button("‹", "one ply back", () => go(ply - 1));
  const next = button("›", "one ply on", () => go(ply + 1));
  const end = button("»", "to the end", () => go(last));
  const slider = make("input", { type: "range", min: 0, max: last, value: 0, "aria-label": "ply", oninput: () => go(Number(slider.value)) });
  const items = match.moves.map((move, i) => make("li", { class: i < match.opening ? "opening" : "" },
    make("button", { type: "button", onclick: () => go(i + 1) }, move)));
  const keys = { ArrowLeft: () => go(ply - 1), ArrowRight: () => go(ply + 1), Home: () => go(0), End: () => go(last) };
  const [one, other] = seats(game, match);
  const i = games.indexOf(game);
  const all = make("a", { href: `#pairing-${i}-${match.seats[0]}-${match.seats[1]}` }, "all their matches");
  const opening = match.opening ? ` The first ${match.opening} plies were the opening, played by nobody.` : "";
  show(`${one} against ${other}, match ${match.number} of tournament ${match.tournament}`,
    make("p", {}, `${game.game}: ${outcome(game, match)}.${opening} See `, all, "."),
    make("div", { class: "stage" },
      make("div", {}, drawn, make("div", { class: "controls" }, first, back, next, end, slider), said),
      make("ol", { class: "moves", "aria-label": "Moves" }, ...items)));
  document.onkeydown = (event) => {
    if (!viewer.open || !(event.key in keys) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  };
  go(last && !match.fault ? match.opening : 0);
  next.focus();
}

// --- what the address asks for ------------------------------------------------------------------------

function show(title, ...parts) {
  const close = make("button", { type: "button", class: "close", "aria-label": "close", title: "close", onclick: () => viewer.close() }, "✕");
  document.onkeydown = null;
  viewer.replaceChildren(make("h2", { id: "viewer-title" }, title), close, ...parts);
  if (!viewer.open) viewer.showModal();
  viewer.scrollTop = 0;
}

function route() {
  const [what, ...rest] = location.hash.slice(1).split("-");
  const numbers = rest.map(Number);
  const game = games[numbers[0]];
  if (what === "match" && game && game.matches[numbers[1]]) return replay(game, game.matches[numbers[1]]);
  if (what === "pairing" && game && game.names[numbers[2]] !== undefined) return pairing(game, numbers[1], numbers[2]);
  if (viewer.open) viewer.close();
  const entry = what === "entry" && document.getElementById(location.hash.slice(1));
  if (entry) {
    entry.open = true;
    entry.scrollIntoView();
  }
}

viewer.addEventListener("close", () => {
  if (/^#(match|pairing)-/.test(location.hash)) history.pushState(null, "", location.pathname + location.search);
});
document.querySelectorAll(".standings").forEach(sortable);
window.addEventListener("hashchange", route);
window.addEventListener("popstate", route);
