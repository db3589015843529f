import type { DatabaseHandle } from "@/db/client";
import { isKnownModel, type SlotNameRow } from "@/db/queries/record";
import { readAtReplica } from "@/db/replica";
import type { Timeframe } from "@/lib/vocabulary";
import { AppError } from "@/lib/wire/errors";

/** Slot, model and period as named by a query. */
export interface NamedSelection {
  symbol?: string | undefined;
  tf_code?: Timeframe | undefined;
  model_v?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** The part of the record that a query selects. */
export interface RecordSelection {
  slotIds: number[] | undefined;
  modelV: string | undefined;
  from: string | undefined;
  to: string | undefined;
}

/** Resolves the names of a query to the part of the record that it selects. Throws 404 for an unknown slot or model. */
export async function selectionOf(
  handle: DatabaseHandle,
  { symbol, tf_code: timeframe, model_v: modelV, from, to }: NamedSelection,
  slots: readonly SlotNameRow[],
): Promise<RecordSelection> {
  const named = slots.filter(
    (slot) =>
      (symbol === undefined || slot.symbol === symbol) &&
      (timeframe === undefined || slot.timeframe === timeframe),
  );
  const isNarrow = symbol !== undefined || timeframe !== undefined;
  if (isNarrow && named.length === 0)
    throw new AppError("not_found", { detail: "This symbol and timeframe are not known here." });
  if (modelV !== undefined && !(await isKnownModel(handle, modelV)))
    throw new AppError("not_found", { detail: "This version of a model is not known here." });
  return { slotIds: isNarrow ? named.map(({ slotId }) => slotId) : undefined, modelV, from, to };
}

/** Runs reads on one snapshot of the database, at its replica if there is one. */
export function withReadSnapshot<T>(read: (handle: DatabaseHandle) => Promise<T>): Promise<T> {
  return readAtReplica((database) =>
    database.transaction(read, { isolationLevel: "repeatable read", accessMode: "read only" }),
  );
}
