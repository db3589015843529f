import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { sumExecutions } from "@/db/queries/execution-figures";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";

useDatabase();

const DAY_MS = 86_400_000;

describe("daily totals", () => {
  it("daily totals equal the sums of the executions after random inserts, changes and deletions", {
    timeout: 60_000,
  }, async () => {
    const { key } = await makeKey();
    await call("GET", "/api/account/me", { key });
    const [owner] = await db().$client<{ id: number }[]>`select max(id) as id from subscriptions`;
    const id = owner?.id ?? 0;
    let ticket = 0;
    const step = fc.record({
      kind: fc.constantFrom("open", "close", "correct", "delete", "bulk"),
      hoursAgo: fc.integer({ min: 0, max: 200 }),
      cents: fc.integer({ min: -5_000, max: 5_000 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 9 }),
        async (steps, days) => {
          const sql = db().$client;
          for (const { kind, hoursAgo, cents } of steps) {
            const pnl = (cents / 100).toFixed(2);
            if (kind === "open" || kind === "bulk") {
              const count = kind === "bulk" ? 20 : 1;
              await sql`
              insert into executions (subscription_id, ticket, symbol, symbol_sent, timeframe, signal, opened_at, closed_at, pnl)
              select ${id}, ${ticket}::int + i, 'A', 'A', 'H1', 'BUY', now() - make_interval(hours => ${hoursAgo}::int + i * 3),
                     case when i % 2 = 0 then now() end, ${pnl}::numeric
                from generate_series(1, ${count}::int) i`;
              ticket += count;
            }
            if (kind === "close")
              await sql`update executions set closed_at = now(), pnl = ${pnl}::numeric where subscription_id = ${id} and ticket = ${ticket}`;
            if (kind === "correct")
              await sql`update executions set pnl = ${pnl}::numeric where subscription_id = ${id} and ticket % 3 = 0`;
            if (kind === "delete")
              await sql`delete from executions where subscription_id = ${id} and ticket % 5 = 0`;
          }
          const since = new Date(Date.now() - days * DAY_MS);
          const [plain] = await sql<{ n: number; closed: number; profit: string; loss: string }[]>`
          select count(*)::int as n, count(closed_at)::int as closed,
                 coalesce(sum(pnl) filter (where closed_at is not null and pnl > 0), 0)::text as profit,
                 coalesce(-sum(pnl) filter (where closed_at is not null and pnl < 0), 0)::text as loss
            from executions where subscription_id = ${id} and opened_at > ${since.toISOString()}::timestamptz`;
          const totals = await sumExecutions(db(), id, since);
          expect([
            totals.nTotal,
            totals.nClosed,
            Number(totals.grossProfit),
            Number(totals.grossLoss),
          ]).toEqual([plain?.n, plain?.closed, Number(plain?.profit), Number(plain?.loss)]);
        },
      ),
      { numRuns: 40 },
    );
  });
});
