// Plays what `arena export` wrote: a game's rules and an entry that chooses moves, in a page or a worker.
// It asks for no file but those it is given. Positions are arrays of BigInts, moves are BigInts.

const FORMAT = 1;
const GOLDEN = 0x9e3779b97f4a7c15n;
const word = (n) => BigInt.asUintN(64, n);

/** Hashes a 64-bit integer to 63 bits (splitmix64). */
function mix(n) {
  let z = word(BigInt(n) + GOLDEN);
  z = word((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
  z = word((z ^ (z >> 27n)) * 0x94d049bb133111ebn);
  return (z ^ (z >> 31n)) >> 1n;
}

/** The seed of the stream that `words` name under `seed`. */
function derive(seed, ...words) {
  let made = BigInt(seed);
  for (const next of words) made = mix(mix(made) ^ word(BigInt(next)));
  return mix(made);
}

/** One stream of random numbers, the same as arena's of this seed. */
class Rng {
  constructor(seed = 0) {
    this.seed = word(BigInt(seed));
    this.drawn = 0n;
  }

  /** The next 63 random bits. */
  bits() {
    this.drawn += 1n;
    return mix(word(this.seed + this.drawn * GOLDEN));
  }

  /** A whole number from 0 to n - 1, where n is from 1 to 2 ** 31. */
  below(n) {
    if (!(n >= 1 && n <= 2 ** 31)) throw new RangeError(`cannot draw a number below ${n}`);
    return Number(((this.bits() >> 32n) * BigInt(n)) >> 31n);
  }
}

const float = new Float64Array(1);
const bits = new BigInt64Array(float.buffer);

function nextafter(x, y) {
  if (Number.isNaN(x) || Number.isNaN(y)) return NaN;
  if (x === y) return y;
  if (x === 0) return y > 0 ? Number.MIN_VALUE : -Number.MIN_VALUE;
  float[0] = x;
  bits[0] += x < y === x > 0 ? 1n : -1n;
  return float[0];
}

const nanoseconds = () => BigInt(Math.round(performance.now() * 1e6));

/** What a module imports: functions of C, which are those of Math with the same names, with a few exceptions. */
function environment(module, memory) {
  const names = WebAssembly.Module.imports(module).map(({ name }) => name);
  return {
    ...Object.fromEntries(names.map((name) => [name, Math[name]])),
    nextafter,
    pow: (x, y) => (x === 1 || (x === -1 && Math.abs(y) === Infinity) ? 1 : x ** y), // as in C
    fmod: (x, y) => x % y,
    arena_clock: nanoseconds,
    clock_gettime: (which, at) => {
      const now = nanoseconds();
      new BigInt64Array(memory(), at, 2).set([now / 1000000000n, now % 1000000000n]);
      return 0;
    },
  };
}

/** The bytes of a text in base 64. */
function fromBase64(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** Loads an entry: from a URL, a Response, bytes, or a WebAssembly.Module. */
async function load(source) {
  if (!(source instanceof WebAssembly.Module)) {
    let bytes = source;
    if (typeof source === "string" || source instanceof URL) bytes = await fetch(source);
    if (typeof Response !== "undefined" && bytes instanceof Response) {
      if (!bytes.ok) throw new Error(`${bytes.url}: ${bytes.status} ${bytes.statusText}`);
      bytes = await bytes.arrayBuffer();
    }
    source = await WebAssembly.compile(bytes);
  }
  const [note] = WebAssembly.Module.customSections(source, "arena");
  if (!note) throw new Error("arena did not write this module");
  const about = JSON.parse(new TextDecoder().decode(note));
  if (about.format !== FORMAT)
    throw new Error(`the module has format ${about.format}, and arena.js knows ${FORMAT}: export both anew`);
  return instance(source, about);
}

async function instance(module, about) {
  let made;
  const env = environment(module, () => made.exports.memory.buffer);
  made = await WebAssembly.instantiate(module, { env });
  return new Entry(module, about, made.exports);
}

/** An entry of a game: its rules, and the choices of an agent. */
class Entry {
  #module;
  #exports;
  #top;
  #rating;

  constructor(module, about, exports) {
    this.#module = module;
    this.#exports = exports;
    this.#top = exports.stack.value;
    this.about = about;
    this.name = about.entry;
    this.game = about.game;
    this.sides = about.sides;
    this.initial = Object.freeze(about.initial.map(BigInt));
  }

  /** The same entry once more, which remembers nothing of what this one has seen. */
  twin() {
    return instance(this.#module, this.about);
  }

  // --- the rules -------------------------------------------------------------------------------------------

  /** The legal moves, in the game's order; none when the game is over. */
  moves(state) {
    return this.#list("moves", this.#words(state), BigInt64Array);
  }

  /** The position after a legal move. */
  play(state, move) {
    this.#call("play", ...this.#words(state), BigInt(move));
    return Object.freeze([...this.#ints("result", state.length)]);
  }

  /** The player to move, 0 or 1. */
  toMove(state) {
    return this.#number("to_move", ...this.#words(state));
  }

  /** The outcome of a position without moves, for the player to move: 1 won, 0 drawn, -1 lost. */
  value(state) {
    return this.#number("value", ...this.#words(state));
  }

  /** 2 for a capture, 1 for another move that cannot be taken back, else 0. */
  irreversible(state, move) {
    return this.can("irreversible") ? this.#number("irreversible", ...this.#words(state), BigInt(move)) : 0;
  }

  /** Whether there is a function of this name, of the game or the agent: `evaluate`, `piece`, `rate`, … */
  can(name) {
    return Object.hasOwn(this.about.functions, name);
  }

  /** The game's own evaluation for the player to move; null if it has none. */
  evaluate(state) {
    return this.can("evaluate") ? this.#number("evaluate", ...this.#words(state)) : null;
  }

  /** What the game counts in a position, in the order of `about.feature_names`; null if it has no features. */
  features(state) {
    return this.can("features") ? this.#list("features", this.#words(state), Float64Array) : null;
  }

  /** What stands on each of `about.cells`: 0 nothing, odd player 0's, even player 1's; null if it is not drawn. */
  board(state) {
    if (!this.about.cells || !this.can("piece")) return null;
    const words = this.#words(state);
    return this.about.cells.map((_, cell) => this.#number("piece", ...words, BigInt(cell)));
  }

  /** The cell of the piece that a move moves, or where it puts one; null without a grid. */
  anchor(state, move) {
    return this.can("anchor") ? this.#number("anchor", ...this.#words(state), BigInt(move)) : null;
  }

  /** A move in the game's notation; `#` and its number if it was not seen when the module was made. */
  moveText(move) {
    const texts = this.about.move_texts;
    return Object.hasOwn(texts, String(move)) ? texts[move] : `#${move}`;
  }

  /** The legal move with this text. */
  readMove(state, text) {
    const move = this.moves(state).find((one) => this.moveText(one) === text);
    if (move === undefined) throw new Error(`${this.game} has no move ${JSON.stringify(text)} here`);
    return move;
  }

  // --- the agent -------------------------------------------------------------------------------------------

  /** A match begins, with the agent as player `seat`. */
  begin(seat) {
    if (this.can("begin")) this.#call("begin", this.about.places.block, BigInt(seat));
  }

  /** The move that the agent makes, by an Rng or the seed of one. */
  choose(state, rng = 0) {
    const stream = rng instanceof Rng ? rng : new Rng(rng);
    const moves = this.moves(state);
    if (!moves.length) throw new Error("the game is over");
    const place = this.about.places.stream;
    const words = this.#ints("stream", 2);
    words.set([stream.seed, stream.drawn]);
    this.#call("choose", ...this.#asked(state, moves), place);
    stream.drawn = words[1];
    const [move] = this.#ints("result", 1);
    if (!moves.includes(move)) throw new Error(`${this.name} plays ${move}, which is not a move here`);
    return move;
  }

  /**
   * What the agent thinks each of the moves is worth, the greater the better for the player to move, NaN where
   * it does not know; null if it does not say. Another one of it is asked, so a match goes on as it would.
   */
  async values(state) {
    if (!this.can("rate") || this.about.places.scores === undefined) return null;
    this.#rating ??= this.twin();
    return (await this.#rating).#rated(state);
  }

  #rated(state) {
    const moves = this.moves(state);
    if (!moves.length) return [];
    this.begin(this.toMove(state));
    this.#call("rate", ...this.#asked(state, moves));
    return [...this.#floats("scores", moves.length)];
  }

  /** A match of this game. See `Match`. */
  match(options) {
    return new Match(this, options);
  }

  // --- calls -----------------------------------------------------------------------------------------------

  #words(state) {
    const kinds = this.about.state;
    if (state.length !== kinds.length) throw new Error(`a position of ${this.game} has ${kinds.length} numbers`);
    return kinds.map((kind, i) => (kind === "i1" ? Number(state[i]) : BigInt(state[i])));
  }

  /** The arguments of the agent's functions, with the moves laid where these look for them. */
  #asked(state, moves) {
    const { block, moves: at } = this.about.places;
    this.#ints("moves", moves.length).set(moves);
    return [block, ...this.#words(state), at, BigInt(moves.length)];
  }

  #call(name, ...given) {
    this.#exports.stack.value = this.#top; // where a call before left it that did not return
    const status = this.#exports[name](...given, this.about.places.result);
    if (status) throw new Error(this.about.errors[status - 1]);
  }

  #number(name, ...given) {
    this.#call(name, ...given);
    const [kind] = this.about.functions[name];
    return Number((kind === "double" ? this.#floats("result", 1) : this.#ints("result", 1))[0]);
  }

  #list(name, given, kind) {
    const at = this.about.places.items;
    this.#call(name, ...given, at);
    return [...new kind(this.#exports.memory.buffer, at, Number(this.#ints("result", 1)[0]))];
  }

  #ints(place, n) {
    return new BigInt64Array(this.#exports.memory.buffer, this.about.places[place], n);
  }

  #floats(place, n) {
    return new Float64Array(this.#exports.memory.buffer, this.about.places[place], n);
  }
}

/**
 * One match: the position, who is to move, and whether it is over.
 *
 * The seed decides all chance. It is not that of a tournament, which derives the seeds of its matches in another way.
 */
class Match {
  #times;
  #quiet = 0;

  /** seats: the entries of players 0 and 1, null for people. maxPlies: a match that long is a draw. */
  constructor(rules, { seed = 0, seats = [null, null], maxPlies = rules.about.max_plies } = {}) {
    if (seats[0] && seats[0] === seats[1])
      throw new Error("one entry cannot have both seats: give one of them its twin, await entry.twin()");
    this.rules = rules;
    this.seats = seats;
    this.maxPlies = maxPlies;
    this.streams = [0, 1].map((seat) => new Rng(derive(seed, seat)));
    this.history = [];
    this.state = rules.initial;
    this.moves = rules.moves(this.state);
    this.#times = new Map([[this.state.join(), 1]]);
    seats.forEach((entry, seat) => entry?.begin(seat));
  }

  /** The player to move, 0 or 1. */
  get toMove() {
    return this.rules.toMove(this.state);
  }

  /** The legal moves in the game's notation. */
  get texts() {
    return this.moves.map((move) => this.rules.moveText(move));
  }

  /** The moves played, in the game's notation, parted by spaces. */
  get line() {
    return this.history.map((move) => this.rules.moveText(move)).join(" ");
  }

  /** Why it is over: "rules", "repetition", "no capture" or "max plies"; null while it is not. */
  get reason() {
    const { repetition, quiet_plies: quiet } = this.rules.about;
    if (!this.moves.length) return "rules";
    if (repetition && this.#times.get(this.state.join()) >= repetition) return "repetition";
    if (quiet && this.#quiet >= quiet) return "no capture";
    return this.maxPlies && this.history.length >= this.maxPlies ? "max plies" : null;
  }

  /** From player 0's side: 1 won, 0 drawn, -1 lost; null while it goes on. */
  get result() {
    const reason = this.reason;
    if (reason !== "rules") return reason && 0;
    const value = this.rules.value(this.state);
    return this.toMove === 0 ? value : 0 - value;
  }

  /** Whether it is over. */
  get over() {
    return this.reason !== null;
  }

  /** Plays a legal move, by its number or its text. */
  play(played) {
    const rules = this.rules;
    if (this.over) throw new Error("the match is over");
    const move = typeof played === "string" ? rules.readMove(this.state, played) : BigInt(played);
    if (!this.moves.includes(move)) throw new Error(`${rules.game} has no move ${move} here`);
    const irreversible = rules.irreversible(this.state, move);
    this.state = rules.play(this.state, move);
    this.moves = rules.moves(this.state);
    this.history.push(move);
    if (irreversible) this.#times.clear();
    this.#quiet = irreversible === 2 ? 0 : this.#quiet + 1;
    const key = this.state.join();
    this.#times.set(key, (this.#times.get(key) ?? 0) + 1);
    return this;
  }

  /** The move of the entry whose turn it is. It is not played yet. */
  choose() {
    const seat = this.toMove;
    const entry = this.seats[seat];
    if (!entry) throw new Error(`no entry has seat ${seat}`);
    return entry.choose(this.state, this.streams[seat]);
  }
}

export { Entry, Match, Rng, derive, fromBase64, load };
