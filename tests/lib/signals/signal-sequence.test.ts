import { beforeAll, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import type { SignalRow } from "@/db/queries/signals";
import { ensureSlots, slotKey } from "@/db/queries/slots";
import { symbolDefaultsOf } from "@/lib/signals/ingest/symbol-defaults";
import { recordSignals } from "@/lib/signals/record-signals";
import { useDatabase } from "@/tests/support/database";
import { SIGNAL_DEFAULTS } from "@/tests/support/signal-defaults";

useDatabase();

const HOUR_MS = 3_600_000;
const SLOTS = [
  { symbol: "EURUSD", timeframe: "H1" },
  { symbol: "GBPUSD", timeframe: "H1" },
] as const;
let slotIds: number[];

beforeAll(async () => {
  const ids = await db().transaction((tx) => ensureSlots(tx, [...SLOTS], symbolDefaultsOf));
  slotIds = SLOTS.map((slot) => ids.get(slotKey(slot)) ?? 0);
});

const row = (slot: number, hour: number, modelV = "m"): SignalRow => {
  const ts = new Date(Date.UTC(2026, 0, 5) + hour * HOUR_MS);
  const closesAt = new Date(ts.getTime() + HOUR_MS);
  return { ...SIGNAL_DEFAULTS, slotId: slotIds[slot] ?? 0, ts, closesAt, modelV };
};
const record = (rows: SignalRow[]) => db().transaction((tx) => recordSignals(tx, rows));
const numbers = async () =>
  (await db().$client<{ seq: string }[]>`select seq from signals order by seq`).map(({ seq }) => Number(seq));
const lastSeq = async () =>
  Number((await db().$client<{ last_seq: string }[]>`select last_seq from state_versions`)[0]?.last_seq);

describe("the signal number", () => {
  it("the signal number counts from 1 without a gap, by candle within a commit, and skips duplicates", async () => {
    await record([row(1, 1), row(0, 1), row(0, 0)]);
    expect(await record([row(0, 0), row(0, 2), row(1, 1)])).toBe(1);
    expect(await record([row(0, 0)])).toBe(0);
    expect(await numbers()).toEqual([1, 2, 3, 4]);
    expect(await lastSeq()).toBe(4);
    const [first] = await db().$client`select slot_id, ts from signals where seq = 1`;
    expect(first?.slot_id).toBe(slotIds[0]);
  });

  it("the signal number is not used up by a rolled-back commit", async () => {
    const before = await lastSeq();
    await expect(record([row(0, 50), { ...row(0, 0), confidence: 0.9 }])).rejects.toThrow("signal_conflict");
    expect(await lastSeq()).toBe(before);
  });

  it("the signal number grows in commit order with many concurrent writers, backfills included", async () => {
    const before = await lastSeq();
    const seen: number[] = [];
    let watching = true;
    // A read between two commits sees every number up to the newest, so no lower one appears later.
    const watcher = (async () => {
      while (watching) {
        const [now] = await db().$client<{ n: string; newest: string }[]>`
          select count(*) as n, coalesce(max(seq), 0) as newest from signals`;
        expect(now?.n).toBe(now?.newest);
        seen.push(Number(now?.newest));
      }
    })();
    await Promise.all(
      Array.from({ length: 12 }, async (_, writer) => {
        for (let n = 0; n < 10; n++)
          await record([row(writer % 2, 100 + n, `w${writer}`), row(writer % 2, -100 - n, `w${writer}`)]);
      }),
    );
    watching = false;
    await watcher;
    expect(await lastSeq()).toBe(before + 240);
    expect(await numbers()).toEqual(Array.from({ length: before + 240 }, (_, n) => n + 1));
    expect(new Set(seen).size).toBeGreaterThan(3);
  });
});
