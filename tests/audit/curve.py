"""The curve of Ed25519 in a few lines (RFC 8032, 5.1): slow, and only for the tests, which ask it what the points of small order are."""

from __future__ import annotations

P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P
Point = tuple[int, int]
IDENTITY: Point = (0, 1)


def decode(encoded: bytes) -> Point | None:
    """The point of an encoding (5.1.3), taken as liberally as OpenSSL takes it: y modulo p, and any sign where x is 0. None
    where there is no point.
    """
    raw = int.from_bytes(encoded, "little")
    sign, y = raw >> 255, (raw & ((1 << 255) - 1)) % P
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P:
        return None
    return (P - x if x and x % 2 != sign else x), y


def encode(point: Point) -> bytes:
    """The one encoding of a point (5.1.2)."""
    x, y = point
    return (y | (x & 1) << 255).to_bytes(32, "little")


def add(one: Point, two: Point) -> Point:
    """The sum of two points (5.1.4, in affine form)."""
    (x1, y1), (x2, y2) = one, two
    product = D * x1 * x2 * y1 * y2
    x = (x1 * y2 + x2 * y1) * pow(1 + product, -1, P) % P
    y = (y1 * y2 + x1 * x2) * pow(1 - product, -1, P) % P
    return x, y


def times_eight(point: Point) -> Point:
    """Eight times a point: the identity for one of small order, since the cofactor is 8."""
    for _ in range(3):
        point = add(point, point)
    return point
