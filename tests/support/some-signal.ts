import type { SignalRow } from "@/db/queries/signals";

/** What a signal says, for tests that record rows; each overrides what matters to it. */
export const SOME_SIGNAL = {
  modelV: "m",
  signal: "BUY",
  confidence: 0.5,
  probBuy: 0.5,
  probSell: 0.3,
  probNo: 0.2,
  regime: "RANGE",
  expectedRr: 1,
} satisfies Omit<SignalRow, "slotId" | "ts" | "closesAt">;
