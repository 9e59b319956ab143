"""Recorded reasons for the end of matches, each with the value of the PGN tag `Termination`."""

WITHDRAWN = "withdrawn"  # forfeited unplayed because an entry had failed too often
FORFEITS = {
    "illegal move": "rules infraction",
    "crash": "abandoned",
    "clock": "time forfeit",
    "stall": "abandoned",
    WITHDRAWN: "abandoned",
}
FAILURES = ("crash", "stall")  # reasons that count towards the withdrawal of an entry
ADJUDICATED = "adjudication"  # decided by the endgame database
RESIGNED = "resignation"  # resigned by a user at the terminal
TERMINATIONS = {**FORFEITS, ADJUDICATED: "adjudication", "max plies": "adjudication"}  # for others: `normal`
