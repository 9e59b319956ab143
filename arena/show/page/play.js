// --- matches against the entries ------------------------------------------------------------------------

/** An entry in a thread of its own, which plays one seat of a match or says what moves are worth. */
class Thinker {
  #asked = [];
  #worker;

  constructor(text) {
    const run = `
      let match, entry;
      onmessage = async ({ data: [what, ...given] }) => {
        try {
          if (what === "start") {
            const [bytes, seed, seat] = given;
            entry ??= await arena.load(bytes);
            match = entry.match({ seed, seats: seat === 0 ? [entry, null] : [null, entry] });
          }
          for (const move of what === "start" ? given[3] : what === "play" ? given : []) match.play(move);
          postMessage(what === "choose" ? match.choose() : what === "values" ? await entry.values(given[0]) : null);
        } catch (error) {
          postMessage(error);
        }
      };`;
    const url = URL.createObjectURL(new Blob([document.getElementById("arena").textContent, run]));
    this.#worker = new Worker(url);
    URL.revokeObjectURL(url);
    this.#worker.onmessage = ({ data }) => {
      const [done, failed] = this.#asked.shift();
      data instanceof Error ? failed(data) : done(data);
    };
    this.bytes = arena.fromBase64(text);
  }

  ask(...words) {
    this.#worker.postMessage(words);
    return new Promise((done, failed) => this.#asked.push([done, failed]));
  }

  start(seed, seat, line) {
    return this.ask("start", this.bytes, seed, seat, line);
  }

  stop() {
    this.#worker.terminate();
  }
}

const PAUSE = 400; // milliseconds between moves of two entries

/** A table at which people and entries play; opened by the form below a leaderboard. */
async function table(game, chosen, seed) {
  const rules = await arena.load(arena.fromBase64(game.playable[0].module));
  const thinkers = new Map(); // by place among the playable, for advice
  const players = chosen.map((i) => (i === "" ? null : new Thinker(game.playable[i].module)));
  const names = chosen.map((i) => (i === "" ? "you" : game.names[game.playable[i].entry]));
  const stop = () => [...players, ...thinkers.values()].forEach((one) => one?.stop());
  let match, round = 0, picked = [], values = null, fault = "", plies = -1; // that are drawn

  const said = make("p", { role: "status" }, "Loading.");
  const moves = make("ol", { class: "moves", "aria-label": "Legal moves" });
  const line = make("p", { class: "line" });
  const board = document.createElementNS(SVG, "svg");
  const grid = game.board && rules.can("piece");
  const told = make("pre", {}); // the board of a game that is not drawn, where there are few
  board.setAttribute("role", "img");
  board.setAttribute("viewBox", grid ? `0 0 ${game.board.size[0]} ${game.board.size[1]}` : "0 0 0 0");
  board.addEventListener("click", ({ target }) => target.dataset.cell && pick(Number(target.dataset.cell)));

  const mine = () => !match.over && !players[match.toMove];
  /** The cells that a move changes, or that its game says are clicked for it. */
  const changed = (move) => {
    const said = game.board.clicks[rules.moveText(move)];
    if (said) return said;
    const [before, after] = [rules.board(match.state), rules.board(rules.play(match.state, move))];
    return after.flatMap((piece, cell) => (piece === before[cell] ? [] : [cell]));
  };

  function pick(cell) {
    if (!mine()) return;
    const all = match.moves.map((move) => [move, changed(move)]);
    const fitting = (cells) => all.filter(([, cells_]) => cells.every((one) => cells_.includes(one)));
    const { first, places } = game.board;
    let found = first ? all.filter(([, cells]) => cells[0] === cell) : fitting([...picked, cell]);
    if (first) picked = [cell];
    else if (found.length) picked.push(cell);
    else if ((found = fitting([cell])).length) picked = [cell];
    else { // such as anywhere in a column that a disc falls down
      const [x] = places[cell];
      found = all.filter(([, cells]) => cells.length === 1 && places[cells[0]][0] === x);
      picked = found.length === 1 ? [found[0][1][0]] : [];
    }
    const placed = first || !rules.board(match.state)[cell]; // a piece that moves needs a second click
    const [only] = found;
    if (found.length === 1 && (placed || picked.length >= Math.min(2, only[1].length))) play(only[0]);
    else draw();
  }

  function outcomeText() {
    const { result, reason } = match;
    return result ? `${names[result > 0 ? 0 : 1]} won (${rules.sides[result > 0 ? 0 : 1]}).` : `Drawn (${reason}).`;
  }

  function draw() {
    const state = match.state;
    const different = new Set((values ?? []).filter((value) => value === value));
    const best = different.size > 1 ? Math.max(...different) : NaN; // none if all are worth the same
    told.textContent = game.told[state.join()] ?? "";
    if (grid) {
      const { first, places, kinds, outlines } = game.board;
      const now = rules.board(state);
      const before = match.history.length ? rules.board(states[states.length - 2]) : now;
      const open = mine() ? match.moves.map(changed).map((cells) => (first ? cells.slice(0, 1) : cells)) : [];
      const targets = new Set(open.filter((cells) => picked.every((cell) => cells.includes(cell))).flat());
      const right = new Set(match.moves.filter((_, i) => values && values[i] === best).flatMap(changed));
      const below = (cell) => (picked.includes(cell) ? `<${outlines[cell]} class="picked"/>` : "");
      const dot = (kind, x, y) => (kind === "hexagon" // around its name
        ? `<circle class="target ring" cx="${x}" cy="${y}" r="11"/>` : `<circle class="target" cx="${x}" cy="${y}" r="6"/>`);
      const above = (cell) => {
        const [[x, y], outline] = [places[cell], outlines[cell]];
        const target = targets.has(cell) && !now[cell] && kinds[cell] !== "area";
        return (right.has(cell) ? `<${outline} class="best"/>` : "") + (target ? dot(kinds[cell], x, y) : "") +
          `<${outline} class="hit" data-cell="${cell}"/>`;
      };
      board.innerHTML = boardSvg(game.board, now, before, below, above);
      if (match.history.length === plies + 1) glide(game.board, board, now, before);
      plies = match.history.length;
    }
    moves.replaceChildren(...(mine() ? match.moves.map((move, i) => {
      const said = values && values[i] === values[i] ? [" ", make("small", {}, worth(values[i]))] : [];
      return make("li", {}, make("button", { type: "button", onclick: () => play(move), "aria-current": values !== null && values[i] === best },
        rules.moveText(move), ...said));
    }) : []));
    line.textContent = match.line;
    const turn = `${rules.sides[match.toMove]} to move: ${names[match.toMove]}${mine() ? "" : ", thinking"}.`;
    said.textContent = fault || (match.over ? outcomeText() : turn);
    board.setAttribute("aria-label", said.textContent);
    undo.ariaDisabled = !states.slice(0, -1).some((_, i) => !players[movers[i]]);
    for (const button of [hint, advisor]) button.ariaDisabled = !mine();
  }

  let states = [], movers = [];

  function begin(line_) {
    match = rules.match({ seed });
    [states, movers] = [[match.state], []];
    for (const move of line_) add(move);
  }

  function add(move) {
    movers.push(match.toMove);
    match.play(move);
    states.push(match.state);
  }

  async function play(move) {
    add(move);
    [picked, values] = [[], null];
    draw();
    for (const player of players) player?.ask("play", move);
    await proceed();
  }

  /** Has entries play until it is somebody's turn, or the board was taken back meanwhile. */
  async function proceed() {
    const own = ++round;
    while (!match.over && players[match.toMove] && own === round) {
      const begun = performance.now();
      let move;
      try {
        move = await players[match.toMove].ask("choose");
      } catch (error) {
        fault = `${names[match.toMove]} failed: ${error.message}`;
        return draw();
      }
      if (players.every(Boolean)) await new Promise((done) => setTimeout(done, PAUSE - (performance.now() - begun)));
      if (own !== round || !viewer.open) return;
      add(move);
      for (const player of players) player?.ask("play", move);
      [picked, values] = [[], null];
      draw();
    }
  }

  async function restart(line_) {
    const own = ++round;
    begin(line_);
    [picked, values, fault] = [[], null, ""];
    await Promise.all(players.map((player, seat) => player?.start(seed, seat, line_)));
    if (own !== round) return;
    draw();
    await proceed();
  }

  /** Begins with the moves of a line, which are parted by spaces; players go on from there. */
  async function setUp(text) {
    const tried = rules.match({ seed });
    try {
      for (const move of text.split(/\s+/).filter(Boolean)) tried.play(move);
    } catch (error) {
      fault = `Not set up: ${error.message}.`;
      draw();
      fault = "";
      return;
    }
    await restart(tried.history);
  }

  function takeBack() {
    let last = movers.length - 1;
    while (last >= 0 && players[movers[last]]) last--;
    if (last >= 0) restart(match.history.slice(0, last));
  }

  async function advise() {
    if (!mine()) return;
    const [i, own] = [advisor.value, round];
    if (!thinkers.has(i)) {
      thinkers.set(i, new Thinker(game.playable[i].module));
      await thinkers.get(i).start(seed, 0, []);
    }
    const found = await thinkers.get(i).ask("values", match.state);
    if (own !== round) return;
    values = found;
    fault = found?.length > 1 && new Set(found).size === 1 ? "All moves are worth the same." : "";
    draw();
    fault = "";
  }

  const action = (label, step) => make("button", { type: "button", onclick: step }, label);
  const undo = action("Take back", takeBack);
  const hint = action("Hint from", advise);
  const advisor = make("select", { "aria-label": "who gives hints" }, ...options(game, (one) => one.rates));
  const anew = action("Start again", () => { seed += 1; restart([]); });
  const before = make("input", { "aria-label": "moves from the start", placeholder: "moves to set up" });
  const set = make("form", { class: "controls", onsubmit: (event) => { event.preventDefault(); setUp(before.value); } },
    before, make("button", {}, "Set up"));
  const able = chosen.find((i) => i !== "" && game.playable[i].rates);
  if (able) advisor.value = able;
  show(`${names[0]} against ${names[1]}, ${game.game}`,
    make("div", { class: "stage" },
      make("div", {}, ...(grid ? [board] : Object.keys(game.told).length ? [told] : []), said),
      make("div", {}, moves, make("div", { class: "controls" }, undo, anew, ...(advisor.length ? [make("span", { class: "pair" }, hint, advisor)] : [])), set, line)));
  viewer.addEventListener("close", stop, { once: true });
  await restart([]);
}

/** The entries that can be chosen, or those of them that fit. */
function options(game, fitting = () => true) {
  return game.playable.flatMap((one, i) => (fitting(one) ? [make("option", { value: String(i) }, game.names[one.entry])] : []));
}

const HUGE = 1e12; // scores beyond any evaluation, which searches give to wins and losses

/** The value of a move as text. */
function worth(value) {
  if (Math.abs(value) >= HUGE) return value > 0 ? "wins" : "loses";
  return String(Number(value.toPrecision(3)));
}

/** The form that opens a table, below the standings of a game. */
function invite(form) {
  const game = games[Number(form.dataset.game)];
  const seats = ["first", "second"].map((seat) =>
    make("select", { "aria-label": `who moves ${seat}` }, make("option", { value: "" }, "you"), ...options(game)));
  seats[1].value = "0";
  form.append(seats[0], " against ", seats[1], " ", make("button", {}, "Play"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    table(game, seats.map((seat) => seat.value), Date.now()).catch((error) => show("It does not play here", make("p", {}, error.message)));
  });
  form.hidden = false;
}

if (typeof WebAssembly === "object") document.querySelectorAll("form.play").forEach(invite);
