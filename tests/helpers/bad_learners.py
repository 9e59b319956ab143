"""Learners that go wrong, each in its own way, with the message that each gets."""

from __future__ import annotations

from bad_agents import IMPORTS, class_name

DIED = "the process ended itself with status 3"
KILLED = "the process was ended by SIGSEGV"
STALLED = r"no episode within 8 s(, at [^ ]*:\d+ in \w+)?; if it needs longer, raise --stall-seconds"

# methods in place of sound ones; what is told where that fails while learning, as a regular expression
FAILING = {
    "learn-raises": ("def learn(self, episode, rng): return [0][episode]", "IndexError: list index.*"),
    "learn-raises-mute": (
        "def learn(self, episode, rng): raise type('Mute', (Exception,), {'__str__': lambda s: 1 / 0})",
        "(Mute: )?<Mute>",
    ),
    "learn-raises-local": (
        "def learn(self, episode, rng): raise type('Local', (Exception,), {})('here')",
        "(WorkerFailed: )?Local: here",
    ),
    "learn-leaves": ("def learn(self, episode, rng): sys.exit(3)", "(WorkerFailed: )?SystemExit: 3"),
    "learn-interrupts": (
        "def learn(self, episode, rng): raise KeyboardInterrupt",
        "(WorkerFailed: )?KeyboardInterrupt",
    ),
    "learn-dies": ("def learn(self, episode, rng): os._exit(3)", DIED),
    "learn-segfaults": ("def learn(self, episode, rng): ctypes.string_at(0)", KILLED),
    "learn-recurses": (
        "def learn(self, episode, rng): return self.learn(episode, rng)",
        "RecursionError: .*",
    ),
    "learn-allocates": ("def learn(self, episode, rng): np.zeros(10**16)", r"\S*MemoryError.*"),
    "learn-gives-two": (
        "def learn(self, episode, rng): return 2",
        "ValueError: learn returns 2, not 1, 0 or -1, in episode 0",
    ),
    "learn-gives-none": (
        "def learn(self, episode, rng): pass",
        "ValueError: learn returns None, not 1, 0 or -1, in episode 0",
    ),
    "learn-gives-a-text": (
        "def learn(self, episode, rng): return 'won'",
        "ValueError: learn returns won, not 1, 0 or -1, in episode 0",
    ),
    "learn-gives-half": (
        "def learn(self, episode, rng): return 0.5",
        "ValueError: learn returns 0.5, not 1, 0 or -1, in episode 0",
    ),
    "learn-takes-less": ("def learn(self, episode): return 0", r"TypeError: \S+learn\(\) takes 2 .*"),
    "learn-sleeps": ("def learn(self, episode, rng): time.sleep(10**6)", STALLED),
    "learn-loops": ("def learn(self, episode, rng):\n        while True: pass", STALLED),
    "learn-reseeds": ("def learn(self, episode, rng): rng.seed(1)", "TypeError: .*"),
    "prepare-raises": ("def prepare(self): 1 / 0", "ZeroDivisionError: .*"),
    "prepare-dies": ("def prepare(self): os._exit(3)", DIED),
    "prepare-sleeps": ("def prepare(self): time.sleep(10**6)", STALLED),
    "prepare-learning-raises": ("def prepare_learning(self): 1 / 0", "ZeroDivisionError: .*"),
    "model-raises": ("def model(self): 1 / 0", "ZeroDivisionError: .*"),
    "model-dies": ("def model(self): os._exit(3)", DIED),
    "model-sleeps": ("def model(self): time.sleep(10**6)", STALLED),
    "model-is-none": ("def model(self): return None", "TypeError: model returns None, not a dictionary.*"),
    "model-is-a-number": ("def model(self): return 3", "TypeError: model returns an int, not a dictionary.*"),
    "model-of-objects": (
        "def model(self): return {'a': np.array([object()])}",
        "TypeError: model returns object for 'a'; .*",
    ),
    "model-of-lists": (
        "def model(self): return {'a': [1, object()]}",
        "TypeError: model returns an object for 'a'; .*",
    ),
    "model-by-number": (
        "def model(self): return {1: np.zeros(3)}",
        "TypeError: model returns the name 1; .*",
    ),
    "never-grows": (
        "def full(self): return True",
        "RuntimeError: episode 0 does not fit into its table after 65 calls of grow",
    ),
    "grows-by-raising": (
        "def full(self): return True\n    def grow(self): raise LookupError('no room')",
        "LookupError: no room",
    ),
    "changes-its-kind": (
        "def learn(self, episode, rng):\n"
        "        if episode == 50: self.best = 'high'\n"
        "        self.best = self.best + 1\n"
        "        return 0\n"
        "    def prepare(self): self.best = 0",
        "TypeError: .*|.*best.*",
    ),
    "loses-its-folder": ("def learn(self, episode, rng): os.chdir('/no/such')", "FileNotFoundError: .*"),
}

# what may look like a fault and is none
SOUND = {
    "model-is-empty": "def model(self): return {}",
    "model-of-nan": "def model(self): return {'a': np.full(3, np.nan)}",
    "model-is-big": "def model(self): return {'a': np.zeros(3_000_000)}",
    "leaves-threads": (
        "def learn(self, episode, rng):\n"
        "        if episode == 3: threading.Thread(target=time.sleep, args=(10**6,)).start()\n"
        "        return 0"
    ),
    "prints": "def learn(self, episode, rng): print('{'); return 0",
    "goes-elsewhere": "def learn(self, episode, rng): os.chdir('/'); return 0",
    "forks": "def learn(self, episode, rng):\n        if episode == 3: os.fork()\n        return 0",
    "raises-in-a-thread": ("def prepare_learning(self): threading.Thread(target=lambda: 1 / 0).start()"),
    "raises-when-gone": "def __del__(self): 1 / 0",
}

# what learns, and then cannot play: the reason and the detail of the forfeits
FORFEITING = {
    "recall-raises": (
        "def recall(self, model): 1 / 0",
        "crash",
        r".* cannot recall its model \S+: ZeroDivisionError: .*",
    ),
    "recall-dies": ("def recall(self, model): os._exit(3)", "crash", DIED),
    "recall-misses": (
        "def recall(self, model): self.b = model['b']",
        "crash",
        r".* cannot recall its model \S+: KeyError: 'b'.*",
    ),
    "recall-writes": (
        "def recall(self, model): model['a'][0] = 1",
        "crash",
        r".* cannot recall its model \S+: ValueError: .*",
    ),
}

LEARNERS = {
    **{name: source for name, (source, _) in FAILING.items()},
    **SOUND,
    **{name: source for name, (source, *_) in FORFEITING.items()},
}


def plugin_source() -> str:
    """A plugin of all these learners."""
    lines = [IMPORTS, "@hookimpl", "def register_agents(register):"]
    lines += [f"    register({name!r}, 'learners:{class_name(name)}')" for name in LEARNERS]
    lines.append(
        "class Sound(Learner):\n"
        "    episodes: int = option(100, 'number of training games')\n"
        "    def learn(self, episode, rng): return 0\n"
        "    def model(self): return {'a': np.zeros(3)}\n"
        "    def recall(self, model): pass\n"
        "    def choose(self, state, moves, rng): return moves[0]\n"
    )
    lines += [f"class {class_name(name)}(Sound):\n    {source}" for name, source in LEARNERS.items()]
    return "\n".join(lines)
