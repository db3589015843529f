import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { addToRecord, BIN_SUM_KEYS, FORECAST_SUM_KEYS, RESULT_SUM_KEYS } from "@/db/queries/record";
import { listDaysChangedSince } from "@/db/queries/record-sums";
import { forgetProcessValue, processWide } from "@/lib/runtime/process-wide";
import { readRecordCalibration } from "@/lib/signals/record/read-calibration";
import { readRecordModels } from "@/lib/signals/record/read-models";
import { readRecord } from "@/lib/signals/record/read-record";
import { SlotRecord } from "@/lib/signals/record/slot-record";
import { DAY_MS } from "@/lib/time";
import { FORECASTERS } from "@/lib/vocabulary";
import type { RecordQuery } from "@/lib/wire/contracts/record";
import { useDatabase } from "@/tests/support/database";
import { Dice } from "@/tests/support/dice";
import { type SentStatement, statementsOf } from "@/tests/support/sent-statements";

useDatabase();

const sql = () => db().$client;
const MODELS = ["m1", "m2", 'a "quoted", {odd}; one'];
const FIRST_DAY = Date.parse("2025-01-01T00:00:00Z") / DAY_MS;
const dayText = (day: number) => new Date((FIRST_DAY + day) * DAY_MS).toISOString().slice(0, 10);
let slots: { id: number; symbol: string }[] = [];

async function addSlot(symbol: string, timeframe = "H1"): Promise<void> {
  await sql()`insert into symbols (symbol, calendar, digits) values (${symbol}, 'crypto', 5) on conflict do nothing`;
  await sql()`insert into slots (symbol, timeframe) values (${symbol}, ${timeframe})`;
  slots = await sql()<{ id: number; symbol: string }[]>`select id, symbol from slots order by id`;
}

const forgetAll = () => {
  const kept = processWide<unknown>("record-cache", () => null);
  forgetProcessValue("record-cache", kept);
};

/** Grows the ledger by some entries, the last with a unique hash, and adds outcomes to the record. */
async function addOutcomes(
  dice: Dice,
  outcomes: { slotId: number; modelV: string; day: string }[],
): Promise<void> {
  const sums = <K extends string>(keys: readonly K[]) => {
    const all: Record<string, number> = Object.fromEntries(
      keys.map((key) => [key, 1 + dice.below(9_000_000)]),
    );
    // Subsets of their row's n.
    for (const part of ["hits", "nDirectional", "wins", "losses"])
      if (part in all) all[part] = Math.floor((all.n! * dice.below(50)) / 100);
    return all as Record<K, number>;
  };
  await db().transaction(async (tx) => {
    const [state] = await tx.execute<{ size: string }>(
      `with grown as (select size + ${1 + dice.below(5)} as size from ledger_state)
       update ledger_state l set size = g.size, folded = g.size from grown g returning l.size`,
    );
    const place = Number(state?.size) - 1;
    await tx.execute(`insert into ledger_entries (index, kind, subject, content, leaf_hash, at)
      values (${place}, 'outcome', 'outcome/${place}/${dice.below(1e9)}', '{}', sha256('${place}/${dice.below(1e9)}'), now())`);
    await addToRecord(tx, {
      days: outcomes.map((one) => ({ ...one, sums: sums(FORECAST_SUM_KEYS) })),
      results: outcomes.flatMap((one) =>
        FORECASTERS.filter(() => dice.chance(0.8)).map((forecaster) => ({
          ...one,
          forecaster,
          sums: sums(RESULT_SUM_KEYS),
        })),
      ),
      bins: outcomes.flatMap((one) =>
        FORECASTERS.flatMap((forecaster) =>
          [3, 4, 9]
            .filter(() => dice.chance(0.6))
            .map((bin) => ({ ...one, forecaster, bin, sums: sums(BIN_SUM_KEYS) })),
        ),
      ),
      late: [],
    });
  });
}

const anyOutcomes = (dice: Dice) => {
  const chosen = Array.from({ length: 1 + dice.below(4) }, () => ({
    slotId: dice.pick(slots).id,
    modelV: dice.pick(MODELS),
    // Mostly recent days, sometimes an old one.
    day: dayText(dice.chance(0.7) ? 60 + dice.below(6) : dice.below(70)),
  }));
  return [...new Map(chosen.map((one) => [JSON.stringify(one), one])).values()];
};

const WHOLE: RecordQuery = {
  ...{ symbol: undefined, tf_code: undefined, model_v: undefined },
  ...{ from: undefined, to: undefined },
};

const anyQuery = (dice: Dice): RecordQuery => ({
  ...WHOLE,
  ...(dice.chance(0.5) && { symbol: dice.pick(slots).symbol }),
  ...(dice.chance(0.4) && { from: dayText(dice.below(70)) }),
  ...(dice.chance(0.4) && { to: dayText(dice.below(70)) }),
});

const answersTo = async (query: RecordQuery) => ({
  record: await readRecord(query),
  calibration: await readRecordCalibration(query),
  models: await readRecordModels({ symbol: query.symbol, tf_code: query.tf_code, model_v: query.model_v }),
});

/** Compares cached answers with those of a fresh process. */
async function expectSameAsFresh(query: RecordQuery): Promise<void> {
  const kept = await answersTo(query);
  const held = processWide<unknown>("record-cache", () => null);
  forgetProcessValue("record-cache", held);
  const fresh = await answersTo(query);
  forgetAll();
  processWide("record-cache", () => held);
  expect(kept).toEqual(fresh);
}

beforeAll(async () => {
  for (const symbol of ["KEPA", "KEPB", "KEPC"]) await addSlot(symbol);
  await sql()`insert into models (slot_id, model_v, is_active, trained_at) select id, v, false, now() from slots, unnest(${MODELS}::text[]) v`;
});
beforeEach(forgetAll);

describe("cached sums of a process", () => {
  it.each([1, 2, 3])("cached sums equal those of a fresh process, walk %i", async (seed) => {
    const dice = new Dice(seed);
    for (let step = 0; step < 25; step++) {
      await addOutcomes(dice, anyOutcomes(dice));
      if (dice.chance(0.7)) await expectSameAsFresh(anyQuery(dice));
      if (step === 12) await addSlot(`KEW${seed}`);
    }
    await expectSameAsFresh(WHOLE);
    await expectSameAsFresh({ ...WHOLE, model_v: "m2" });
  });

  it("cached sums match the tables, for a single model and some days too", async () => {
    const dice = new Dice(9);
    for (let step = 0; step < 10; step++) await addOutcomes(dice, anyOutcomes(dice));
    const [from, to] = [dayText(20), dayText(63)];
    const query = { ...WHOLE, model_v: MODELS[2], from, to };
    const [days] =
      await sql()`select sum(n)::float8 as n, sum(n_directional)::float8 as directional, min(day)::text as first
      from record_days where model_v = ${MODELS[2]!} and day between ${from} and ${to}`;
    const [results] =
      await sql()`select sum(n)::float8 as n, sum(wins)::float8 as wins, sum(r)::float8 / 1e6 as r
      from record_results where forecaster = 'coin' and model_v = ${MODELS[2]!} and day between ${from} and ${to}`;
    const [bins] = await sql()`select sum(n)::float8 as n
      from record_bins where forecaster = 'model' and bin = 9 and model_v = ${MODELS[2]!} and day between ${from} and ${to}`;
    const { record, calibration } = await answersTo(query);
    expect(days!.n).toBeGreaterThan(0);
    expect(record.total.forecasts).toMatchObject({ n: days!.n, n_directional: days!.directional });
    expect(record.first_day).toBe(days!.first);
    expect(record.total.coin).toMatchObject({ n: results!.n, n_wins: results!.wins });
    expect(record.total.coin.total_r).toBeCloseTo(results!.r, 6);
    expect(record.curve.at(-1)?.coin_r).toBe(record.total.coin.total_r);
    expect(record.items.every(({ models }) => models.length === 1)).toBe(true);
    expect(calibration.total.model.bins[9]?.n).toBe(bins!.n);
  });

  it("cached sums match sums written concurrently", async () => {
    await readRecord(WHOLE);
    await sql().begin(async (tx) => {
      await tx`update ledger_state set size = size + 1, folded = size + 1`;
      await tx`insert into record_days (slot_id, model_v, day, n, n_independent, n_directional, brier, brier_frequencies, gain_squares, evidence)
        values (${slots[0]!.id}, 'm1', ${dayText(80)}, 7, 1, 1, 1, 1, 1, 1)`;
    });
    expect((await readRecord(WHOLE)).last_day).toBe(dayText(80));
    await sql().begin(async (tx) => {
      await tx`update ledger_state set size = size + 1, folded = size + 1`;
      await tx`update record_days set n = n + 5 where day = ${dayText(80)}`;
    });
    const query = { ...WHOLE, from: dayText(80), to: dayText(80) };
    expect((await readRecord(query)).total.forecasts.n).toBe(12);
    await sql()`delete from record_days where day = ${dayText(80)}`;
  });

  it("cached sums are reloaded after an older backup was restored, even when its ledger has grown past them", async () => {
    const dice = new Dice(4);
    await addOutcomes(dice, anyOutcomes(dice));
    await readRecord(WHOLE);
    const restore = (size: number) =>
      sql().begin(async (tx) => {
        await tx`set local session_replication_role = replica`;
        await tx`delete from record_bins where day >= ${dayText(60)}`;
        await tx`delete from record_results where day >= ${dayText(60)}`;
        await tx`delete from record_days where day >= ${dayText(60)}`;
        await tx`delete from ledger_entries where index >= ${size}`;
        await tx`update ledger_state set size = ${size}, folded = ${size}`;
      });
    const [{ size } = { size: 0 }] = await sql()<{ size: number }[]>`select size::int from ledger_state`;
    await restore(size - 6);
    await expectSameAsFresh(WHOLE);
    const before = await readRecord(WHOLE);
    for (let step = 0; step < 3; step++) await addOutcomes(dice, anyOutcomes(dice));
    await readRecord(WHOLE);
    const [{ grown } = { grown: 0 }] = await sql()<
      { grown: number }[]
    >`select size::int as grown from ledger_state`;
    await restore(size - 6);
    for (;;) {
      await addOutcomes(dice, anyOutcomes(dice));
      const [now] = await sql()<{ size: number }[]>`select size::int from ledger_state`;
      if (now!.size > grown) break;
    }
    await expectSameAsFresh(WHOLE);
    expect((await readRecord(WHOLE)).total.forecasts.n).toBeGreaterThan(before.total.forecasts.n);
  });

  it("cached sums that were read while the record was empty are reloaded", async () => {
    const dice = new Dice(6);
    await addOutcomes(dice, anyOutcomes(dice));
    expect((await readRecord(WHOLE)).total.forecasts.n).toBeGreaterThan(0);
    await sql().begin(async (tx) => {
      await tx`delete from record_bins`;
      await tx`delete from record_results`;
      await tx`delete from record_days`;
      await tx`update ledger_state set record_epoch = record_epoch + 1`;
    });
    expect((await readRecord(WHOLE)).total.forecasts.n).toBe(0);
    await addOutcomes(dice, anyOutcomes(dice));
    await expectSameAsFresh(WHOLE);
  });

  it("cached sums report the ledger size that they were computed at, while the ledger grows", async () => {
    const dice = new Dice(5);
    let isOver = false;
    const writing = (async () => {
      try {
        for (let step = 0; step < 30; step++) await addOutcomes(dice, anyOutcomes(dice));
      } finally {
        isOver = true;
      }
    })();
    const seen = new Map<number, number>();
    const readOn = async () => {
      while (!isOver) {
        const { ledger_size: size, total } = await readRecord(WHOLE);
        expect(seen.get(size) ?? total.forecasts.n).toBe(total.forecasts.n);
        seen.set(size, total.forecasts.n);
      }
    };
    await Promise.all([writing, readOn(), readOn(), readOn()]);
    const inOrder = [...seen].toSorted(([a], [b]) => a - b).map(([, n]) => n);
    expect(inOrder).toEqual(inOrder.toSorted((a, b) => a - b));
    await expectSameAsFresh(WHOLE);
  });
});

describe("a slot's cached record", () => {
  const day = (number: number, modelV: string, n: number) => ({
    modelV,
    day: number,
    forecasts: [n, 0, 0, 0, 0, 0, 0],
    results: new Array<number>(21).fill(0),
    bins: [],
  });

  it("a slot's cached record inserts and replaces days, and leaves earlier reads unchanged", () => {
    const first = SlotRecord.of(1, "H1", [day(5, "b", 1), day(3, "a", 2)]);
    const second = first.with([day(5, "a", 4), day(3, "a", 8), day(9, "a", 16)]);
    expect(second.days.map((one) => [one.day, one.modelV])).toEqual([
      [3, "a"],
      [5, "a"],
      [5, "b"],
      [9, "a"],
    ]);
    expect(second.sums.forecasts.n).toBe(29);
    expect([...second.sums.series.day]).toEqual([3, 5, 9]);
    expect([...second.sums.series.n]).toEqual([8, 5, 16]);
    expect(first.sums.forecasts.n).toBe(3);
  });
});

it("the record cache reads changed days from an index range", async () => {
  await sql()`insert into record_days (slot_id, model_v, day, n, n_independent, n_directional, brier, brier_frequencies, gain_squares, evidence)
    select id, 'm1', date '2010-01-01' + d, 1, 1, 1, 1, 1, 1, 1 from slots, generate_series(1, 1500) d`;
  await sql()`insert into record_results (slot_id, model_v, day, forecaster, n, n_independent, wins, losses, r, r_squares, gain)
    select slot_id, model_v, day, f, 1, 1, 1, 0, 1, 1, 1 from record_days, unnest(array['coin', 'frequencies']) f on conflict do nothing`;
  await sql()`update ledger_state set size = size + 1, folded = size + 1`;
  await sql()`update record_days set n = n + 1 where day = '2010-03-01'`;
  await sql()`analyze record_days, record_results, record_bins`;
  const [{ size } = { size: 0 }] = await sql()<{ size: number }[]>`select size::int from ledger_state`;
  let found: Awaited<ReturnType<typeof listDaysChangedSince>> = [];
  const statements = await statementsOf(async () => {
    found = await listDaysChangedSince(
      db(),
      slots.map(({ id }) => ({ slotId: id, size: size - 1 })),
    );
  });
  const sent = statements.filter(({ text }) => text.includes("string_agg"));
  expect(new Map(found.map(({ slotId, days }) => [slotId, days.length]))).toEqual(
    new Map(slots.map(({ id }) => [id, 1])),
  );
  expect(sent).toHaveLength(3);
  const planOf = ({ text, parameters }: SentStatement, seqscan: "on" | "off") =>
    sql().begin(async (tx) => {
      await tx.unsafe(`set local enable_seqscan = ${seqscan}`);
      const rows = await tx.unsafe(`explain (analyze, costs off, timing off) ${text}`, parameters);
      return rows.map((row) => row["QUERY PLAN"]).join("\n");
    });
  for (const statement of sent) {
    const plan = await planOf(statement, "off");
    expect(plan).not.toMatch(/Seq Scan on record_/);
    expect(plan).not.toMatch(/Rows Removed by Filter: [1-9]\d\d/);
  }
  // The only large table is not read completely, although that is allowed.
  expect(await planOf(sent[0]!, "on")).not.toMatch(/Seq Scan on record_/);
});
