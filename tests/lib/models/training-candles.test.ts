import { describe, expect, it } from "vitest";
import { workerDb } from "@/db/client";
import { upsertCandles } from "@/db/queries/candles";
import { countOddCandles, listOddCandles, recordOddCandles } from "@/db/queries/odd-candles";
import { ensureSlots, listSlots } from "@/db/queries/slots";
import { readTrainingCandles } from "@/lib/models/training/read-training-candles";
import { symbolDefaultsOf } from "@/lib/signals/ingest/symbol-defaults";
import { HOUR_MS } from "@/lib/time";
import { randomWalk } from "@/tests/lib/engine/synthetic";
import { useDatabase } from "@/tests/support/database";

useDatabase();

const N = 400;
const START = Date.UTC(2026, 0, 5);
const isSaturday = (ts: Date) => ts.getUTCDay() === 6;

describe("training candles", () => {
  it("training candles exclude stored flat weekends and bad ticks, and a bad tick is logged once", async () => {
    const walk = randomWalk({ n: N, seed: 3 });
    const name = { symbol: "EURUSD", timeframe: "H1" as const };
    const slotId = (await ensureSlots(workerDb(), [name], symbolDefaultsOf)).get("EURUSD/H1")!;
    const rows = Array.from({ length: N }, (_, i) => {
      const ts = new Date(START + i * HOUR_MS);
      const close = walk.close[i]!;
      const moved = { open: walk.open[i]!, high: walk.high[i]!, low: walk.low[i]!, close };
      const prices = isSaturday(ts) ? { open: close, high: close, low: close, close } : moved;
      return { slotId, ts, ...prices, volume: 1 };
    });
    const bad = rows[200]!;
    bad.low *= 0.8;
    await upsertCandles(workerDb(), rows);

    const slot = (await listSlots(workerDb())).find((one) => one.slotId === slotId)!;
    const { candles, odd } = await readTrainingCandles(workerDb(), slot);
    expect(odd).toMatchObject([{ kind: "bad_tick", ts: bad.ts.getTime() }]);
    expect(Array.from(candles.ts, (ts) => new Date(ts)).filter(isSaturday)).toEqual([]);
    expect(candles.ts).not.toContain(bad.ts.getTime());
    expect(candles.ts).toHaveLength(rows.filter(({ ts }) => !isSaturday(ts)).length - 1);

    await recordOddCandles(workerDb(), slotId, odd);
    await recordOddCandles(workerDb(), slotId, odd);
    expect(await listOddCandles(workerDb(), 10)).toMatchObject([
      { symbol: "EURUSD", timeframe: "H1", ts: bad.ts, kind: "bad_tick" },
    ]);
    expect(await countOddCandles(workerDb(), 7)).toBe(1);
    expect(await countOddCandles(workerDb(), 0)).toBe(0);
  });
});
