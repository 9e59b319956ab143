"""Train MaskablePPO of sb3-contrib at connect four, on a CPU: python train.py [STEPS]

It writes `connect_four.zip`, which the agent `ppo` reads, and `connect_four.npz`, the same weights for numpy.
"""

import sys

import numpy as np
import torch
from sb3_contrib import MaskablePPO

import arena.gymnasium


def train(steps, seed=0):
    torch.set_num_threads(1)
    env = arena.gymnasium.make("connect-four", opponent="random")
    policy = MaskablePPO("MlpPolicy", env, seed=seed, n_steps=1024, batch_size=256, verbose=1, device="cpu")
    return policy.learn(steps)


def layers(policy):
    """The weights of the network that gives a preference for each action, layer by layer."""
    network = [*policy.policy.mlp_extractor.policy_net, policy.policy.action_net]
    linear = [layer for layer in network if isinstance(layer, torch.nn.Linear)]
    parts = {"weights": [layer.weight for layer in linear], "biases": [layer.bias for layer in linear]}
    return {f"{name}_{i}": part.detach().numpy() for name, ps in parts.items() for i, part in enumerate(ps)}


if __name__ == "__main__":
    trained = train(int(sys.argv[1]) if sys.argv[1:] else 60_000)
    trained.save("connect_four.zip")
    np.savez("connect_four.npz", **layers(trained))
