"""How the second game of a pair is made, ruleset by ruleset."""
