-- Moves execution_versions on with every statement that changes executions. Subscriptions are written in one order, so
-- that two statements never wait for each other in a ring. One text, two functions: a trigger sees only the transition
-- tables of its own kind of statement.
DO $do$
DECLARE
  kind text;
  changed text;
BEGIN
  FOR kind, changed IN VALUES ('write', 'fresh'), ('delete', 'former')
  LOOP
    EXECUTE format($function$
      CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $body$
      begin
        insert into execution_versions as v (subscription_id, version)
        select distinct c.subscription_id, 1 from %I c order by 1
        on conflict (subscription_id) do update set version = v.version + 1;
        return null;
      end
      $body$
    $function$, 'execution_versions_on_' || kind, changed);
  END LOOP;
END
$do$;
--> statement-breakpoint
CREATE TRIGGER "execution_versions_insert" AFTER INSERT ON "executions" REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION "execution_versions_on_write"();
--> statement-breakpoint
CREATE TRIGGER "execution_versions_update" AFTER UPDATE ON "executions" REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION "execution_versions_on_write"();
--> statement-breakpoint
CREATE TRIGGER "execution_versions_delete" AFTER DELETE ON "executions" REFERENCING OLD TABLE AS former
  FOR EACH STATEMENT EXECUTE FUNCTION "execution_versions_on_delete"();
