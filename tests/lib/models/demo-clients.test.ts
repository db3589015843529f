import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { db, workerDb } from "@/db/client";
import { DEMO_NOTES, listDemoClients } from "@/db/queries/demo-clients";
import { issueKey } from "@/lib/access/keys/issue-key";
import { readOwnRecord } from "@/lib/executions/own-record/read-own-record";
import { UTC_CLOCK } from "@/lib/market/clock";
import { advanceDemoMarket } from "@/lib/models/demo/advance-demo-market";
import { advanceDemoClients, DEMO_HISTORY_DAYS } from "@/lib/models/demo/demo-clients";
import { produceDueSignals } from "@/lib/models/producer/produce-due-signals";
import { resolveDueOutcomes } from "@/lib/signals/outcomes/resolve-due-outcomes";
import { readDayOfCalls } from "@/lib/subscribers/day-of-calls";
import { listDiagnostics } from "@/lib/subscribers/diagnose-ea";
import { addDays, addHours } from "@/lib/time";
import { connectDirectly, useDatabase } from "@/tests/support/database";

useDatabase({ MARKET_FEED: "demo" });

const never = new AbortController().signal;
const now = new Date();
const EVERYTHING = { symbols: null, timeframes: null };
let sql: postgres.Sql;
let subscriptionId = 0;

const makeKey = (notes: string | null) =>
  issueKey(
    db(),
    {
      ...{ userName: "Demo subscriber", email: null, planTier: "pro", expiresAt: null, notes },
      ...{ symbolsAllowed: null, tfsAllowed: null, rateLimitPerMin: null },
      subscribedAt: addDays(now, -DEMO_HISTORY_DAYS),
    },
    { kind: "command" },
    now,
  );

const positions = () => sql`
  select ticket::text, closed_at, pnl::float8 as pnl, result, comment, pred_id from executions
   where subscription_id = ${subscriptionId} order by opened_at`;

describe.sequential("a simulated client", () => {
  beforeAll(async () => {
    sql = connectDirectly(1);
    await advanceDemoMarket(workerDb(), now, never);
    await produceDueSignals(workerDb(), never);
    await resolveDueOutcomes(workerDb(), never);
    subscriptionId = (await makeKey(DEMO_NOTES)).subscriptionId;
    await makeKey("A real subscriber");
    await advanceDemoClients(workerDb(), now, never);
  }, 180_000);
  afterAll(() => sql.end());

  it("only marked subscriptions have a simulated client", async () => {
    expect((await listDemoClients(db())).map((client) => client.subscriptionId)).toEqual([subscriptionId]);
  });

  it("a simulated client has won and lost on past signals, holds an open position, and each position is marked as simulated", async () => {
    const rows = await positions();
    expect(rows.length).toBeGreaterThan(40);
    expect(rows.length).toBeLessThanOrEqual(60);
    expect(rows.filter((row) => row.closed_at === null).length).toBeGreaterThan(0);
    expect(rows.filter((row) => row.pnl > 0).length).toBeGreaterThan(5);
    expect(rows.filter((row) => row.pnl < 0).length).toBeGreaterThan(5);
    expect(new Set(rows.map((row) => row.comment))).toEqual(new Set(["simulated"]));
    expect(rows.every((row) => row.pred_id !== null)).toBe(true);
  });

  it("a simulated client opens no position before its signal was made, apart from those of the simulated past", async () => {
    const rows = await sql`
      select e.opened_at < g.created_at as is_early, g.created_at - g.closes_at > g.closes_at - g.ts as is_past
        from executions e join signals g on g.id = e.pred_id where e.subscription_id = ${subscriptionId}`;
    // Whether the newest candles are among the followed ones depends on the time of day.
    expect(rows.length).toBeGreaterThan(40);
    expect(rows.filter(({ is_early, is_past }) => is_early && !is_past)).toEqual([]);
  });

  it("a simulated client polled for a day with 50 to 80 silent minutes, and its rejected report is diagnosed", async () => {
    const { spans } = await readDayOfCalls(db(), subscriptionId, now);
    const silent = spans.filter((heard) => !heard).length;
    expect(silent).toBeGreaterThanOrEqual(5);
    expect(silent).toBeLessThanOrEqual(8);
    const findings = await listDiagnostics(
      { subscriptionId, planTier: "pro", scope: { ...EVERYTHING, id: "*/*" } },
      now,
    );
    expect(findings.map(({ code }) => code)).toContain("reports_rejected");
  });

  it("a simulated client has its own record from the start of its subscription", async () => {
    const subscribedAt = addDays(now, -DEMO_HISTORY_DAYS);
    const record = await readOwnRecord(
      db(),
      { subscriptionId, subscribedAt, scope: EVERYTHING, days: 90, clock: UTC_CLOCK },
      now,
    );
    expect(record.from).toEqual(subscribedAt);
    expect(record.funnel.nFollowed).toBeGreaterThan(40);
    expect(record.decomposition.own.n).toBeGreaterThan(20);
    expect(record.nOthers).toBe(0);
    // The history's signals were made at once, so their delays mean nothing.
    expect(record.funnel.madeMs ?? 0).toBeLessThan(86_400_000);
  });

  it("a simulated client's positions do not change when it is advanced again to the same time", async () => {
    const before = await positions();
    await advanceDemoClients(workerDb(), now, never);
    expect(await positions()).toEqual(before);
  });

  it("a simulated client continues with the market: five days later its open positions are closed, and it has new ones", async () => {
    const open = (await positions()).filter((row) => row.closed_at === null);
    const later = addHours(now, 24 * 5);
    await advanceDemoMarket(workerDb(), later, never);
    await produceDueSignals(workerDb(), never);
    await resolveDueOutcomes(workerDb(), never);
    await advanceDemoClients(workerDb(), later, never);
    const rows = await positions();
    const closed = new Set(rows.filter((row) => row.closed_at !== null).map((row) => row.ticket));
    expect(open.every((row) => closed.has(row.ticket))).toBe(true);
    expect(rows.length).toBeGreaterThan(60);
  });
});
