"""Analysis of games: graphs, search and endings, exact results, blunders and best responses."""
