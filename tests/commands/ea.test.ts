import { execFile } from "node:child_process";
import { promisify } from "node:util";
import fc from "fast-check";
import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { workerDb } from "@/db/client";
import { listSlotStates } from "@/db/queries/slots";
import { listSubscriberPauses } from "@/db/queries/subscriber-pauses";
import { demoCandleReader } from "@/lib/commands/ea/candle-readers";
import { replaySignals } from "@/lib/commands/ea/replay";
import { TerminalHttp, terminalTime } from "@/lib/commands/ea/terminal-http";
import { Trader } from "@/lib/commands/ea/trader";
import { parseBrokerDate } from "@/lib/market/broker-dates";
import { advanceDemoMarket } from "@/lib/models/demo/advance-demo-market";
import { recordBaselineSignals } from "@/lib/models/producer/record-baseline-signals";
import { pauseOwnTrading, resumeOwnTrading } from "@/lib/subscribers/own-pauses";
import { makeKey } from "@/tests/support/api";
import { commandArguments } from "@/tests/support/command";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { type RunningServer, startServer } from "@/tests/support/server";

useDatabase({ MARKET_FEED: "demo" });

const DAYS = 4;
let server: RunningServer;
let sql: postgres.Sql;
let keyId: number;
let key: string;

beforeAll(async () => {
  const now = new Date();
  await advanceDemoMarket(workerDb(), now, new AbortController().signal);
  const after = new Date(now.getTime() - DAYS * 86_400_000);
  for (const slot of await listSlotStates(workerDb())) {
    // A threshold far below the evidence, so that there are signals to follow.
    if (slot.timeframe === "H1")
      await recordBaselineSignals(workerDb(), slot, { after, now }, { thresholdR: -1 });
  }
  ({ key, keyId } = await makeKey({ rate_limit_per_min: 100_000 }));
  server = await startServer(process.env.DATABASE_URL ?? "", { WORKER: "none" });
  sql = connectDirectly(1);
});
afterAll(async () => {
  await sql.end();
  await server.kill();
});

describe("the trading client", () => {
  it("writes times that the server parses to the same instant", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1_000_000, max: 4_000_000_000 }), (seconds) => {
        expect(parseBrokerDate(terminalTime(seconds * 1000))).toEqual({
          ok: true,
          at: new Date(seconds * 1000),
        });
      }),
    );
  });

  it("follows recorded signals with every sixth answer lost, and the database matches the client's journal", async () => {
    let n = 0;
    const http = new TerminalHttp({
      InpApiUrl: `${server.url}/`,
      InpApiKey: key,
      timeoutMs: 5_000,
      lostAnswers: 0.5,
      random: () => (++n % 6 === 0 ? 0 : 1),
    });
    const trader = new Trader(http, "m", 9_007_199_254_740_993n);
    await replaySignals(http, trader, demoCandleReader(Date.now, 45), DAYS);

    const opened = trader.journal.filter((entry) => entry.event === "opened");
    const closed = trader.journal.filter((entry) => entry.event === "closed");
    expect(opened.length).toBeGreaterThan(15);
    expect(http.counts.lost).toBeGreaterThan(5);
    expect(
      opened.some((entry) => entry.action === "updated"),
      "an opening whose answer was lost",
    ).toBe(true);

    const rows = await sql<
      { ticket: string; pnl: string | null; closed: boolean; symbol: string; symbol_sent: string }[]
    >`
      select e.ticket::text, e.pnl::text, e.closed_at is not null as closed, e.symbol, e.symbol_sent
        from executions e join api_keys k on k.subscription_id = e.subscription_id where k.id = ${keyId} order by e.ticket`;
    expect(rows.map((row) => row.ticket)).toEqual(opened.map((entry) => entry.ticket).sort());
    expect(rows.filter((row) => row.closed).map((row) => [row.ticket, Number(row.pnl)])).toEqual(
      closed.map((entry) => [entry.ticket, entry.pnl]).sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1)),
    );
    for (const row of rows) expect(row.symbol_sent).toBe(`${row.symbol}m`);
    expect(await sql`select 1 from rejected_reports`).toHaveLength(0);
  });

  it("opens nothing while its subscriber pauses all slots in the portal", async () => {
    const { key, keyId } = await makeKey({ rate_limit_per_min: 100_000 });
    const [owner] = await sql<
      { id: number }[]
    >`select subscription_id as id from api_keys where id = ${keyId}`;
    const poll = async () => {
      const args = [...commandArguments("ea"), "--url", `${server.url}/`, "--key", key, "--polls", "1"];
      const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 });
      return Number(/(\d+) opened/.exec(stdout)?.[1]);
    };
    const actor = { kind: "worker" } as const;
    await pauseOwnTrading(workerDb(), owner?.id ?? 0, { symbol: null, timeframe: null }, actor);
    expect(await poll()).toBe(0);
    const [pause] = await listSubscriberPauses(workerDb(), owner?.id ?? 0);
    await resumeOwnTrading(workerDb(), owner?.id ?? 0, pause?.id ?? 0, actor);
    expect(await poll()).toBeGreaterThan(0);
  });
});
