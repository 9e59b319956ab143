"""Run tasks in processes, in threads or in the calling thread, and watch over the workers."""
