"""MaskablePPO as an agent: what `train.py` has trained."""

from pathlib import Path

from sb3_contrib import MaskablePPO

from arena.gymnasium import PolicyAgent


class PPO(PolicyAgent):
    """MaskablePPO of sb3-contrib (Huang & Ontañón 2022)."""

    def load(self):
        self.policy = MaskablePPO.load(Path(__file__).parent / "connect_four.zip", device="cpu")

    def act(self, observation, mask, rng):
        return self.policy.predict(observation, action_masks=mask, deterministic=True)[0]
