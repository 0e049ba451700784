"""Plain SQL migrations, forward only, applied by `moveledger migrate` in order of their names."""
