"""The key that signs the public log: given from outside, or made on the first start and kept in the state folder."""

from __future__ import annotations

import secrets
from pathlib import Path

from moveledger.audit.note import LOG, PRIVATE, SignerKey, read_signer_key
from moveledger.errors import ConfigurationFault, MalformedValue
from moveledger.store.private import make_private

FILE = "log.key"


def given_log_key(text: str, origin: str) -> SignerKey:
    """The key of a C2SP signer text, or of a seed of 64 hex digits. Raises `ConfigurationFault`, which never repeats it."""
    try:
        key = read_signer_key(text) if text.startswith(PRIVATE) else SignerKey(origin, bytes.fromhex(text))
    except (MalformedValue, ValueError) as wrong:
        raise ConfigurationFault("LOG_KEY is neither a C2SP signer key nor a seed of 64 hex digits.") from wrong
    verifier = key.verifier
    if verifier.kind != LOG or verifier.name != origin:
        raise ConfigurationFault(f"The log's key is one of {verifier.name}, LOG_ORIGIN says {origin}.")
    return key


def stored_log_key(folder: Path, origin: str) -> SignerKey:
    """The key in a state folder, made when there is none. Raises `ConfigurationFault`."""
    fresh = SignerKey(origin, secrets.token_bytes(32)).private_text()
    try:
        text = make_private(folder / FILE, fresh + "\n").strip()
    except OSError as wrong:
        raise ConfigurationFault(
            f"LOG_KEY is not set, and {folder / FILE} cannot be read or made: {wrong.strerror}."
        ) from wrong
    return given_log_key(text, origin)
