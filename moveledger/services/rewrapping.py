"""Changing the master key: what it wraps is wrapped anew, in one transaction. Tokens, bodies and records do not change.

The service may run meanwhile: whoever opens or imports a game holds the master key as it is until that is committed, and
a process that was started with the old one opens none any more (`store/secrets.py`).
"""

from __future__ import annotations

from moveledger.services.tools import Tools
from moveledger.store.games import replace_wrapped_key, wrapped_keys
from moveledger.store.sealing import Vault
from moveledger.store.secrets import change_master_key, read_vault, replace_service_secret


def rewrap(tools: Tools, *, old: bytes, new: bytes) -> int:
    """Wrap the service's secret and every game's data key under `new` (32 bytes); how many data keys there were.

    All or nothing. Raises `WrongMasterKey` when `old` is not the present master key.
    """
    count = 0
    with tools.database.transaction() as connection:
        change_master_key(connection)
        before = read_vault(connection, master_key=old)
        after = Vault(new, before.service_secret)
        replace_service_secret(connection, after)
        for game_id, wrapped in wrapped_keys(connection):
            replace_wrapped_key(connection, game_id, after.wrap_key(game_id, before.unwrap_key(game_id, wrapped)))
            count += 1
    return count
