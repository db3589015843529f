import { beforeAll, describe, expect, it } from "vitest";
import { db, workerDb } from "@/db/client";
import { lockLedger } from "@/db/queries/ledger";
import { BUY, SELL, signalOfClass } from "@/lib/engine/classes";
import { labelCandles } from "@/lib/engine/outcome";
import { isCommittedInTime } from "@/lib/market/committed-in-time";
import { env } from "@/lib/runtime/env";
import { groupBy } from "@/lib/runtime/group-by";
import { enterIntoLedger } from "@/lib/signals/ledger/enter-into-ledger";
import { readRecordCalibration } from "@/lib/signals/record/read-calibration";
import { readRecordModels } from "@/lib/signals/record/read-models";
import { readRecord } from "@/lib/signals/record/read-record";
import { readNewestTrades } from "@/lib/signals/record/read-trades";
import { recordSignals } from "@/lib/signals/record-signals";
import { addMs } from "@/lib/time";
import { RecordQuery, type ResolvedSignal } from "@/lib/wire/contracts/record";
import { call } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { appendToLedger, resolveOutcomesNow, storeMarket } from "@/tests/support/record-market";
import { SIGNAL_DEFAULTS } from "@/tests/support/signal-defaults";

useDatabase({ MARKET_FEED: "off" });

/** Whether this is the run of `npm run test:machine`, with larger numbers. */
const IS_FULL = process.env.FULL_SIZE === "1";
const LATE_EACH = IS_FULL ? 2_500 : 400;
const LATE_DAYS = IS_FULL ? 120 : 25;
const SELLERS = IS_FULL ? 200 : 40;

const sql = () => db().$client;
/** The worker's connections, whose statements have no request time limit. */
const inBulk = () => workerDb().$client;
const WHOLE = RecordQuery.parse({});

/** Every public figure, without the coverage, the section of late entries and the ledger size. */
async function publicFigures() {
  const answer = await readRecord(WHOLE);
  const { ledger_size: _size, coverage: _coverage, entered_later: _apart, items, ...record } = answer;
  const { ledger_size: _too, ...calibration } = await readRecordCalibration(WHOLE);
  const { items: models } = await readRecordModels({
    symbol: undefined,
    tf_code: undefined,
    model_v: undefined,
  });
  return {
    record,
    slots: items.map(({ coverage: _ofSlot, ...slot }) => slot),
    calibration,
    results: models.map(({ model_v, result }) => ({ model_v, result })).filter(({ result }) => result.n > 0),
  };
}

async function enterAll(): Promise<void> {
  await enterIntoLedger(workerDb());
  await resolveOutcomesNow();
  await enterIntoLedger(workerDb());
}

/** Signals that give the already known direction with certainty. */
async function hindsight(
  candles: readonly { slotId: number; ts: Date; closesAt: Date; signal?: "BUY" | "SELL" }[],
): Promise<void> {
  await workerDb().transaction((tx) =>
    recordSignals(
      tx,
      candles.map(({ signal = "BUY", ...candle }) => ({
        ...candle,
        ...SIGNAL_DEFAULTS,
        modelV: "hindsight",
        signal,
        ...{ probBuy: signal === "BUY" ? 1 : 0, probSell: signal === "SELL" ? 1 : 0, probNo: 0 },
        ...{ confidence: 1, regime: "TREND_UP" },
      })),
    ),
  );
}

const lateOf = async (symbol: string) => {
  const { coverage } = await readRecord(RecordQuery.parse({ symbol }));
  return coverage;
};

describe("a signal committed in time", () => {
  const candle = { ts: new Date("2026-11-20T10:00:00Z"), closesAt: new Date("2026-11-20T11:00:00Z") };
  it.each([
    ["a second before the next candle closes", "2026-11-20T11:59:59Z", true],
    ["when the next candle closes", "2026-11-20T12:00:00Z", false],
    ["a second after the next candle closed", "2026-11-20T12:00:01Z", false],
  ])("a signal committed %s: %s, in time: %s", (_when, committedAt, inTime) => {
    expect(isCommittedInTime({ ...candle, committedAt: new Date(committedAt), simulated: false })).toBe(
      inTime,
    );
  });

  it("an uncommitted or a simulated signal is never in time", () => {
    expect(isCommittedInTime({ ...candle, committedAt: null, simulated: false })).toBe(false);
    expect(isCommittedInTime({ ...candle, committedAt: candle.closesAt, simulated: true })).toBe(false);
  });
});

describe("the record", () => {
  beforeAll(async () => {
    await storeMarket({ symbol: "EURUSD", nCandles: 220, nSignals: 112, seed: 21, ahead: true });
    await enterAll();
  });

  it("the record counts signals committed in time", async () => {
    const { record } = await publicFigures();
    expect(record.total.forecasts.n).toBe(100);
    expect(record.notice).toBeNull();
  });

  it(`the record is the same to the last digit after ${4 * LATE_EACH} signals for past candles were ingested`, async () => {
    const before = await publicFigures();
    for (const [i, symbol] of ["LATEA", "LATEB", "LATEC", "LATED"].entries())
      await storeMarket({
        symbol,
        timeframe: "M15",
        nCandles: LATE_EACH + 120,
        nSignals: LATE_EACH + 12,
        seed: 30 + i,
      });
    await resolveOutcomesNow();
    await enterIntoLedger(workerDb());
    expect(await publicFigures()).toEqual(before);
    const { coverage } = await readRecord(WHOLE);
    expect(coverage.n_entered_later).toBe(4 * LATE_EACH);
  });

  it(`the record is the same to the last digit after one late hindsight signal an hour for ${LATE_DAYS} days`, async () => {
    const before = await publicFigures();
    const { candles } = await storeMarket({
      symbol: "HOURLY",
      nCandles: 100 + 24 * LATE_DAYS,
      nSignals: 0,
      seed: 61,
    });
    const { label } = labelCandles(candles);
    const [slot] = await sql()`select id from slots where symbol = 'HOURLY'`;
    const known = Array.from(candles.ts, (ts, i) => ({ ts: new Date(ts), label: label[i] }))
      .slice(100)
      .flatMap(({ ts, label }) =>
        label === BUY || label === SELL
          ? [{ slotId: Number(slot?.id), ts, closesAt: addMs(ts, 3_600_000), signal: signalOfClass(label) }]
          : [],
      )
      .filter((one): one is typeof one & { signal: "BUY" | "SELL" } => one.signal !== "NO_TRADE");
    const days = [...groupBy(known, ({ ts }) => ts.toISOString().slice(0, 10)).values()];
    expect(days.length).toBeGreaterThan(LATE_DAYS - 5);
    for (const [i, ofDay] of days.entries()) {
      await hindsight(ofDay);
      await resolveOutcomesNow();
      await enterIntoLedger(workerDb());
      if (i % 20 === 0) expect(await publicFigures()).toEqual(before);
    }
    expect(await publicFigures()).toEqual(before);
    const { entered_later: apart, coverage } = await readRecord(RecordQuery.parse({ symbol: "HOURLY" }));
    expect(coverage).toMatchObject({ since: null, n_in_time: 0, n_entered_later: known.length });
    // In the separate section it is labelled as late.
    expect(apart).toMatchObject({
      n: known.length,
      n_losses: 0,
      notice: expect.stringMatching(/prove nothing/),
    });
  });

  it("of two models in a slot, the record counts only the signals in time, and its coverage counts the others as entered later", async () => {
    await storeMarket({
      symbol: "GBPUSD",
      nCandles: 160,
      nSignals: 72,
      seed: 41,
      ahead: true,
      modelV: "in-time",
    });
    await enterIntoLedger(workerDb());
    await resolveOutcomesNow();
    await enterIntoLedger(workerDb());
    const slot = RecordQuery.parse({ symbol: "GBPUSD" });
    const before = await readRecord(slot);
    // The same candles by another model, after their outcomes are known.
    const made = await sql()`
      select g.slot_id, g.ts, g.closes_at from signals g join slots s on s.id = g.slot_id
       where s.symbol = 'GBPUSD' and exists (select 1 from outcomes o where o.signal_id = g.id)`;
    await hindsight(
      made.map((row) => ({
        slotId: row.slot_id,
        ts: new Date(row.ts),
        closesAt: new Date(row.closes_at),
      })),
    );
    await resolveOutcomesNow();
    await enterIntoLedger(workerDb());
    const after = await readRecord(slot);
    expect(after.total).toEqual(before.total);
    expect(after.items[0]?.models).toEqual(["in-time"]);
    expect(after.coverage.n_entered_later).toBe(60);
  });

  it("the record counts one signal of a candle when three models give one", async () => {
    const market = { symbol: "GBPCHF", nCandles: 160, nSignals: 72, seed: 43, ahead: true };
    for (const modelV of ["first", "again", "once more"]) await storeMarket({ ...market, modelV });
    await enterAll();
    const slot = RecordQuery.parse({ symbol: "GBPCHF" });
    const { total, items, coverage } = await readRecord(slot);
    expect(total.forecasts.n).toBe(60);
    expect(total.model.n).toBe(total.forecasts.n_directional);
    expect(items[0]?.models).toEqual(["first"]);
    expect(coverage.n_in_time).toBeLessThanOrEqual(coverage.n_candles);
    const trades = await readNewestTrades(slot);
    expect(trades).toHaveLength(total.model.n);
    expect(new Set(trades.map(({ modelV }) => modelV))).toEqual(new Set(["first"]));
  });

  it("late entries have separate figures, which are null without any", async () => {
    const late = RecordQuery.parse({ symbol: "LATEA" });
    const { entered_later: apart, count, total } = await readRecord(late);
    expect([count, total.forecasts.n]).toEqual([0, 0]);
    const signals: ResolvedSignal[] = [];
    for (let after = ""; ; ) {
      const { json } = await call(
        "GET",
        `/api/public/signals?symbol=LATEA&entered_later=true&limit=1000${after}`,
      );
      signals.push(...json.items);
      if (json.next === null) break;
      after = `&after=${json.next}`;
    }
    const results = signals.flatMap(({ result_r }) => result_r ?? []);
    const [wins, losses] = [results.filter((r) => r > 0).length, results.filter((r) => r < 0).length];
    const totalR = results.reduce((sum, r) => sum + Math.round(1e6 * r), 0) / 1e6;
    const figures = {
      n: LATE_EACH,
      n_followed: results.length,
      n_wins: wins,
      n_losses: losses,
      win_rate_pct: Math.round((1e8 * wins) / (wins + losses)) / 1e6,
      total_r: totalR,
      expectancy_r: Math.round((1e6 * totalR) / results.length) / 1e6,
    };
    expect(results.length).toBeGreaterThan(0.4 * LATE_EACH);
    expect(apart).toMatchObject({ ...figures, count: 1 });
    expect(apart?.items).toEqual([expect.objectContaining({ symbol: "LATEA", tf_code: "M15", ...figures })]);
    // The requested days limit both.
    const last = apart?.last_day;
    const day = await readRecord({ ...late, from: last, to: last });
    expect(day.entered_later?.n).toBeLessThan(97);
    expect(day.entered_later).toMatchObject({ first_day: last, last_day: last });
    expect((await readRecord(RecordQuery.parse({ symbol: "EURUSD" }))).entered_later).toBeNull();
    const inTime = await call("GET", "/api/public/signals?symbol=LATEA&entered_later=false");
    expect(inTime.json).toMatchObject({ count: 0, next: null });
  });

  it("late entries are listed and marked, from the same ledger", async () => {
    const { json } = await call("GET", "/api/public/signals?symbol=LATEA&limit=5");
    expect(json.items).toHaveLength(5);
    expect(json.items.every((item: { entered_later: boolean }) => item.entered_later)).toBe(true);
    const inTime = await call("GET", "/api/public/signals?symbol=EURUSD&limit=5");
    expect(inTime.json.items.every((item: { entered_later: boolean }) => !item.entered_later)).toBe(true);
  });

  it(`the record is the same after ${SELLERS} sellers chose signals with hindsight and sent them late`, async () => {
    // Each gives the true direction of 52 hourly candles with certainty.
    await inBulk()`insert into symbols (symbol, calendar, digits) select 'SELL' || i, 'crypto', 5 from generate_series(1, ${SELLERS}::int) i`;
    await inBulk()`insert into slots (symbol, timeframe) select 'SELL' || i, 'H1' from generate_series(1, ${SELLERS}::int) i`;
    const sellers = await inBulk()`select id from slots where symbol like 'SELL%'`;
    const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
    await hindsight(
      sellers.flatMap(({ id }) =>
        Array.from({ length: 52 }, (_, i) => {
          const ts = new Date(hour - (80 - i) * 3_600_000);
          return { slotId: Number(id), ts, closesAt: addMs(ts, 3_600_000) };
        }),
      ),
    );
    await inBulk()`
      insert into outcomes (signal_id, slot_id, model_v, closes_at, signal, label, entry_price, barrier_distance, buy_r, sell_r, result_r, exit_price, exit_reason, ended_at, rule_version)
      select g.id, g.slot_id, g.model_v, g.closes_at, 'BUY', 'BUY', 1, 0.01, 1, -1, 1, 1.01, 'TP', g.closes_at + interval '2 hours', '1' from signals g
        join slots s on s.id = g.slot_id where s.symbol like 'SELL%'`;
    await inBulk()`delete from open_outcomes where slot_id in (select id from slots where symbol like 'SELL%')`;
    const before = await publicFigures();
    await enterIntoLedger(workerDb());
    expect(await publicFigures()).toEqual(before);
    expect((await lateOf("SELL7")).n_entered_later).toBe(52);
  });

  it("the record is recomputed when the feed changes to the simulated market, and again when it changes back", async () => {
    const before = await publicFigures();
    env().marketFeed = "demo";
    await enterIntoLedger(workerDb());
    const { record } = await publicFigures();
    expect(record.total.forecasts.n).toBe(0);
    expect(record.notice).toMatch(/committed in time/);
    expect((await readRecord(WHOLE)).entered_later).toBeNull();
    env().marketFeed = "off";
    await enterIntoLedger(workerDb());
    expect(await publicFigures()).toEqual(before);
  });

  it.each([
    ["simulated", "demo", "off", true],
    ["real", "off", "demo", false],
  ] as const)(
    "a signal entered on a %s market stays one of that market when the feed changes",
    async (_, then, now, simulated) => {
      const symbol = then === "demo" ? "XAUUSD" : "BTCUSD";
      const before = await publicFigures();
      env().marketFeed = then;
      await storeMarket({ symbol, nCandles: 80, nSignals: 20, seed: 61, ahead: true });
      await enterIntoLedger(workerDb());
      env().marketFeed = now;
      await resolveOutcomesNow();
      await enterIntoLedger(workerDb());
      env().marketFeed = "off";
      await enterIntoLedger(workerDb());
      const reveals = await sql()`
      select (e.content::jsonb -> 'simulated')::boolean as simulated from ledger_entries e
       where e.kind = 'reveal' and e.content::jsonb -> 'signal' ->> 'symbol' = ${symbol}`;
      expect([reveals.length > 0, new Set(reveals.map((row) => row.simulated))]).toEqual([
        true,
        new Set([simulated]),
      ]);
      const { record } = await publicFigures();
      expect(record.total.forecasts.n - before.record.total.forecasts.n).toBe(simulated ? 0 : reveals.length);
    },
  );

  it("the record is recomputed after a process of release 1.2.0 has written to it", async () => {
    const before = await publicFigures();
    await db().transaction(async (tx) => {
      await tx.execute("update ledger_state set size = size, last_seq = last_seq");
      await tx.execute("update record_days set n = n + 1000");
      const { size } = await lockLedger(tx);
      const promotion = { kind: "promotion", subject: "promotion/of-1.2.0", body: {} } as const;
      await appendToLedger(tx, size, [promotion], new Date());
      await tx.execute(`update ledger_state set size = ${size + 1}`);
    });
    await enterIntoLedger(workerDb());
    expect(await publicFigures()).toEqual(before);
  });
});

describe("coverage", () => {
  it("coverage counts candles without a signal, with late ones and during a pause", async () => {
    const { candles } = await storeMarket({
      symbol: "USDJPY",
      timeframe: "M15",
      nCandles: 200,
      nSignals: 40,
      seed: 51,
    });
    // The last forty candles: the oldest ten in time, ten late, twenty without a signal, five of them in a pause.
    const at = (back: number) => new Date(candles.ts[candles.ts.length - 1 - back]!).toISOString();
    await sql()`delete from open_outcomes where signal_id in (select g.id from signals g join slots s on s.id = g.slot_id where s.symbol = 'USDJPY' and g.ts > ${at(20)})`;
    await sql()`delete from latest_signals l using slots s where s.id = l.slot_id and s.symbol = 'USDJPY'`;
    await sql()`delete from signals g using slots s where s.id = g.slot_id and s.symbol = 'USDJPY' and g.ts > ${at(20)}`;
    const when = (ms: number) => new Date(ms).toISOString();
    await sql()`insert into pauses (symbol, reason, started_at, ended_at, started_by)
      values ('USDJPY', 'test', ${when(Date.parse(at(8)) + 1_000)}, ${when(Date.parse(at(3)) + 1_000)}, 'test')`;
    // As if the first ten had been settled when made.
    await sql()`
      insert into ledger_signals (signal_id, slot_id, salt, in_time)
      select g.id, g.slot_id, 'x', true from signals g join slots s on s.id = g.slot_id
       where s.symbol = 'USDJPY' and g.ts <= ${at(30)}`;
    // A tenth of 15 minutes is 90 s: one of the ten was sealed 90 s after its close, another 91 s after its close.
    for (const [index, seconds] of [
      [-31, 90],
      [-32, 91],
    ] as const) {
      const closed = Date.parse(at(-index)) + 15 * 60_000;
      await sql()`
        insert into ledger_entries (index, kind, subject, content, leaf_hash, at)
        values (${index}, 'commitment', ${`slow/${index}`}, '{}', '', ${when(closed + seconds * 1_000)})`;
      await sql()`
        update ledger_signals l set commitment = ${index} from signals g
         where g.id = l.signal_id and l.salt = 'x' and g.ts = ${at(-index)}`;
    }
    // Coverage was last counted on the day of the oldest candle, because just after midnight today has no signal.
    await sql()`insert into record_slots select id, ${at(39)}, ${at(39)}::timestamptz::date from slots where symbol = 'USDJPY'`;
    await enterIntoLedger(workerDb());
    const coverage = await lateOf("USDJPY");
    expect(coverage.since).toEqual(new Date(at(39)));
    // The newest candle is still in time.
    expect(coverage).toMatchObject({ n_candles: 39, n_in_time: 10, n_slow: 1, n_late: 10, n_paused: 5 });
    expect(coverage.mean_late_minutes).toBeGreaterThan(15 * 20);

    // A silent slot is recounted on the next day, although no signal triggers it.
    await sql()`update record_slots set counted_on = current_date - 1`;
    await sql()`delete from record_coverage where slot_id = (select id from slots where symbol = 'USDJPY')`;
    await enterIntoLedger(workerDb());
    expect((await lateOf("USDJPY")).n_candles).toBe(coverage.n_candles);
    const [newest] = await sql()`select min(counted_on)::text as day, current_date::text as today
        from record_slots where offered_from is not null`;
    expect(newest?.day).toBe(newest?.today);
  });
});
