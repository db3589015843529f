import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { db, workerDb } from "@/db/client";
import { readClientHistory } from "@/db/queries/client-history";
import {
  findOpeningBeforeNewestN,
  groupExecutions,
  sumFilteredExecutions,
} from "@/db/queries/execution-figures";
import { listExecutionFilterValues, listFilteredExecutions } from "@/db/queries/executions";
import { findFormerModel } from "@/db/queries/models";
import { listCalibrations, listRawForecasts } from "@/db/queries/online-calibrations";
import { listOpenForecastRanges, listRangeStates } from "@/db/queries/ranges";
import { listNewestRecordTrades } from "@/db/queries/record-trades";
import { listUnsummedSignalDays, listUnsummedSignals, summarizePredictions } from "@/db/queries/signal-days";
import {
  listSignalHistory,
  listSignalsWithOutcomes,
  listSlotSignalDetails,
} from "@/db/queries/signal-history";
import { listLatestShownSignals, listSlotSignals } from "@/db/queries/signals";
import { listTimeline, TIMELINE_KINDS } from "@/db/queries/timeline";
import {
  listForecastSumRevisions,
  listUnsummedForecastDays,
  listUnsummedForecasts,
  listUnsummedResultDays,
  listUnsummedResults,
} from "@/db/queries/track-record";
import { effectiveScope, OWNER_GRANT } from "@/lib/access/plans";
import { readMonitoring } from "@/lib/admin/monitoring/read-monitoring";
import { readFeeds } from "@/lib/admin/read-feeds";
import { readOverview } from "@/lib/admin/read-overview";
import { readRecentDirectionCounts } from "@/lib/admin/read-recent-direction-counts";
import { listAccountExecutions } from "@/lib/executions/list-account-executions";
import { WORKER_JOBS } from "@/lib/server/worker/jobs";
import { listAccountSignals } from "@/lib/signals/account-signals";
import { listPredictions } from "@/lib/signals/predictions";
import { readCalibration } from "@/lib/signals/quality/calibration";
import { readPerformance } from "@/lib/signals/quality/performance";
import { withUnsummedSignals } from "@/lib/signals/quality/read-sums";
import { writeSumsOfDirtyDays } from "@/lib/signals/quality/write-sums-of-dirty-days";
import { getScan } from "@/lib/signals/scan";
import { addDays } from "@/lib/time";
import { fillGrowth } from "@/tests/bench/growth-data";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { explainTableScans, type PlanNode, rowsRead } from "@/tests/support/query-plan";
import { type SentStatement, statementsOf } from "@/tests/support/sent-statements";

useDatabase();

/** Unbounded tables: a full scan takes longer every day. */
const FILLED = [
  "signals",
  "outcomes",
  "executions",
  "candles",
  "health_probes",
  "admin_audit",
  "payment_deliveries",
  "mail_outbox",
];
/** Other unbounded tables. They have few rows in this test, so sequential scans are disabled in the planner. */
const SPARSE = [
  "feature_values",
  "ranges",
  "online_calibrations",
  "rejected_reports",
  "signal_days",
  "forecast_days",
  "result_days",
  "dirty_days",
];

const scope = effectiveScope(OWNER_GRANT);
const SUBSCRIPTION = 77;
let sql: postgres.Sql;
let slotId = 0;

beforeAll(async () => {
  sql = connectDirectly(3);
  await fillGrowth(sql, { signals: 60_000, executions: 16_000, candles: 24_000, subscribers: 2_000 });
  await writeSumsOfDirtyDays(workerDb());
  // The ledger is nearly up to date, so a run of the job adds a few entries, not the whole history.
  await sql`update ledger_state set last_seq = (select max(seq) - 1000 from signals)`;
  await sql`analyze`;
  const [slot] = await sql<{ id: number }[]>`select min(id) as id from slots`;
  slotId = slot?.id ?? 0;
}, 180_000);
afterAll(() => sql.end());

/** An index range bounded only by its slot is the slot's whole history. */
const isWholeSlot = ({ "Index Cond": bound = "" }: PlanNode) =>
  bound.includes("slot_id") && !/\b(ts|closes_at|ended_at|day|id|signal_id)\b/.test(bound);

/**
 * Growing tables that the plans of some statements read completely; with `alsoOfSlots` also those of which they read a
 * slot's whole history.
 */
async function scannedBy(statements: SentStatement[], alsoOfSlots = false): Promise<string[]> {
  const scanned: string[] = [];
  for (const [tables, seqscan] of [
    [FILLED, "on"],
    [SPARSE, "off"],
  ] as const) {
    const planner = await sql.reserve();
    await planner.unsafe(`set enable_seqscan = ${seqscan}`);
    for (const { text, parameters } of statements) {
      const [row] = await planner.unsafe(`explain (format json) ${text}`, parameters);
      const visit = (node: PlanNode) => {
        const table = node["Relation Name"] ?? "";
        const ofSlots = alsoOfSlots && [node, ...(node.Plans ?? [])].some(isWholeSlot);
        const isRead = node["Node Type"] === "Seq Scan" || ofSlots;
        if (isRead && tables.includes(table))
          scanned.push(`${table}: ${text.trim().replace(/\s+/g, " ").slice(0, 160)}`);
        node.Plans?.forEach(visit);
      };
      visit(row?.["QUERY PLAN"][0].Plan);
    }
    planner.release();
  }
  return scanned;
}

const now = new Date();
const signalsOf = {
  scope: { symbols: null, timeframes: null },
  since: addDays(now, -30),
  includeNoTrade: true,
};
const clock = { zone: "UTC", addMinutes: 0 };
const own = { subscriptionId: SUBSCRIPTION };

/** Jobs that run no query in this test. */
const IDLE_JOBS = [
  "audit",
  "demo-clients",
  "demo-market",
  "feeds",
  "signals",
  "telegram",
  "telegram-updates",
  "training",
];

/** Reads of requests, pages and jobs, most of which send several statements. */
const QUESTIONS: [what: string, ask: () => Promise<unknown>][] = [
  ["the scan", () => getScan({ version: 0, planTier: "owner", scope, minConfidence: 0 }, now)],
  ["a slot's history", () => listSlotSignals(db(), { symbol: "GRO01", timeframe: "M1", limit: 1_000 })],
  [
    "account signals of 90 days",
    () => listAccountSignals({ scope, days: 90, limit: 500, includeNoTrade: true }, now),
  ],
  [
    "account signals of a week, directions alone",
    () => listAccountSignals({ scope, days: 7, limit: 50, includeNoTrade: false }, now),
  ],
  [
    "account executions of a year",
    () => listAccountExecutions(SUBSCRIPTION, { days: 365, limit: 1_000 }, now),
  ],
  ["predictions of a year", () => listPredictions(scope, { days: 365, limit: 500 }, now)],
  ["performance of a year", () => readPerformance(scope, { days: 365 }, now)],
  ["performance of a day", () => readPerformance(scope, { days: 1 }, now)],
  ["calibration of a year", () => readCalibration(scope, { days: 365, bins: 10 }, now)],
  [
    "calibration of a year, with ranges",
    () => readCalibration(scope, { days: 365, bins: 10, expand: "ranges" }, now),
  ],
  ["a slot's open ranges", () => listOpenForecastRanges(workerDb(), slotId, now)],
  [
    "a model's calibration and the forecasts since then",
    async () => {
      await listCalibrations(workerDb(), { slotId, modelV: "m", day: addDays(now, -1) });
      await listRawForecasts(workerDb(), { slotId, after: addDays(now, -7), before: now });
    },
  ],
  ["where the ranges are due", () => listRangeStates(workerDb())],
  ["the client's own reports", () => readClientHistory(db(), SUBSCRIPTION)],
  [
    "the newest signals of the portal",
    () => listSignalHistory(db("heavy"), signalsOf, { limit: 50, offset: 0 }),
  ],
  ["a slot's details", () => listSlotSignalDetails(db("heavy"), slotId, 200)],
  [
    "a slot's judged signals",
    () => listSignalsWithOutcomes(db("heavy"), { slotId, before: null, limit: 100 }),
  ],
  ["positions by month", () => groupExecutions(db("heavy"), own, "month", clock)],
  ["open positions", () => sumFilteredExecutions(db("heavy"), { ...own, state: "open" })],
  ["where the newest positions begin", () => findOpeningBeforeNewestN(db("heavy"), own, 20)],
  [
    "the list of positions",
    () => listFilteredExecutions(db("heavy"), own, { sort: "opened_at", descending: true }, { limit: 25 }),
  ],
  ["values of the list's filters", () => listExecutionFilterValues(db("heavy"), SUBSCRIPTION)],
  [
    "a subscriber's timeline",
    () => listTimeline(db(), { ...own, kinds: TIMELINE_KINDS, before: now.toISOString(), limit: 50 }),
  ],
  ["directions of the month", () => readRecentDirectionCounts()],
  [
    "newest signals for visitors",
    () =>
      listLatestShownSignals(db(), [{ slotId, latestShownOpenAt: addDays(now, -1) }], { inTimeOnly: true }),
  ],
  [
    "the newest trades of the record",
    () => listNewestRecordTrades(db(), { slotIds: [slotId], before: 1_000_000, limit: 500 }),
  ],
  ["a champion's forerunner", () => findFormerModel(db(), slotId, "growth-2")],
  ["the administrator's overview", () => readOverview(now)],
  ["monitoring", () => readMonitoring(now)],
  ["the administrator's feeds", () => readFeeds(now)],
  ...WORKER_JOBS.filter(({ name }) => !IDLE_JOBS.includes(name)).map(
    ({ name, run }): [string, () => Promise<unknown>] => [
      `the job ${name}`,
      () => run({ signal: new AbortController().signal }),
    ],
  ),
];

describe("on growing tables", () => {
  it.each(QUESTIONS)(
    "%s reads only index ranges",
    async (_what, ask) => {
      const statements = await statementsOf(ask);
      expect(statements.length).toBeGreaterThan(0);
      expect(await scannedBy(statements)).toEqual([]);
    },
    60_000,
  );

  it("rebuilding every daily sum reads only index ranges", async () => {
    await sql`select mark_every_day_dirty()`;
    const statements = await statementsOf(() => writeSumsOfDirtyDays(workerDb()));
    const kinds = new Map(statements.map((statement) => [statement.text.replace(/\$\d+/g, "$"), statement]));
    expect(kinds.size).toBeGreaterThan(10);
    expect(await scannedBy([...kinds.values()], true)).toEqual([]);
  }, 60_000);

  it("days without sums are read by index ranges of their slots", async () => {
    const since = addDays(now, -2);
    const statements = await statementsOf(async () => {
      const signalDays = await listUnsummedSignalDays(db("heavy"), { scope, since });
      const unsummed = await listUnsummedSignals(db("heavy"), { days: signalDays, since });
      await summarizePredictions(db("heavy"), { scope, since, unsummed, limit: 500 });
      const forecastDays = await listUnsummedForecastDays(db("heavy"), { scope, since });
      await listUnsummedForecasts(db("heavy"), { days: forecastDays, since });
      const resultDays = await listUnsummedResultDays(db("heavy"), { scope, since });
      await listUnsummedResults(db("heavy"), { days: resultDays, since });
    });
    expect(statements).toHaveLength(7);
    expect(await scannedBy(statements, true)).toEqual([]);
  }, 60_000);

  it("the signals of a day without sums are read once, and not again while they are unchanged", async () => {
    const window = { scope, since: addDays(now, -2) };
    const days = await listUnsummedSignalDays(db("heavy"), window);
    expect(days.length).toBeGreaterThan(0);
    const reads = await explainTableScans(sql, "signals", () =>
      listUnsummedSignals(db("heavy"), { days, since: window.since }),
    );
    expect(reads).toHaveLength(1);

    const readings = async () => {
      const statements = await statementsOf(async () => {
        await readPerformance(scope, { days: 3 }, now);
        await listPredictions(scope, { days: 3, limit: 500 }, now);
      });
      return statements.filter(({ text }) => /from\s+unnest\(.*\) as t\(slot_id, day\)/s.test(text));
    };
    expect((await readings()).length).toBeGreaterThan(0);
    expect(await readings()).toEqual([]);
    await sql`update dirty_days set touched_at = touched_at where slot_id = ${slotId} and day = current_date`;
    const again = await readings();
    expect(again.map(({ parameters }) => parameters[0])).toEqual(again.map(() => `{${slotId}}`));
    expect(again).toHaveLength(3);
  });

  it("a summary of predictions returns the earliest close of its signals", async () => {
    const since = addDays(now, -7);
    const { earliestClose } = await db("heavy").transaction(async (tx) =>
      summarizePredictions(tx, { ...(await withUnsummedSignals(tx, { scope, since })), limit: 500 }),
    );
    const [stored] = await sql<{ earliest: Date }[]>`
      select min(closes_at) as earliest from signals where closes_at > ${since}`;
    expect(earliestClose).toEqual(stored?.earliest);
  });

  it("the newest signals are read from the index of directional signals, with no index condition on closes_at", async () => {
    const wanted = { scope, days: 1 / 24, limit: 50, includeNoTrade: false };
    const [statement] = await statementsOf(() => listAccountSignals(wanted, now));
    const lines = await sql.unsafe(`explain ${statement?.text}`, statement?.parameters);
    const plan = lines.map((line) => line["QUERY PLAN"]).join("\n");
    expect(plan).toContain("signals_directional_ts");
    expect(plan).not.toMatch(/Index Cond:.*closes_at/);
  });

  it("a year of forecasts reads each sum of a month once, and days only of the other months", async () => {
    await sql`
      insert into forecast_days (span, slot_id, day, model_v, first_close, tally, chain)
      select span, s.id, d, 'of a year', d, '', ''
        from slots s, (values ('month', interval '1 month'), ('day', interval '1 day')) x(span, step),
             generate_series(date_trunc('month', now() - interval '14 months'),
                             date_trunc('month', now()) - interval '1 day', step) d
      on conflict do nothing`;
    try {
      const since = addDays(now, -365);
      const reads = await explainTableScans(sql, "forecast_days", () =>
        listForecastSumRevisions(db("heavy"), { scope, since }),
      );
      const [stored] = await sql<{ n: number }[]>`
        select count(*)::int as n from forecast_days
         where span = 'month' or day < ${addDays(since, 31)} or day > ${addDays(now, -31)}`;
      expect(rowsRead(reads)).toBeLessThanOrEqual(stored?.n ?? 0);
    } finally {
      await sql`delete from forecast_days where model_v = 'of a year'`;
    }
  });

  it("a statement without an index is reported", async () => {
    const found = await scannedBy([
      { text: "select count(*) from signals where expected_rr > 2", parameters: [] },
    ]);
    expect(found).toEqual(["signals: select count(*) from signals where expected_rr > 2"]);
    const ofSlot = "select sum(expected_rr) from signals where slot_id = 1";
    expect(await scannedBy([{ text: ofSlot, parameters: [] }], true)).toEqual([`signals: ${ofSlot}`]);
  });
});
