"""Moveledger: an event-sourced game-log service."""
