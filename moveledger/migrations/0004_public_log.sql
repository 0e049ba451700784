-- The public log: a Merkle tree over log_leaf (RFC 6962), kept as C2SP tlog-tiles, and the notes that were signed over it.
-- The entry of a leaf is an event's hash; what is written here only grows.
SET ROLE moveledger_owner;

-- Full tiles only. A partial tile is the beginning of a full one: at level 0 its hashes come from log_leaf, above from the roots of
-- the full tiles below, so nothing is kept twice.
CREATE TABLE ml.tiles (
    level  smallint NOT NULL CHECK (level BETWEEN 0 AND 7),
    tile   bigint   NOT NULL CHECK (tile >= 0),
    hashes bytea    NOT NULL CHECK (octet_length(hashes) = 8192),
    root   bytea    NOT NULL CHECK (octet_length(root) = 32),
    PRIMARY KEY (level, tile)
);

CREATE TABLE ml.checkpoints (
    number    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    size      bigint NOT NULL CHECK (size >= 0),
    root      bytea  NOT NULL CHECK (octet_length(root) = 32),
    note      text   NOT NULL,      -- signed: text, blank line, our signature
    signed_us bigint NOT NULL
);
CREATE INDEX checkpoints_by_size ON ml.checkpoints (size, number);

CREATE TABLE ml.cosignatures (
    checkpoint bigint NOT NULL REFERENCES ml.checkpoints,
    name       text   NOT NULL,     -- of the witness
    key_id     bytea  NOT NULL CHECK (octet_length(key_id) = 4),
    line       text   NOT NULL,     -- the signature line, without its line feed
    PRIMARY KEY (checkpoint, name, key_id)
);

CREATE TABLE ml.log_alarms (
    number    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    raised_us bigint NOT NULL,
    detail    text                  -- null: all is well again
);

-- A checkpoint never contradicts an earlier one: no smaller size, no other root for a size that was signed. (The same head may be
-- signed again, by another key.)
CREATE FUNCTION ml.refuse_contradiction() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM ml.checkpoints c WHERE c.size > NEW.size OR (c.size = NEW.size AND c.root <> NEW.root)) THEN
        RAISE EXCEPTION 'moveledger: a checkpoint of size % contradicts one that was signed', NEW.size USING ERRCODE = '55000';
    END IF;
    RETURN NEW;
END $$;
REVOKE ALL ON FUNCTION ml.refuse_contradiction FROM PUBLIC;
CREATE TRIGGER refuse_contradiction BEFORE INSERT ON ml.checkpoints FOR EACH ROW EXECUTE FUNCTION ml.refuse_contradiction();
ALTER TABLE ml.checkpoints ENABLE ALWAYS TRIGGER refuse_contradiction;

SELECT ml.guard_table('ml.tiles');
SELECT ml.guard_table('ml.checkpoints');
SELECT ml.guard_table('ml.cosignatures');
SELECT ml.guard_table('ml.log_alarms');

GRANT SELECT ON ml.tiles, ml.checkpoints, ml.cosignatures, ml.log_alarms TO moveledger_api, moveledger_worker, moveledger_relay;
GRANT INSERT ON ml.tiles, ml.checkpoints, ml.log_alarms TO moveledger_relay;
GRANT INSERT ON ml.cosignatures TO moveledger_api;
RESET ROLE;
