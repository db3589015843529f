import { describe, expect, it } from "vitest";
import { latestShownOpenAt, slotsForVisitors } from "@/app/(site)/_landing/delayed-signals";
import { separateLabels } from "@/app/(site)/_landing/separate-labels";
import { INITIAL_SETTINGS, type Plan } from "@/lib/runtime/settings-cache";
import type { Timeframe } from "@/lib/vocabulary";

const at = (hour: number) => new Date(Date.UTC(2026, 10, 20, hour));

describe("signals on the landing page", () => {
  it("the landing page shows signals of candles that closed at least an hour ago", () => {
    expect(latestShownOpenAt("H1", at(4))).toEqual(at(2));
    expect(latestShownOpenAt("H4", at(8))).toEqual(at(3));
  });

  const slot = (symbol: string, timeframe: Timeframe, slotId = 0) => ({ slotId, symbol, timeframe });
  const offered = INITIAL_SETTINGS.plans.filter(({ isShown }) => isShown);
  const names = (slots: readonly { symbol: string; timeframe: string }[]) =>
    slots.map(({ symbol, timeframe }) => `${symbol} ${timeframe}`);

  it("the landing page shows slots that every offered plan includes", () => {
    const slots = [slot("EURUSD", "H1"), slot("EURUSD", "M5"), slot("BTCUSD", "H1")];
    expect(names(slotsForVisitors(slots, offered))).toEqual(["EURUSD H1"]);
    const all: Plan[] = offered.filter(({ name }) => name === "pro");
    expect(names(slotsForVisitors(slots, all))).toEqual(["BTCUSD H1", "EURUSD M5", "EURUSD H1"]);
  });

  it("the landing page shows six slots: each symbol once, then second slots of the first symbols", () => {
    const slots = ["A", "B", "C", "D"].flatMap((symbol) => [slot(symbol, "H4"), slot(symbol, "M15")]);
    expect(names(slotsForVisitors(slots, []))).toEqual(["A M15", "A H4", "B M15", "B H4", "C M15", "D M15"]);
  });
});

describe("price labels", () => {
  const limits = { gap: 30, from: 15, to: 245 };

  it("price labels keep their positions when there is room", () => {
    expect(separateLabels([200, 20, 100], limits)).toEqual([200, 20, 100]);
  });

  it("overlapping price labels move apart in order and stay inside the plot", () => {
    const places = separateLabels([240, 238, 10, 236], limits);
    expect(places).toEqual([245, 215, 15, 185]);
  });
});
