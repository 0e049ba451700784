"""Marshmallow shapes of what goes in and out. No look-ups: a schema never asks the database anything."""
