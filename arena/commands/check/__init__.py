"""`arena check`: does a game or an agent keep the API contract?"""
