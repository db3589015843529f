import type { DatabaseHandle } from "@/db/client";
import { findSlotOfSignal, writeNotTradedSignal } from "@/db/queries/not-traded-signals";
import type { NotTradedReport } from "@/lib/wire/contracts/executions";
import { invalidField } from "@/lib/wire/errors";

/**
 * Stores why a client did not trade a signal, and replaces an earlier reason of the same terminal. Throws
 * validation_failed unless `pred_id` is the id of a BUY or SELL signal that the key may see.
 */
export async function recordNotTraded(
  handle: DatabaseHandle,
  reporter: {
    subscriptionId: number;
    terminal: string | null;
    /** Whether the key may see a signal with this slot and this close of its candle. */
    sees: (signal: NonNullable<Awaited<ReturnType<typeof findSlotOfSignal>>>) => boolean;
  },
  report: NotTradedReport,
): Promise<"created" | "updated"> {
  const signal = await findSlotOfSignal(handle, report.pred_id);
  if (signal === null || !reporter.sees(signal))
    throw invalidField("body", "pred_id", "must be the number of a BUY or SELL in your plan");
  const isNew = await writeNotTradedSignal(handle, {
    subscriptionId: reporter.subscriptionId,
    signalId: report.pred_id,
    terminal: reporter.terminal ?? "",
    reason: report.reason,
    errorCode: report.error_code ?? null,
  });
  return isNew ? "created" : "updated";
}
