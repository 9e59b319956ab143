"""Work that the sandbox server does in advance, and a function that reports what a process found of it."""

from __future__ import annotations

import importlib
import json
import os
import sys
import threading
import time

found = {}  # what was done in this process, or in the server before it was forked


def note():
    found["by"] = os.getpid()


def note_then_hang():
    note()
    time.sleep(60)


def note_then_end():
    note()
    os._exit(0 if "by" not in found else 1)


def note_then_raise():
    note()
    raise RuntimeError


def note_then_start_thread():
    note()
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()


def note_environment():
    found["by"] = os.environ.get("ARENA_NOTED")


def load(name):
    found["value"] = importlib.import_module(name).VALUE


def tell(pipe):
    pipe.send_bytes(json.dumps([found.get("by"), os.getpid()]).encode())


def tell_environment(pipe):
    pipe.send_bytes(json.dumps([found.get("by"), sorted(os.environ)]).encode())


def tell_value(pipe, name):
    was_there = name in sys.modules
    pipe.send_bytes(json.dumps([was_there, importlib.import_module(name).VALUE]).encode())


def tell_rules(pipe, name):
    from arena.compiler import rules

    pipe.send_bytes(json.dumps([name in sys.modules, bool(rules.known)]).encode())
