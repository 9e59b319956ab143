"""The executor `processes`: worker processes, each of which may die without affecting the others.

Any other `concurrent.futures.Executor` can be used instead: a plugin registers a function that takes the
number of workers and returns an executor.
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
from arena.workers.worker import (
    ALLOWED,
    APART,
    NOBODY,
    WORDS,
    CompilerHost,
    Mark,
    ProcessWatch,
    Worker,
    WorkerDied,
    current,
    own_watch,
)

SHORT_FOLDER = "/tmp"  # folder for sockets if TMPDIR is too long
LONGEST_FOLDER = 60  # maximum length in bytes; a socket's address has at most 107, of which names need 33
TICK = 0.1  # seconds between checks for overdue workers
LONG_TICK = 10**9  # ns; if more time passes between two checks, this process was suspended
STACK_SECONDS, LONGEST_STACK = 0.5, 1 << 16  # limits for a worker's dump of its stack

setting_environment = threading.RLock()


# a process forked from a server that has done all imports starts in milliseconds, which matters when
# an agent keeps crashing its process
context: Any = get_context("forkserver" if "forkserver" in get_all_start_methods() else "spawn")
PRELOADED = ["arena.workers.preload", "arena.matches.block", "multiprocessing.sharedctypes"]
context.set_forkserver_preload(PRELOADED)

# kinds of messages from a worker: a task's return value or exception, a text for the user, its activity
RESULT, ERROR, MESSAGE, ACTIVITY = range(4)
LAST = 1 << 4  # flag of a worker's last message: the worker must be replaced


def get_ready(*modules: str) -> None:
    """Start preparing worker processes that have imported these modules, without waiting."""
    context.set_forkserver_preload([*PRELOADED, *modules])
    if context.get_start_method() == "forkserver":
        with suppress(OSError), fresh_interpreters(), undisturbed():  # the first task reports an error
            settle_temporary_folder()
            forkserver.ensure_running()


class WorkerFailed(Reported):
    """Replaces an exception that is not an `Exception` or cannot be pickled, with its text on one line."""


def settle_temporary_folder() -> None:
    """Make multiprocessing use a temporary folder whose path is short enough for socket addresses."""
    folder = tempfile.gettempdir()
    if len(os.fsencode(folder)) <= LONGEST_FOLDER:
        return
    before, tempfile.tempdir = tempfile.tempdir, SHORT_FOLDER
    try:
        util.get_temp_dir()  # multiprocessing keeps using this folder
    finally:
        tempfile.tempdir = before


@dataclass(eq=False)
class WorkerProcess:
    """A worker process, as seen by its parent.

    Attributes:
        process: The process.
        pipe: The parent's end of its pipe.
        mark: Shared memory in which the worker records whose turn it is, see `arena.workers.worker`.
        future: The future of its current task.
        seen: The mark at the last check.
        since: The time at which this mark was first seen, in ns of the monotonic clock.
        lost: `Processes.lost` at the time `since`, in ns.
        waited: The time that the worker had waited for a CPU by the time `since`, in ns.
    """

    process: BaseProcess
    pipe: Connection
    mark: Mark
    future: Future[Any] | None = None
    seen: tuple[int, ...] = ()
    since: int = 0
    lost: int = 0
    waited: int = 0


class Processes(Surviving):
    """Worker processes. If one dies, its task fails with WorkerDied, and a new worker replaces it.

    Each worker has its own pipe and shares no lock with others, so that no worker can block or crash another.

    Attributes:
        size: Maximum number of workers.
        say: Called with each text that a worker sends for the user.
    """

    def __init__(self, workers: int, say: Callable[[str], object] = own_watch.say) -> None:
        if not hasattr(os, "killpg"):
            own_watch.say("Warning: on this system processes that agents start may outlive them")
        self.size, self.say = workers, say
        self.workers: list[WorkerProcess] = []
        self.queue: deque[tuple[Future[object], bytes]] = deque()
        self.ending = self.leaving = False  # no more tasks are accepted; queued tasks are dropped
        # time of the last check; ns for which this process was suspended just before it, and in total
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
        """Wake up the manager thread."""
        with self.ringing:
            self.bell.send_bytes(b"")

    def manage(self) -> None:
        """Assign tasks and collect results until all are done; runs in a separate thread."""
        with undisturbed():
            self.work_off()

    def work_off(self) -> None:
        """Run the manager's loop, and end all workers afterwards."""
        try:
            while not self.leaving:
                self.hand_out()
                busy = [worker for worker in self.workers if worker.future]
                if self.ending and not busy:
                    break
                # the pipe does not show the end of a process that has left children behind
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
                worker.pipe.close()  # an idle worker then ends
                if worker.future:
                    kill(worker.process)
                    worker.future.set_exception(CancelledError())
            for worker in self.workers:
                end(worker.process)

    def tick(self, busy: bool) -> None:
        """Record the time, and for how long this process or the whole machine was suspended."""
        now = monotonic_ns()
        self.gap = max(0, now - self.ticked - LONG_TICK) if busy else 0
        self.lost += self.gap
        self.ticked = now

    def hand_out(self) -> None:
        """Send queued tasks to idle workers, starting workers as needed."""
        while self.queue:
            idle = next((worker for worker in self.workers if not worker.future), None)
            if idle is None and len(self.workers) == self.size:
                return
            future, task = self.queue.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                worker = idle or self.start()
            except Exception as error:  # the future needs a result in any case
                future.set_exception(ArenaError(f"cannot start a worker process: {why(error)}"))
                continue
            worker.future = future
            try:
                worker.pipe.send_bytes(task)
            except OSError:
                self.bury(worker)

    def take_in(self, worker: WorkerProcess) -> None:
        """Handle one message of a worker."""
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
        """Start a worker process."""
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
        """Kill a worker that is overdue.

        Time during which this process was suspended does not count. Time that the worker waited for a CPU
        does not count either, up to the time that the worker was allowed.
        """
        mark = tuple(worker.mark[:WORDS])
        deadline, number, seat, *_ = mark
        if worker.seen != mark:
            # the turn may have begun before the suspension
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
        """Remove a worker that died or was killed, and fail its task with WorkerDied.

        Args:
            worker: The worker.
            stalled: The match number and seat because of which it was killed; empty if it died by itself.
            stack: Its stack when it was killed, as faulthandler prints it.
        """
        self.workers.remove(worker)
        activity.tell(worker.process.pid, "")
        worker.pipe.close()
        end(worker.process)
        number, seat = stalled or worker.mark[1:3]
        detail, seconds = describe_exit(worker.process.exitcode), worker.mark[ALLOWED] / 1e9
        assert worker.future is not None
        worker.future.set_exception(WorkerDied(number, seat, bool(stalled), detail, seconds, stack))


def stack_of(worker: WorkerProcess) -> str:
    """Return the stack of a worker as faulthandler prints it; empty if the worker does not answer in time."""
    data = b""
    with suppress(OSError, AttributeError):  # no such signals on Windows
        os.kill(worker.process.pid or 0, signal.SIGUSR1)
        while len(data) < LONGEST_STACK and worker.pipe.poll(STACK_SECONDS / 10 if data else STACK_SECONDS):
            data += os.read(worker.pipe.fileno(), LONGEST_STACK)
    return data.decode(errors="replace")


def waited_ns(pid: int | None) -> int:
    """Return for how many ns a process was runnable without a free CPU; 0 if unknown."""
    with suppress(OSError, ValueError, IndexError):  # known on Linux
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1])
    return 0


def why(error: Exception) -> str:
    """Return why a process cannot be started, naming a folder that no longer exists."""
    if not isinstance(error, FileNotFoundError) or error.filename:
        return str(error)
    folder = util.get_temp_dir()
    gone = "of the calling program" if Path(folder).exists() else f"for the sockets of workers, {folder},"
    return f"the folder {gone} no longer exists"


@contextmanager
def undisturbed() -> Iterator[None]:
    """Block Ctrl-C and SIGTERM in processes that this thread starts, until these processes unblock them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    with fresh_interpreters():
        resource_tracker.ensure_running()  # starting it later would unblock the signals
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def fresh_interpreters() -> Iterator[None]:
    """Give interpreters started in this context a fixed hash seed, so that sets have the same order in all.

    These interpreters do not import anything from the current folder, which may contain a `random.py`, and do
    not run the user's script again: the parts that they need are sent to them as source.
    """
    wanted = {"PYTHONSAFEPATH": "1", "PYTHONHASHSEED": "0"}
    with setting_environment:  # a second thread would save the first one's values as the old ones
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
    """Wait up to 2 s for a process to end, then kill it and all processes that its agents have started."""
    process.join(2.0)
    kill(process)
    process.join()


def kill(process: BaseProcess) -> None:
    """Kill a process and its process group, which includes processes that its agents have started."""
    if hasattr(os, "killpg") and process.pid:
        with suppress(OSError):  # the process has ended, or does not have its own group yet
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def work(pipe: Connection, mark: Mark, environ: Mapping[str, str]) -> None:
    """Run a worker process: execute tasks until the pipe closes or the worker must be replaced.

    Ctrl-C is handled by the parent process, and printed output goes to standard error.

    Args:
        pipe: The pipe for tasks and results.
        mark: Shared memory in which the worker records whose turn it is.
        environ: The parent's environment, which may have changed since the fork server started.
    """
    gc.enable()  # disabled by `arena.workers.preload`
    warnings.simplefilter("ignore", Renamed)  # as in `arena.workers.preload`, for workers that are spawned
    tell_unheard()
    signal.signal(signal.SIGINT, lambda *_: None)  # an agent's child processes would inherit SIG_IGN
    if hasattr(os, "setsid"):
        os.setsid()  # detached from the terminal, as a group that can be killed together
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))
    pipe.poll(None)  # once the first task has arrived, the pipe that started this process has been read
    follow_parent()
    os.environ.clear()
    os.environ.update({**environ, "PYTHONHASHSEED": "0"})  # also for interpreters that agents start
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
        if os.getpid() != myself:  # an agent forked, and its child has returned here
            os._exit(1)
        try:
            with watch.saying:
                send(pipe, kind | LAST * worker.spent, content)
        except OSError:
            leave()
        if worker.spent:
            leave()


def pass_on(pipe: Connection, watch: ProcessWatch, text: str) -> None:
    """Report the current activity to the parent process."""
    if watch.forked:  # a child of an agent, which must not use this pipe
        return
    with watch.saying, suppress(OSError):
        send(pipe, ACTIVITY, text)


def send(pipe: Connection, kind: int, content: object) -> None:
    """Send a message to the parent process; only one thread may do so at a time.

    Content that cannot be pickled and unpickled is replaced by a `WorkerFailed`.

    Raises:
        OSError: If the pipe is closed.
    """
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
    """End this process immediately, with its threads and child processes, without running exit handlers."""
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def follow_parent(group: bool = True) -> int:
    """Make this process end when its parent ends, for any reason and whatever this process is doing.

    Args:
        group: Whether to end the process group that this process leads, too.

    Returns:
        The file descriptor that shows when the parent ends. It must stay open.
    """
    parent = parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        leave() if group else os._exit(0)

    if sys.platform == "linux":
        import fcntl

        # the kernel sends SIGKILL when the pipe to the parent closes: no thread, no waiting for C code
        with suppress(OSError):  # where another system emulates Linux
            fcntl.fcntl(parent.sentinel, fcntl.F_SETOWN, -os.getpid() if group else os.getpid())
            fcntl.fcntl(parent.sentinel, fcntl.F_SETSIG, signal.SIGKILL)
            fcntl.fcntl(parent.sentinel, fcntl.F_SETFL, os.O_ASYNC)
            if parent.is_alive():
                return parent.sentinel
    threading.Thread(target=follow, daemon=True).start()
    return parent.sentinel


def describe_exit(code: int | None) -> str:
    """Return how a process ended, such as `the process was ended by SIGSEGV`, from its exit status."""
    if code is not None and code < 0:
        named = {s.value: s.name for s in signal.Signals}
        return f"the process was ended by {named.get(-code, f'signal {-code}')}"
    return f"the process ended itself with status {code}"
