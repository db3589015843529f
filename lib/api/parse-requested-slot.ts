import { callRhythm } from "@/lib/subscribers/call-rhythm";
import { parseSlot, type SlotParams } from "@/lib/wire/slot-params";

/** The slot of a path in canonical form. A malformed one throws 422 and is recorded for the client's diagnostics. */
export function parseRequestedSlot(
  { subscriptionId }: { subscriptionId: number },
  params: { symbol: string; tf: string },
): SlotParams {
  try {
    return parseSlot(params);
  } catch (error) {
    callRhythm().noteUnservedSlot(subscriptionId, { symbol: params.symbol, timeframe: params.tf });
    throw error;
  }
}
