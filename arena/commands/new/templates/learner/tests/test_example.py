import arena

from arena_example import Example


def test_it_keeps_the_promises_of_a_learner(check_agent):
    check_agent(Example)


def test_it_learns_to_win():
    found = arena.position("tic-tac-toe", "XX.OO....")
    learner = Example(found.game, episodes=2000)
    learner.learn_many(range(2000), [0, 0, 0])
    assert learner.choose(found.state, found.game.moves(found.state), arena.Rng(1)) == 2
