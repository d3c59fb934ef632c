-- All that the provider needs in the broker's database when it counts clusters there, and nothing else: a view that shows of each live
-- cluster its instance ID, its account, whose it is, and whether it is suspended; and a role that may read this view alone. The role sees
-- neither the broker's tables nor the parameters of a cluster, and can write nothing.
--
-- Run this in the broker's database as the owner of the table "instances", who needs the right CREATE on the database; once the role
-- exists, no right to make roles. Update the provider first where it is of a version before the view, and run this again after each
-- update: it takes back what was granted before, and makes the view that the new version needs.
--
--     psql -v ON_ERROR_STOP=1 -f database.sql "$BROKER_DATABASE_URL"
--
-- The role has no password and cannot log in until it gets one. In psql, so that it is in no file and no history:
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

CREATE SCHEMA IF NOT EXISTS hap;

-- What was made and granted before goes first: nothing is left of a wider grant.
DROP VIEW IF EXISTS hap.clusters;
DROP FUNCTION IF EXISTS hap.live_clusters();
REVOKE ALL PRIVILEGES ON SCHEMA hap, public FROM hap_provider;
REVOKE ALL PRIVILEGES ON TABLE public.instances FROM hap_provider;

-- The function reads the table with the rights of its owner. Its body is a text, so PostgreSQL records no dependency: a migration of the
-- broker may change or drop any column beside it, and the provider then says that the view has to be made anew. It looks nothing up on a
-- search_path that a caller could set.
CREATE FUNCTION hap.live_clusters()
  RETURNS TABLE (instance_id text, account text, owner text, suspended boolean)
  LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp
AS $body$
  SELECT
    -- Which cluster it is: named when an account cannot be released because of it.
    instance_id,
    -- The account of the cluster. The provider counts the clusters of an account by this.
    coalesce(subscription_secret_name, ''),
    -- Whose cluster it is: the second where the first is empty. Clusters of others on the same account are shown.
    coalesce(nullif(subscription_global_account_id, ''), global_account_id, ''),
    -- Whether it is suspended: ers_context.active of the parameters is false. Nothing else of them is shown. They are text that need not
    -- be JSON, so this is an expression that cannot fail. Two cheaper tests come first.
    coalesce(
      case
        when strpos(provisioning_parameters, 'false') = 0 then false
        when strpos(provisioning_parameters, '"active":false') = 0 and provisioning_parameters !~ '"active"\s*:\s*false' then false
        else provisioning_parameters ~ '^\s*\{(?:[^][{}"]|"(?:[^"\\]|\\.)*"|[[{](?:[^][{}"]|"(?:[^"\\]|\\.)*"|[[{](?:[^][{}"]|"(?:[^"\\]|\\.)*"|[[{](?:[^][{}"]|"(?:[^"\\]|\\.)*"|[[{](?:[^][{}"]|"(?:[^"\\]|\\.)*"|[[{](?:[^][{}"]|"(?:[^"\\]|\\.)*")*[]}])*[]}])*[]}])*[]}])*[]}])*"ers_context"\s*:\s*\{(?:[^][{}"]|"(?:[^"\\]|\\.)*"|[[{](?:[^][{}"]|"(?:[^"\\]|\\.)*"|[[{](?:[^][{}"]|"(?:[^"\\]|\\.)*"|[[{](?:[^][{}"]|"(?:[^"\\]|\\.)*"|[[{](?:[^][{}"]|"(?:[^"\\]|\\.)*"|[[{](?:[^][{}"]|"(?:[^"\\]|\\.)*")*[]}])*[]}])*[]}])*[]}])*[]}])*"active"\s*:\s*false\M'
      end, false)
  FROM (
    SELECT instance_id::text, subscription_secret_name::text, subscription_global_account_id::text, global_account_id::text,
      provisioning_parameters::text
    FROM public.instances
    -- Whether it still exists.
    WHERE deleted_at = timestamptz '0001-01-01 00:00:00+00'
  ) AS live
$body$;

-- PostgreSQL lets every role execute a new function.
REVOKE ALL PRIVILEGES ON FUNCTION hap.live_clusters() FROM PUBLIC;

CREATE VIEW hap.clusters AS SELECT instance_id, account, owner, suspended FROM hap.live_clusters();

GRANT USAGE ON SCHEMA hap TO hap_provider;
GRANT EXECUTE ON FUNCTION hap.live_clusters() TO hap_provider;
GRANT SELECT ON hap.clusters TO hap_provider;

COMMIT;
