-- Whose snapshots `snapshot_seq` counts: those that these sources of the game's ruleset made. Null is not known, which sends a worker
-- to look. Code that does not know the column leaves it as it is; what it wrote is then looked after once more than needed.
SET ROLE moveledger_owner;

ALTER TABLE ml.progress ADD COLUMN snapshot_digest bytea;
GRANT UPDATE (snapshot_digest) ON ml.progress TO moveledger_worker;
RESET ROLE;
