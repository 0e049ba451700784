-- The log. An event is written once, by ml.append, and never changed: triggers refuse it to everybody, the owner too.
SET ROLE moveledger_owner;

CREATE TABLE ml.events (
    game_id     uuid     NOT NULL,
    seq         bigint   NOT NULL CHECK (seq >= 1),
    type        smallint NOT NULL,
    schema      smallint NOT NULL,
    seat        smallint NOT NULL,
    client      uuid     NOT NULL,
    recorded_us bigint   NOT NULL,
    prev_hash   bytea    NOT NULL CHECK (octet_length(prev_hash) = 32),
    commitment  bytea    NOT NULL CHECK (octet_length(commitment) = 32),
    hash        bytea    NOT NULL GENERATED ALWAYS AS (sha256(
                    '\x01'::bytea || '\x6d6c2f657631'::bytea || uuid_send(game_id) || int8send(seq) || int2send(type)
                    || int2send(schema) || int2send(seat) || uuid_send(client) || int8send(recorded_us)
                    || prev_hash || commitment)) STORED,
    request_id  text     NOT NULL CHECK (length(request_id) <= 100),
    salt        bytea,             -- null when sealed: the salt is inside the ciphertext
    body        bytea    NOT NULL CHECK (octet_length(body) <= 65536),
    sealed_for  integer,           -- null: public; else a bit a seat that may read before the end
    key_id      uuid,              -- the data key of a sealed body, which is the game's id in ml.game_keys
    idem_key    uuid,              -- on the first event of a request: hash of client, route and Idempotency-Key
    fingerprint bytea,             -- keyed hash of the request
    batch       smallint,          -- how many events the request made
    PRIMARY KEY (game_id, seq),
    UNIQUE (game_id, idem_key),
    CHECK (num_nulls(idem_key, fingerprint, batch) IN (0, 3)),
    CHECK (CASE WHEN sealed_for IS NULL
        THEN key_id IS NULL AND salt IS NOT NULL AND octet_length(salt) = 32 AND commitment = sha256('\x02'::bytea || salt || body)
        ELSE key_id IS NOT NULL AND salt IS NULL END)
) PARTITION BY RANGE (game_id);

CREATE TABLE ml.outbox (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    game_id uuid   NOT NULL,
    seq     bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

CREATE TABLE ml.log_leaf (
    leaf_index bigint PRIMARY KEY,
    game_id    uuid   NOT NULL,
    seq        bigint NOT NULL,
    hash       bytea  NOT NULL CHECK (octet_length(hash) = 32),
    UNIQUE (game_id, seq)
);

CREATE FUNCTION ml.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'moveledger: % on %.% is forbidden, the log only grows', TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME
        USING ERRCODE = '55000';
END $$;

CREATE FUNCTION ml.guard_table(p_table regclass) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE ON %s FOR EACH STATEMENT EXECUTE FUNCTION ml.refuse_change()', p_table);
    EXECUTE format('CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON %s FOR EACH STATEMENT EXECUTE FUNCTION ml.refuse_change()', p_table);
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER refuse_change', p_table);
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER refuse_truncate', p_table);
END $$;

SELECT ml.guard_table('ml.events');
SELECT ml.guard_table('ml.log_leaf');

-- A game's rows fall in the month it began: a UUIDv7 starts with 48 bits of milliseconds since 1970 (RFC 9562, 5.7).
CREATE FUNCTION ml.first_id_at(p_at timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT (rpad(lpad(to_hex((extract(epoch FROM p_at) * 1000)::bigint), 12, '0'), 32, '0'))::uuid
$$;

-- Makes the partitions of this month and the p_months after it that are not there; answers how many it made. A month of
-- which the default partition holds rows already, since nobody made it in time, stays there: its rows cannot be moved.
CREATE FUNCTION ml.make_partitions(p_months integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_month timestamptz; v_name text; v_from uuid; v_to uuid; v_made integer := 0;
BEGIN
    FOR i IN 0..p_months LOOP
        v_month := (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => i)) AT TIME ZONE 'UTC';
        v_name := 'events_' || to_char(v_month AT TIME ZONE 'UTC', 'YYYY_MM');
        v_from := ml.first_id_at(v_month);
        v_to := ml.first_id_at((v_month AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC');
        CONTINUE WHEN to_regclass('ml.' || v_name) IS NOT NULL;
        CONTINUE WHEN EXISTS (SELECT FROM ml.events_default e WHERE e.game_id >= v_from AND e.game_id < v_to);
        EXECUTE format('CREATE TABLE ml.%I PARTITION OF ml.events FOR VALUES FROM (%L) TO (%L)', v_name, v_from, v_to);
        PERFORM ml.guard_table(format('ml.%I', v_name)::regclass);
        v_made := v_made + 1;
    END LOOP;
    RETURN v_made;
END $$;

CREATE TABLE ml.events_default PARTITION OF ml.events DEFAULT;
SELECT ml.guard_table('ml.events_default');
SELECT ml.make_partitions(3);

-- Appends the events of one request at p_expected + 1, or says why not:
--   ok         they are in the log
--   duplicate  the same request (idem key and fingerprint) is in the log already: where, so that it can be answered again
--   key_reuse  the idem key is taken by another request
--   conflict   the game has other events after p_expected: its head
-- The primary key is the whole concurrency story: whoever inserts p_expected + 1 first has won; no lock, no counter, no
-- notification. recorded never goes backwards inside a game. Without plan_cache_mode every look-up would be planned anew,
-- since a plan for one partition looks cheaper than one for all: that takes longer than to run it (docs/benchmarks.md).
CREATE FUNCTION ml.append(
    p_game uuid, p_expected bigint, p_idem uuid, p_fingerprint bytea, p_request_id text, p_status text,
    p_types smallint[], p_seats smallint[], p_clients uuid[], p_commitments bytea[], p_salts bytea[], p_bodies bytea[],
    p_sealed_for integer[],
    OUT result text, OUT first_seq bigint, OUT head_seq bigint, OUT recorded bigint, OUT prev bytea, OUT hashes bytea[]
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = ml, pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_count int := cardinality(p_types); v_prev bytea; v_hash bytea; v_last_us bigint := 0; v_fingerprint bytea; v_batch smallint;
BEGIN
    hashes := '{}';
    IF p_expected = 0 THEN
        v_prev := decode(repeat('00', 32), 'hex');
    ELSE
        SELECT e.hash, e.recorded_us INTO v_prev, v_last_us FROM ml.events e WHERE e.game_id = p_game AND e.seq = p_expected;
    END IF;
    IF v_prev IS NOT NULL THEN
        prev := v_prev;
        recorded := greatest((extract(epoch FROM clock_timestamp()) * 1000000)::bigint, v_last_us);
        FOR i IN 1..v_count LOOP
            v_hash := NULL;
            INSERT INTO ml.events (game_id, seq, type, schema, seat, client, recorded_us, prev_hash, commitment, request_id,
                                   salt, body, sealed_for, key_id, idem_key, fingerprint, batch)
            VALUES (p_game, p_expected + i, p_types[i], 1, p_seats[i], p_clients[i], recorded, v_prev, p_commitments[i], p_request_id,
                    p_salts[i], p_bodies[i], p_sealed_for[i], CASE WHEN p_sealed_for[i] IS NOT NULL THEN p_game END,
                    CASE WHEN i = 1 THEN p_idem END, CASE WHEN i = 1 AND p_idem IS NOT NULL THEN p_fingerprint END,
                    CASE WHEN i = 1 AND p_idem IS NOT NULL THEN v_count END)
            ON CONFLICT DO NOTHING RETURNING events.hash INTO v_hash;
            IF v_hash IS NULL THEN
                IF i > 1 THEN
                    RAISE EXCEPTION 'moveledger: a batch was torn' USING ERRCODE = '40001';
                END IF;
                EXIT;
            END IF;
            INSERT INTO ml.outbox (game_id, seq) VALUES (p_game, p_expected + i);
            v_prev := v_hash;
            hashes[i] := v_hash;
        END LOOP;
        IF v_hash IS NOT NULL THEN
            IF p_status IS NOT NULL THEN
                UPDATE ml.games SET status = p_status WHERE games.game_id = p_game;
            END IF;
            result := 'ok'; first_seq := p_expected + 1; head_seq := p_expected + v_count;
            RETURN;
        END IF;
    END IF;
    first_seq := 0; recorded := 0; prev := '';
    IF p_idem IS NOT NULL THEN
        SELECT e.seq, e.fingerprint, e.batch INTO first_seq, v_fingerprint, v_batch
            FROM ml.events e WHERE e.game_id = p_game AND e.idem_key = p_idem;
        IF FOUND THEN
            result := CASE WHEN v_fingerprint = p_fingerprint THEN 'duplicate' ELSE 'key_reuse' END;
            head_seq := first_seq + v_batch - 1;
            RETURN;
        END IF;
    END IF;
    result := 'conflict'; first_seq := 0;
    SELECT e.seq, e.hash INTO head_seq, prev FROM ml.events e WHERE e.game_id = p_game ORDER BY e.seq DESC LIMIT 1;
    head_seq := coalesce(head_seq, 0); prev := coalesce(prev, '');
END $$;

-- What the workers keep: snapshots (always disposable) and how far each game has come.
CREATE TABLE ml.snapshots (
    game_id      uuid   NOT NULL,
    rules_digest bytea  NOT NULL,
    seq          bigint NOT NULL,
    head_hash    bytea  NOT NULL CHECK (octet_length(head_hash) = 32),
    content      bytea  NOT NULL,   -- AES-256-GCM under the game's data key
    PRIMARY KEY (game_id, rules_digest, seq)
);
CREATE TABLE ml.progress (
    game_id      uuid PRIMARY KEY,
    version      bigint NOT NULL,
    snapshot_seq bigint NOT NULL DEFAULT 0,
    updated_us   bigint NOT NULL
);
CREATE INDEX progress_by_time ON ml.progress (updated_us);

-- Gives up to p_most events of the outbox their place in the one order of the log; answers which games have grown. Any row that can be seen is
-- taken, whenever its transaction committed, so a late commit is never missed. One caller at a time: the others get nothing.
-- Each hash is looked up by key: a join would be planned for p_most events and read all of the log, at every call.
CREATE FUNCTION ml.order_events(p_most integer) RETURNS TABLE (game uuid, version bigint, events integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ml, pg_catalog, pg_temp AS $$
DECLARE
    v_next bigint;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtext('moveledger.order_events')) THEN
        RETURN;
    END IF;
    SELECT coalesce(max(l.leaf_index) + 1, 0) INTO v_next FROM ml.log_leaf l;
    RETURN QUERY
    WITH taken AS (
        DELETE FROM ml.outbox o WHERE o.id <= (SELECT max(oldest.id) FROM (SELECT id FROM ml.outbox ORDER BY id LIMIT p_most) oldest)
        RETURNING o.game_id, o.seq
    ), placed AS (
        SELECT t.game_id, t.seq, v_next + row_number() OVER (ORDER BY t.game_id, t.seq) - 1 AS leaf_index
        FROM taken t
    ), leaves AS (
        INSERT INTO ml.log_leaf (leaf_index, game_id, seq, hash)
        SELECT p.leaf_index, p.game_id, p.seq, (SELECT e.hash FROM ml.events e WHERE e.game_id = p.game_id AND e.seq = p.seq)
        FROM placed p
        RETURNING log_leaf.game_id, log_leaf.seq
    ), grown AS (
        SELECT l.game_id, max(l.seq) AS version, count(*)::integer AS events FROM leaves l GROUP BY l.game_id
    ), kept AS (
        INSERT INTO ml.progress AS p (game_id, version, updated_us)
        SELECT g.game_id, g.version, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint FROM grown g
        ON CONFLICT (game_id) DO UPDATE SET version = greatest(p.version, excluded.version), updated_us = excluded.updated_us
        RETURNING p.game_id
    )
    SELECT g.game_id, g.version, g.events FROM grown g JOIN kept USING (game_id);
END $$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ml FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ml.append TO moveledger_api, moveledger_worker;
GRANT EXECUTE ON FUNCTION ml.order_events TO moveledger_relay;
GRANT EXECUTE ON FUNCTION ml.make_partitions, ml.first_id_at TO moveledger_worker;
GRANT SELECT ON ml.events, ml.log_leaf, ml.snapshots, ml.progress TO moveledger_api, moveledger_worker, moveledger_relay;
GRANT SELECT ON ml.outbox TO moveledger_api, moveledger_worker, moveledger_relay;
GRANT INSERT, DELETE ON ml.snapshots TO moveledger_worker;
GRANT UPDATE (snapshot_seq) ON ml.progress TO moveledger_worker;
RESET ROLE;
