import { type Scope, scopeIncludes } from "@/lib/access/plans";
import { clientCallLog } from "@/lib/subscribers/client-call-log";
import { AppError } from "@/lib/wire/errors";
import type { SlotParams } from "@/lib/wire/slot-params";

/**
 * Throws 403 if the slot is outside the key's scope, and notes it for the diagnostics of the subscriber's trading
 * client.
 */
export function requireInScope(key: { subscriptionId: number; scope: Scope }, slot: SlotParams): void {
  if (scopeIncludes(key.scope, slot.symbol, slot.timeframe)) return;
  clientCallLog().noteUnservedSlot(key.subscriptionId, slot);
  throw new AppError("slot_not_in_plan");
}
