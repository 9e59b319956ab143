"""Twenty agents, evaluations, games and learners as students write them from the README and guides."""

from hobby_agents.advance import Advance
from hobby_agents.bookworm import Bookworm
from hobby_agents.breadth_first import BreadthFirst
from hobby_agents.dict_q import DictQ
from hobby_agents.domineering import Domineering
from hobby_agents.iterative import Iterative
from hobby_agents.kayles import Kayles
from hobby_agents.killer_history import KillerHistory
from hobby_agents.linear_td import LinearTD
from hobby_agents.moody import Moody
from hobby_agents.numpy_lines import NumpyLines
from hobby_agents.pattern_strings import PatternStrings
from hobby_agents.playouts import Playouts
from hobby_agents.positional import Positional
from hobby_agents.softmax import Softmax
from hobby_agents.threats import Threats
from hobby_agents.transposer import Transposer
from hobby_agents.tree_search import TreeSearch
from hobby_agents.window_counter import WindowCounter
from hobby_agents.zobrist import Zobrist

__all__ = [
    "Advance",
    "Bookworm",
    "BreadthFirst",
    "DictQ",
    "Domineering",
    "Iterative",
    "Kayles",
    "KillerHistory",
    "LinearTD",
    "Moody",
    "NumpyLines",
    "PatternStrings",
    "Playouts",
    "Positional",
    "Softmax",
    "Threats",
    "Transposer",
    "TreeSearch",
    "WindowCounter",
    "Zobrist",
]
