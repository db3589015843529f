import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { db, workerDb } from "@/db/client";
import { upsertCandles } from "@/db/queries/candles";
import { env } from "@/lib/runtime/env";
import { enterIntoLedger } from "@/lib/signals/ledger/enter-into-ledger";
import { appendTreeLeaves, leafHash, rootOf } from "@/lib/signals/ledger/merkle-tree";
import { publishCheckpoint } from "@/lib/signals/ledger/publish-checkpoint";
import { call } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { resolveOutcomesNow, storeMarket } from "@/tests/support/record-market";

useDatabase();

const sql = () => db().$client;
const counts = async () =>
  Object.fromEntries(
    (await sql()`select kind, count(*)::int as n from ledger_entries group by 1`).map(({ kind, n }) => [
      kind,
      n,
    ]),
  );

beforeAll(() => rmSync(join(env().dataDir, "ledger-published.json"), { force: true }));

describe("ledger settlement", () => {
  it("ledger settlement commits waiting signals, and reveals those whose horizon is over as entered later", async () => {
    await storeMarket({ symbol: "EURUSD", nCandles: 200, nSignals: 100, seed: 1 });
    await resolveOutcomesNow();
    await enterIntoLedger(workerDb());
    // The last 12 candles have no complete horizon yet.
    expect(await counts()).toMatchObject({
      commitment: 12,
      reveal: 88,
      outcome: 88,
      promotion: 1,
      candles: 1,
    });
    const [reveal] =
      await sql()`select content::jsonb as c from ledger_entries where kind = 'reveal' limit 1`;
    expect(reveal?.c).toMatchObject({ entered_later: true, salt: null, simulated: false });
    const [first] = await sql()`select content from ledger_entries where kind = 'commitment' order by index`;
    expect(Object.keys(JSON.parse(first?.content)).toSorted()).toEqual([
      "at",
      "commitment",
      "kind",
      "seq",
      "subject",
      "timeframe",
    ]);
  });

  it("ledger settlement changes nothing when repeated", async () => {
    const before = await sql()`select * from ledger_entries order by index`;
    const sums = await sql()`select * from record_days order by day`;
    expect(await enterIntoLedger(workerDb())).toBe(0);
    expect(await sql()`select * from ledger_entries order by index`).toEqual(before);
    expect(await sql()`select * from record_days order by day`).toEqual(sums);
  });

  it("ledger settlement adds no late signal to the record, and marks each signal as in time or late", async () => {
    expect(await sql()`select * from record_days`).toHaveLength(0);
    const [found] = await sql()`
      select count(*) filter (where not in_time)::int as late, count(*) filter (where in_time is null)::int as undecided
        from ledger_signals`;
    // The newest one or two candles are still in time.
    expect(found?.late).toBeGreaterThanOrEqual(98);
    expect(found?.undecided).toBe(0);
  });

  it("ledger settlement reveals each commitment with its salt after the horizon", async () => {
    const [slot] = await sql()`select id from slots where symbol = 'EURUSD'`;
    const [last] = await sql()`select max(ts) as ts from candles where slot_id = ${slot?.id}`;
    await upsertCandles(
      db(),
      Array.from({ length: 12 }, (_, i) => ({
        slotId: Number(slot?.id),
        ts: new Date(new Date(last?.ts).getTime() + (i + 1) * 3_600_000),
        open: 100,
        high: 100.1,
        low: 99.9,
        close: 100,
        volume: 1,
      })),
    );
    await resolveOutcomesNow();
    await enterIntoLedger(workerDb());
    expect(await counts()).toMatchObject({ commitment: 12, reveal: 100, outcome: 100, candles: 2 });
    const rows = await sql()`
      select c.content as committed, r.content as revealed from ledger_entries c
        join ledger_entries r on r.subject = c.subject and r.kind = 'reveal' where c.kind = 'commitment'`;
    expect(rows).toHaveLength(12);
    for (const { committed, revealed } of rows) {
      const { salt, signal, entered_later } = JSON.parse(revealed);
      expect(entered_later).toBe(false);
      // An independent canonical JSON for this flat object: sorted names, no white space.
      const canonical = `{${Object.keys(signal)
        .toSorted()
        .map((name) => `"${name}":${JSON.stringify(signal[name])}`)
        .join(",")}}`;
      const hash = createHash("sha256").update(Buffer.from(salt, "hex")).update(canonical).digest("hex");
      expect(JSON.parse(committed).commitment).toBe(hash);
    }
  });

  it("the checkpoint's root equals that of a tree built from all ledger entries", async () => {
    const rows =
      await sql()`select content, encode(leaf_hash, 'hex') as hash from ledger_entries order by index`;
    const leaves = rows.map(({ content }) => leafHash(content));
    expect(rows.map(({ hash }) => hash)).toEqual(leaves.map((leaf) => Buffer.from(leaf).toString("hex")));
    await publishCheckpoint(workerDb());
    const { text } = await call("GET", "/api/public/ledger/checkpoint");
    const [, size, root] = text.split("\n");
    expect(Number(size)).toBe(rows.length);
    expect(root).toBe(Buffer.from(rootOf(appendTreeLeaves(0, [], leaves).peaks)).toString("base64"));
  });

  it("ledger settlement adds a corrected candle as an entry, with the previous values", async () => {
    const [candle] = await sql()`
      select slot_id, ts, close from candles order by ts offset 60 limit 1`;
    await sql()`update candles set close = close + 0.0001, high = high + 0.0001
                 where slot_id = ${candle?.slot_id} and ts = ${candle?.ts}`;
    await sql()`update candles set volume = 7 where slot_id = ${candle?.slot_id} and ts = ${candle?.ts}`;
    await enterIntoLedger(workerDb());
    const rows = await sql()`select content::jsonb as c from ledger_entries where kind = 'correction'`;
    expect(rows).toHaveLength(1);
    expect(rows[0]?.c).toMatchObject({ symbol: "EURUSD", timeframe: "H1" });
    expect(rows[0]?.c.after[3] - rows[0]?.c.before[3]).toBeCloseTo(0.0001, 10);
  });

  it("ledger settlement does not commit a signal whose horizon is over, even if its outcome is stored later", async () => {
    await storeMarket({ symbol: "XAUUSD", nCandles: 100, nSignals: 30, seed: 4 });
    // The outcomes are not stored yet: the ledger job ran first.
    await enterIntoLedger(workerDb());
    const ofGold = (kind: string) => sql()`
      select content::jsonb as c from ledger_entries e where kind = ${kind} and subject in (
        select 'signal/' || g.seq from signals g join slots s on s.id = g.slot_id where s.symbol = 'XAUUSD')`;
    expect((await ofGold("commitment")).length).toBe(12);
    await resolveOutcomesNow();
    const [before] = await sql()`select cost_value from symbols where symbol = 'XAUUSD'`;
    await sql()`update symbols set cost_value = 9 where symbol = 'XAUUSD'`;
    await enterIntoLedger(workerDb());
    await sql()`update symbols set cost_value = ${before?.cost_value} where symbol = 'XAUUSD'`;
    expect((await ofGold("commitment")).length).toBe(12);
    const costs = (await ofGold("outcome")).map(({ c }) => c.cost.value);
    expect(new Set(costs), "the cost in the results, not that of a later setting").toEqual(
      new Set([before?.cost_value]),
    );
    const revealed = await ofGold("reveal");
    expect(revealed).toHaveLength(18);
    expect(revealed.every(({ c }) => c.entered_later)).toBe(true);
  });

  it("ledger settlement leaves backfilled signals out of the ledger and the record", async () => {
    await storeMarket({ symbol: "GBPUSD", nCandles: 100, nSignals: 30, seed: 2 });
    await sql()`update signals set backfilled = true where slot_id = (select id from slots where symbol = 'GBPUSD')`;
    await resolveOutcomesNow();
    await enterIntoLedger(workerDb());
    const [row] = await sql()`
      select count(*)::int as n from ledger_entries where kind in ('commitment', 'reveal') and content like '%GBPUSD%'`;
    expect(row?.n).toBe(0);
    const { json } = await call("GET", "/api/public/record?symbol=GBPUSD");
    expect(json).toMatchObject({ count: 0 });
  });

  it("the database refuses to update or delete a ledger entry", async () => {
    await expect(sql()`update ledger_entries set subject = 'x' where index = 0`).rejects.toThrow(
      /never change/,
    );
    await expect(sql()`delete from ledger_entries where index = 0`).rejects.toThrow(/never change/);
  });
});

describe("ledger settlement with concurrency and failures", () => {
  it("ledger settlement enters each outcome once after a run died midway and three runs raced", async () => {
    await storeMarket({ symbol: "USDJPY", nCandles: 400, nSignals: 300, seed: 3, ahead: true });
    await enterIntoLedger(workerDb());
    await resolveOutcomesNow();
    // The database ends the first connection during its write.
    await sql().unsafe(`
      create function die_once() returns trigger language plpgsql as $$
      begin
        if not exists (select 1 from settings where name = 'died') then
          perform dblink_died();
        end if;
        return null;
      end $$`);
    await sql().unsafe(`
      create function dblink_died() returns void language plpgsql as $$
      begin perform pg_terminate_backend(pg_backend_pid()); end $$`);
    await sql().unsafe(
      "create trigger die_once after insert on record_days for each statement execute function die_once()",
    );
    await expect(enterIntoLedger(workerDb())).rejects.toThrow();
    await sql()`insert into settings (name, value) values ('died', 'true')`;
    const [before] =
      await sql()`select count(*)::int as n from ledger_entries where kind = 'reveal' and content like '%USDJPY%'`;
    expect(before?.n).toBe(0);
    await Promise.all([
      enterIntoLedger(workerDb()),
      enterIntoLedger(workerDb()),
      enterIntoLedger(workerDb()),
    ]);
    await sql().unsafe("drop trigger die_once on record_days");
    const rows = await sql()`
      select count(*)::int as n, count(distinct subject)::int as subjects from ledger_entries
       where kind = 'outcome' and subject in (
         select 'signal/' || g.seq from signals g join slots s on s.id = g.slot_id where s.symbol = 'USDJPY')`;
    expect(rows[0]).toMatchObject({ n: 288, subjects: 288 });
    const [sum] = await sql()`
      select sum(n)::int as n from record_days d join slots s on s.id = d.slot_id where s.symbol = 'USDJPY'`;
    expect(sum?.n).toBe(288);
    const [gap] = await sql()`select count(*)::int as n, max(index)::int + 1 as size from ledger_entries`;
    expect(gap?.n).toBe(gap?.size);
  });

  it("the newest entry number in the record's days is beyond the newest outcome and within the ledger", async () => {
    const [found] = await sql()`
      select min(d.entry)::int as first, max(d.entry)::int as last, min(l.size)::int as size,
             (select max(outcome)::int from ledger_signals) as newest from record_days d, ledger_state l`;
    expect(found?.first).toBeGreaterThan(0);
    expect(found?.last).toBeGreaterThan(found?.newest);
    expect(found?.last).toBeLessThanOrEqual(found?.size);
  });
});

describe("a ledger restored from a backup", () => {
  it("a restored ledger gets no checkpoint while it is smaller than or different from the published one, and health reports it", async () => {
    await publishCheckpoint(workerDb());
    const before = await call("GET", "/api/public/ledger/checkpoint");
    const [state] = await sql()`select size::int as size from ledger_state`;
    // The state of a backup from before the last ten entries.
    await sql()`alter table ledger_entries disable trigger ledger_entries_final`;
    const removed = await sql()`delete from ledger_entries where index >= ${state?.size - 10} returning *`;
    await sql()`delete from ledger_checkpoints where size > ${state?.size - 10}`;
    await sql()`update ledger_state set size = ${state?.size - 10}`;
    expect(await publishCheckpoint(workerDb())).toBe(false);
    const health = await call("GET", "/api/health");
    expect(health.json.reasons.join()).toMatch(/ledger_refused: .*older backup/);

    // It grows again, with other entries.
    for (const row of removed)
      await sql()`insert into ledger_entries ${sql()({ ...row, leaf_hash: leafHash("another") })}`;
    await sql()`update ledger_state set size = ${state?.size}`;
    expect(await publishCheckpoint(workerDb())).toBe(false);
    const [{ refusal } = { refusal: "" }] = await sql()`select refusal from ledger_state`;
    expect(refusal).toMatch(/not those that were published/);

    // The original history again.
    await sql()`delete from ledger_entries where index >= ${state?.size - 10}`;
    for (const row of removed) await sql()`insert into ledger_entries ${sql()(row)}`;
    expect(await publishCheckpoint(workerDb())).toBe(true);
    const after = await call("GET", "/api/public/ledger/checkpoint");
    expect(after.text).toBe(before.text);
    const [{ refusal: now } = { refusal: "" }] = await sql()`select refusal from ledger_state`;
    expect(now).toBeNull();
  });
});
