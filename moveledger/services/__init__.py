"""Use cases: one public function is one use case and at most one write transaction. No Flask, no marshmallow."""
