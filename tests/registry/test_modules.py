import sys
import threading
from types import ModuleType

import pytest

from arena.registry.imports import module_made


@pytest.fixture
def name():
    yield "arena_made_of_a_text"
    sys.modules.pop("arena_made_of_a_text", None)


def test_no_thread_meets_a_module_half_made(name):
    begun, go_on = threading.Event(), threading.Event()
    filled, met = [], []

    def fill(module):
        filled.append(module)
        begun.set()
        go_on.wait(60)
        module.whole = True

    def ask():
        met.append(hasattr(module_made(name, ModuleType(name), fill), "whole"))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    threads[0].start()
    begun.wait(60)
    for thread in threads[1:]:
        thread.start()
    go_on.set()
    for thread in threads:
        thread.join(60)
    assert met == [True] * 4
    assert len(filled) == 1


def test_what_cannot_be_made_is_gone_and_made_anew(name):
    def fail(module):
        raise ValueError("half way")

    with pytest.raises(ValueError, match="half way"):
        module_made(name, ModuleType(name), fail)
    assert name not in sys.modules
    assert module_made(name, ModuleType(name), lambda module: None) is sys.modules[name]


def test_what_a_module_asks_for_while_it_is_made_is_itself(name):
    found = []
    fill = lambda module: found.append(module_made(name, ModuleType(name), fill))  # noqa: E731
    assert found == [module_made(name, ModuleType(name), fill)]
