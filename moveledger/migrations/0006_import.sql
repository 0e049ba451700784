-- Import of a whole game from an archive, with the times, salts and clients that its record gives. Only the owner imports: no
-- process of a running service has a right to it. The hash column is generated as ever and compared with the record's, so
-- nothing gets in that does not hash to what was exported. The outbox hands the events to the relay like any others.
SET ROLE moveledger_owner;

-- Writes the events 1, 2, 3, … of a game that has none; answers the hash of the last. Raises unique_violation for a game that exists,
-- integrity_constraint_violation for times that run backwards and for a hash that is not what the members give.
CREATE FUNCTION ml.import_events(
    p_game uuid, p_types smallint[], p_seats smallint[], p_clients uuid[], p_requests text[], p_recorded bigint[],
    p_commitments bytea[], p_salts bytea[], p_bodies bytea[], p_sealed_for integer[], p_hashes bytea[]
) RETURNS bytea LANGUAGE plpgsql SET search_path = ml, pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_hash bytea := decode(repeat('00', 32), 'hex'); v_last_us bigint := 0;
BEGIN
    IF EXISTS (SELECT FROM ml.events e WHERE e.game_id = p_game) THEN
        RAISE EXCEPTION 'moveledger: game % is in the log', p_game USING ERRCODE = '23505';
    END IF;
    FOR i IN 1..cardinality(p_types) LOOP
        IF p_recorded[i] < v_last_us THEN
            RAISE EXCEPTION 'moveledger: event % was recorded before the one that it follows', i USING ERRCODE = '23000';
        END IF;
        v_last_us := p_recorded[i];
        INSERT INTO ml.events (game_id, seq, type, schema, seat, client, recorded_us, prev_hash, commitment, request_id,
                               salt, body, sealed_for, key_id)
        VALUES (p_game, i, p_types[i], 1, p_seats[i], p_clients[i], p_recorded[i], v_hash, p_commitments[i], p_requests[i],
                p_salts[i], p_bodies[i], p_sealed_for[i], CASE WHEN p_sealed_for[i] IS NOT NULL THEN p_game END)
        RETURNING events.hash INTO v_hash;
        IF v_hash IS DISTINCT FROM p_hashes[i] THEN
            RAISE EXCEPTION 'moveledger: event % does not hash to what its record says', i USING ERRCODE = '23000';
        END IF;
        INSERT INTO ml.outbox (game_id, seq) VALUES (p_game, i);
    END LOOP;
    RETURN v_hash;
END $$;

REVOKE ALL ON FUNCTION ml.import_events FROM PUBLIC;
RESET ROLE;
