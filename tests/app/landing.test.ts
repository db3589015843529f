import { describe, expect, it } from "vitest";
import { latestShownOpenAt, slotsForVisitors } from "@/app/(site)/_landing/delayed-signals";
import { figuresOfPlan } from "@/app/(site)/_landing/plan-figures";
import { separateLabels } from "@/app/(site)/_landing/separate-labels";
import { INITIAL_SETTINGS, type Plan } from "@/lib/runtime/settings-cache";
import type { Timeframe } from "@/lib/vocabulary";
import type { PublicRecord } from "@/lib/wire/contracts/record";

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

describe("the trades of a plan", () => {
  const item = (symbol: string, tf_code: string, n: number, total_r: number) =>
    ({ symbol, tf_code, model: { n, total_r } }) as PublicRecord["items"][number];
  const record = {
    first_day: "2026-09-01",
    last_day: "2026-09-14",
    simulated: true,
    items: [item("XAUUSD", "H1", 40, 8), item("BTCUSD", "M15", 400, 90), item("EURUSD", "M15", 30, -2)],
  } as unknown as PublicRecord;
  const plan = (name: string) => INITIAL_SETTINGS.plans.find((one) => one.name === name) as Plan;

  it("the trades of a plan are those of its own slots, over the period of the whole record", () => {
    expect(figuresOfPlan(record, plan("basic"))).toEqual({
      ...{ n: 40, totalR: 8, perWeek: 20, since: "2026-09-01", simulated: true },
    });
    expect(figuresOfPlan(record, plan("pro"))).toMatchObject({ n: 470, totalR: 96, perWeek: 235 });
  });

  it("the trades of a plan are none if its slots have none", () => {
    const elsewhere = { ...record, items: record.items.slice(1) };
    expect(figuresOfPlan(elsewhere, plan("basic"))).toMatchObject({ n: 0, totalR: 0 });
    expect(figuresOfPlan({ ...record, first_day: null }, plan("basic"))).toBeNull();
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
