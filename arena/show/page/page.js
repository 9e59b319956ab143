const games = await unpacked(document.getElementById("data").textContent);
const viewer = document.getElementById("viewer");
const SVG = "http://www.w3.org/2000/svg";

/** JSON that was compressed with gzip and written in base64. */
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

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

/** The name of an entry, which may be broken onto several lines where its parts begin. */
const breakable = (name) => name.split(/(?<=[:,_])/).flatMap((part, i) => (i ? [make("wbr"), part] : [part]));

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
  let last = null; // the ply that is drawn
  return [drawn, (ply) => {
    const at = Math.min(ply, states.length - 1);
    const [state, before] = [states[at], states[Math.max(at - 1, 0)]];
    drawn.innerHTML = boardSvg(game.board, state, before);
    if (last !== null && Math.abs(at - last) === 1) glide(game.board, drawn, state, states[last]);
    last = at;
  }];
}

// --- what the address asks for ------------------------------------------------------------------------

function show(title, ...parts) {
  const close = make("button", { type: "button", class: "close", "aria-label": "close", title: "close", onclick: () => viewer.close() }, "✕");
  document.onkeydown = null;
  viewer.replaceChildren(make("h2", { id: "viewer-title" }, ...breakable(title)), close, ...parts);
  if (!viewer.open) viewer.showModal();
  viewer.scrollTop = 0;
}

/** Adds to an address within the page what tells a game from others. */
function address(game, facts) {
  const query = new URLSearchParams(facts);
  if (games.indexOf(game)) query.set("game", game.game);
  return `#${query}`;
}

const link = (game, match, ply) => address(game, {
  match: match.number, ...(ply === undefined ? {} : { ply }),
  ...(game.tournaments.length > 1 ? { tournament: match.tournament } : {}) });

/** What an address asks for; those of earlier versions, such as #match-0-5, are read too. */
function asked() {
  const [what, ...rest] = location.hash.slice(1).split("-");
  const numbers = rest.map(Number);
  if (["match", "pairing", "entry"].includes(what) && games[numbers[0]]) {
    const game = games[numbers[0]], [one, other] = numbers.slice(1);
    if (what === "match") return { game, match: game.matches[one] };
    return what === "entry" ? { game, entry: one } : { game, one, other };
  }
  const query = new URLSearchParams(location.hash.slice(1));
  const game = games.find(({ game }) => game === query.get("game")) || games[0];
  const place = (name) => (query.has(name) ? game.names.indexOf(query.get(name)) : -1);
  if (query.has("match")) {
    const match = game.matches.find((one) => String(one.number) === query.get("match") &&
      (!query.has("tournament") || String(one.tournament) === query.get("tournament")));
    return { game, match, absent: !match, ply: query.has("ply") ? Number(query.get("ply")) || 0 : undefined };
  }
  if (query.has("against")) return { game, one: place("entry"), other: place("against") };
  return { game, entry: place("entry") };
}

function route() {
  const { game, match, absent, ply, one, other, entry } = asked();
  if (match) return replay(game, match, ply);
  if (absent) return show("This match is not here", make("p", {}, "The page has a sample of the matches only."));
  if (game && one >= 0 && other >= 0 && game.names[one] !== undefined && game.names[other] !== undefined) return pairing(game, one, other);
  if (viewer.open) viewer.close();
  alone(game, entry);
}

/** Forgets the match or the pairing that the address asks for, and leaves the rest of the page as it is. */
viewer.addEventListener("close", () => {
  if (!/[#&-]?(match|pairing|against)[-=]/.test(location.hash)) return;
  const { game } = asked();
  const behind = shown && shown.game === game ? address(game, { entry: game.names[shown.entry] }) : location.pathname + location.search;
  history.pushState(null, "", behind);
});

/** Begins, once all parts of the script are there. */
function start() {
  document.querySelectorAll(".standings").forEach(sortable);
  document.querySelectorAll(".cross-box").forEach((box) => whenSeen(box, () => crosstable(games[box.dataset.game], box)));
  document.querySelectorAll(".matches").forEach((box) => whenSeen(box, () => box.append(browser(games[box.dataset.game]))));
  window.addEventListener("hashchange", route);
  window.addEventListener("popstate", route);
  keepUp();
  route();
}

/** Does something once a part of the page comes into view or is printed, so that the page is there at once. */
function whenSeen(part, then) {
  const now = () => {
    watch.disconnect();
    window.removeEventListener("beforeprint", now);
    then();
  };
  const watch = new IntersectionObserver((seen) => { if (seen.some((one) => one.isIntersecting)) now(); }, { rootMargin: "600px" });
  watch.observe(part);
  window.addEventListener("beforeprint", now);
}

const OUTDATED = 900; // seconds after which nobody seems to write the page any more

/** Loads the page anew while a tournament is played, unless somebody is at a match, a form or a sorted table. */
function keepUp() {
  const note = document.querySelector(".running");
  if (!note) return;
  if (Date.now() / 1000 - Number(note.dataset.written) > OUTDATED) {
    note.textContent = `This page was last written ${new Date(1000 * Number(note.dataset.written)).toLocaleString("en")}. The tournament seems to have stopped.`;
    return;
  }
  const busy = () => viewer.open || document.querySelector("[aria-sort]") || document.querySelector("main [data-used]");
  document.querySelector("main").addEventListener("input", ({ target }) => { target.dataset.used = ""; });
  setInterval(() => busy() || location.reload(), 1000 * Number(note.dataset.seconds));
}
