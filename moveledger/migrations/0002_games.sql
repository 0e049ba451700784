-- What stands beside the log: who plays, who may act, and the keys that close sealed bodies. The log itself is 0003.
SET ROLE moveledger_owner;

CREATE TABLE ml.service_secrets (
    name    text PRIMARY KEY,
    wrapped bytea NOT NULL          -- AES-256-GCM under MASTER_KEY
);

CREATE TABLE ml.api_keys (
    key_id     uuid PRIMARY KEY,
    name       text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    scopes     text[] NOT NULL,
    generation integer NOT NULL DEFAULT 1,
    created_us bigint NOT NULL,
    created_by uuid,
    revoked_us bigint
);

CREATE TABLE ml.players (
    player_id   uuid PRIMARY KEY,   -- the opaque id that stands in the log
    namespace   uuid NOT NULL,      -- the API key that gave external_id
    external_id text NOT NULL CHECK (length(external_id) BETWEEN 1 AND 100),
    name        text CHECK (length(name) <= 100),   -- may be erased
    UNIQUE (namespace, external_id)
);

CREATE TABLE ml.games (
    game_id      uuid PRIMARY KEY,
    ruleset      text NOT NULL,
    status       text NOT NULL CHECK (status IN ('open', 'running', 'finished', 'aborted')),
    visibility   text NOT NULL CHECK (visibility IN ('public', 'unlisted', 'private')),
    creator      uuid NOT NULL,
    external_ref text CHECK (length(external_ref) <= 200),
    created_us   bigint NOT NULL,
    deadline_us  bigint             -- with entropy required: when an unopened game is aborted
);
CREATE INDEX games_by_status ON ml.games (status, game_id);
CREATE INDEX games_by_ruleset ON ml.games (ruleset, game_id);
CREATE INDEX games_by_external_ref ON ml.games (external_ref, game_id) WHERE external_ref IS NOT NULL;
CREATE INDEX games_by_deadline ON ml.games (deadline_us) WHERE status = 'open' AND deadline_us IS NOT NULL;

CREATE TABLE ml.seats (
    game_id    uuid NOT NULL,
    seat       smallint NOT NULL,
    player_id  uuid NOT NULL,
    generation integer NOT NULL DEFAULT 1,   -- of the seat's token
    PRIMARY KEY (game_id, seat)
);
CREATE INDEX seats_by_player ON ml.seats (player_id, game_id);

CREATE TABLE ml.game_keys (
    game_id uuid PRIMARY KEY,
    wrapped bytea NOT NULL,         -- the game's data key, AES-256-GCM under MASTER_KEY
    seed    bytea NOT NULL          -- S of ml-fair-1, AES-256-GCM under the data key
);

CREATE TABLE ml.idempotency (
    credential  uuid NOT NULL,
    route       text NOT NULL,
    key         text NOT NULL,
    fingerprint bytea NOT NULL,
    answer      bytea,              -- null while the first request is still at work
    created_us  bigint NOT NULL,
    PRIMARY KEY (credential, route, key)
);
CREATE INDEX idempotency_by_age ON ml.idempotency (created_us);

GRANT SELECT ON ml.service_secrets, ml.api_keys, ml.players, ml.games, ml.seats, ml.game_keys, ml.idempotency
    TO moveledger_api, moveledger_worker;
GRANT INSERT ON ml.service_secrets, ml.api_keys, ml.players, ml.games, ml.seats, ml.game_keys, ml.idempotency TO moveledger_api;
GRANT UPDATE (generation, revoked_us) ON ml.api_keys TO moveledger_api;
GRANT UPDATE (name) ON ml.players TO moveledger_api;
GRANT UPDATE (generation, player_id) ON ml.seats TO moveledger_api;
GRANT UPDATE (answer) ON ml.idempotency TO moveledger_api;
GRANT DELETE ON ml.idempotency TO moveledger_worker;
GRANT INSERT ON ml.service_secrets TO moveledger_worker;
RESET ROLE;
