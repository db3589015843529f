import { expect, it } from "vitest";
import { workerDb } from "@/db/client";
import { upsertCandles } from "@/db/queries/candles";
import { upsertModels } from "@/db/queries/models";
import { ensureSlots } from "@/db/queries/slots";
import { produceDueSignals } from "@/lib/models/producer/produce-due-signals";
import { makeBaselineChampion } from "@/lib/models/producer/register-baseline";
import { symbolDefaultsOf } from "@/lib/signals/ingest/symbol-defaults";
import { randomWalk } from "@/tests/lib/engine/synthetic";
import { connectDirectly, useDatabase } from "@/tests/support/database";

useDatabase();

const MINUTE_MS = 60_000;
const N = 1200;

it("a run with a failing forecast throws, and still stores the signals of the other slots", async () => {
  const walk = randomWalk({ n: N, seed: 8 });
  const startMs = (Math.floor(Date.now() / MINUTE_MS) - N) * MINUTE_MS;
  const names = ["BTCUSD", "ETHUSD", "LTCUSD"].map((symbol) => ({ symbol, timeframe: "M1" as const }));
  const slotIds = [...(await ensureSlots(workerDb(), names, symbolDefaultsOf)).values()];
  for (const slotId of slotIds) {
    await upsertCandles(
      workerDb(),
      Array.from({ length: N }, (_, i) => ({
        slotId,
        ts: new Date(startMs + i * MINUTE_MS),
        open: walk.open[i]!,
        high: walk.high[i]!,
        low: walk.low[i]!,
        close: walk.close[i]!,
        volume: 1,
      })),
    );
  }
  await makeBaselineChampion(workerDb(), slotIds, new Date());
  const [broken = 0, ...sound] = slotIds;
  await upsertModels(workerDb(), [
    {
      slotId: broken,
      modelV: "broken",
      aucWf: null,
      pfWf: null,
      isActive: true,
      trainedAt: new Date(),
      classFreq: null,
      featureStats: null,
      parameters: { format: 2, features: 2, model: { recipe: "logistic" } },
    },
  ]);

  await expect(produceDueSignals(workerDb(), new AbortController().signal)).rejects.toThrow();
  const sql = connectDirectly();
  const made = await sql<{ slotId: number }[]>`select slot_id as "slotId" from signals order by slot_id`;
  expect(made.map(({ slotId }) => slotId)).toEqual(sound);
  await sql.end();
});
