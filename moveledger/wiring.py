"""Builds the tools of one process from its configuration: the only place where the parts are put together."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from typing import Literal
from uuid import UUID

import redis

from moveledger.audit.note import SignerKey, VerifierKey, read_verifier_key
from moveledger.config import Config
from moveledger.errors import ConfigurationFault, MalformedValue
from moveledger.services.tools import Bell, Job, SignerDoor, Tools, VaultDoor
from moveledger.store.cache import Cache
from moveledger.store.database import Database
from moveledger.store.log_key import given_log_key, stored_log_key
from moveledger.workers.queue import ring_bell

Role = Literal["api", "worker", "relay", "owner"]


def build_tools(config: Config, role: Role = "api") -> Tools:
    """The tools of an API process, a worker or the relay. Nothing is waited for: what is away is found out when it is used."""
    urls = {
        "api": config.api_database_url,
        "worker": config.worker_database_url,
        "relay": config.relay_database_url,
        "owner": config.database_url,
    }
    witnesses = _witnesses(config)
    size = config.api_pool if role == "api" else 2
    database = Database(urls[role], role=f"moveledger_{role}", size=size)
    database.open()
    return Tools(
        database=database,
        cache=Cache(config.redis_url),
        vault_door=VaultDoor(database, config.master_key, secrets.token_bytes),
        clock=lambda: time.time_ns() // 1000,
        entropy=secrets.token_bytes,
        ring_workers=_bell(config),
        signer_door=SignerDoor(lambda: _log_key(config)),
        witnesses=witnesses,
        trail_days=config.trail_days,
    )


def _log_key(config: Config) -> SignerKey:
    if config.log_key is not None:
        return given_log_key(config.log_key, config.log_origin)
    return stored_log_key(config.state_folder, config.log_origin)


def _witnesses(config: Config) -> tuple[VerifierKey, ...]:
    try:
        return tuple(read_verifier_key(text) for text in config.log_witnesses)
    except MalformedValue as wrong:
        raise ConfigurationFault(f"LOG_WITNESSES holds what is no key of a witness: {wrong.detail}") from wrong


def _bell(config: Config) -> Bell:
    connection = redis.Redis.from_url(config.redis_url, socket_timeout=2.0, socket_connect_timeout=1.0)

    def ring(job: Job, game_ids: Sequence[UUID]) -> None:
        ring_bell(connection, job, game_ids)

    return ring
