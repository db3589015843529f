import type { z } from "zod";
import type { DatabaseHandle } from "@/db/client";
import {
  bumpModelsVersion,
  listSlotsWithForecastSource,
  lockModels,
  upsertModels,
} from "@/db/queries/models";
import { ensureSlots, slotKey } from "@/db/queries/slots";
import type { ModelItem } from "@/lib/wire/contracts/ingest";
import type { IngestResult } from "./result";
import { symbolDefaultsOf } from "./symbol-defaults";

/**
 * Registers models, all or none. An active model becomes the champion of its slot; of several active ones, the last.
 * If the operator chose a built-in model for the slot, an active model is registered but does not become champion.
 */
export async function ingestModels(
  handle: DatabaseHandle,
  items: z.output<typeof ModelItem>[],
): Promise<IngestResult> {
  return handle.transaction(async (tx) => {
    await lockModels(tx);
    const slotIds = await ensureSlots(tx, items, symbolDefaultsOf);
    const distinct = new Map(items.map((item) => [`${slotKey(item)}@${item.model_v}`, item]));
    const chosen = await listSlotsWithForecastSource(tx, [...slotIds.values()]);
    const kept = new Set(chosen.filter(({ isBuiltIn }) => isBuiltIn).map(({ slotId }) => slotId));
    const accepted = await upsertModels(
      tx,
      [...distinct.values()].map((item) => ({
        slotId: slotIds.get(slotKey(item)) ?? 0,
        modelV: item.model_v,
        aucWf: item.auc_wf ?? null,
        pfWf: item.pf_wf ?? null,
        isActive: item.is_active && !kept.has(slotIds.get(slotKey(item)) ?? 0),
        trainedAt: item.trained_at,
        classFreq: item.class_freq ?? null,
        featureStats: item.feature_stats ?? null,
      })),
    );
    if (accepted > 0) await bumpModelsVersion(tx);
    return { accepted, duplicates: items.length - accepted };
  });
}
