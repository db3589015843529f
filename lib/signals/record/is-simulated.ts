import { isDemoSlot } from "@/lib/market/demo/demo-symbols";
import { env } from "@/lib/runtime/env";
import type { Timeframe } from "@/lib/vocabulary";

/** Whether a slot's candles are simulated by this installation. */
export const isSimulated = (slot: { symbol: string; timeframe: Timeframe }): boolean =>
  env().marketFeed === "demo" && isDemoSlot(slot);
