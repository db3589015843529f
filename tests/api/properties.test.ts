import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { OPERATIONS } from "@/app/operations.generated";
import { db } from "@/db/client";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";

useDatabase();

let key = "";

beforeAll(async () => {
  key = (await makeKey({ rate_limit_per_min: 100_000 })).key;
});

/** Any JSON that a client could send, often with fields of the endpoint. */
const bodyLike = (example: unknown) =>
  fc.oneof(
    fc.jsonValue({ maxDepth: 4 }),
    fc
      .tuple(
        fc.constant(example),
        fc.dictionary(fc.constantFrom(...fieldNames(example)), fc.jsonValue({ maxDepth: 2 })),
      )
      .map(([base, changes]) => ({ ...(base as object), ...changes })),
  );

function fieldNames(example: unknown): string[] {
  const names = JSON.stringify(example).match(/"(\w+)":/g) ?? [];
  return [...new Set(names.map((name) => name.slice(1, -2)))];
}

describe("random requests", () => {
  const withBody = OPERATIONS.filter(({ body, access }) => body && access !== "signature");
  it.each(withBody.map((operation) => [operation.path, operation] as const))(
    "%s answers random JSON with a status below 500 in a documented shape",
    { timeout: 60_000 },
    async (path, operation) => {
      const who = operation.access === "admin" || operation.access === "producer" ? { admin: true } : { key };
      await fc.assert(
        fc.asyncProperty(bodyLike(operation.body?.example), async (body) => {
          // `call` checks the answer against the document.
          const { status } = await call("POST", path, { ...who, body: JSON.stringify(body) });
          expect(status).toBeLessThan(500);
        }),
        { numRuns: 60 },
      );
    },
  );

  it("a GET with an API key and random text in its parameters is answered with a status below 500", {
    timeout: 60_000,
  }, async () => {
    const reads = OPERATIONS.filter(({ query, access }) => query && access === "key");
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...reads),
        fc.string({ unit: "binary", maxLength: 20 }),
        async (operation, text) => {
          const names = Object.keys(operation.query?.shape ?? {});
          const query = names.map((name) => `${name}=${encodeURIComponent(text.toWellFormed())}`).join("&");
          const path = operation.path
            .replace("{symbol}", encodeURIComponent(text.toWellFormed()) || "X")
            .replace("{tf}", "H1");
          if (/^\.{1,2}$/.test(text) || text.includes("/")) return;
          const { status } = await call("GET", `${path}?${query}`, { key });
          expect(status).toBeLessThan(500);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("reports of one position", () => {
  const opening = {
    symbol: "EURUSD",
    timeframe: "H1",
    signal: "BUY",
    opened_at: "2026-11-20T10:00:00Z",
    entry_price: 1.1,
  };
  const closing = {
    ...opening,
    closed_at: "2026-11-20T12:00:00Z",
    exit_price: 1.2,
    pnl: 10.25,
    result: "TP",
  };
  let ticket = 1000;

  it("reports of one position end in the same row in any order and with repetitions", {
    timeout: 60_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("open", "close"), { maxLength: 6 }),
        fc.boolean(),
        async (more, atOnce) => {
          ticket++;
          const order = [...more, "close", ...more.toReversed()];
          const report = (kind: string) =>
            call("POST", "/api/executions", {
              key,
              body: { ticket, ...(kind === "open" ? opening : closing) },
            });
          const answers = [];
          if (atOnce) answers.push(...(await Promise.all(order.map(report))));
          else for (const kind of order) answers.push(await report(kind));
          expect(answers.filter(({ json }) => json.action === "created")).toHaveLength(1);
          expect(new Set(answers.map(({ json }) => json.exec_id)).size).toBe(1);
          const rows = await db().$client<{ row: string }[]>`
            select concat_ws(' ', symbol, signal, to_char(opened_at, 'HH24:MI'), to_char(closed_at, 'HH24:MI'),
                             entry_price, exit_price, pnl, result) as row from executions where ticket = ${ticket}`;
          expect(rows.map(({ row }) => row)).toEqual(["EURUSD BUY 10:00 12:00 1.1 1.2 10.25 TP"]);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("totals of executions", () => {
  it("totals of executions are exact for random amounts of cents, and independent of the limit", {
    timeout: 60_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: -100_000, max: 100_000 }), { minLength: 1, maxLength: 12 }),
        async (cents) => {
          const mine = (await makeKey({ rate_limit_per_min: 100_000 })).key;
          for (const [i, amount] of cents.entries()) {
            const body = {
              ticket: i + 1,
              symbol: "EURUSD",
              timeframe: "H1",
              signal: "SELL",
              closed_at: new Date().toISOString(),
              pnl: (amount / 100).toFixed(2),
            };
            await call("POST", "/api/executions", { key: mine, body });
          }
          const { json } = await call("GET", "/api/account/executions?limit=1", { key: mine });
          const wins = cents.filter((c) => c > 0);
          const losses = cents.filter((c) => c < 0);
          const sum = (list: number[]) => list.reduce((a, b) => a + b, 0);
          expect(json.executions).toHaveLength(1);
          expect(json.summary).toMatchObject({
            days: 30,
            n_total: cents.length,
            n_closed: cents.length,
            n_wins: wins.length,
            n_losses: losses.length,
            total_pnl: sum(cents) / 100,
            gross_profit: sum(wins) / 100,
            gross_loss: Math.abs(sum(losses)) / 100,
          });
          const long = await call("GET", "/api/account/executions?days=365", { key: mine });
          expect({ ...long.json.summary, days: 30 }).toEqual(json.summary);
          if (losses.length === 0) expect(json.summary.profit_factor).toBeNull();
        },
      ),
      { numRuns: 15 },
    );
  });
});
