"""Planning a tournament: entries, formats, schedule and openings, from its settings."""

FORMATS = {
    "round-robin": "arena.plan.schedule:RoundRobin",
    "gauntlet": "arena.plan.schedule:Gauntlet",
    "paired-seeds": "arena.plan.paired_seeds:PairedSeeds",
    "swiss": "arena.plan.swiss:Swiss",
    "decided": "arena.plan.until_decided:Decided",
    "precise": "arena.plan.until_precise:Precise",
    "sprt": "arena.plan.sequential:Sequential",
}
