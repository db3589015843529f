import type { z } from "zod";
import type { DatabaseHandle } from "@/db/client";
import { type FeatureValueRow, upsertFeatureValues } from "@/db/queries/features";
import { ensureSlots, slotKey } from "@/db/queries/slots";
import type { FeatureItem } from "@/lib/wire/contracts/ingest";
import type { IngestResult } from "./result";
import { symbolDefaultsOf } from "./symbol-defaults";

/** Stores feature values, all or none. Identical values are a no-op; others replace the stored ones. */
export async function ingestFeatures(
  handle: DatabaseHandle,
  items: z.output<typeof FeatureItem>[],
): Promise<IngestResult> {
  return handle.transaction(async (tx) => {
    const slotIds = await ensureSlots(tx, items, symbolDefaultsOf);
    const distinct = new Map(
      items.map((item): [string, FeatureValueRow] => [
        `${slotKey(item)}@${item.ts.getTime()}@${item.model_v}`,
        {
          slotId: slotIds.get(slotKey(item)) ?? 0,
          ts: item.ts,
          modelV: item.model_v,
          values: item.values,
        },
      ]),
    );
    const accepted = await upsertFeatureValues(tx, [...distinct.values()]);
    return { accepted, duplicates: items.length - accepted };
  });
}
