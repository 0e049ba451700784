"""The service's own secret, from which tokens are derived: made once a database, wrapped by the master key."""

from __future__ import annotations

from moveledger.errors import MasterKeyChanged, WrongMasterKey
from moveledger.store.database import Connection
from moveledger.store.sealing import Vault, seal, unseal

_BOUND = b"service secret"
_LOCK = "hashtext('moveledger.master_key')"


def open_vault(connection: Connection, *, master_key: bytes, fresh_secret: bytes) -> Vault:
    """The vault of this database; the first caller's `fresh_secret` (32 bytes) becomes the service's secret.

    Raises `WrongMasterKey` when the database was sealed with another master key.
    """
    found = _wrapped(connection)
    if found is None:
        connection.execute(
            "INSERT INTO ml.service_secrets (name, wrapped) VALUES ('service', %s) ON CONFLICT DO NOTHING",
            [seal(master_key, fresh_secret, _BOUND)],
        )
    return read_vault(connection, master_key=master_key)


def read_vault(connection: Connection, *, master_key: bytes) -> Vault:
    """The vault of a database that has its secret. Raises `WrongMasterKey`, and `LookupError` when there is none yet."""
    wrapped = _wrapped(connection)
    if wrapped is None:
        raise LookupError("this database has no service secret yet")
    return Vault(master_key, unseal(master_key, wrapped, _BOUND))


def hold_master_key(connection: Connection, vault: Vault) -> None:
    """Keep the master key from being changed until this transaction ends, which stores something that the vault has wrapped.

    Raises `MasterKeyChanged` when it is being changed, or was since the vault was opened: what old keys wrap is lost with them.
    """
    row = connection.execute(f"SELECT pg_try_advisory_xact_lock_shared({_LOCK})".encode()).fetchone()
    if row is None or not row[0]:
        raise MasterKeyChanged("The master key is being changed.")
    require_master_key(connection, vault)


def require_master_key(connection: Connection, vault: Vault) -> None:
    """Raises `MasterKeyChanged` when the master key was changed since the vault was opened."""
    try:
        read_vault(connection, master_key=vault.master_key)
    except WrongMasterKey as changed:
        raise MasterKeyChanged(
            "The master key was changed: this process has to be started with the new one."
        ) from changed


def change_master_key(connection: Connection) -> None:
    """Have no transaction store what a master key has wrapped until this one ends; those on their way are waited for."""
    connection.execute(f"SELECT pg_advisory_xact_lock({_LOCK})".encode())


def _wrapped(connection: Connection) -> bytes | None:
    row = connection.execute("SELECT wrapped FROM ml.service_secrets WHERE name = 'service'").fetchone()
    return row[0] if row else None


def replace_service_secret(connection: Connection, vault: Vault) -> None:
    """Wrap the service's secret under another master key, that of `vault`."""
    connection.execute(
        "UPDATE ml.service_secrets SET wrapped = %s WHERE name = 'service'",
        [seal(vault.master_key, vault.service_secret, _BOUND)],
    )
