// --- matches, step by step ------------------------------------------------------------------------------

const WORTH = { "+": 1, "=": 0, "-": -1 };
const CALLED = ["lost", "drawn", "won"];

/** The mistakes of a match: ply, seat, value before and after for whoever made it, and what was right.
 *
 * match.worth has a sign for each position from the first player's side: + won, = drawn, - lost, ? unknown. */
function errors(match) {
  return Object.entries(match.wrong || {}).map(([ply, [seat, before, after, right, cells]]) => ({
    ply: Number(ply), seat, before, after, right, cells, sign: before - after > 1 ? "??" : "?" }));
}

/** Whose mistake it was, and what would have been right. */
function mistakeText(game, match, { seat, before, after, right }) {
  const instead = right.length ? `; right: ${right.slice(0, 4).join(" or ")}${right.length > 4 ? " or others" : ""}` : "";
  return `A mistake of ${seats(game, match)[seat]}, from ${CALLED[1 + before]} to ${CALLED[1 + after]}${instead}.`;
}

/** Marks on the board where a right move would have been made, in place of a mistake. */
function showRight(game, match, drawn, wrong) {
  if (!wrong || !match.start) return;
  for (const cell of wrong.cells) {
    const [x, y] = game.board.places[cell];
    const mark = document.createElementNS(SVG, "circle");
    for (const [name, value] of Object.entries({ class: "right", cx: x, cy: y, r: 17 })) mark.setAttribute(name, value);
    drawn.append(mark);
  }
}

const HIGH = 48, STEP = 8; // of the curve, in pixels

/** The value of each position as a curve on which one can click, and a function that marks a ply. */
function evaluation(game, match, go) {
  if (!match.worth || !/[+=-]/.test(match.worth)) return [[], () => {}];
  const last = match.moves.length, wide = Math.max(1, last) * STEP;
  const y = (sign) => HIGH / 2 - (HIGH / 2 - 4) * WORTH[sign];
  let path = "", known = false;
  const end = match.detail ? "" : "-=+"[1 + match.result]; // by the rules
  [...match.worth + end].forEach((sign, i) => {
    const [left, right] = [Math.max(0, i - 0.5), Math.min(last, i + 0.5)].map((ply) => ply * STEP);
    if (sign in WORTH) path += `${known ? "V" : `M${left} `}${y(sign)}H${right}`;
    known = sign in WORTH;
  });
  const drawn = document.createElementNS(SVG, "svg");
  drawn.setAttribute("viewBox", `0 0 ${wide} ${HIGH}`);
  drawn.setAttribute("preserveAspectRatio", "none");
  drawn.setAttribute("class", "evaluation");
  drawn.setAttribute("aria-hidden", "true");
  const marks = errors(match).map(({ ply }) => `<line class="slip" x1="${ply * STEP}" x2="${ply * STEP}" y1="0" y2="${HIGH}"/>`).join("");
  drawn.innerHTML = `<line class="even" x1="0" x2="${wide}" y1="${HIGH / 2}" y2="${HIGH / 2}"/>${marks}<path class="value" d="${path}"/><line class="now" y1="0" y2="${HIGH}"/>`;
  drawn.addEventListener("click", (event) => {
    const box = drawn.getBoundingClientRect();
    go(Math.round(((event.clientX - box.left) / box.width) * last));
  });
  const now = drawn.querySelector(".now");
  const [first, second] = seats(game, match);
  const side = (text) => make("p", { class: "axis" }, text);
  return [[make("div", { class: "curve" }, side(`↑ ${first} wins`), drawn, side(`↓ ${second} wins`))], (ply) => { for (const end of ["x1", "x2"]) now.setAttribute(end, ply * STEP); }];
}

const COSTS = { "?": "a mistake that costs half a point", "??": "one that costs a whole point, from won to lost" };

/** What the marks in the list of moves mean, if there are any. */
function legend(wrong) {
  const used = Object.keys(COSTS).filter((sign) => [...wrong.values()].some((one) => one.sign === sign));
  if (!used.length) return [];
  const said = used.map((sign) => `${sign} ${COSTS[sign]}`).join("; ").replace(/^\?\? one/, "?? a mistake");
  return [make("p", { class: "legend" }, `${said}.`)];
}

/** How many mistakes each player made, as far as moves were judged. */
function judgement(game, match, wrong) {
  if (!match.worth) return [];
  const all = [...wrong.values()];
  const said = seats(game, match).map((name, seat) => {
    const own = all.filter((one) => one.seat === seat).map(({ ply }) => ply);
    return `${name}: ${own.length ? `${own.length === 1 ? "a mistake" : `${own.length} mistakes`} (ply ${own.join(", ")})` : "no mistake"}`;
  });
  const unknown = [...match.worth].filter((sign) => !(sign in WORTH)).length;
  const judged = unknown ? ` ${match.worth.length - unknown} of ${match.worth.length} positions were judged.` : "";
  return [make("p", { class: "judged" }, `${said.join("; ")}.${judged}`)];
}

/** Puts the address of a position on the clipboard. */
async function copied(game, match, ply, button) {
  try {
    await navigator.clipboard.writeText(`${location.href.split("#")[0]}${link(game, match, ply)}`);
    button.textContent = "Copied";
  } catch {
    button.textContent = "The address bar has the link";
  }
}

const SETTLED = 250; // milliseconds after which the address follows, for browsers limit how often it may

function replay(game, match, at) {
  const last = match.moves.length;
  const [drawn, paint] = painter(game, match);
  const wrong = new Map(errors(match).map((one) => [one.ply, one]));
  const [curve, point] = evaluation(game, match, (to) => go(to));
  const said = make("p", { role: "status" });
  const remark = make("p", { class: "remark", "aria-live": "polite" });
  const go = (to) => {
    ply = Math.max(0, Math.min(last, to));
    paint(ply);
    showRight(game, match, drawn, wrong.get(ply));
    drawn.classList.toggle("erred", wrong.has(ply));
    point(ply);
    remark.textContent = wrong.has(ply) ? mistakeText(game, match, wrong.get(ply)) : "";
    clearTimeout(settling);
    settling = setTimeout(() => {
      if (viewer.open && location.hash.includes("match=")) history.replaceState(null, "", link(game, match, ply));
    }, SETTLED);
    const text = match.said ? game.texts[match.said[Math.min(ply, match.said.length - 1)]] : "";
    const beyond = match.said && ply >= match.said.length ? `cannot be drawn: ${match.fault}` : text;
    said.textContent = `${ply ? `Ply ${ply} of ${last}, ${match.moves[ply - 1]}` : `Start, ${last} plies`}; ${match.said ? beyond : match.fault}`;
    drawn.setAttribute("aria-label", said.textContent);
    slider.value = ply;
    for (const button of [first, back]) button.ariaDisabled = ply === 0; // and keep the focus
    for (const button of [next, end]) button.ariaDisabled = ply === last;
    items.forEach((item, i) => item.firstChild.toggleAttribute("aria-current", i + 1 === ply));
    if (ply) { // within the list alone, so that the board stays where it is
      const { offsetTop, offsetHeight } = items[ply - 1];
      list.scrollTop = Math.min(offsetTop, Math.max(list.scrollTop, offsetTop + offsetHeight - list.clientHeight));
    }
  };
  let ply = 0, settling;
  const button = (sign, label, step) => make("button", { type: "button", "aria-label": label, title: label, onclick: step }, sign);
  const first = button("«", "to the start", () => go(0));
  const back = button("‹", "one ply back", () => go(ply - 1));
  const next = button("›", "one ply on", () => go(ply + 1));
  const end = button("»", "to the end", () => go(last));
  const slider = make("input", { type: "range", min: 0, max: last, value: 0, "aria-label": "ply", oninput: () => go(Number(slider.value)) });
  const items = match.moves.map((move, i) => make("li", { class: i < match.opening ? "opening" : wrong.has(i + 1) ? "mistake" : "" },
    make("button", { type: "button", onclick: () => go(i + 1), title: wrong.has(i + 1) ? mistakeText(game, match, wrong.get(i + 1)) : false, "data-sign": wrong.get(i + 1)?.sign ?? false }, move)));
  const list = make("ol", { class: "moves", "aria-label": "Moves" }, ...items);
  const keys = { ArrowLeft: () => go(ply - 1), ArrowRight: () => go(ply + 1), Home: () => go(0), End: () => go(last) };
  const [one, other] = seats(game, match);
  const all = make("a", { href: address(game, { entry: one, against: other }) }, "all their matches");
  const send = make("button", { type: "button", onclick: () => copied(game, match, ply, send) }, "Copy a link to this position");
  const mistakes = make("button", { type: "button", onclick: () => go([...wrong.keys()].find((one) => one > ply) ?? [...wrong.keys()][0]) }, "Next mistake");
  const plies = match.opening === 1 ? "ply was" : `${match.opening} plies were`;
  const opening = match.opening ? ` The first ${plies} the opening, which no entry chose.` : "";
  const several = game.tournaments.length > 1 ? ` of tournament ${match.tournament}` : "";
  show(`${one} against ${other}, match ${match.number}${several}`,
    make("p", {}, `${game.game}: ${outcome(game, match)}.${opening} See `, all, "."),
    make("div", { class: "stage" },
      make("div", {}, drawn, make("div", { class: "controls" }, first, back, next, end, ...(wrong.size ? [mistakes] : []), slider), said, remark, ...curve,
        make("div", { class: "controls" }, send)),
      make("div", {}, ...judgement(game, match, wrong), list, ...legend(wrong))));
  document.onkeydown = (event) => {
    if (!viewer.open || !(event.key in keys) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  };
  go(at ?? (last && !match.fault ? match.opening : 0));
  next.focus({ preventScroll: true });
}

