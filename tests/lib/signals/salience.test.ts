import { describe, expect, it } from "vitest";
import { compareSlotSalience, isActionable, type SlotView } from "@/lib/signals/list-slot-views";

const fresh = { ageMinutes: 5, expectedMinutes: 60, staleAfterMinutes: 75, marketOpen: true, stale: false };
const slot = (signal: string, confidence: number, more: Partial<SlotView> = {}): SlotView =>
  // Fields that no rule uses are omitted.
  ({
    freshness: fresh,
    pause: null,
    validUntil: new Date(),
    signal: { signal, confidence },
    ...more,
  }) as unknown as SlotView;

describe("the display order of signals", () => {
  it("a NO TRADE is ranked below every direction, even with a higher confidence", () => {
    const wait = slot("NO_TRADE", 0.9);
    const late = slot("SELL", 0.5, { freshness: { ...fresh, stale: true } });
    const weak = slot("BUY", 0.4);
    const strong = slot("SELL", 0.6);
    expect([wait, late, weak, strong].toSorted(compareSlotSalience)).toEqual([strong, weak, late, wait]);
  });

  it.each([
    ["a fresh direction", slot("BUY", 0.4), true],
    ["NO TRADE", slot("NO_TRADE", 0.9), false],
    ["a stale one", slot("BUY", 0.4, { freshness: { ...fresh, stale: true } }), false],
    ["one of a closed market", slot("BUY", 0.4, { freshness: { ...fresh, marketOpen: false } }), false],
    ["a paused one", slot("BUY", 0.4, { pause: { id: 1 } as SlotView["pause"] }), false],
    ["no signal", slot("BUY", 0, { signal: null, validUntil: null }), false],
  ])(
    "a signal is actionable only if it is a direction, fresh, not paused and of an open market: %s",
    (_, view, can) => {
      expect(isActionable(view)).toBe(can);
    },
  );
});
