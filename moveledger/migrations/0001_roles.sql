-- Who may do what. The owner owns every table and function and is nobody's login; the others log in, each as one
-- process of the service, and get just the rights that the process needs. No role but the owner can write an event
-- except through ml.append.
DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['moveledger_api', 'moveledger_worker', 'moveledger_relay'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            EXECUTE format('CREATE ROLE %I LOGIN', wanted);
        END IF;
    END LOOP;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'moveledger_owner') THEN
        CREATE ROLE moveledger_owner NOLOGIN;
    END IF;
    IF NOT pg_has_role(current_user, 'moveledger_owner', 'SET') THEN
        EXECUTE format('GRANT moveledger_owner TO %I', current_user);
    END IF;
    EXECUTE format('GRANT CONNECT, CREATE ON DATABASE %I TO moveledger_owner', current_database());
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO moveledger_api, moveledger_worker, moveledger_relay', current_database());
END $$;

CREATE SCHEMA ml AUTHORIZATION moveledger_owner;
GRANT USAGE ON SCHEMA ml TO moveledger_api, moveledger_worker, moveledger_relay;
