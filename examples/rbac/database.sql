-- All that the provider needs in the broker's database when it counts clusters there, and nothing else: a role that may
-- read six columns of one table. It can neither write nor see any other table.
--
-- Run this in the broker's database as the owner of the table "instances"; once the role exists, the owner needs no right
-- to make roles. It may be run again, also after an update of the provider: it then grants what that version needs.
--
--     psql -v ON_ERROR_STOP=1 -f database.sql "$BROKER_DATABASE_URL"
--
-- The role has no password and cannot log in until it gets one. In psql, so that it stands in no file and no history:
--
--     \password hap_provider

BEGIN;

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'hap_provider') THEN
    CREATE ROLE hap_provider LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT NOREPLICATION;
  END IF;
  EXECUTE format('GRANT CONNECT ON DATABASE %I TO hap_provider', current_database());
END
$$;

GRANT USAGE ON SCHEMA public TO hap_provider;

-- What was granted before goes first: nothing is left of a wider grant.
REVOKE ALL PRIVILEGES ON TABLE public.instances FROM hap_provider;

GRANT SELECT (
  -- Which cluster it is: named when an account cannot be released because of it.
  instance_id,
  -- The account that the cluster lies on. Its clusters are counted by this.
  subscription_secret_name,
  -- Whose cluster it is: the second where the first is empty. Clusters of others on the same account are shown.
  subscription_global_account_id,
  global_account_id,
  -- Whether it still exists.
  deleted_at,
  -- Whether it is suspended: the server reads ers_context.active out of it, the rest of it is never fetched.
  provisioning_parameters
) ON TABLE public.instances TO hap_provider;

COMMIT;
