import { expect, it } from "vitest";
import { delayedSignals } from "@/app/(site)/_landing/delayed-signals";

const at = (hour: number) => new Date(Date.UTC(2026, 10, 20, hour));
const signals = [3, 2, 1, 0].map((hour) => ({
  ts: at(hour),
  signal: "BUY" as const,
  confidence: 0.5,
  regime: "RANGE",
  expectedRr: 1.5,
}));

it("visitors see a signal only after its candle has closed and the delay has passed", () => {
  const shown = (now: Date) => delayedSignals(signals, 60, 60, now).map((signal) => signal.at.getUTCHours());
  expect(shown(at(4))).toEqual([0, 1, 2]);
  expect(shown(new Date(at(4).getTime() - 1))).toEqual([0, 1]);
  expect(shown(at(1))).toEqual([]);
});
