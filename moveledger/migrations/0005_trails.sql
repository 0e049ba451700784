-- What auditors read beside the log: who looked with a referee's eyes, who was refused, and what the checks said.
SET ROLE moveledger_owner;

CREATE TABLE ml.looks (
    look_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    game_id    uuid   NOT NULL,
    version    bigint NOT NULL,     -- of the game when it was looked at
    client     uuid   NOT NULL,
    observer   text   NOT NULL,     -- `referee` or `seat:N`, at a private game also `spectator`
    what       text   NOT NULL,     -- which resource
    request_id text   NOT NULL,
    looked_us  bigint NOT NULL
);
CREATE INDEX looks_by_game ON ml.looks (game_id, look_id);

CREATE TABLE ml.security_trail (
    entry_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    code       text   NOT NULL,
    method     text   NOT NULL,
    route      text   NOT NULL,     -- the pattern, never the address that was asked for
    game_id    uuid,
    client     uuid,                -- null when the credential is not known
    request_id text   NOT NULL,
    refused_us bigint NOT NULL
);
CREATE INDEX security_trail_by_game ON ml.security_trail (game_id, entry_id) WHERE game_id IS NOT NULL;

CREATE TABLE ml.verifications (
    game_id     uuid PRIMARY KEY,
    version     bigint NOT NULL,
    complete    boolean NOT NULL,   -- the game was over
    waits       boolean NOT NULL,   -- for a checkpoint of the public log that covers the last event
    verified_us bigint NOT NULL,
    report      text NOT NULL       -- JSON: [{name, result, detail, seq?}]
);
CREATE INDEX verifications_to_sample ON ml.verifications (complete, verified_us);

-- A run of `moveledger check --against`: one row a game that was replayed under other rules.
CREATE TABLE ml.rule_checks (
    run_id  uuid   NOT NULL,
    game_id uuid   NOT NULL,
    seq     bigint,                 -- the first event where the rules differ, null when they agree
    detail  text,
    PRIMARY KEY (run_id, game_id)
);

SELECT ml.guard_table('ml.looks');
SELECT ml.guard_table('ml.security_trail');
GRANT SELECT ON ml.looks, ml.security_trail, ml.verifications, ml.rule_checks TO moveledger_api, moveledger_worker, moveledger_relay;
GRANT SELECT (game_id, status) ON ml.games TO moveledger_relay;
GRANT INSERT ON ml.looks, ml.security_trail TO moveledger_api;
GRANT SELECT (game_id, status) ON ml.games TO moveledger_relay;   -- which of the games that grew have ended
GRANT INSERT, UPDATE ON ml.verifications TO moveledger_worker;
GRANT INSERT, DELETE ON ml.rule_checks TO moveledger_worker;
RESET ROLE;
