import { clientCallLog } from "@/lib/subscribers/client-call-log";
import { parseSlot, type SlotParams } from "@/lib/wire/slot-params";

/**
 * The slot of a path in canonical form. Throws 422 for a malformed one, after noting it for the diagnostics of the
 * subscriber's trading client.
 */
export function parseSlotAndNoteUnserved(
  { subscriptionId }: { subscriptionId: number },
  params: { symbol: string; tf: string },
): SlotParams {
  try {
    return parseSlot(params);
  } catch (error) {
    clientCallLog().noteUnservedSlot(subscriptionId, { symbol: params.symbol, timeframe: params.tf });
    throw error;
  }
}
