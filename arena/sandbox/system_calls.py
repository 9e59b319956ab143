"""The system calls that a sandboxed process may make: only those that Python, numpy, LLVM and SQLite need.

Each call is listed with its numbers on x86-64 and on aarch64, `-` if the machine does not have it. Everything
else is refused: sockets, other processes, permissions and times of files, memory files, shared memory, keys,
namespaces, tracing, io_uring, performance counters, and any calls of future kernels.
"""

from __future__ import annotations

import platform

TABLE = """
    read 0 63             write 1 64            readv 19 65           writev 20 66          pread64 17 67
    pwrite64 18 68        preadv 295 69         pwritev 296 70        lseek 8 62            open 2 -
    openat 257 56         close 3 57            close_range 436 436   stat 4 -              fstat 5 80
    lstat 6 -             newfstatat 262 79     statx 332 291         access 21 -           faccessat 269 48
    faccessat2 439 439    readlink 89 -         readlinkat 267 78     getcwd 79 17          chdir 80 49
    fchdir 81 50          getdents 78 -         getdents64 217 61     dup 32 23             dup2 33 -
    dup3 292 24           pipe 22 -             pipe2 293 59          ftruncate 77 46       truncate 76 45
    fallocate 285 47      fsync 74 82           fdatasync 75 83       rename 82 -           renameat 264 38
    renameat2 316 276     mkdir 83 -            mkdirat 258 34        rmdir 84 -            unlink 87 -
    unlinkat 263 35       umask 95 166          sendfile 40 71        fadvise64 221 223     statfs 137 43
    fstatfs 138 44        copy_file_range 326 285

    poll 7 -              ppoll 271 73          select 23 -           pselect6 270 72       eventfd2 290 19
    epoll_create1 291 20  epoll_ctl 233 21      epoll_wait 232 -      epoll_pwait 281 22

    mmap 9 222            munmap 11 215         mprotect 10 226       mremap 25 216         madvise 28 233
    msync 26 227          brk 12 214

    clock_gettime 228 113 clock_getres 229 114  nanosleep 35 101      gettimeofday 96 169   time 201 -
    times 100 153         clock_nanosleep 230 115

    rt_sigaction 13 134   rt_sigprocmask 14 135 rt_sigreturn 15 139   rt_sigpending 127 136
    rt_sigsuspend 130 133 pause 34 -            getitimer 36 102      setitimer 38 103      alarm 37 -
    restart_syscall 219 128                     rt_sigtimedwait 128 137
    sigaltstack 131 132

    futex 202 98          set_robust_list 273 99                      get_robust_list 274 100
    rseq 334 293          membarrier 324 283    set_tid_address 218 96                      sched_yield 24 124
    sched_getparam 143 121                      sched_getaffinity 204 123                   getcpu 309 168
    sched_getscheduler 145 120

    getpid 39 172         getppid 110 173       gettid 186 178        getuid 102 174        geteuid 107 175
    getgid 104 176        getegid 108 177       getresuid 118 148     getresgid 120 150     getgroups 115 158
    getpgrp 111 -         getpgid 121 155       getsid 124 156        uname 63 160          sysinfo 99 179
    getrlimit 97 163      getrusage 98 165      capget 125 90

    exit 60 93            exit_group 231 94     wait4 61 260          waitid 247 95         arch_prctl 158 -
    getrandom 318 278

    kill 62 129           tgkill 234 131        prlimit64 302 261     clone 56 220          clone3 435 435
    prctl 157 167         fcntl 72 25           ioctl 16 29
"""

# further calls that programs need, if an agent may start some: see `arena.sandbox.seccomp.program`
PROGRAMS = """
    fork 57 -             vfork 58 -            execve 59 221         tkill 200 130         pidfd_open 434 434
    setrlimit 160 164     getpriority 140 141   mlock 149 228         munlock 150 229       mincore 27 232
    timer_create 222 107  timer_settime 223 110 timer_gettime 224 108 timer_delete 226 111  personality 135 92
    timerfd_create 283 85 timerfd_settime 286 86                      signalfd4 289 74
    timer_getoverrun 225 109
    sched_get_priority_max 146 125              sched_get_priority_min 147 126              flock 73 32
    symlink 88 -          symlinkat 266 36      socketpair 53 199     shutdown 48 210       sendto 44 206
    recvfrom 45 207
    sendmsg 46 211        recvmsg 47 212        getsockopt 55 209     getsockname 51 204
"""
# calls that have no effect but report success, so that all processes stay in one group and on one processor
PRETENDED = {
    "setpgid": (109, 154), "setsid": (112, 157),
    "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119),
}  # fmt: skip

# calls that are allowed only with certain arguments; see `arena.sandbox.seccomp`
LIMITED = ("kill", "tgkill", "prlimit64", "clone", "clone3", "prctl", "fcntl", "ioctl")

MACHINES = {"x86_64": 0, "aarch64": 1}
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # the code of the machine in seccomp's data


def numbers(machine: str | None = None, programs: bool = False) -> dict[str, int]:
    """Return the numbers of the allowed calls, by name; empty for an unsupported machine.

    Args:
        machine: As returned by `platform.machine()`. Default: this machine.
        programs: Include the calls that programs need.
    """
    column = MACHINES.get(machine or platform.machine())
    if column is None:
        return {}
    words = (TABLE + PROGRAMS if programs else TABLE).split()
    rows = zip(words[::3], words[1 + column :: 3], strict=True)
    return {name: int(number) for name, number in rows if number != "-"}
