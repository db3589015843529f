import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { listOverdueCommitments } from "@/db/queries/ledger";
import { listIssuedSignals } from "@/db/queries/own-record";
import { listRecordSignals } from "@/db/queries/record";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { explainTableScans, rowsRead } from "@/tests/support/query-plan";

useDatabase();

const SIGNALS_PER_SLOT = 4_000;
const NOW = new Date("2026-11-22T00:00:00Z");
let sql: postgres.Sql;

/** Inserts resolved signals of four slots. In three of them a new model made the signals of the last forty candles. */
beforeAll(async () => {
  sql = connectDirectly(1);
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx.unsafe(`
      insert into symbols (symbol, calendar, digits) values ('PLN01', 'crypto', 5);
      insert into slots (id, symbol, timeframe) overriding system value
        values (1, 'PLN01', 'M15'), (2, 'PLN01', 'M30'), (3, 'PLN01', 'H1'), (4, 'PLN01', 'H4');
      insert into signals (id, seq, slot_id, ts, closes_at, model_v, signal, confidence, prob_buy, prob_sell, prob_no, regime, expected_rr, created_at)
        overriding system value
        select n, n, 1 + n % 4, at - interval '15 minutes', at, case when n > 4 * (${SIGNALS_PER_SLOT} - 40) and n % 4 < 3 then 'new' else 'old' end,
               (array['BUY', 'NO_TRADE', 'SELL'])[1 + (n / 4) % 3], .5, .5, .2, .3, 'R', 1, at
          from generate_series(1, 4 * ${SIGNALS_PER_SLOT}) n,
               lateral (select timestamptz '${NOW.toISOString()}' - (4 * ${SIGNALS_PER_SLOT} - n) / 4 * interval '15 minutes' as at) t;
      insert into outcomes (signal_id, slot_id, model_v, closes_at, signal, rule_version, entry_price, barrier_distance, label, buy_r, sell_r, ended_at)
        select id, slot_id, model_v, closes_at, signal, '1', 1, .1, 'BUY', 1, -1, closes_at from signals;
      insert into record_overlaps select slot_id, model_v, '0' from signals group by 1, 2;`);
  });
  // Inserted with triggers on, as by the ledger job, because a trigger fills further columns.
  await sql`insert into ledger_signals (signal_id, slot_id, salt, commitment, reveal, outcome, in_time)
    select id, slot_id, null, 3 * id, 3 * id + 1, 3 * id + 2, id > 4 * ${SIGNALS_PER_SLOT - 40} from signals`;
  await sql`analyze`;
});
afterAll(() => sql.end());

describe("among sixteen thousand resolved signals", () => {
  const wanted = { modelV: "new", after: undefined, newestFirst: false, limit: 50 };

  it.each([
    ["of a symbol", { ...wanted, slotIds: [1, 2, 3, 4] }],
    ["of every symbol", { ...wanted, slotIds: undefined }],
    ["of a symbol after an entry", { ...wanted, slotIds: [1, 2, 3, 4], after: 48_000 - 3 * 60 }],
  ])("signals of a model %s are read without scanning other models", async (_what, question) => {
    const scans = await explainTableScans(sql, "ledger_signals", () => listRecordSignals(db(), question));
    expect(rowsRead(scans)).toBeLessThanOrEqual(4 * 50);
  });

  it.each([
    ["of every symbol", { inTime: true, slotIds: undefined }],
    ["of a slot", { inTime: true, slotIds: [2] }],
    ["of a model of a slot", { inTime: true, slotIds: [2], modelV: "new" }],
  ])("signals committed in time %s are read without scanning late entries", async (_what, question) => {
    const scans = await explainTableScans(sql, "ledger_signals", () =>
      listRecordSignals(db(), {
        modelV: undefined,
        after: undefined,
        newestFirst: false,
        limit: 50,
        ...question,
      }),
    );
    expect(rowsRead(scans)).toBeLessThan(1_000);
  });

  it("signals of a model are returned in entry order across its slots", async () => {
    const found = await listRecordSignals(db(), { ...wanted, slotIds: undefined, limit: 500 });
    expect(found).toHaveLength(3 * 40);
    expect(new Set(found.map(({ timeframe }) => timeframe))).toEqual(new Set(["M15", "M30", "H1"]));
    expect(found.map(({ outcome }) => outcome)).toEqual(
      found.map(({ outcome }) => outcome).toSorted((a, b) => a - b),
    );
    expect(found.every(({ modelV }) => modelV === "new")).toBe(true);
  });

  it("the newest signals in a scope are read from the end of the index, without other outcomes", async () => {
    const made = (scope: Parameters<typeof listIssuedSignals>[1]["scope"]) => () =>
      listIssuedSignals(
        db(),
        {
          scope,
          closedAfter: new Date("2026-10-24T00:00:00Z"),
          closedBefore: null,
          madeAfter: new Date(0),
          limit: 100,
        },
        new Map(),
      );
    for (const scope of [
      { symbols: null, timeframes: null },
      { symbols: ["PLN01"], timeframes: null },
    ]) {
      // Four slots at a time, with a direction in two of three signals; the next signal of each is looked up as well.
      expect(rowsRead(await explainTableScans(sql, "signals", made(scope)))).toBeLessThan(500);
      expect(rowsRead(await explainTableScans(sql, "outcomes", made(scope)))).toBeLessThan(100 + 4);
    }
  });

  it("overdue commitments are searched only among unrevealed ones", async () => {
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`update ledger_signals set outcome = null, reveal = null where signal_id <= 40`;
      await tx`insert into ledger_entries (index, kind, subject, content, leaf_hash, at)
        select 3 * id, 'commitment', 'signal/' || seq, '{}', '', closes_at from signals`;
    });
    await sql`analyze`;
    const overdue = () => listOverdueCommitments(db(), { horizonCandles: 12, hours: 20, limit: 1_000 });
    expect(await overdue()).toHaveLength(40);
    for (const table of ["ledger_signals", "ledger_entries", "signals"])
      expect(rowsRead(await explainTableScans(sql, table, overdue)), table).toBeLessThanOrEqual(120);
    await sql`truncate ledger_entries`;
  });
});
