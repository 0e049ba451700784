"""The configuration is read once, and every fault is in one message."""

from __future__ import annotations

import pytest

from moveledger.config import Config
from moveledger.errors import ConfigurationFault
from moveledger.wiring import build_tools

ENVIRON = {"DATABASE_URL": "postgresql://owner:hush@db/x", "REDIS_URL": "redis://:hush@cache", "MASTER_KEY": "0a" * 32}


def test_three_values_are_enough() -> None:
    config = Config.read(ENVIRON)
    assert (config.host, config.port, config.api_workers, config.api_threads) == ("127.0.0.1", 8000, 2, 16)
    assert config.master_key == b"\x0a" * 32
    assert config.api_database_url == config.worker_database_url == config.relay_database_url == config.database_url
    assert config.public_url is None


def test_each_process_may_connect_as_a_role_of_its_own() -> None:
    config = Config.read({**ENVIRON, "API_DATABASE_URL": "postgresql://api@db/x"})
    assert config.api_database_url == "postgresql://api@db/x"
    assert config.relay_database_url == ENVIRON["DATABASE_URL"]


def test_one_message_names_everything_that_is_missing_or_wrong() -> None:
    with pytest.raises(ConfigurationFault) as caught:
        Config.read({"REDIS_URL": " ", "MASTER_KEY": "c0ffee", "PORT": "http", "API_THREADS": "0"})
    for name in ("DATABASE_URL", "REDIS_URL", "MASTER_KEY", "PORT", "API_THREADS"):
        assert name in caught.value.detail
    assert "c0ffee" not in caught.value.detail


def test_refusals_are_kept_for_more_than_a_year_unless_told_otherwise() -> None:
    assert Config.read(ENVIRON).trail_days == 400
    assert Config.read({**ENVIRON, "SECURITY_TRAIL_DAYS": "30"}).trail_days == 30
    for days in ("29", "0", "-1", "for ever"):
        with pytest.raises(ConfigurationFault, match="SECURITY_TRAIL_DAYS"):
            Config.read({**ENVIRON, "SECURITY_TRAIL_DAYS": days})


@pytest.mark.parametrize("given", ["hush", "postgresql://owner:hush@db/x?hush=1", "mysql://owner:hush@db/x", "host"])
def test_what_is_no_address_of_postgres_is_named_and_not_repeated(given: str) -> None:
    with pytest.raises(ConfigurationFault, match=r"^Configuration: API_DATABASE_URL is not an address") as caught:
        Config.read({**ENVIRON, "API_DATABASE_URL": given})
    assert "hush" not in caught.value.detail


@pytest.mark.parametrize("given", ["hush", "http://:hush@cache", "redis://:hush@cache:port/0", "cache:6379"])
def test_what_is_no_address_of_redis_is_named_and_not_repeated(given: str) -> None:
    with pytest.raises(ConfigurationFault, match=r"^Configuration: REDIS_URL is not an address") as caught:
        Config.read({**ENVIRON, "REDIS_URL": given})
    assert "hush" not in caught.value.detail


@pytest.mark.parametrize("given", ["games.example", "ftp://games.example", "https://", "https://games.example?x=1"])
def test_a_public_address_that_is_none_is_named(given: str) -> None:
    with pytest.raises(ConfigurationFault, match=r"^Configuration: PUBLIC_URL is not an address"):
        Config.read({**ENVIRON, "PUBLIC_URL": given})


@pytest.mark.parametrize("given", ["host=db dbname=x", "postgresql://db1,db2/x", "postgresql:///x?host=%2Frun"])
def test_an_address_of_postgres_may_have_any_form_that_libpq_reads(given: str) -> None:
    assert Config.read({**ENVIRON, "DATABASE_URL": given}).api_database_url == given


@pytest.mark.parametrize("given", ["rediss://cache:6380/1", "unix:///run/valkey.sock?db=0"])
def test_an_address_of_redis_may_be_a_socket_or_use_tls(given: str) -> None:
    assert Config.read({**ENVIRON, "REDIS_URL": given}).redis_url == given


def test_an_empty_value_counts_as_left_out() -> None:
    assert Config.read({**ENVIRON, "PORT": "", "PUBLIC_URL": ""}).port == 8000


def test_a_printed_configuration_shows_no_secret() -> None:
    shown = repr(Config.read(ENVIRON))
    assert "hush" not in shown
    assert "0a0a" not in shown
    assert "\\n\\n" not in shown  # the key as bytes


def test_the_public_log_has_a_name_a_key_and_witnesses() -> None:
    plain = Config.read(ENVIRON)
    assert (plain.log_origin, plain.log_key, plain.log_witnesses) == ("moveledger.local/log", None, ())
    told = {"LOG_ORIGIN": "log.example/moves", "LOG_KEY": "0b" * 32, "LOG_WITNESSES": " a+1+x, b+2+y\n c+3+z,"}
    config = Config.read({**ENVIRON, **told})
    assert (config.log_origin, config.log_key) == ("log.example/moves", "0b" * 32)
    assert config.log_witnesses == ("a+1+x", "b+2+y", "c+3+z")
    assert "0b0b" not in repr(config)


@pytest.mark.parametrize("origin", ["a b", "a+b", "a\u2003b", "a\nb", "x" * 201])
def test_a_log_s_name_has_no_spaces_and_no_plus(origin: str) -> None:
    with pytest.raises(ConfigurationFault, match="LOG_ORIGIN"):
        Config.read({**ENVIRON, "LOG_ORIGIN": origin})


@pytest.mark.parametrize(
    "text", ["nonsense", "a+00000000+AAAA", "log.example+819f4b1c+AepKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs"]
)
def test_a_witness_whose_key_is_none_is_told_before_anything_is_reached(text: str) -> None:
    with pytest.raises(ConfigurationFault, match="LOG_WITNESSES"):
        build_tools(Config.read({**ENVIRON, "LOG_WITNESSES": text}))
