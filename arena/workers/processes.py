"""Worker processes, any of which may die without harm to the others: an executor.

Any `concurrent.futures.Executor` will do in its place; a plugin registers a function of the number of workers
that gives one.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import signal
import sys
import tempfile
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import (
    connection,
    forkserver,
    get_all_start_methods,
    get_context,
    parent_process,
    resource_tracker,
    util,
)
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from pickle import dumps, loads
from time import monotonic_ns
from typing import Any, NoReturn

from arena.activity import activity
from arena.compiler import host
from arena.errors import ArenaError, Renamed, Reported, one_line, safe_text
from arena.stream_encoding import use_signs
from arena.workers.pools import Surviving
from arena.workers.temporary import meet_in_own_folder
from arena.workers.unraisable import tell_unheard
from arena.workers.watch import ALLOWED, APART, NOBODY, WORDS, Mark, ProcessWatch, WorkerDied
from arena.workers.worker import CompilerHost, Worker, current, own_watch

SHORT_FOLDER = "/tmp"  # for sockets, where TMPDIR is longer than that
LONGEST_FOLDER = 60  # bytes: a socket's address has 107 at most, of which its name and its folder's take 33
TICK = 0.1  # seconds between looks at who is overdue
LONG_TICK = 10**9  # ns; what is longer this process stood still
STACK_SECONDS, LONGEST_STACK = 0.5, 1 << 16  # for a worker to tell where it is, and bytes of that

setting_environment = threading.RLock()


# a process forked from a server that has all imports done starts in milliseconds, which counts where
# an agent keeps taking its process down
context: Any = get_context("forkserver" if "forkserver" in get_all_start_methods() else "spawn")
PRELOADED = ["arena.workers.preload", "arena.matches.block", "multiprocessing.sharedctypes"]
context.set_forkserver_preload(PRELOADED)

# what comes from a worker: what a task gave or raised, a text for the user, or what it does just now
RESULT, ERROR, MESSAGE, ACTIVITY = range(4)
LAST = 1 << 4  # added where it is the last: another worker is to take its place


def get_ready(*modules: str) -> None:
    """Begin to prepare for worker processes, which will have these modules imported; does not wait."""
    context.set_forkserver_preload([*PRELOADED, *modules])
    if context.get_start_method() == "forkserver":
        with suppress(OSError), fresh_interpreters(), undisturbed():  # whose fault a task will tell
            settle_temporary_folder()
            forkserver.ensure_running()


class WorkerFailed(Reported):
    """What a task raised that is no Exception, on one line."""


def settle_temporary_folder() -> None:
    """Have multiprocessing's own folder where the addresses of sockets, which are short, have room for it."""
    folder = tempfile.gettempdir()
    if len(os.fsencode(folder)) <= LONGEST_FOLDER:
        return
    before, tempfile.tempdir = tempfile.tempdir, SHORT_FOLDER
    try:
        util.get_temp_dir()  # which it keeps to
    finally:
        tempfile.tempdir = before


@dataclass(eq=False)
class WorkerProcess:
    """A process, this end of its pipe, whose turn it is there, and what it is busy with."""

    process: BaseProcess
    pipe: Connection
    mark: Mark
    future: Future[Any] | None = None
    seen: tuple[int, ...] = ()  # its mark when last looked at, and since when it has been so
    since: int = 0
    lost: int = 0  # ns of `Processes.lost` at that time
    waited: int = 0  # ns that it had waited for a processor by then


class Processes(Surviving):
    """Worker processes. Any may die at any time: its future gets WorkerDied, another takes its place.

    Each worker has a pipe of its own and shares no lock, so that none can take another down with it.
    say: is told what they have to say to the user.
    """

    def __init__(self, workers: int, say: Callable[[str], object] = own_watch.say) -> None:
        if not hasattr(os, "killpg"):
            own_watch.say("Warning: on this system processes that agents start may outlive them")
        self.size, self.say = workers, say
        self.workers: list[WorkerProcess] = []
        self.queue: deque[tuple[Future[object], bytes]] = deque()
        self.ending = self.leaving = False  # no more tasks come; the ones there are are dropped
        # the last look; ns that this process stood still before that, and in all
        self.ticked, self.gap, self.lost = monotonic_ns(), 0, 0
        self.awaken, self.bell = context.Pipe(duplex=False)
        self.ringing = threading.Lock()
        self.manager = threading.Thread(target=self.manage, name="arena-workers", daemon=True)
        self.manager.start()

    def submit(self, fn: Callable[..., object], /, *args: object, **kwargs: object) -> Future[Any]:
        if self.ending:
            raise RuntimeError("cannot submit to an executor that was shut down")
        future: Future[object] = Future()
        self.queue.append((future, dumps((fn, args, kwargs))))
        self.ring()
        return future

    def another(self, workers: int) -> Processes:
        return Processes(workers)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        if not self.ending:
            self.leaving = cancel_futures
            self.ending = True
            self.ring()
        if wait:
            self.manager.join()

    def ring(self) -> None:
        with self.ringing:
            self.bell.send_bytes(b"")

    def manage(self) -> None:
        """Hand out tasks and take in results, until all is done."""
        with undisturbed():
            self.work_off()

    def work_off(self) -> None:
        try:
            while not self.leaving:
                self.hand_out()
                busy = [worker for worker in self.workers if worker.future]
                if self.ending and not busy:
                    break
                # a pipe alone would not tell the end of a process that has left children behind
                ends = [end for worker in busy for end in (worker.pipe, worker.process.sentinel)]
                ready = connection.wait([self.awaken, *ends], TICK if busy else None)
                self.tick(bool(busy))
                if self.awaken in ready:
                    self.awaken.recv_bytes()
                for worker in busy:
                    if worker.pipe in ready:
                        self.take_in(worker)
                    elif worker.process.sentinel in ready:
                        self.bury(worker)
                    else:
                        self.check(worker)
        finally:
            for future, _ in self.queue:
                future.cancel()
                future.set_running_or_notify_cancel()
            for worker in self.workers:
                activity.tell(worker.process.pid, "")
                worker.pipe.close()  # at which an idle worker ends
                if worker.future:
                    kill(worker.process)
                    worker.future.set_exception(CancelledError())
            for worker in self.workers:
                end(worker.process)

    def tick(self, busy: bool) -> None:
        """Note the time, and how much of it this process, or the whole machine, stood still."""
        now = monotonic_ns()
        self.gap = max(0, now - self.ticked - LONG_TICK) if busy else 0
        self.lost += self.gap
        self.ticked = now

    def hand_out(self) -> None:
        while self.queue:
            idle = next((worker for worker in self.workers if not worker.future), None)
            if idle is None and len(self.workers) == self.size:
                return
            future, task = self.queue.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                worker = idle or self.start()
            except Exception as error:  # whatever it is, the task has to be answered
                future.set_exception(ArenaError(f"cannot start a worker process: {why(error)}"))
                continue
            worker.future = future
            try:
                worker.pipe.send_bytes(task)
            except OSError:
                self.bury(worker)

    def take_in(self, worker: WorkerProcess) -> None:
        try:
            kind, content = loads(worker.pipe.recv_bytes())
        except (EOFError, OSError):
            self.bury(worker)
            return
        except Exception as error:  # a result that cannot be unpickled
            kind, content = ERROR, error
        if kind == MESSAGE:
            self.say(content)
            return
        if kind == ACTIVITY:
            activity.tell(worker.process.pid, content)
            return
        future, worker.future = worker.future, None
        assert future is not None
        if kind & LAST:
            self.workers.remove(worker)
            worker.pipe.close()
            end(worker.process)
        future.set_result(content) if kind & ~LAST == RESULT else future.set_exception(content)

    def start(self) -> WorkerProcess:
        settle_temporary_folder()
        mark = context.RawArray("q", (0, NOBODY, NOBODY, *[0] * (APART - 3)))
        here, there = context.Pipe()
        process = context.Process(target=work, args=(there, mark, dict(os.environ)), name="arena-worker")
        with fresh_interpreters():
            process.start()
        there.close()
        self.workers.append(WorkerProcess(process, here, mark))
        return self.workers[-1]

    def check(self, worker: WorkerProcess) -> None:
        """End a worker that has gone on for too long, while this process did not stand still itself.

        What it waited for a processor is not counted, up to as long again as it may go on.
        """
        mark = tuple(worker.mark[:WORDS])
        deadline, number, seat, *_ = mark
        if worker.seen != mark:
            # it may have begun before this process stood still
            worker.seen, worker.since, worker.lost = mark, self.ticked, self.lost - self.gap
            worker.waited = waited_ns(worker.process.pid)
        if deadline < 0:
            deadline = worker.since - deadline
        now = self.ticked - (self.lost - worker.lost)
        if 0 < deadline < now:
            starved = waited_ns(worker.process.pid) - worker.waited
            if deadline + min(starved, worker.mark[ALLOWED]) >= now:
                return
            stack = stack_of(worker)
            kill(worker.process)
            self.bury(worker, (number, seat), stack)

    def bury(self, worker: WorkerProcess, stalled: Sequence[int] = (), stack: str = "") -> None:
        """A worker is dead, or was ended. stalled: the match and seat that it was ended for. stack: where."""
        self.workers.remove(worker)
        activity.tell(worker.process.pid, "")
        worker.pipe.close()
        end(worker.process)
        number, seat = stalled or worker.mark[1:3]
        detail, seconds = describe_exit(worker.process.exitcode), worker.mark[ALLOWED] / 1e9
        assert worker.future is not None
        worker.future.set_exception(WorkerDied(number, seat, bool(stalled), detail, seconds, stack))


def stack_of(worker: WorkerProcess) -> str:
    """Where a worker is that is to be ended, as faulthandler tells it; nothing if that takes too long."""
    data = b""
    with suppress(OSError, AttributeError):  # no such signals on Windows
        os.kill(worker.process.pid or 0, signal.SIGUSR1)
        while len(data) < LONGEST_STACK and worker.pipe.poll(STACK_SECONDS / 10 if data else STACK_SECONDS):
            data += os.read(worker.pipe.fileno(), LONGEST_STACK)
    return data.decode(errors="replace")


def waited_ns(pid: int | None) -> int:
    """For how long a process was ready to go on and no processor was free; 0 where that is not known."""
    with suppress(OSError, ValueError, IndexError):  # known on Linux
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1])
    return 0


def why(error: Exception) -> str:
    """Why a process cannot be started. The system does not name a folder that is gone."""
    if not isinstance(error, FileNotFoundError) or error.filename:
        return str(error)
    folder = util.get_temp_dir()
    gone = "that this was called from" if Path(folder).exists() else f"in which workers are met, {folder},"
    return f"the folder {gone} is gone"


@contextmanager
def undisturbed() -> Iterator[None]:
    """Processes that this thread starts meanwhile know no Ctrl-C until they ask for it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    with fresh_interpreters():
        resource_tracker.ensure_running()  # whose start would undo it
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def fresh_interpreters() -> Iterator[None]:
    """Interpreters started meanwhile hash texts alike, so that sets have one order everywhere.

    They import nothing from this folder, where a `random.py` may lie, and do not run the user's own script
    once more: what they need of that they are sent as source.
    """
    wanted = {"PYTHONSAFEPATH": "1", "PYTHONHASHSEED": "0"}
    with setting_environment:  # a second thread would take what the first has set for what was there before
        meet_in_own_folder()
        before = {name: os.environ.get(name) for name in wanted}
        main = vars(sys.modules["__main__"])
        hidden: dict[str, object] = {
            name: main.pop(name) for name in ("__spec__", "__file__") if name in main
        }
        main["__spec__"] = None
        os.environ.update(wanted)
        try:
            yield
        finally:
            main.update(hidden)
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


def end(process: BaseProcess) -> None:
    """Wait for a process that has no more to do, not long, and end what its agents have started."""
    process.join(2.0)
    kill(process)
    process.join()


def kill(process: BaseProcess) -> None:
    """End a process, and whatever its agents have started."""
    if hasattr(os, "killpg") and process.pid:
        with suppress(OSError):  # nothing left, or it has not made a group of its own yet
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def work(pipe: Connection, mark: Mark, environ: Mapping[str, str]) -> None:
    """The life of a worker process. Ctrl-C is its parent's business, and standard output is not its own.

    environ: the parent's environment, which may have changed since the server that forks was started.
    """
    gc.enable()  # see `arena.workers.preload`
    warnings.simplefilter("ignore", Renamed)  # likewise
    tell_unheard()
    signal.signal(signal.SIGINT, lambda *_: None)  # an agent's own children would inherit SIG_IGN
    if hasattr(os, "setsid"):
        os.setsid()  # out of the terminal's reach, and a group that can be ended as one
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))
    pipe.poll(None)  # with a first task here nothing more comes through the pipe that started this process
    follow_parent()
    os.environ.clear()
    os.environ.update({**environ, "PYTHONHASHSEED": "0"})  # an agent's own interpreters hash alike, too
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    use_signs()
    if hasattr(faulthandler, "register"):  # not on Windows
        faulthandler.register(signal.SIGUSR1, pipe.fileno(), all_threads=False)  # for `stack_of`
    watch = ProcessWatch(mark, partial(send, pipe, MESSAGE))
    worker = Worker(watch)
    current.set(worker)
    activity.pass_on = partial(pass_on, pipe, watch)
    host.set(CompilerHost(watch))
    myself = os.getpid()
    while True:
        try:
            fn, args, kwargs = loads(pipe.recv_bytes())
        except (EOFError, OSError):
            worker.close()
            leave()
        try:
            kind, content = RESULT, fn(*args, **kwargs)
        except BaseException as error:
            kind, content = ERROR, error
        if os.getpid() != myself:  # an agent forked, and its child came back here
            os._exit(1)
        try:
            with watch.saying:
                send(pipe, kind | LAST * worker.spent, content)
        except OSError:
            leave()
        if worker.spent:
            leave()


def pass_on(pipe: Connection, watch: ProcessWatch, text: str) -> None:
    """Tell the parent process what this one does just now."""
    if watch.forked:  # an agent's child, whose pipe it is not
        return
    with watch.saying, suppress(OSError):
        send(pipe, ACTIVITY, text)


def send(pipe: Connection, kind: int, content: object) -> None:
    """To the parent process, from one thread at a time. May raise OSError."""
    if isinstance(content, BaseException) and not isinstance(content, Exception):
        content = WorkerFailed(safe_text(one_line, content))
    try:
        data = dumps((kind, content))
        if isinstance(content, Exception):
            loads(data)
    except Exception as error:
        failure = content if isinstance(content, Exception) else error
        data = dumps((ERROR | kind & LAST, WorkerFailed(safe_text(one_line, failure))))
    pipe.send_bytes(data)


def leave() -> NoReturn:
    """End this process with whatever threads, children and exit handlers agents have left."""
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def follow_parent(group: bool = True) -> int:
    """Have this process end when its parent does, however that comes about and whatever it is doing.

    group: with all of the group that it leads. The descriptor that tells is to stay open.
    """
    parent = parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        leave() if group else os._exit(0)

    if sys.platform == "linux":
        import fcntl

        # the kernel kills them when the pipe to the parent closes: no thread, no waiting for C code
        with suppress(OSError):  # where Linux is another kernel's imitation
            fcntl.fcntl(parent.sentinel, fcntl.F_SETOWN, -os.getpid() if group else os.getpid())
            fcntl.fcntl(parent.sentinel, fcntl.F_SETSIG, signal.SIGKILL)
            fcntl.fcntl(parent.sentinel, fcntl.F_SETFL, os.O_ASYNC)
            if parent.is_alive():
                return parent.sentinel
    threading.Thread(target=follow, daemon=True).start()
    return parent.sentinel


def describe_exit(code: int | None) -> str:
    """`the process was ended by SIGSEGV`, `the process ended itself with status 3`."""
    if code is not None and code < 0:
        named = {s.value: s.name for s in signal.Signals}
        return f"the process was ended by {named.get(-code, f'signal {-code}')}"
    return f"the process ended itself with status {code}"
