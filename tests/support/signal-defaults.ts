import type { SignalRow } from "@/db/queries/signals";

/** Default signal fields for tests that store rows; each test overrides what it needs. */
export const SIGNAL_DEFAULTS = {
  modelV: "m",
  signal: "BUY",
  confidence: 0.5,
  probBuy: 0.5,
  probSell: 0.3,
  probNo: 0.2,
  regime: "RANGE",
  expectedRr: 1,
} satisfies Omit<SignalRow, "slotId" | "ts" | "closesAt">;
