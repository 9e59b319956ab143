"""The server from which sandboxed processes are forked; its memory contains only what they all may see.

It is started with an empty environment, in a separate session without a terminal. Each request arrives on a
separate connection, the control, with the child's end of a pipe. The reply is the child's process id and,
once the child has ended, its status. A child is killed when its control is closed, so that it does not
outlive the process that requested it, and all children end with the server.
"""

from __future__ import annotations

import ctypes
import errno
import gc
import importlib
import json
import os
import selectors
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from multiprocessing.connection import Connection
from pathlib import Path
from pickle import loads
from typing import Any, NoReturn

from arena.sandbox import namespaces, threads
from arena.sandbox.confine import PR_SET_NO_NEW_PRIVS, confine
from arena.sandbox.limits import FILES, Most
from arena.sandbox.preparation import Preparation

REQUEST = 1 << 20  # maximum size of a request in bytes
DESCRIPTORS = 1 << 14
LONGEST = 2048  # maximum length of a path that can be scanned
TICK = 0.1  # seconds between checks of children that must be polled
PR_SET_PDEATHSIG = 1
PRELOADED = (
    "resource",  # imported by `arena.sandbox.limits`
    "arena.api.words",
    "arena.api.hooks",  # imported by plugins
    "arena.matches.agent_process",
    "arena.registry.file_description",
    "arena.storage.endings",
    "arena.storage.model_file",
)
COMPILER = ("arena.compiler.runtime", "arena.compiler.machine")


class Server:
    """Forks sandboxed processes until the process that started it ends.

    Args:
        listener: Socket on which requests arrive.
        lifeline: Socket that is closed when the process that started the server ends.
        folder: The server's own folder, which it removes.
    """

    def __init__(self, listener: socket.socket, lifeline: socket.socket, folder: str) -> None:
        self.listener, self.lifeline = listener, lifeline
        self.folder, self.children = folder, dict[int, Child]()
        self.in_memory = namespaces.enter()
        self.preparation = Preparation()
        self.selector = selectors.DefaultSelector()

    def serve(self) -> NoReturn:
        """Handle requests and terminated children."""
        self.selector.register(self.listener, selectors.EVENT_READ, self.accept)
        self.selector.register(self.lifeline, selectors.EVENT_READ, self.leave)
        while True:
            watched = [child for child in self.children.values() if child.is_watched]
            for key, _ in self.selector.select(TICK if watched else None):
                with suppress(Exception):  # an error with one child does not affect the others
                    key.data()
            for child in watched:
                child.look()

    def leave(self) -> NoReturn:
        """End the server and all children."""
        remove(self.folder)
        os._exit(0)

    def accept(self) -> None:
        """Accept a connection, read its request, and fork a child for it."""
        control, _ = self.listener.accept()
        control.settimeout(10.0)
        try:
            request, ends, *_ = socket.recv_fds(control, REQUEST, 1)
            asked = json.loads(request)
            self.fork(control, ends[0], asked)
        except (OSError, ValueError, IndexError):
            control.close()

    def fork(self, control: socket.socket, end: int, asked: dict[str, Any]) -> None:
        """Fork a child, and send its process id to the client."""
        folder = self.folder if self.in_memory else tempfile.mkdtemp(prefix="child-", dir=self.folder)
        parent, (here, there) = os.getpid(), socket.socketpair()
        client, processor = asked["client"], self.processor(asked["client"], asked["processors"])
        self.preparation.prepare(asked["work"], asked["environment"], asked["path"])
        pid = os.fork()
        if not pid:
            become_child(parent, end, there, folder, self.in_memory, asked, processor)
        os.close(end)
        there.close()
        most = Most(*asked["most"])
        child = Child(self, pid, control, here, "" if self.in_memory else folder, asked["programs"], most)
        child.client, child.processor = client, processor

    def processor(self, client: int, possible: Sequence[int]) -> int | None:
        """Return the processor for a client's children: the one that the fewest other clients use.

        Args:
            client: The client's process id.
            possible: The processors on which the client may run; empty if unknown.
        """
        used = {child.client: child.processor for child in self.children.values()}
        if used.get(client) in possible:
            return used[client]
        return min(possible, key=[*used.values()].count, default=None)


class Child:
    """The server's view of a sandboxed process.

    Attributes:
        pid: Its process id.
        control: Connection to the client that requested it.
        link: Connection to the process itself, on which it sends the listener for threads.
        folder: The folder it may write to, if it is on disk; else empty.
        programs: Whether it may start programs.
        most: Its resource limits.
        handle: Its pidfd, or -1 if the system has none.
        listener: Descriptor on which the kernel asks whether it may start a thread, or -1.
        why: Why it was killed, if it exceeded a limit.
        client: The process id of its client.
        processor: The processor on which it runs, None if any.
    """

    def __init__(
        self,
        server: Server,
        pid: int,
        control: socket.socket,
        link: socket.socket,
        folder: str,
        programs: bool,
        most: Most,
    ) -> None:
        self.programs, self.most = programs, most
        self.server, self.pid, self.control, self.link, self.folder = server, pid, control, link, folder
        self.handle = self.listener = self.client = -1
        self.processor: int | None = None
        self.why = ""
        with suppress(OSError, AttributeError):  # only Linux has pidfds
            self.handle = os.pidfd_open(pid)
        server.children[pid] = self
        server.selector.register(control, selectors.EVENT_READ, self.kill)
        server.selector.register(link, selectors.EVENT_READ, self.take_listener)
        if self.handle >= 0:
            server.selector.register(self.handle, selectors.EVENT_READ, self.ended)
        with suppress(OSError):
            socket.send_fds(control, [str(pid).encode()], [self.handle] if self.handle >= 0 else [])

    @property
    def is_watched(self) -> bool:
        """Return whether the server must poll this process for its end, its files or its memory."""
        return self.handle < 0 or bool(self.folder) or self.programs

    def take_listener(self) -> None:
        """Receive the listener for threads from the child, which is trusted until it is confined."""
        with suppress(OSError):
            _, listeners, *_ = socket.recv_fds(self.link, 1, 1)
            for self.listener in listeners:
                self.server.selector.register(self.listener, selectors.EVENT_READ, self.answer)
        self.server.selector.unregister(self.link)
        self.link.close()

    def answer(self) -> None:
        """Answer the kernel's question whether the process may start a thread."""
        if self.pid in self.server.children:
            threads.answer(self.listener, self.pid, self.programs, self.most.threads)

    def kill(self) -> None:
        """Kill the process, even if it is stopped, since its client has closed the control."""
        if self.pid in self.server.children:
            self.server.selector.unregister(self.control)
            self.end_all()

    def end_all(self) -> None:
        """Kill the process and all processes that it started, which cannot leave its group."""
        with suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)
        with suppress(OSError):
            os.kill(self.pid, signal.SIGKILL)

    def look(self) -> None:
        """Check whether the process has ended, and kill it if it has exceeded a limit on files or memory."""
        if self.handle < 0:
            self.ended()
        if self.why or self.pid not in self.server.children:
            return
        if self.folder and is_large(self.folder, self.most.folder):
            self.why = f"it has written more than {self.most.folder >> 20} MB, or {FILES} files"
        elif self.programs and memory_of(self.pid) > self.most.memory:
            self.why = f"its programs take more than {self.most.memory / (1 << 30):g} GB of memory"
        if self.why:
            self.end_all()

    def ended(self) -> None:
        """If the process has ended, clean up and send its status to the client."""
        if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            return
        self.end_all()  # before its process id can be reused
        _, status = os.waitpid(self.pid, 0)
        del self.server.children[self.pid]
        if self.link.fileno() >= 0:
            self.server.selector.unregister(self.link)
            self.link.close()
        if self.listener >= 0:
            self.server.selector.unregister(self.listener)
            os.close(self.listener)
        with suppress(KeyError):
            self.server.selector.unregister(self.control)
        if self.handle >= 0:
            self.server.selector.unregister(self.handle)
            os.close(self.handle)
        left = bool(self.folder) and not remove(self.folder)
        with suppress(OSError):
            self.control.send(json.dumps([os.waitstatus_to_exitcode(status), left, self.why]).encode())
        self.control.close()


def become_child(
    parent: int,
    end: int,
    link: socket.socket,
    folder: str,
    in_memory: bool,
    asked: dict[str, Any],
    processor: int | None,
) -> NoReturn:
    """Run the requested function sandboxed, in the child."""
    status = 1
    try:
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)
        os.setsid()
        limit_threads(link, asked["programs"])
        close_others(end)
        pipe, most = Connection(3), Most(*asked["most"])
        if in_memory and not namespaces.mount_memory(folder, most.folder, FILES):
            raise OSError(errno.EPERM, "no folder in memory")
        sys.path[:] = asked["path"]
        sys.meta_path.append(Found(asked["modules"]))
        if processor is not None:
            with suppress(OSError):
                os.sched_setaffinity(0, [processor])
        gc.enable()
        files = asked["readable"], asked["known"]
        confine(folder, asked["environment"], *files, asked["place"], asked["programs"], most)
        function, arguments = loads(pipe.recv_bytes())
        function(pipe, *arguments)
        status = 0
    except (EOFError, BrokenPipeError):
        pass
    finally:
        os._exit(status)


def limit_threads(link: socket.socket, programs: bool) -> None:
    """Make the kernel ask the server before this process starts a thread, if the system supports it."""
    if threads.possible():
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        if (listener := threads.listen(libc, programs)) >= 0:
            socket.send_fds(link, [b"l"], [listener])
    link.close()


def memory_of(session: int) -> int:
    """Return the resident memory of all processes of a session, in bytes; 0 if unknown."""
    pages = 0
    with suppress(OSError):
        for entry in os.scandir("/proc"):
            with suppress(OSError, ValueError, IndexError):
                if entry.name.isdigit() and os.getsid(int(entry.name)) == session:
                    pages += int(Path(entry.path, "statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def is_large(folder: str, most: int) -> bool:
    """Return whether a folder exceeds `most` bytes, or the limit on the number of files."""
    size = files = 0
    left = [folder]
    while left and size <= most and files <= FILES:
        path = left.pop()
        if len(path) > LONGEST:
            return True
        with suppress(OSError), os.scandir(path) as entries:
            for entry in entries:
                files += 1
                if entry.is_dir(follow_symlinks=False):
                    left.append(entry.path)
                else:
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
    return size > most or files > FILES


def close_others(end: int) -> None:
    """Move a descriptor to number 3, connect the standard streams to the null device, and close the rest."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    os.dup2(end, 3)
    os.closerange(4, os.sysconf("SC_OPEN_MAX"))


class Found(MetaPathFinder):
    """Finds modules in folders that cannot be listed.

    Args:
        places: File of each module and whether it is a package, by name.
    """

    def __init__(self, places: dict[str, list[Any]]) -> None:
        self.places = places

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        """Return the spec of a known module; None for others."""
        if fullname not in self.places:
            return None
        origin, is_package = self.places[fullname]
        folders = [os.path.dirname(origin)] if is_package else None
        return spec_from_file_location(fullname, origin, submodule_search_locations=folders)


def remove(folder: str) -> bool:
    """Remove a folder with any content, however deeply nested; return whether it was removed.

    Subfolders are first moved to the top, so that paths stay short and no recursion is needed.
    """
    number = 0
    with suppress(OSError):
        left = [folder]
        while left:
            place = left.pop()
            with suppress(OSError):
                os.chmod(place, 0o700)
            for entry in list(os.scandir(place)):
                if not entry.is_dir(follow_symlinks=False):
                    os.unlink(entry.path)
                elif place == folder:
                    left.append(entry.path)
                else:
                    number += 1
                    moved = os.path.join(folder, f".moved-{number}")
                    os.rename(entry.path, moved)
                    left.append(moved)
            if place != folder:
                os.rmdir(place)
        shutil.rmtree(folder)
    return not os.path.lexists(folder)


def raise_descriptors() -> None:
    """Raise the limit on descriptors, since each child needs two."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, DESCRIPTORS), most))


def prepare_compiler() -> None:
    """Compute what each child would otherwise compute before it can load machine code."""
    from arena.compiler.machine import linker, own_digest

    linker()
    own_digest()


def main() -> None:
    """Run the server: `python -c … LISTENER LIFELINE FOLDER MODULES`."""
    listener, lifeline, folder, *names = sys.argv[1:]
    os.umask(0o077)
    raise_descriptors()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()
    server = Server(socket.socket(fileno=int(listener)), socket.socket(fileno=int(lifeline)), folder)
    for name in names:
        importlib.import_module(name)
    if COMPILER[-1] in names:
        prepare_compiler()
    gc.freeze()  # else the first collection in each child would copy all memory
    server.serve()
