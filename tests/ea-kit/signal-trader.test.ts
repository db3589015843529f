import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { sql } from "drizzle-orm";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { listSubscriberPauses } from "@/db/queries/subscriber-pauses";
import { listTerminals } from "@/db/queries/terminals";
import { pauseOwnTrading, resumeOwnTrading } from "@/lib/subscribers/own-pauses";
import { terminalBuffer } from "@/lib/subscribers/terminals";
import { NOT_TRADED_REASONS } from "@/lib/vocabulary";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { hourlyCandleOpenTime, ingest } from "@/tests/support/market-data";
import { compileTrader, hasCppCompiler } from "./compile";
import { type ReceivedAnswer, type SentRequest, SimulatedTerminal, type TerminalEvents } from "./terminal";

const URL_OF_SERVICE = "https://signals.example.test";
const source = readFileSync("public/ea-kit/SignalTrader.mqh", "utf8");
const ACTOR = { kind: "worker" } as const;
const HOUR = 3_600;
const WEEK_HOURS = 168;

useDatabase();

describe("SignalTrader", () => {
  it("has the same source for MetaTrader 4 and 5", () => {
    for (const version of [4, 5]) {
      const own = readFileSync(`public/ea-kit/SignalTrader.mq${version}`, "utf8");
      const code = own.split("\n").filter((line) => line !== "" && !line.startsWith("//"));
      expect(code).toEqual(['#property version "1.00"', "#property strict", '#include "SignalTrader.mqh"']);
    }
  });

  it("is plain ASCII, labels its inputs, and never prints its key", () => {
    for (const name of ["SignalTrader.mqh", "SignalTester.mqh", "SignalDelivery.mqh"])
      expect(readFileSync(`public/ea-kit/${name}`, "utf8")).toMatch(/^[\t\n\x20-\x7e]*$/);
    const inputs = [...source.matchAll(/^input \w+ +(\w+) *=.*\/\/ (\w+): /gm)];
    expect(inputs.map(([, name]) => name)).toEqual(inputs.map(([, , shown]) => shown));
    expect(inputs.length).toBe([...source.matchAll(/^input /gm)].length);
    expect(source).not.toMatch(/(Print|Comment|Alert)\([^)]*InpApiKey\b(?!\.)[^"]*\)/);
  });

  it("lists exactly the service's not-traded reasons, and reports no other", () => {
    const include = readFileSync("public/ea-kit/SignalDelivery.mqh", "utf8");
    const known = /SDS_REASONS " ([A-Z_ ]+) "/.exec(include)?.[1]?.split(" ");
    expect(known).toEqual([...NOT_TRADED_REASONS]);
    // The source from here on contains the reasons for closes instead.
    const traded = source.slice(0, source.indexOf("void CloseOverdue"));
    const told = [...traded.matchAll(/(?:why=|return\(|Tell\(signal,|\? )"([A-Z_]{4,})"/g)].flatMap(
      ([, reason = ""]) => (["GOLD", "SILVER"].includes(reason) ? [] : [reason]),
    );
    expect(new Set(told).size).toBeGreaterThan(8);
    expect(told.filter((reason) => !known?.includes(reason))).toEqual([]);
  });
});

describe.runIf(hasCppCompiler).each([5, 4] as const)(
  "SignalTrader in a simulated MetaTrader %i",
  (version) => {
    const SLOTS = ["BTCUSD/H1", "ETHUSD/H1", "SOLUSD/H1", "BTCUSD/H4"];
    let program: string;
    let terminal: SimulatedTerminal;
    let key: string;
    let id: number;
    let isAway = false;
    let round = 0;

    beforeAll(async () => {
      program = await compileTrader(version);
    }, 180_000);
    beforeEach(async () => {
      const made = await makeKey({ rate_limit_per_min: 100_000 });
      key = made.key;
      const [row] = await db().execute<{ id: number }>(
        sql`select subscription_id as id from api_keys where id = ${made.keyId}`,
      );
      id = row?.id ?? -1;
      isAway = false;
      await signals(Object.fromEntries(SLOTS.map((slot) => [slot, "NO_TRADE"])));
      terminal = new SimulatedTerminal(program, answer);
      await terminal.run(
        `set InpApiUrl ${URL_OF_SERVICE}`,
        `set InpApiKey ${key}`,
        "set InpWaitSeconds 0",
        "set symbols BTCUSDm xETHUSD ETHUSD.r SOLUSD_ecn LTCUSD US500.cash",
      );
    });
    afterEach(() => terminal.stop());

    async function answer({ method, url, headers, body }: SentRequest): Promise<ReceivedAnswer> {
      if (isAway) return null;
      const sent = headers
        .split("\r\n")
        .flatMap((line) => (line ? [line.split(/: (.*)/).slice(0, 2) as [string, string]] : []));
      return call(method, url.slice(URL_OF_SERVICE.length), {
        headers: Object.fromEntries(sent),
        ...(body ? { body } : {}),
      });
    }

    /** Ingests a signal for the newest candle of some slots; crypto markets never close. Returns the number of each. */
    async function signals(
      directions: Record<string, "BUY" | "SELL" | "NO_TRADE">,
      wish: object = {},
    ): Promise<Map<string, number>> {
      const model_v = `m${version}-${++round}`;
      await ingest(
        "signals",
        Object.entries(directions).map(([slot, signal]) => {
          const [symbol, timeframe] = slot.split("/");
          const hour = hourlyCandleOpenTime(0).getTime();
          const fourHours = (Math.floor(Date.now() / 14_400_000) - 1) * 14_400_000;
          const ts = timeframe === "H4" ? fourHours : hour;
          return {
            ...{ symbol, timeframe, signal, ts: new Date(ts).toISOString(), model_v, regime: "RANGE" },
            ...{ confidence: 0.6, expected_rr: 1.5 },
            ...{
              prob_buy: signal === "BUY" ? 0.6 : 0.2,
              prob_sell: signal === "SELL" ? 0.6 : 0.2,
              prob_no: signal === "NO_TRADE" ? 0.6 : 0.2,
            },
            ...wish,
          };
        }),
      );
      const rows = await db().execute<{ id: string; slot: string }>(sql`
      select g.id, s.symbol || '/' || s.timeframe as slot from signals g join slots s on s.id = g.slot_id
       where g.model_v = ${model_v}`);
      return new Map(rows.map((row) => [row.slot, Number(row.id)]));
    }

    const executions = async () => {
      const { json } = await call("GET", "/api/account/executions?expand=details&limit=1000", { key });
      // biome-ignore lint/suspicious/noExplicitAny: rows of the interface
      return json.executions as any[];
    };
    const reasons = async () =>
      new Map(
        (
          await db().execute<{ signal_id: string; reason: string; error_code: number | null }>(
            sql`select signal_id, reason, error_code from untraded_signals where subscription_id = ${id}`,
          )
        ).map((row) => [
          Number(row.signal_id),
          row.error_code === null ? row.reason : `${row.reason} ${row.error_code}`,
        ]),
      );
    const journal = ({ printed }: TerminalEvents) => printed.filter((line) => line.includes("not traded"));

    it("follows the signals of four slots once each from one chart, under the broker's symbol names", async () => {
      const made = await signals({
        "BTCUSD/H1": "BUY",
        "ETHUSD/H1": "SELL",
        "SOLUSD/H1": "BUY",
        "BTCUSD/H4": "SELL",
      });
      const { orders, chart, printed } = await terminal.run("start", "look");
      expect(orders.map(({ symbol, buys, magic }) => [symbol, buys, magic]).toSorted()).toEqual([
        ["BTCUSDm", false, 20_260_900 + 240],
        ["BTCUSDm", true, 20_260_900 + 60],
        // The broker lists xETHUSD but does not trade it.
        ["ETHUSD.r", false, 20_260_900 + 60],
        ["SOLUSD_ecn", true, 20_260_900 + 60],
      ]);
      expect(chart).toMatch(/^SignalTrader: \d+ slots, 4 positions\. Connected$/);
      expect(printed).toContain("ETHUSD: this broker calls it ETHUSD.r.");
      const told = await executions();
      expect(told.map((row) => `${row.symbol}/${row.timeframe} ${row.signal}`).toSorted()).toEqual([
        ...["BTCUSD/H1 BUY", "BTCUSD/H4 SELL", "ETHUSD/H1 SELL", "SOLUSD/H1 BUY"],
      ]);
      const [rows] = await Promise.all([
        db().execute<{ pred_id: string }>(sql`select pred_id from executions where subscription_id = ${id}`),
      ]);
      expect(rows.map((row) => Number(row.pred_id)).toSorted()).toEqual([...made.values()].toSorted());
      expect((await terminal.run("pass 60", "look", "start", "look")).orders).toEqual([]);
      expect(await reasons()).toEqual(new Map());
    });

    it("identifies its account by a hash, with server and kind", async () => {
      await terminal.run("start", "look");
      await terminalBuffer().flush();
      const hash = createHash("sha256").update("5012345@Broker-Demo").digest("hex").slice(0, 16);
      expect(await listTerminals(db(), id)).toMatchObject([
        { terminal: hash, server: "Broker-Demo", account: "demo" },
      ]);
      await terminal.run("set account 777", "start", "look");
      await terminalBuffer().flush();
      expect(await listTerminals(db(), id)).toHaveLength(2);
    });

    it("reports the close of a position that was opened under another server name", async () => {
      await signals({ "BTCUSD/H1": "BUY" });
      await terminal.run("start", "look");
      const closed = await terminal.run("set account 777", "start", "close sl 60000", "pass 60", "look");
      expect(closed.printed.join("\n")).not.toContain("refused");
      expect(await executions()).toMatchObject([{ result: "SL", closed_at: expect.any(String) }]);
    });

    it("prefers the symbol table over rules, and reports missing symbols", async () => {
      await signals({ "BTCUSD/H1": "BUY", "US500/H1": "BUY" });
      const made = await signals({ "XAUUSD/H1": "BUY" });
      const none = await terminal.run("set InpSymbols BTCUSD=LTCUSD,US500 = US500.cash", "start", "look");
      expect(none.orders.map(({ symbol }) => symbol)).toContain("LTCUSD");
      const [gold] = made.values();
      // Gold's market may be closed at the hour of this test: then the signal is too old.
      expect(["NO_SYMBOL", "TOO_LATE"]).toContain((await reasons()).get(gold ?? 0));
      expect(journal(none).join("\n")).toMatch(
        /XAUUSD H1 BUY of \S+ not traded: (NO_SYMBOL: name it|TOO_LATE)/,
      );
      await signals({ "US500/H1": "NO_TRADE", "XAUUSD/H1": "NO_TRADE" });
    });

    it.each([
      ["CONFIDENCE", ["set InpMinConfidence 0.7"]],
      ["SPREAD", ["set spread 400", "set InpMaxSpreadPct 5"]],
      ["VOLUME", ["set balance 20"]],
      ["TERMINAL_ERROR", ["set refuses 1"]],
      ["HOURS", []],
    ] as const)(
      "opens nothing because of %s, reports this reason once, and trades when the reason ends, if it can end",
      async (reason, commands) => {
        const utc = new Date().toISOString();
        const times = reason === "HOURS" ? [`set InpNoTradeTimes Mon 00:00, ${utc.slice(11, 16)}`] : [];
        const made = await signals({ "BTCUSD/H1": "BUY" });
        const first = await terminal.run(...commands, ...times, "start", "look");
        expect(first.orders).toEqual([]);
        const error = version === 4 ? " 132" : " 10018";
        const [pred = 0] = made.values();
        expect((await reasons()).get(pred)).toBe(reason === "TERMINAL_ERROR" ? `${reason}${error}` : reason);
        expect(journal(first)).toHaveLength(1);
        const again = await terminal.run("pass 60", "look");
        expect([again.orders, journal(again)]).toEqual([[], []]);
        // A volume or confidence that is too low does not change by waiting.
        if (reason === "VOLUME" || reason === "CONFIDENCE") return;
        const over = await terminal.run(
          ...[
            "set refuses 0",
            "set InpMaxSpreadPct 0",
            "set InpNoTradeTimes 2020.01.01 00:00",
            "pass 60",
            "look",
          ],
        );
        expect(over.orders).toHaveLength(1);
      },
    );

    it("refuses an invalid InpNoTradeTimes", async () => {
      for (const times of ["25:00", "Fry 20:00", "12:61", "noon", "2026.12.16"])
        expect((await terminal.run(`set InpNoTradeTimes ${times}`, "start")).printed.join()).toMatch(
          /InpNoTradeTimes: .* is not a time such as 13:30/,
        );
    });

    it("opens nothing beyond the limits of positions, daily loss and drawdown, reports why, and still reports a close", async () => {
      await signals({ "BTCUSD/H1": "BUY", "ETHUSD/H1": "BUY" });
      const first = await terminal.run("set InpMaxPositions 1", "start", "look");
      expect([first.orders.length, journal(first).length]).toEqual([1, 1]);
      expect([...(await reasons()).values()]).toEqual(["MOST_POSITIONS"]);
      expect(first.chart).toContain("1 positions");

      // The position risks 0.5 % of 10,000, so its stop exceeds the daily limit of 0.4 %.
      const lost = await terminal.run(
        ...["set InpMaxPositions 0", "set InpMaxDailyLossPct 0.4", "close sl 88000", "look"],
      );
      expect(lost.orders).toEqual([]);
      expect(lost.chart).toContain("No new positions: DAILY_LOSS");
      expect((await executions()).map(({ result }) => result)).toEqual(["SL"]);
      expect([...(await reasons()).values()]).toEqual(["DAILY_LOSS"]);

      // The daily limit is over on the next day; the drawdown limit is not.
      const made = await signals({ "ETHUSD/H1": "SELL" });
      const below = await terminal.run("set InpMaxDrawdownPct 0.4", `pass ${24 * HOUR}`, "look");
      expect(below.orders).toEqual([]);
      expect((await reasons()).get([...made.values()][0] ?? 0)).toBe("DRAWDOWN");
      expect(
        (await terminal.run("set InpMaxDrawdownPct 0", "pass 60", "look")).orders.length,
      ).toBeGreaterThan(0);
    });

    it("holds slots paused in the portal from the next poll on, with the time on the chart, and resumes afterwards", async () => {
      await signals({ "BTCUSD/H1": "BUY", "ETHUSD/H1": "NO_TRADE", "BTCUSD/H4": "NO_TRADE" });
      await terminal.run("start", "look");
      await pauseOwnTrading(db(), id, { symbol: "ETHUSD", timeframe: "H1" }, ACTOR);
      const made = await signals({ "ETHUSD/H1": "BUY", "SOLUSD/H1": "SELL" });
      const held = await terminal.run("pass 60", "look");
      expect(held.orders.map(({ symbol }) => symbol)).toEqual(["SOLUSD_ecn"]);
      expect(held.chart).toMatch(/Paused in the portal since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ: ETHUSD H1/);
      expect((await reasons()).get(made.get("ETHUSD/H1") ?? 0)).toBe("PAUSE");
      await pauseOwnTrading(db(), id, { symbol: null, timeframe: null }, ACTOR);
      const all = await terminal.run("pass 60", "look");
      expect(all.chart?.match(/Paused in the portal/g)).toHaveLength(1);
      expect(all.chart).toMatch(/Paused in the portal since \S+: all slots/);
      const closing = await terminal.run("close tp 91000", "look");
      expect([closing.orders, (await executions()).filter(({ result }) => result === "TP").length]).toEqual([
        [],
        1,
      ]);
      for (const pause of await listSubscriberPauses(db(), id))
        await resumeOwnTrading(db(), id, pause.id, ACTOR);
      expect((await terminal.run("pass 60", "look")).orders.map(({ symbol }) => symbol)).toContain(
        "ETHUSD.r",
      );
    });

    it("accounts for every signal of a week with lost answers, restarts and a wrong clock", async () => {
      await terminal.run(
        ...[`set ago ${WEEK_HOURS * HOUR}`, "set walks 1", `set seed ${version}`, "set InpMaxPositions 3"],
        ...["set InpMaxDailyLossPct 2", "set InpMaxSpreadPct 60", "start"],
      );
      const seen = new Map<number, string>();
      const directions = ["BUY", "SELL", "NO_TRADE"] as const;
      for (let hour = 0; hour < WEEK_HOURS; hour++) {
        const made = await signals(
          Object.fromEntries(
            SLOTS.map((slot, n) => [slot, directions[(hour * 7 + n * 5 + (hour >> 2)) % 3] ?? "BUY"]),
          ),
        );
        // The service is unavailable from 10:00 to 14:00 of each simulated day, the machine's clock is wrong from 16:00
        // to 20:00, and the EA is restarted every nine hours.
        isAway = hour % 24 >= 10 && hour % 24 < 14;
        if (hour % 24 === 16) await terminal.do(`set skew ${hour % 48 < 24 ? 170 : -130}`);
        if (hour % 24 === 20) await terminal.do("set skew 0");
        if (hour % 9 === 0) await terminal.do("start");
        if (hour % 24 === 5) await terminal.do("set refuses 1");
        if (hour % 24 === 7) await terminal.do("set refuses 0");
        if (hour === 60) await pauseOwnTrading(db(), id, { symbol: "BTCUSD", timeframe: "H1" }, ACTOR);
        if (hour === 80)
          for (const pause of await listSubscriberPauses(db(), id))
            await resumeOwnTrading(db(), id, pause.id, ACTOR);
        await terminal.do(`pass ${HOUR / 2}`);
        await terminal.do("look");
        if (!isAway) for (const [slot, pred] of made) seen.set(pred, slot);
        await terminal.do(`pass ${HOUR / 2}`);
      }
      isAway = false;
      await terminal.run("set skew 0", "start", "look", "pass 60", "look");
      const { printed } = await terminal.do("count");
      const [, nOpen = 0, nClosed = 0] = /(\d+) open, (\d+) closed/.exec(printed[0] ?? "")?.map(Number) ?? [];
      const told = await executions();
      // Every position of the terminal is stored once, and stored as closed if the terminal closed it.
      expect(told).toHaveLength(nOpen + nClosed);
      expect(told.filter(({ closed_at: at }) => at !== null)).toHaveLength(nClosed);
      expect(nClosed).toBeGreaterThan(20);
      expect(new Set(told.map(({ exec_id: execId }) => execId)).size).toBe(told.length);
      for (const row of told) {
        if (row.closed_at === null) continue;
        const move =
          row.signal === "BUY" ? row.exit_price - row.entry_price : row.entry_price - row.exit_price;
        expect(row.pnl).toBeCloseTo(move * row.volume - 1.3, 1);
        expect(Date.parse(row.closed_at)).toBeGreaterThanOrEqual(Date.parse(row.opened_at));
        // A clock that is off by less than half a quarter of an hour changes no time.
        expect(Date.parse(row.opened_at) % 60_000).toBe(Date.parse(told[0].opened_at) % 60_000);
      }
      // Every direction that the EA received was traded or reported as not traded, never both.
      const traded = new Set(
        (
          await db().execute<{ pred_id: string }>(
            sql`select pred_id from executions where subscription_id = ${id} and pred_id is not null`,
          )
        ).map((row) => Number(row.pred_id)),
      );
      expect(traded.size).toBe(told.length);
      const why = await reasons();
      const all = await db().execute<{ id: string }>(sql`
      select id from signals where signal <> 'NO_TRADE' and model_v like ${`m${version}-%`}`);
      const directional = all.map((row) => Number(row.id)).filter((pred) => seen.has(pred));
      const unexplained = directional.filter((pred) => !traded.has(pred) && !why.has(pred));
      expect(directional.length).toBeGreaterThan(300);
      expect(unexplained).toEqual([]);
      expect([...new Set(why.values())].map((reason) => reason.split(" ")[0])).toEqual(
        expect.arrayContaining(["OWN_POSITION", "MOST_POSITIONS", "TERMINAL_ERROR", "PAUSE"]),
      );
    }, 300_000);
  },
);

describe.runIf(hasCppCompiler).each([5, 4] as const)(
  "SignalTrader in the Strategy Tester of MetaTrader %i",
  (version) => {
    let terminal: SimulatedTerminal;
    let program: string;
    const COLUMNS = "seq,symbol,timeframe,ts,decided_at,valid_until,signal,confidence,expected_rr,committed";
    const FILE = [
      "# a line of words, before the columns",
      COLUMNS,
      "1,BTCUSD,H1,2026-07-01T09:00:00Z,2026.07.01 10:01,2026.07.01 11:15,BUY,0.61,1.5,in_time",
      "2,BTCUSD,H1,2026-07-01T10:00:00Z,2026.07.01 11:01,2026.07.01 12:15,NO_TRADE,0.5,0,in_time",
      "3,BTCUSD,H1,2026-07-01T11:00:00Z,2026.07.01 12:00,2026.07.01 13:15,SELL,0.6,0,late",
      "",
    ].join("\r\n");

    beforeAll(async () => {
      program = await compileTrader(version);
    }, 180_000);
    beforeEach(async () => {
      terminal = new SimulatedTerminal(program, async () => {
        throw new Error("the tester cannot call out");
      });
      // Summer in New York: the server is three hours ahead, the stand-in's two.
      await terminal.run(
        ...["set testing 1", "set symbols BTCUSDm", `set file b.csv ${JSON.stringify(FILE)}`],
        ...["set InpTesterFiles b.csv", "set InpTesterClock utc+2", "set utc 2026.07.01 09:59"],
      );
    });
    afterEach(() => terminal.stop());

    it("follows a decision from its time on, closes at the horizon, and makes no calls", async () => {
      const started = await terminal.do("start");
      expect(started.printed.join()).toMatch(
        /2 decisions\. 1 in the files were not committed in time and are left out/,
      );
      expect((await terminal.do("pass 60")).orders).toEqual([]);
      const [order] = (await terminal.do("pass 120")).orders;
      expect(order).toMatchObject({ symbol: "BTCUSDm", buys: true });
      const rest = await terminal.do(`pass ${13 * HOUR}`);
      expect(rest.orders).toEqual([]);
      expect((await terminal.do("count")).printed).toEqual(["0 open, 1 closed"]);
    });

    it("follows late entries only when enabled", async () => {
      await terminal.run("set InpTesterLate 1", "start", "pass 180", "close client 90000");
      const { orders } = await terminal.do(`pass ${3 * HOUR}`);
      expect(orders).toMatchObject([{ buys: false, target: 0 }]);
    });

    it("uses the server's summer time, and reports an invalid file", async () => {
      // By New York's summer the server is three hours ahead: what the stand-in calls 10:59 UTC is 09:59.
      await terminal.run("set InpTesterClock new_york", "set utc 2026.07.01 10:59", "start");
      expect((await terminal.do("pass 60")).orders).toEqual([]);
      expect((await terminal.do("pass 120")).orders).toHaveLength(1);
      const lateOnly = FILE.split("\r\n")
        .filter((line) => !line.endsWith("in_time"))
        .join("\r\n");
      const late = await terminal.run(
        `set file l.csv ${JSON.stringify(lateOnly)}`,
        "set InpTesterFiles l.csv",
        "start",
      );
      expect(late.printed.join()).toMatch(
        /none of the 1 decisions was committed in time\. Set InpTesterLate/,
      );
      expect((await terminal.run("set InpTesterFiles no.csv", "start")).printed.join()).toMatch(
        /no\.csv is not in Common/,
      );
      const other = await terminal.run('set file x.csv "a,b\\n1,2"', "set InpTesterFiles x.csv", "start");
      expect(other.printed.join()).toMatch(/x\.csv is not a tester file of the service/);
      expect((await terminal.run("set InpTesterClock mars", "start")).printed.join()).toMatch(
        /InpTesterClock/,
      );
    });
  },
);
