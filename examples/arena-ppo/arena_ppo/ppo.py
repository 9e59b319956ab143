"""MaskablePPO as an agent."""

from sb3_contrib import MaskablePPO

from arena import option
from arena.gymnasium import PolicyAgent


class PPO(PolicyAgent):
    """MaskablePPO of sb3-contrib (Huang & Ontañón 2022), from the file that `train.py` wrote."""

    shape = (3, 6, 7)
    model: str = option("connect_four.zip", "the file of the model")

    def load(self):
        self.policy = MaskablePPO.load(self.model, device="cpu")

    def act(self, observation, mask, rng):
        return self.policy.predict(observation, action_masks=mask, deterministic=True)[0]
