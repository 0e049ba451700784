-- Refusals are kept for as long as the operator says, and then dropped by the workers. What is younger than thirty days stays whatever
-- the operator says: nobody takes out what has just been refused.
SET ROLE moveledger_owner;

CREATE FUNCTION ml.refuse_early_removal() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF OLD.refused_us > ((extract(epoch FROM clock_timestamp()) - 30 * 86400) * 1000000)::bigint THEN
        RAISE EXCEPTION 'moveledger: DELETE on %.% is forbidden for thirty days', TG_TABLE_SCHEMA, TG_TABLE_NAME USING ERRCODE = '55000';
    END IF;
    RETURN OLD;
END $$;
REVOKE ALL ON FUNCTION ml.refuse_early_removal FROM PUBLIC;

DROP TRIGGER refuse_change ON ml.security_trail;
CREATE TRIGGER refuse_change BEFORE UPDATE ON ml.security_trail FOR EACH STATEMENT EXECUTE FUNCTION ml.refuse_change();
CREATE TRIGGER refuse_early_removal BEFORE DELETE ON ml.security_trail FOR EACH ROW EXECUTE FUNCTION ml.refuse_early_removal();
ALTER TABLE ml.security_trail ENABLE ALWAYS TRIGGER refuse_change;
ALTER TABLE ml.security_trail ENABLE ALWAYS TRIGGER refuse_early_removal;
GRANT DELETE ON ml.security_trail TO moveledger_worker;
RESET ROLE;
