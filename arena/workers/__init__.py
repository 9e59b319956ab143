"""Run tasks in processes, in threads or in the calling thread, and supervise the workers."""

EXECUTORS = {
    "processes": "arena.workers.processes:Processes",
    "threads": "arena.workers.pools:Threads",
    "serial": "arena.workers.pools:Serial",
}
