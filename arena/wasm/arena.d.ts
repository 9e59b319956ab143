/** A position: the numbers that the game's tuple has, or the code points of its text. */
export type State = readonly bigint[];
/** A move: the game's number of it. */
export type Move = bigint;

/** What a module says of itself. */
export interface About {
  readonly format: number;
  /** The version of arena that wrote it. */
  readonly arena: string;
  readonly entry: string;
  readonly game: string;
  readonly sides: readonly [string, string];
  readonly max_moves: number;
  readonly max_plies: number;
  readonly repetition: number;
  readonly quiet_plies: number;
  /** The functions there are, of the game and the agent, and the types of what they give. */
  readonly functions: Readonly<Record<string, readonly string[]>>;
  /** x and y of each cell, y = 0 on top, if the game has a grid. */
  readonly cells?: readonly (readonly [number, number])[];
  /** What each cell is called on a drawn board, or nothing. */
  readonly cell_texts?: readonly string[];
  /** The highest number of a piece. */
  readonly pieces?: number;
  /** What is written on pieces 1, 2, … on a drawn board, or nothing. */
  readonly piece_texts?: readonly string[];
  readonly feature_names: readonly string[];
  /** Texts of moves by their numbers. */
  readonly move_texts: Readonly<Record<string, string>>;
  /** Whether these are sure to be all. */
  readonly all_move_texts: boolean;
  /** Whether its choices depend on a clock. */
  readonly by_clock: boolean;
  /** Functions that JavaScript computes, whose last bits may differ from arena's. */
  readonly approximate: readonly string[];
}

/** One stream of random numbers, the same as arena's of this seed. */
export class Rng {
  constructor(seed?: bigint | number | string);
  readonly seed: bigint;
  /** How many numbers were drawn. */
  readonly drawn: bigint;
  /** The next 63 random bits. */
  bits(): bigint;
  /** A whole number from 0 to n - 1, where n is from 1 to 2 ** 31; else a RangeError. */
  below(n: number): number;
}

/** The seed of the stream that `words` name under `seed`. */
export function derive(seed: bigint | number | string, ...words: (bigint | number)[]): bigint;

/** The bytes of a text in base 64. */
export function fromBase64(text: string): Uint8Array;

/** Loads an entry: from a URL, a Response, bytes, or a WebAssembly.Module. */
export function load(
  source: string | URL | Response | ArrayBuffer | ArrayBufferView | WebAssembly.Module,
): Promise<Entry>;

/** An entry of a game: its rules, and the choices of an agent. */
export class Entry {
  private constructor();
  readonly about: About;
  readonly name: string;
  readonly game: string;
  readonly sides: readonly [string, string];
  readonly initial: State;
  /** The same entry once more, which remembers nothing of what this one has seen. */
  twin(): Promise<Entry>;
  /** The legal moves, in the game's order; none when the game is over. */
  moves(state: State): Move[];
  /** The position after a legal move. */
  play(state: State, move: Move): State;
  /** The player to move, 0 or 1. */
  toMove(state: State): number;
  /** The outcome of a position without moves, for the player to move: 1 won, 0 drawn, -1 lost. */
  value(state: State): number;
  /** 2 for a capture, 1 for another move that cannot be taken back, else 0. */
  irreversible(state: State, move: Move): number;
  /** Whether there is a function of this name, of the game or the agent: `evaluate`, `piece`, `rate`, … */
  can(name: string): boolean;
  /** The game's own evaluation for the player to move; null if it has none. */
  evaluate(state: State): number | null;
  /** What the game counts in a position, in the order of `about.feature_names`; null if it has no features. */
  features(state: State): number[] | null;
  /** What stands on each of `about.cells`: 0 nothing, odd player 0's, even player 1's; null if it is not drawn. */
  board(state: State): number[] | null;
  /** The cell of the piece that a move moves, or where it puts one; null without a grid. */
  anchor(state: State, move: Move): number | null;
  /** A move in the game's notation; `#` and its number if it was not seen when the module was made. */
  moveText(move: Move): string;
  /** The legal move with this text. */
  readMove(state: State, text: string): Move;
  /** A match begins, with the agent as player `seat`. */
  begin(seat: number): void;
  /** The move that the agent makes, by an Rng or the seed of one. */
  choose(state: State, rng?: Rng | bigint | number | string): Move;
  /** What the agent thinks each of the moves is worth, NaN where it does not know; null if it does not say. */
  values(state: State): Promise<number[] | null>;
  /** A match of this game. */
  match(options?: MatchOptions): Match;
}

export interface MatchOptions {
  /** Seed of all random numbers. It is not that of a tournament, which derives the seeds of its matches in another way. */
  seed?: bigint | number | string;
  /** The entries of players 0 and 1, null for people. */
  seats?: readonly [Entry | null, Entry | null];
  /** A match that long is a draw; 0 = none is. */
  maxPlies?: number;
}

/** One match: the position, who is to move, and whether it is over. */
export class Match {
  constructor(rules: Entry, options?: MatchOptions);
  readonly rules: Entry;
  readonly seats: readonly [Entry | null, Entry | null];
  readonly state: State;
  /** The legal moves. */
  readonly moves: readonly Move[];
  /** The legal moves in the game's notation. */
  readonly texts: readonly string[];
  readonly history: readonly Move[];
  /** The moves played, in the game's notation, parted by spaces. */
  readonly line: string;
  readonly toMove: number;
  readonly over: boolean;
  readonly reason: "rules" | "repetition" | "no capture" | "max plies" | null;
  /** From player 0's side: 1 won, 0 drawn, -1 lost; null while it goes on. */
  readonly result: 1 | 0 | -1 | null;
  /** Plays a legal move, by its number or its text. */
  play(move: Move | number | string): this;
  /** The move of the entry whose turn it is. It is not played yet. */
  choose(): Move;
}
