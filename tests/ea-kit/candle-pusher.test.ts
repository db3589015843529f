import { readFileSync } from "node:fs";
import type postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { issueFeedToken, revokeFeedToken } from "@/lib/access/feed-tokens";
import { call } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { compilePusher, hasCppCompiler } from "./compile";
import { type ReceivedAnswer, type SentRequest, SimulatedTerminal, type TerminalEvents } from "./terminal";

const URL_OF_SERVICE = "https://signals.example.test";
const source = readFileSync("public/ea-kit/CandlePusher.mqh", "utf8");

describe("CandlePusher", () => {
  it("has the same source for both terminals, without functions missing in one", () => {
    for (const version of [4, 5]) {
      const own = readFileSync(`public/ea-kit/CandlePusher.mq${version}`, "utf8");
      const code = own.split("\n").filter((line) => line !== "" && !line.startsWith("//"));
      expect(code).toEqual(['#property version "1.00"', "#property strict", '#include "CandlePusher.mqh"']);
    }
    // MQL4 lacks GetTickCount64, TimeTradeServer and input groups; MQL5 lacks the variable Bars and RefreshRates.
    expect(source).not.toMatch(
      /GetTickCount64|TimeTradeServer|input group|Bars\b(?!\()|RefreshRates|\bsymbol_info/,
    );
  });

  it("is plain ASCII, labels its inputs, and never prints its token", () => {
    expect(source).toMatch(/^[\t\n\x20-\x7e]*$/);
    const inputs = [...source.matchAll(/^input \w+ +(\w+) *=.*\/\/ (\w+): /gm)];
    expect(inputs.map(([, name]) => name)).toEqual(inputs.map(([, , shown]) => shown));
    expect(inputs).toHaveLength(7);
    expect(source).not.toMatch(/(Print|Comment|Alert|Say)\([^)]*InpFeedToken\b(?!\.)[^"]*\)/);
  });
});

describe.runIf(hasCppCompiler)("CandlePusher in a simulated terminal", () => {
  useDatabase({ MARKET_FEED: "off" });

  const actor = { kind: "command" } as const;
  let sql: postgres.Sql;
  let program: string;
  let terminal: SimulatedTerminal;
  let instead: (ReceivedAnswer | "the service")[];
  let round = 0;

  beforeAll(async () => {
    sql = connectDirectly();
    program = await compilePusher();
  }, 120_000);
  afterAll(() => sql.end());
  beforeEach(async () => {
    await sql`truncate candles, candle_corrections, feed_slots, feed_files, feeds cascade`;
    await sql`insert into symbols (symbol, calendar, digits) values ('BTCUSD', 'crypto', 2), ('EURUSD', 'fx', 5) on conflict do nothing`;
    instead = [];
    const token = await issueFeedToken(db(), `terminal ${++round}`, actor);
    terminal = new SimulatedTerminal(program, answer);
    await terminal.run(
      `set InpApiUrl  ${URL_OF_SERVICE}/ `,
      `set InpFeedToken ${token}`,
      "set InpServerClock utc+2",
      "set InpHistory 400",
      // The terminal's clock starts twenty minutes late; the service uses the machine's clock.
      "set ago 1200",
    );
  });
  afterEach(() => terminal.stop());

  async function answer({ method, url, headers, body }: SentRequest): Promise<ReceivedAnswer> {
    const prepared = instead.shift();
    if (prepared !== undefined && prepared !== "the service") return prepared;
    expect(url).toBe(`${URL_OF_SERVICE}/api/feed/bars`);
    const sent = headers
      .split("\r\n")
      .flatMap((line) => (line ? [line.split(": ") as [string, string]] : []));
    return call(method, url.slice(URL_OF_SERVICE.length), { headers: Object.fromEntries(sent), body });
  }

  const bodies = (events: TerminalEvents) => events.sent.map(({ body }) => JSON.parse(body));
  const rows = async (timeframe = "M1", symbol = "BTCUSD") =>
    sql<{ ts: Date; open: number; high: number; low: number; close: number; volume: number }[]>`
      select c.ts, c.open, c.high, c.low, c.close, c.volume from candles c join slots s on s.id = c.slot_id
       where s.symbol = ${symbol} and s.timeframe = ${timeframe} order by c.ts`;

  /** Expects `count` stored bars: each once and complete, without a gap, in UTC. */
  async function expectWhole(count: number): Promise<void> {
    const all = await rows();
    expect(all).toHaveLength(count);
    for (const [i, { ts, ...bar }] of all.entries()) {
      const base = 100 + ((ts.getTime() / 60_000) % 1000) / 100;
      for (const [name, value] of Object.entries({
        open: base,
        high: base + 0.5,
        low: base - 0.25,
        close: base + 0.1,
      }))
        expect(bar[name as "open"]).toBeCloseTo(value, 6);
      expect(bar.volume).toBe(50);
      if (i > 0) expect(ts.getTime() - all[i - 1]!.ts.getTime()).toBe(60_000);
    }
    expect(await sql`select 1 from candle_corrections`).toHaveLength(0);
  }

  it("asks which bar is stored last, sends history in batches, then each closed bar, and no forming bar", async () => {
    const looks = [];
    for (const command of ["start", "look", "look", "look", "look"])
      looks.push(bodies(await terminal.do(command)));
    expect(looks.map((sent) => sent.map(({ bars }) => bars.length))).toEqual([[], [0], [300], [100], []]);
    await expectWhole(400);
    const next = await terminal.run("pass 60", "look");
    expect(bodies(next).map(({ bars }) => bars.length)).toEqual([1]);
    expect(next.chart).toMatch(/^CandlePusher: 1 charts, 401 bars sent$/);
    await expectWhole(401);
  });

  it("resumes after a restart and after a lost answer", async () => {
    await terminal.run("start", "look", "look");
    await expectWhole(300);
    await terminal.run("pass 120");
    const again = await terminal.run("start", "look", "look");
    expect(bodies(again).map(({ bars }) => bars.length)).toEqual([102]);
    await expectWhole(402);

    await terminal.run("pass 60");
    // Bars stored without an acknowledgement are sent again.
    const [request] = (await terminal.do("look")).sent;
    expect(request).toBeDefined();
    await terminal.run("pass 60");
    instead = [null];
    const lost = await terminal.do("look");
    expect(lost.chart).toContain("5203: no answer");
    expect((await terminal.run("pass 14", "look")).sent).toEqual([]);
    await terminal.run("pass 1", "look");
    const { length } = await rows();
    expect(length).toBeGreaterThanOrEqual(404);
    await expectWhole(length);
  });

  it("sends bars of several charts under the broker's symbol names, and the service builds M15 bars from M1 bars", async () => {
    const commands = [
      "set InpSymbols BTCUSDm, EURUSD.i",
      "set InpTimeframes M1,M5",
      "set InpAlso M15",
      "start",
    ];
    await terminal.run(...commands, "look", "look", "look", "look");
    await expectWhole(400);
    expect((await rows("M5")).length).toBe(400);
    expect((await rows("M1", "EURUSD")).length).toBe(400);
    const made = await rows("M15");
    expect(made.length).toBeGreaterThanOrEqual(26);
    const minutes = await rows();
    for (const { ts, ...bar } of made.slice(1)) {
      const own = minutes.filter((row) => row.ts >= ts && row.ts.getTime() < ts.getTime() + 900_000);
      expect(own).toHaveLength(15);
      expect(bar).toEqual({
        open: own[0]?.open,
        high: Math.max(...own.map(({ high }) => high)),
        low: Math.min(...own.map(({ low }) => low)),
        close: own[14]?.close,
        volume: 15 * 50,
      });
    }
  });

  it.each([
    ["3", "60 minutes ahead"],
    ["1", "80 minutes behind"],
  ])(
    "gets no bar stored while its server clock is set an hour wrong (UTC+%s), and shows the difference",
    async (offset, said) => {
      const refused = await terminal.run(
        `set offset ${offset}`,
        `set ago ${offset === "3" ? 0 : 1200}`,
        "start",
        "look",
      );
      expect(refused.chart).toMatch(new RegExp(`422: server_time: is ${said}.*InpServerClock`));
      expect(await rows()).toEqual([]);
      expect((await sql`select state from feeds`)[0]).toEqual({ state: "held" });
      await terminal.run("set offset 2", "set ago 600", "pass 60", "look", "look");
      expect((await rows()).length).toBeGreaterThan(0);
      expect((await sql`select state from feeds`)[0]).toEqual({ state: "ok" });
    },
  );

  it("waits ten minutes before it sends again with a revoked token", async () => {
    await terminal.run("start", "look", "look");
    const [token] = await sql<{ id: number }[]>`select id from feed_tokens order by id desc limit 1`;
    await revokeFeedToken(db(), token!.id, actor);
    const refused = await terminal.run("pass 60", "look");
    expect(refused.chart).toContain("401: This feed token is unknown or was revoked.");
    expect((await terminal.run("pass 599", "look")).sent).toEqual([]);
    expect((await terminal.run("pass 1", "look")).sent).toHaveLength(1);
  });

  it("honours Retry-After, and waits for the terminal's history", async () => {
    await terminal.run("start", "look");
    instead = [
      { status: 429, headers: new Headers({ "Retry-After": "40" }), text: `{"detail":"Too many requests."}` },
    ];
    expect((await terminal.do("look")).chart).toContain("429: Too many requests.");
    expect((await terminal.run("pass 39", "look")).sent).toEqual([]);
    expect((await terminal.run("set loading 1", "pass 1", "look")).sent).toEqual([]);
    expect((await terminal.run("set loading 0", "pass 15", "look")).sent).toHaveLength(1);
  });

  it.each([
    ["set InpTimeframes M7", "this terminal has no M7"],
    ["set InpSymbols NOTHERE", "this broker has no NOTHERE"],
    ["set InpFeedToken ", "Fill in InpApiUrl and InpFeedToken"],
  ])("says why it does not start with %s", async (command, said) => {
    expect((await terminal.run(command, "start")).printed.join()).toContain(said);
  });
});
