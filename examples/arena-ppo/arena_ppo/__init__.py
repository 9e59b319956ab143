"""A policy that MaskablePPO has learned at connect four, as an agent; by PyTorch, and by numpy alone."""

from importlib.util import find_spec

from arena import hookimpl


@hookimpl
def register_agents(register):
    register("ppo-numpy", "arena_ppo.small:Small")
    if find_spec("sb3_contrib"):
        register("ppo", "arena_ppo.ppo:PPO")
