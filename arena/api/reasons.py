"""Why matches ended, as recorded, with the `Termination` of the PGN standard for each reason."""

WITHDRAWN = "withdrawn"  # forfeited unplayed, since an entry had failed too often before
FORFEITS = {
    "illegal move": "rules infraction",
    "crash": "abandoned",
    "clock": "time forfeit",
    "stall": "abandoned",
    WITHDRAWN: "abandoned",
}
FAILURES = ("crash", "stall")  # counted before an entry is withdrawn
ADJUDICATED = "adjudication"  # decided by the endings of the game
RESIGNED = "resignation"  # given up by a user at the terminal
TERMINATIONS = {**FORFEITS, ADJUDICATED: "adjudication", "max plies": "adjudication"}  # of others `normal`
