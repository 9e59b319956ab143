"""Games on boards of all kinds, whose authors say in a few lines how they are drawn."""

from __future__ import annotations

from collections.abc import Iterator

from arena import Game, Hands, Heaps, Hexagons, Picture, Points, hookimpl, popcount


@hookimpl
def register_games(register):
    for name in ("Hex", "Dots", "Morris", "Nim", "Tricks", "Tower", "Coins"):
        register(f"drawn-{name.lower()}", f"drawn_games:{name}")


# --- Hex ------------------------------------------------------------------------------------------------

N = 5
CELLS = (1 << N * N) - 1
LEFT = sum(1 << N * y for y in range(N))
TOP = (1 << N) - 1
RIGHT, BOTTOM = LEFT << (N - 1), TOP << N * (N - 1)


def joined(stones: int, start: int, end: int) -> bool:
    """Whether stones join two edges."""
    seen, grown = 0, stones & start
    while grown != seen:
        seen = grown
        left, right = seen & ~LEFT, seen & ~RIGHT
        near = (left >> 1) | (right << 1) | (seen << N) | (seen >> N) | (right >> (N - 1)) | (left << (N - 1))
        grown = seen | (near & stones)
    return seen & end != 0


class Hex(Game):
    """Who first joins his two edges has won: the first player top and bottom, the other left and right."""

    sides = ("black", "white")
    alternating = True
    max_plies = N * N
    drawing = Hexagons(N, N, sides=True)

    def piece(self, state, cell):
        return ((state[0] >> cell) & 1) + 2 * ((state[1] >> cell) & 1)

    def cell_text(self, cell):
        return "abcde"[cell % N] + str(cell // N + 1)

    def initial(self):
        return (0, 0)

    def moves(self, state):
        if joined(state[0], TOP, BOTTOM) or joined(state[1], LEFT, RIGHT):
            return
        for cell in range(N * N):
            if not ((state[0] | state[1]) >> cell) & 1:
                yield cell

    def play(self, state, move):
        if self.to_move(state) == 0:
            return (state[0] | (1 << move), state[1])
        return (state[0], state[1] | (1 << move))

    def to_move(self, state):
        return popcount(state[0] | state[1]) & 1

    def value(self, state):
        return -1

    def move_text(self, move):
        return self.cell_text(move)


# --- Dots and Boxes ---------------------------------------------------------------------------------------

AT = tuple((x, y) for y in range(3) for x in range(3))
LINES = (*((3 * y + x, 3 * y + x + 1) for y in range(3) for x in range(2)), *((i, i + 3) for i in range(6)))
CORNERS = tuple((i, i + 1, i + 4, i + 3) for i in (0, 1, 3, 4))
BOXES = tuple(
    sum(1 << n for n, line in enumerate(LINES) if line[0] in box and line[1] in box) for box in CORNERS
)


class Dots(Game):
    """Dots and Boxes, four boxes: who closes one has it and moves again; most boxes win."""

    sides = ("A", "B")
    max_plies = 12
    drawing = Points(AT, LINES, areas=CORNERS, on_lines=True, pieces=("A", "B", "dark"))

    def piece(self, state, cell):
        if cell < 12:
            return 3 * ((state[0] >> cell) & 1)
        return ((state[1] >> (cell - 12)) & 1) + 2 * ((state[2] >> (cell - 12)) & 1)

    def initial(self):
        return (0, 0, 0, 0)  # lines, boxes of each, mover

    def moves(self, state):
        for line in range(12):
            if not (state[0] >> line) & 1:
                yield line

    def play(self, state, move):
        lines, first, second, mover = state
        lines |= 1 << move
        closed = 0
        for i in range(4):
            if lines & BOXES[i] == BOXES[i] and state[0] & BOXES[i] != BOXES[i]:
                closed |= 1 << i
        if mover == 0:
            first |= closed
        else:
            second |= closed
        return (lines, first, second, mover if closed else 1 - mover)

    def to_move(self, state):
        return state[3]

    def value(self, state):
        ahead = popcount(state[1]) - popcount(state[2])
        won = (1 if ahead > 0 else 0) - (1 if ahead < 0 else 0)
        return won if state[3] == 0 else -won


# --- Nine Men's Morris ------------------------------------------------------------------------------------

SPOTS = tuple(
    (x, y) for y in range(7) for x in range(7)
    if (x, y) != (3, 3) and (x == 3 or y == 3 or abs(x - 3) == abs(y - 3))
)  # fmt: skip
NEXT = tuple(
    (i, j)
    for i, (x, y) in enumerate(SPOTS)
    for j, (x2, y2) in enumerate(SPOTS)
    if (x2 > x or y2 > y)
    and (
        (y == y2 != 3 and x2 - x == abs(y - 3))
        or (x == x2 != 3 and y2 - y == abs(x - 3))
        or (y == y2 == 3 and x2 - x == 1)
        or (x == x2 == 3 and y2 - y == 1)
    )
)
NEAR = tuple(sum(1 << a + b - i for a, b in NEXT if i in (a, b)) for i in range(24))
MILLS = tuple(
    (1 << a) | (1 << b) | (1 << c)
    for a, b in NEXT
    for b2, c in NEXT
    if b == b2 and (SPOTS[a][0] == SPOTS[c][0] or SPOTS[a][1] == SPOTS[c][1])
)


def closes(men: int, spot: int) -> bool:
    """Whether the man on a spot is in a row of three."""
    for mill in MILLS:
        if (mill >> spot) & 1 and men & mill == mill:
            return True
    return False


def takeable(men: int) -> int:
    """The men that may be taken: those in no row of three, or all if all are in one."""
    free = 0
    for spot in range(24):
        if (men >> spot) & 1 and not closes(men, spot):
            free |= 1 << spot
    return free or men


class Morris(Game):
    """Nine Men's Morris, with flying. A move is (from + 1, to, taken + 1) in base 25."""

    sides = ("white", "black")
    alternating = True
    dark = 1
    max_moves = 1000
    max_plies = 200
    drawing = Points(SPOTS, NEXT)

    def piece(self, state, cell):
        own, other, ply = state
        if ply & 1:
            own, other = other, own
        return ((own >> cell) & 1) + 2 * ((other >> cell) & 1)

    def cell_text(self, cell):
        return "abcdefg"[SPOTS[cell][0]] + str(7 - SPOTS[cell][1])

    def initial(self):
        return (0, 0, 0)  # men of the player to move and of the other, plies; after 18 only their parity

    def moves(self, state):
        own, other, ply = state
        if ply >= 18 and popcount(own) < 3:
            return
        for start in range(25):  # 0 for a man from the hand
            if (ply < 18) != (start == 0) or (start > 0 and not (own >> (start - 1)) & 1):
                continue
            left = own if start == 0 else own ^ (1 << (start - 1))
            for end in range(24):
                if ((own | other) >> end) & 1:
                    continue
                if start > 0 and popcount(own) > 3 and not (NEAR[start - 1] >> end) & 1:
                    continue
                move = 625 * start + 25 * end
                if other and closes(left | (1 << end), end):
                    prey = takeable(other)
                    for taken in range(24):
                        if (prey >> taken) & 1:
                            yield move + taken + 1
                else:
                    yield move

    def play(self, state, move):
        own, other, ply = state
        start, end, taken = move // 625, move // 25 % 25, move % 25
        own |= 1 << end
        if start:
            own ^= 1 << (start - 1)
        if taken:
            other ^= 1 << (taken - 1)
        return (other, own, ply + 1 if ply < 19 else 18)

    def to_move(self, state):
        return state[2] & 1

    def value(self, state):
        return -1

    def move_text(self, move):
        start, end, taken = move // 625, move // 25 % 25, move % 25
        left = f"{self.cell_text(start - 1)}-" if start else ""
        return left + self.cell_text(end) + (f"x{self.cell_text(taken - 1)}" if taken else "")


# --- Nim ----------------------------------------------------------------------------------------------------

HEAPS = (3, 4, 5)


class Nim(Game):
    """Take any number of objects from one heap; who takes the last has won. A move is 10 heap + number."""

    alternating = True
    max_plies = 12
    drawing = Heaps(HEAPS)

    def piece(self, state, cell):
        if cell < 3:
            return 1 if cell < state[0] else 0
        if cell < 7:
            return 1 if cell - 3 < state[1] else 0
        return 1 if cell - 7 < state[2] else 0

    def initial(self):
        return (*HEAPS, 0)

    def moves(self, state):
        for heap in range(3):
            for n in range(1, 6):
                if n <= state[heap]:
                    yield 10 * heap + n

    def play(self, state, move):
        heap, n = move // 10, move % 10
        return (
            state[0] - (n if heap == 0 else 0),
            state[1] - (n if heap == 1 else 0),
            state[2] - (n if heap == 2 else 0),
            1 - state[3],
        )

    def to_move(self, state):
        return state[3]

    def value(self, state):
        return -1

    def move_text(self, move):
        return f"{move // 10 + 1}-{move % 10}"


# --- cards --------------------------------------------------------------------------------------------------

CARDS = ("A♠", "K♠", "Q♠", "J♠", "A♥", "K♥", "Q♥", "J♥")  # the lower its number, the higher a card
DEAL = (0, 2, 5, 7, 1, 3, 4, 6)  # four to each


class Tricks(Game):
    """Open hands of four: follow suit; the higher card takes the trick and leads; most tricks win."""

    max_plies = 8
    drawing = Hands({"first": 4, "table": 1, "second": 4}, pieces=CARDS)

    def piece(self, state, cell):
        if cell == 4:
            return state[1]
        card = DEAL[cell if cell < 4 else cell - 1]
        return card + 1 if (state[0] >> card) & 1 else 0

    def initial(self):
        return (255, 0, 0, 0)  # cards in hands, 1 + card on the table, mover, tricks of first less of second

    def hand(self, state):
        held = 0
        for i in range(4):
            held |= 1 << DEAL[4 * state[2] + i]
        return held & state[0]

    def moves(self, state):
        held = self.hand(state)
        if state[1]:
            suit = 15 if state[1] <= 4 else 240
            held = held & suit or held
        for card in range(8):
            if (held >> card) & 1:
                yield card

    def play(self, state, move):
        cards, led, mover, ahead = state
        cards ^= 1 << move
        if not led:
            return (cards, move + 1, 1 - mover, ahead)
        takes = move < led - 1 and (move < 4) == (led <= 4)
        winner = mover if takes else 1 - mover
        return (cards, 0, winner, ahead + 1 - 2 * winner)

    def to_move(self, state):
        return state[2]

    def value(self, state):
        won = (1 if state[3] > 0 else 0) - (1 if state[3] < 0 else 0)
        return won if state[2] == 0 else -won

    def move_text(self, move):
        return CARDS[move]


# --- a picture of its own -----------------------------------------------------------------------------------

HOSTILE = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
     viewBox="0 0 192 192" onload="alert(1)">
  <script>alert(2)</script><style>* { display: none }</style>
  <path d="M96 8L184 184H8Z" fill="#cfe3d4" stroke="#222222" onclick="alert(3)"/>
  <image href="https://example.org/a.png"/><foreignObject><b onclick="alert(4)">b</b></foreignObject>
  <a xlink:href="javascript:alert(5)"><text x="4" y="12">away</text></a>
  <rect width="9" height="9" fill="url(https://example.org/b.svg#b)"/><use href="#viewer"/>
  <text x="96" y="176" text-anchor="middle" font-size="14">&lt;tower&gt;</text>
  <animate attributeName="href" values="javascript:alert(6)"/>
</svg>"""


class Tower(Game):
    """One man goes up one floor or two; who reaches the third has won. A hostile picture."""

    sides = ("<b onclick=alert(7)>", "second")
    alternating = True
    max_plies = 3
    drawing = Picture(
        HOSTILE,
        [(96, 150), (96, 110), (96, 70), (96, 36)],
        clicks={"1": (3,)},
        pieces=['<circle r="12" fill="#b3261e" onclick="alert(8)"/><script>alert(9)</script>'],
    )

    def piece(self, state, cell):
        return 1 if cell == state[0] else 0

    def initial(self):
        return (0, 0)

    def moves(self, state):
        for n in range(1, 3):
            if state[0] + n <= 3:
                yield n

    def play(self, state, move):
        return (state[0] + move, 1 - state[1])

    def to_move(self, state):
        return state[1]

    def value(self, state):
        return -1


class Coins(Game):
    """A heap without a drawing."""

    max_plies = 9

    def initial(self):
        return (9, 0)

    def moves(self, state) -> Iterator[int]:
        for n in range(1, 4):
            if n <= state[0]:
                yield n

    def play(self, state, move):
        return (state[0] - move, 1 - state[1])

    def to_move(self, state):
        return state[1]

    def value(self, state):
        return -1

    def board_text(self, state):
        return "o " * state[0] or "no coins"
