import { describe, expect, it } from "vitest";
import { impliedSignalOf, positionFigures } from "@/lib/executions/position-figures";

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 10, minute));
const buy = {
  side: "BUY",
  openedAt: at(2),
  closedAt: at(50),
  entryPrice: 1.1,
  exitPrice: 1.104,
} as const;
const held = { high: Float64Array.of(1.102, 1.106), low: Float64Array.of(1.097, 1.1) };
const signal = { closesAt: at(0), prices: { entryPrice: 1.0995, distance: 0.004 } };
const rounded = (figures: object) =>
  Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, value === null ? null : Number(value.toFixed(6))]),
  );

describe("figures of a position", () => {
  it("the figures of a position are delay, slippage, move and both excursions in its direction", () => {
    expect(rounded(positionFigures(buy, signal, held))).toEqual({
      delayMs: 120_000,
      slippage: 0.0005,
      move: 0.004,
      adverse: 0.003,
      favourable: 0.006,
    });
    expect(rounded(positionFigures({ ...buy, side: "SELL" }, signal, held))).toEqual({
      delayMs: 120_000,
      slippage: -0.0005,
      move: -0.004,
      adverse: 0.006,
      favourable: 0.003,
    });
  });

  it("a position's excursions are at least 0, and null without candles or at another instrument's prices", () => {
    const above = { high: Float64Array.of(1.2), low: Float64Array.of(1.15) };
    expect(positionFigures(buy, null, above)).toMatchObject({ adverse: 0, delayMs: null, slippage: null });
    const none = { high: new Float64Array(), low: new Float64Array() };
    expect(positionFigures(buy, null, none)).toMatchObject({ adverse: null, favourable: null });
    expect(positionFigures({ ...buy, entryPrice: 110 }, null, held)).toMatchObject({ adverse: null });
  });

  it("a position has no move while it is open", () => {
    expect(positionFigures({ ...buy, closedAt: null }, signal, held).move).toBeNull();
  });
});

describe("the inferred signal of a position", () => {
  const made = (minute: number, side: string) => ({ signal: side, createdAt: at(minute) });
  it.each([
    ["the one that was current at the opening", [made(30, "SELL"), made(1, "BUY")], 1],
    ["none when a signal of the other side was current", [made(1, "SELL"), made(-30, "BUY")], null],
    ["one made within a minute after the opening", [made(2.5, "BUY"), made(-30, "SELL")], 2.5],
    ["none when the first was made seven minutes after the opening", [made(9, "BUY")], null],
    ["none without signals", [], null],
  ])("the inferred signal of a position is %s", (_, signals, minute) => {
    const found = impliedSignalOf(signals, buy);
    expect(found?.createdAt ?? null).toEqual(minute === null ? null : at(minute));
  });
});
