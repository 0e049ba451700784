-- The same checks and the same hash as in 0003, each as one call. Postgres reads and compiles the text of every CHECK and of every generated
-- column anew with each INSERT statement: seven checks and a hash of eleven terms were the dearest part of an append. A function is
-- compiled once a session. (The column is put in place of the old one, for Postgres 16 cannot give a column another expression. That writes
-- the table anew: minutes on a very long log, with no writes meanwhile.)
SET ROLE moveledger_owner;

-- SHA-256(0x01 ‖ "ml/ev1" ‖ …), docs/formats.md. Only functions that are immutable.
CREATE FUNCTION ml.event_hash(
    p_game uuid, p_seq bigint, p_type smallint, p_schema smallint, p_seat smallint, p_client uuid, p_recorded_us bigint,
    p_prev_hash bytea, p_commitment bytea
) RETURNS bytea LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN sha256('\x016d6c2f657631'::bytea || uuid_send(p_game) || int8send(p_seq) || int2send(p_type) || int2send(p_schema)
        || int2send(p_seat) || uuid_send(p_client) || int8send(p_recorded_us) || p_prev_hash || p_commitment);
END $$;

-- Whether a row is what the log may hold: sizes, all or none of what makes a request known again, and either a public body that
-- its commitment fits, or a sealed one with its key and no salt.
CREATE FUNCTION ml.is_whole(
    p_seq bigint, p_prev_hash bytea, p_commitment bytea, p_request_id text, p_salt bytea, p_body bytea, p_sealed_for integer,
    p_key_id uuid, p_idem_key uuid, p_fingerprint bytea, p_batch smallint
) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN p_seq >= 1 AND octet_length(p_prev_hash) = 32 AND octet_length(p_commitment) = 32
        AND length(p_request_id) <= 100 AND octet_length(p_body) <= 65536
        AND num_nulls(p_idem_key, p_fingerprint, p_batch) IN (0, 3)
        AND CASE WHEN p_sealed_for IS NULL
            THEN p_key_id IS NULL AND p_salt IS NOT NULL AND octet_length(p_salt) = 32
                AND p_commitment = sha256('\x02'::bytea || p_salt || p_body)
            ELSE p_key_id IS NOT NULL AND p_salt IS NULL END;
END $$;

ALTER TABLE ml.events
    DROP COLUMN hash,
    ADD COLUMN hash bytea NOT NULL GENERATED ALWAYS AS
        (ml.event_hash(game_id, seq, type, schema, seat, client, recorded_us, prev_hash, commitment)) STORED,
    ADD CONSTRAINT is_whole CHECK
        (ml.is_whole(seq, prev_hash, commitment, request_id, salt, body, sealed_for, key_id, idem_key, fingerprint, batch)),
    DROP CONSTRAINT events_seq_check,
    DROP CONSTRAINT events_prev_hash_check,
    DROP CONSTRAINT events_commitment_check,
    DROP CONSTRAINT events_request_id_check,
    DROP CONSTRAINT events_body_check,
    DROP CONSTRAINT events_check,
    DROP CONSTRAINT events_check1;

REVOKE ALL ON FUNCTION ml.event_hash, ml.is_whole FROM PUBLIC;
RESET ROLE;
