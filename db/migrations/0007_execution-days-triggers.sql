-- Keeps execution_days: what a statement put into executions counts with sign 1, what it took out with -1. Days are
-- written in one order, so that two statements never wait for each other in a ring. One text, three functions: a trigger
-- sees only the transition tables of its own kind of statement.
DO $do$
DECLARE
  kind text;
  changes text;
BEGIN
  FOR kind, changes IN VALUES
    ('insert', 'select 1 as sign, f.* from fresh f'),
    ('update', 'select 1 as sign, f.* from fresh f union all select -1, o.* from former o'),
    ('delete', 'select -1 as sign, o.* from former o')
  LOOP
    EXECUTE format($function$
      CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $body$
      begin
        insert into execution_days as d
          (subscription_id, day, n_total, n_closed, n_wins, n_losses, gross_profit, gross_loss)
        select e.subscription_id, (e.opened_at at time zone 'UTC')::date,
               sum(e.sign),
               coalesce(sum(e.sign) filter (where e.closed_at is not null), 0),
               coalesce(sum(e.sign) filter (where e.closed_at is not null and e.pnl > 0), 0),
               coalesce(sum(e.sign) filter (where e.closed_at is not null and e.pnl < 0), 0),
               coalesce(sum(e.sign * e.pnl) filter (where e.closed_at is not null and e.pnl > 0), 0),
               coalesce(-sum(e.sign * e.pnl) filter (where e.closed_at is not null and e.pnl < 0), 0)
          from (%s) e
         group by 1, 2
         order by 1, 2
        on conflict (subscription_id, day) do update set
          n_total = d.n_total + excluded.n_total,
          n_closed = d.n_closed + excluded.n_closed,
          n_wins = d.n_wins + excluded.n_wins,
          n_losses = d.n_losses + excluded.n_losses,
          gross_profit = d.gross_profit + excluded.gross_profit,
          gross_loss = d.gross_loss + excluded.gross_loss;
        return null;
      end
      $body$
    $function$, 'execution_days_on_' || kind, changes);
  END LOOP;
END
$do$;
--> statement-breakpoint
CREATE TRIGGER "execution_days_insert" AFTER INSERT ON "executions" REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION "execution_days_on_insert"();
--> statement-breakpoint
CREATE TRIGGER "execution_days_update" AFTER UPDATE ON "executions" REFERENCING OLD TABLE AS former NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION "execution_days_on_update"();
--> statement-breakpoint
CREATE TRIGGER "execution_days_delete" AFTER DELETE ON "executions" REFERENCING OLD TABLE AS former
  FOR EACH STATEMENT EXECUTE FUNCTION "execution_days_on_delete"();
--> statement-breakpoint
-- What was reported before.
INSERT INTO "execution_days" ("subscription_id", "day", "n_total", "n_closed", "n_wins", "n_losses", "gross_profit", "gross_loss")
SELECT subscription_id, (opened_at at time zone 'UTC')::date, count(*), count(closed_at),
       count(*) filter (where closed_at is not null and pnl > 0),
       count(*) filter (where closed_at is not null and pnl < 0),
       coalesce(sum(pnl) filter (where closed_at is not null and pnl > 0), 0),
       coalesce(-sum(pnl) filter (where closed_at is not null and pnl < 0), 0)
  FROM "executions" GROUP BY 1, 2;
