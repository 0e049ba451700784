-- A process that was given no login of its own connects as the owner and takes its role. A superuser may take any; since
-- Postgres 16 another role may not even take one that it has made, unless that is granted. Where somebody else made the roles and
-- this one may not grant them, the processes need logins of their own.
DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['moveledger_api', 'moveledger_worker', 'moveledger_relay'] LOOP
        IF NOT pg_has_role(current_user, wanted, 'SET') THEN
            BEGIN
                EXECUTE format('GRANT %I TO %I WITH INHERIT FALSE, SET TRUE', wanted, current_user);
            EXCEPTION WHEN insufficient_privilege THEN
                RAISE NOTICE 'moveledger: % cannot take the role %', current_user, wanted;
            END;
        END IF;
    END LOOP;
END $$;
