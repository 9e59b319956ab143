import arena

from arena_example import Example


def test_it_keeps_the_promises_of_an_agent(check_agent):
    check_agent(Example)


def test_it_wins_if_it_can():
    found = arena.position("tic-tac-toe", "XX.OO....")
    agent = Example(found.game)
    assert agent.choose(found.state, found.game.moves(found.state), arena.Rng(1)) == 2
