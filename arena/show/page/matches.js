// --- lists of matches -----------------------------------------------------------------------------------

const SOME = 20; // matches listed at first

const how = (match) => (match.detail ? `${match.reason}: ${match.detail}` : match.reason);

/** The result for one seat, in a word. */
const resultFor = (match, seat) => ["lost", "drawn", "won"][1 + (seat ? -match.result : match.result)];

/** The matches whose every word of a search is somewhere in what they are listed with or in their moves. */
function searched(game, matches, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return matches;
  return matches.filter((match) => {
    const all = [match.number, ...seats(game, match), how(match), match.moves.join(" ")].join(" ").toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

/** Matches with the same players and moves as one, each with their number. */
function folded(matches) {
  const groups = new Map();
  for (const match of matches) {
    const key = JSON.stringify([match.seats, match.moves, match.start, match.result, match.reason]);
    groups.set(key, [...(groups.get(key) || []), match]);
  }
  return [...groups.values()];
}

const ORDERS = {
  "as played": () => 0,
  "shortest first": (a, b) => a.moves.length - b.moves.length,
  "longest first": (a, b) => b.moves.length - a.moves.length,
  "most mistakes first": (a, b) => errors(b).length - errors(a).length,
};

/** A list of matches with a search and filters.
 *
 * about: the entry whose matches it has, and the one against which, if any. */
function browser(game, about = {}) {
  const judged = game.matches.some((match) => match.worth);
  const whose = [about.entry, about.against].filter((i) => i !== undefined).map((i) => game.names[i]);
  const title = `Matches at ${game.game}${whose.length ? ` of ${whose.join(" against ")}` : ""}`; // for screen readers
  const field = (label, control) => make("label", {}, make("span", {}, label), control);
  const choice = (texts, chosen) => {
    const select = make("select", {}, ...texts.map(([value, text]) => make("option", { value }, text)));
    select.value = chosen ?? texts[0][0];
    return select;
  };
  const names = game.names.map((name, i) => [String(i), name]);
  const who = choice([["", "anyone"], ...names], about.entry === undefined ? "" : String(about.entry));
  const against = choice([["", "anyone"], ...names], about.against === undefined ? "" : String(about.against));
  const result = choice([["", "any result"], ["won", "won"], ["drawn", "drawn"], ["lost", "lost"]]);
  const length = choice([["", "any length"], ["0-10", "up to 10 plies"], ["11-20", "11 to 20"], ["21-40", "21 to 40"],
    ["41-80", "41 to 80"], ["81-", "81 and more"]]);
  const order = choice(Object.keys(ORDERS).filter((one) => judged || !one.includes("mistakes")).map((one) => [one, one]));
  const search = make("input", { type: "search", placeholder: "name or moves" });
  const fold = make("input", { type: "checkbox", checked: true });
  const count = make("p", { "aria-live": "polite" });
  const place = make("div");
  let most = SOME;

  function chosen() {
    const [one, other] = [who, against].map(({ value }) => (value === "" ? undefined : Number(value)));
    const [least, greatest] = length.value ? length.value.split("-").map(Number) : [0, 0];
    return searched(game, game.matches, search.value).filter((match) => {
      const { seats: [a, b], moves } = match;
      if (one !== undefined && a !== one && b !== one) return false;
      if (other !== undefined && !(one === undefined ? [a, b].includes(other) : (a === one && b === other) || (b === one && a === other))) return false;
      if (moves.length < least || (greatest && moves.length > greatest)) return false;
      return !result.value || one === undefined || (a === one && resultFor(match, 0) === result.value) || (b === one && resultFor(match, 1) === result.value);
    });
  }

  function draw() {
    result.disabled = who.value === "";
    result.options[0].textContent = result.disabled ? "of one entry" : "any result";
    const found = chosen().sort(ORDERS[order.value]);
    const groups = fold.checked ? folded(found) : found.map((match) => [match]);
    const copies = found.length - groups.length;
    count.textContent = `${found.length.toLocaleString("en")} of ${game.matches.length.toLocaleString("en")} matches` +
      (copies ? `, of which ${copies.toLocaleString("en")} are copies of others.` : ".");
    place.replaceChildren(...(groups.length ? [listing(game, groups.slice(0, most), who.value === "" ? undefined : Number(who.value), judged, title)] : []));
    if (groups.length > most) {
      place.append(make("button", { type: "button", onclick: () => { most *= 4; draw(); } }, `Show more, ${(groups.length - most).toLocaleString("en")} are left`));
    }
  }

  const form = make("form", { class: "filters", role: "search", "aria-label": `Search in ${title}`, onsubmit: (event) => event.preventDefault() },
    field("entry", who), field("result", result), field("against", against), field("length", length), field("order", order),
    field("search", search), make("label", { class: "tick" }, fold, "fold copies into one"));
  form.addEventListener("input", () => { most = SOME; draw(); });
  draw();
  return make("div", {}, form, count, place);
}

/** A table of matches: from one entry's side, or with both players. */
function listing(game, groups, one, judged, title) {
  const row = ([match, ...copies]) => {
    const seat = match.seats[0] === one ? 0 : 1;
    const [first, second] = seats(game, match);
    const number = make("a", { href: link(game, match) }, game.tournaments.length > 1 ? `${match.tournament}/${match.number}` : String(match.number));
    const player = (name, won) => make("td", { class: `player${won ? " winner" : ""}` }, ...breakable(name));
    const players = one === undefined
      ? [player(first, match.result > 0), player(second, match.result < 0), make("td", { class: "result" }, ["second won", "drawn", "first won"][1 + match.result])]
      : [player(seat ? first : second), make("td", { class: "seat" }, seat ? "second" : "first"), make("td", { class: `result ${resultFor(match, seat)}` }, resultFor(match, seat))];
    const wrong = match.worth ? errors(match).filter((err) => one === undefined || err.seat === seat).length : "";
    const mistakes = judged ? [make("td", { class: `count mistakes${wrong === 1 ? " single" : ""}` }, String(wrong))] : [];
    return make("tr", {}, make("th", { scope: "row" }, number, copies.length ? ` ×${copies.length + 1}` : ""), ...players,
      make("td", { class: "count plies" }, String(match.moves.length)), ...mistakes, make("td", { class: "how" }, how(match)));
  };
  const heads = ["match", ...(one === undefined ? ["first", "second", "result"] : ["against", "moved", "result"]), "plies",
    ...(judged ? ["mistakes"] : []), "ended by"].map((head) => make("th", { scope: "col", class: ["plies", "mistakes"].includes(head) && "count" }, head));
  return make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": title },
    make("table", { class: "words list" }, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...groups.map(row))));
}

function pairing(game, one, other) {
  show(`${game.names[one]} against ${game.names[other]}, ${game.game}`, browser(game, { entry: one, against: other }));
}
