"""Pure functions over the log: event hashes, the fold of a game, records, and the offline verifier.

Imports rules and the standard library (Ed25519 from `cryptography`); no services, no store, no network.
"""
