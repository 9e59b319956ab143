from arena_example import Example


def test_it_keeps_the_promises_of_a_game(check_game):
    check_game(Example)


def test_no_more_is_taken_than_there_is():
    assert Example().moves((2, 0)) == [1, 2]
