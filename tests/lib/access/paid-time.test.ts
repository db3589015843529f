import { describe, expect, it } from "vitest";
import {
  concurrentPlansPeriods,
  type PaidTime,
  plansPeriodAtOrAfter,
  remainingMsPerRow,
} from "@/lib/access/paid-time";
import { checkPaidTime, PLAN_EXTENTS } from "@/tests/fuzz/paid-time";
import { TEST_SEED } from "@/tests/support/run-named";

const DAY_MS = 86_400_000;
const day = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * DAY_MS);

function paid(planTier: string, at: number, days: number | null, wish: Partial<PaidTime> = {}): PaidTime {
  return {
    kind: "payment",
    planTier,
    startsAt: day(at),
    durationMs: days === null ? null : days * DAY_MS,
    graceMs: 0,
    endedAt: null,
    ...wish,
  };
}

/** One text for each stretch: its plans and its first and last day, such as `pro 0-31`. */
const told = (rows: PaidTime[]) =>
  concurrentPlansPeriods(rows, PLAN_EXTENTS).map(({ plans, from, until, isGrace }) => {
    const place = (at: Date | null) => (at ? (at.getTime() - day(0).getTime()) / DAY_MS : "");
    return `${plans.join("+")} ${place(from)}-${place(until)}${isGrace ? " grace" : ""}`;
  });

const GRACE = { graceMs: 3 * DAY_MS };

describe("concurrentPlansPeriods", () => {
  it("days of several plans are used up one plan after another, the highest first", () => {
    expect(
      told([
        paid("pro", 0, 31, GRACE),
        paid("basic", 20, 31, GRACE),
        paid("basic", 40, 31, GRACE),
        paid("telegram", 60, 31, GRACE),
      ]),
    ).toEqual(["pro 0-31", "basic 31-93", "telegram 93-124", "telegram 124-127 grace"]);
  });

  it("an upgrade starts at once without losing days", () => {
    expect(told([paid("basic", 0, 365), paid("pro", 100, 31, GRACE)])).toEqual([
      "basic 0-100",
      "pro 100-131",
      "basic 131-396",
      "basic 396-399 grace",
    ]);
  });

  it("an expired key is revived with the plan that was paid, without another grace", () => {
    expect(told([paid("pro", 0, 31, GRACE), paid("telegram", 200, 31, GRACE)])).toEqual([
      "pro 0-31",
      "pro 31-34 grace",
      "telegram 200-231",
    ]);
  });

  it("plans run side by side when neither scope contains the other", () => {
    expect(told([paid("gold", 0, 31), paid("forex", 10, 31), paid("pro", 20, 5)])).toEqual([
      "gold 0-10",
      "gold+forex 10-20",
      "pro 20-25",
      "gold+forex 25-36",
      "forex 36-46",
    ]);
  });

  it("a trial lasts exactly its length, and the first charge adds its own days", () => {
    expect(told([paid("pro", 0, 7)])).toEqual(["pro 0-7"]);
    expect(told([paid("pro", 0, 7), paid("pro", 7, 31, GRACE)])).toEqual(["pro 0-38", "pro 38-41 grace"]);
  });

  it("a payment within the grace counts from the end of the paid days", () => {
    expect(told([paid("basic", 0, 31, GRACE), paid("basic", 33, 31, GRACE)])).toEqual([
      "basic 0-62",
      "basic 62-65 grace",
    ]);
  });

  it("the failed-payment grace is not added to days paid within it", () => {
    const failed = paid("basic", 32, 10, { kind: "grace" });
    expect(told([paid("basic", 0, 31, GRACE), failed])).toEqual(["basic 0-31", "basic 31-42 grace"]);
    const late = [paid("basic", 0, 31, GRACE), failed, paid("basic", 40, 31, GRACE)];
    expect(told(late)).toEqual(["basic 0-62", "basic 62-65 grace"]);
    expect(remainingMsPerRow(late, PLAN_EXTENTS, day(40))).toEqual([0, 0, 22 * DAY_MS]);
    expect(told([paid("basic", 0, 31, GRACE), failed, paid("basic", 45, 31)])).toEqual([
      "basic 0-31",
      "basic 31-42 grace",
      "basic 45-76",
    ]);
  });

  it("a lower plan starts early when the higher one ends early", () => {
    expect(told([paid("pro", 0, 31, { endedAt: day(10) }), paid("basic", 5, 31)])).toEqual([
      "pro 0-10",
      "basic 10-41",
    ]);
  });

  it("unlimited time never ends, and days of a higher plan are used before it", () => {
    expect(told([paid("basic", 0, null), paid("pro", 10, 31)])).toEqual([
      "basic 0-10",
      "pro 10-41",
      "basic 41-",
    ]);
  });

  it("concurrentPlansPeriods returns an empty list without payments", () => {
    expect(concurrentPlansPeriods([], PLAN_EXTENTS)).toEqual([]);
  });
});

it("remainingMsPerRow returns the unused paid time of each payment at an instant", () => {
  const rows = [paid("pro", 0, 31), paid("basic", 0, 31)];
  expect(remainingMsPerRow(rows, PLAN_EXTENTS, day(10)).map((ms) => ms / DAY_MS)).toEqual([21, 31]);
  expect(remainingMsPerRow(rows, PLAN_EXTENTS, day(40)).map((ms) => ms / DAY_MS)).toEqual([0, 22]);
});

it("plansPeriodAtOrAfter returns the plans at an instant, each period excluding its end, and null after the last", () => {
  const stretches = concurrentPlansPeriods([paid("pro", 0, 31), paid("basic", 0, 31)], PLAN_EXTENTS);
  expect(plansPeriodAtOrAfter(stretches, day(30))?.plans).toEqual(["pro"]);
  expect(plansPeriodAtOrAfter(stretches, day(31))?.plans).toEqual(["basic"]);
  expect(plansPeriodAtOrAfter(stretches, day(62))).toBeNull();
});

it("the plans of 3,000 random histories of paid time match the specified rule", () => {
  checkPaidTime(TEST_SEED, 3_000);
}, 60_000);
