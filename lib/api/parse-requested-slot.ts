import { callRhythm } from "@/lib/subscribers/call-rhythm";
import { parseSlot, type SlotParams } from "@/lib/wire/slot-params";

/** The slot in a path, canonical; a malformed one is 422, and noted for the client's diagnostics. */
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
