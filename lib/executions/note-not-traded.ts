import type { Handle } from "@/db/client";
import { findSlotOfSignal, writeUntradedSignal } from "@/db/queries/untraded-signals";
import type { NotTradedReport } from "@/lib/wire/contracts/executions";
import { invalidField } from "@/lib/wire/errors";

/**
 * Records why a client did not trade a signal; what the same terminal told of it before is replaced. Throws
 * validation_failed where no BUY or SELL in scope has this number.
 */
export async function noteNotTraded(
  handle: Handle,
  reporter: {
    subscriptionId: number;
    terminal: string | null;
    /** Whether a slot is in the scope of the key. */
    includes: (symbol: string, timeframe: string) => boolean;
  },
  report: NotTradedReport,
): Promise<"created" | "updated"> {
  const slot = await findSlotOfSignal(handle, report.pred_id);
  if (slot === null || !reporter.includes(slot.symbol, slot.timeframe))
    throw invalidField("body", "pred_id", "must be the number of a BUY or SELL in your plan");
  const isNew = await writeUntradedSignal(handle, {
    subscriptionId: reporter.subscriptionId,
    signalId: report.pred_id,
    terminal: reporter.terminal ?? "",
    reason: report.reason,
    errorCode: report.error_code ?? null,
  });
  return isNew ? "created" : "updated";
}
