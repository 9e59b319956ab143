// --- entries, and who beat whom ---------------------------------------------------------------------------

let shown = null; // the game and the entry whose page is open

/** The results of each entry against each other: wins, draws, losses and forfeits by two places. */
function meetings(game) {
  if (game.met) return game.met;
  game.met = game.names.map(() => new Map());
  for (const [i, j, won, drawn, lost, mine, theirs] of game.scores) {
    game.met[i].set(j, { won, drawn, lost, forfeits: mine });
    game.met[j].set(i, { won: lost, drawn, lost: won, forfeits: theirs });
  }
  return game.met;
}

const playedIn = ({ won, drawn, lost }) => won + drawn + lost;
const scoreOf = (counts) => (counts.won + counts.drawn / 2) / playedIn(counts);
const FIGURES = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });
const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0, roundingMode: "halfEven" }); // as in Python
const figure = (n) => FIGURES.format(n);

function inWords(counts) {
  const forfeits = counts.forfeits ? `, ${figure(counts.forfeits)} forfeited` : "";
  return `won ${figure(counts.won)}, drew ${figure(counts.drawn)}, lost ${figure(counts.lost)} of ${figure(playedIn(counts))}${forfeits}`;
}

/** Fills the table of scores of all entries against each other. */
function crosstable(game, box) {
  const met = meetings(game);
  const pages = game.names.map((name) => address(game, { entry: name }));
  const against = game.names.map((name) => `&${new URLSearchParams({ against: name })}`);
  const cell = (i, j) => {
    const counts = met[i].get(j);
    if (!counts) return make("td");
    const said = `${game.names[i]} against ${game.names[j]}: ${inWords(counts)}`;
    const text = WHOLE.format(100 * scoreOf(counts));
    const inner = game.matches.length
      ? make("a", { href: pages[i] + against[j], title: said, "aria-label": said }, text)
      : make("span", { title: said }, text);
    return make("td", { style: `--score:${scoreOf(counts).toFixed(3)}` }, inner);
  };
  const heads = game.names.map((name) => make("th", { scope: "col", title: name }, make("span", {}, name)));
  const rows = game.names.map((name, i) => make("tr", {},
    make("th", { scope: "row", title: name }, make("a", { href: pages[i] }, ...breakable(name))), ...game.names.map((_, j) => cell(i, j))));
  box.append(make("table", { class: `cross${game.names.length > 20 ? " dense" : ""}` },
    make("thead", {}, make("tr", {}, make("td"), ...heads)), make("tbody", {}, ...rows)));
}

/** A table of the opponents of an entry, the ones it scored worst against first. */
function opponents(game, entry) {
  const found = [...meetings(game)[entry]].sort(([, a], [, b]) => scoreOf(a) - scoreOf(b));
  if (!found.length) return [];
  const matches = (other, text) => (game.matches.length
    ? make("a", { href: address(game, { entry: game.names[entry], against: game.names[other] }), title: `matches against ${game.names[other]}` }, text)
    : text);
  const row = ([other, counts]) => make("tr", {},
    make("th", { scope: "row" }, make("a", { href: address(game, { entry: game.names[other] }) }, ...breakable(game.names[other]))),
    make("td", { class: "share", style: `--share:${scoreOf(counts).toFixed(3)}` }, matches(other, `${(100 * scoreOf(counts)).toFixed(1)} %`)),
    ...[counts.won, counts.drawn, counts.lost].map((n) => make("td", {}, figure(n))));
  const heads = ["opponent", "score", "won", "drawn", "lost"].map((head) => make("th", { scope: "col" }, head));
  return [make("h3", {}, "Opponents"), make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": `Opponents of ${game.names[entry]}` },
    make("table", { class: "opponents" }, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...found.map(row))))];
}

/** Buttons that lead to the parts of a page. */
function jumps(headings) {
  return make("nav", { class: "controls", "aria-label": "Parts of this page" }, ...headings.map((heading) =>
    make("button", { type: "button", onclick: () => heading.scrollIntoView() }, heading.textContent)));
}

/** Shows the page of an entry alone, or the whole page again. */
function alone(game, entry) {
  const page = entry >= 0 && document.getElementById(`entry-${games.indexOf(game)}-${entry}`);
  const before = shown;
  shown = page ? { game, entry } : null;
  document.body.classList.toggle("alone", Boolean(page));
  document.querySelectorAll(".shown").forEach((one) => one.classList.remove("shown"));
  if (!page) {
    if (before) document.querySelectorAll(".entries > details").forEach((one) => { one.open = false; });
    return;
  }
  if (!page.dataset.filled) {
    page.dataset.filled = "yes";
    page.append(...opponents(game, entry));
    if (game.matches.length) page.append(make("h3", {}, "Matches"), browser(game, { entry }));
    const parts = [...page.querySelectorAll(":scope > h3")];
    if (parts.length > 1) parts[0].before(jumps(parts));
    page.before(make("p", { class: "up" }, make("a", { href: "#" }, `All of ${game.game}`)));
  }
  page.open = true;
  for (const one of [page, page.previousElementSibling, page.closest("section")]) one.classList.add("shown");
  if (before?.game !== game || before.entry !== entry) scrollTo(0, 0);
}
