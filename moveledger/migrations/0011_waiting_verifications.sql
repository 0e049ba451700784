-- Verifications that wait for a checkpoint over the game's last event are looked for every few seconds, and are few.
SET ROLE moveledger_owner;

CREATE INDEX verifications_waiting ON ml.verifications (game_id) WHERE waits AND complete;
RESET ROLE;
