"""Counts and times of requests, for Prometheus. With several processes they are added up through a shared folder."""

from __future__ import annotations

import os
from functools import cache

from flask import Request, Response
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

from moveledger.services.vigilance import LogStatus

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
REQUESTS = Counter("moveledger_requests_total", "Requests answered", ["method", "endpoint", "status"])
SECONDS = Histogram(
    "moveledger_request_seconds",
    "Time to answer",
    ["endpoint"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0),
)
LOG_ALARM = Gauge(
    "moveledger_log_alarm", "1 when the public log is not signed any more", multiprocess_mode="mostrecent"
)
LOG_SIZE = Gauge("moveledger_log_size", "Leaves under the last checkpoint", multiprocess_mode="mostrecent")
LOG_WAITING = Gauge("moveledger_log_waiting", "Leaves that wait for a checkpoint", multiprocess_mode="mostrecent")


def observe_log(status: LogStatus) -> None:
    """Show how the public log is doing."""
    LOG_ALARM.set(status.state in ("alarm", "other-key"))
    LOG_SIZE.set(status.size)
    LOG_WAITING.set(status.waiting)


def observe(request: Request, response: Response, *, seconds: float) -> None:
    """Count one request. Of labels there is a bounded number, whatever strangers send."""
    endpoint = request.endpoint or "none"
    method = request.method if request.method in METHODS else "other"
    requests_of(method, endpoint, response.status_code).inc()
    seconds_of(endpoint).observe(seconds)


@cache
def requests_of(method: str, endpoint: str, status: int) -> Counter:
    """The counter of such requests, looked up once a process."""
    return REQUESTS.labels(method, endpoint, str(status))


@cache
def seconds_of(endpoint: str) -> Histogram:
    """The histogram of an endpoint, looked up once a process."""
    return SECONDS.labels(endpoint)


def exposition() -> tuple[bytes, str]:
    """The text of all metrics and its content type."""
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return generate_latest(REGISTRY), CONTENT_TYPE_LATEST
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # prometheus_client leaves it untyped
    return generate_latest(registry), CONTENT_TYPE_LATEST
