import { describe, expect, it } from "vitest";
import { describeCosts } from "@/app/_components/describe-costs";
import {
  countWithNoun,
  formatNumber,
  formatShare,
  formatSigned,
  formatSignedShort,
  signOf,
} from "@/app/_components/figures";

import {
  formatEndOn,
  formatInstant,
  formatIsoSeconds,
  formatRelative,
  formatSpan,
} from "@/app/_components/times";
import { UTC_CLOCK } from "@/lib/market/clock";

describe("figures", () => {
  it("thousands are grouped and the number of digits is fixed", () => {
    expect(formatNumber(1234.5, 2)).toBe("1,234.50");
    expect(formatNumber(1.08421, 5)).toBe("1.08421");
  });

  it("a loss has a minus sign and a profit a plus sign", () => {
    expect(formatSigned(-0.5)).toBe("−0.50");
    expect(formatSigned(12)).toBe("+12.00");
  });

  it("a value rounded to zero has no sign and no colour", () => {
    expect(formatSigned(-0.004)).toBe("0.00");
    expect(formatSigned(0.004)).toBe("0.00");
    expect(formatNumber(-0.4)).toBe("0");
    expect(signOf(-0.004)).toBe("flat");
    expect(signOf(-0.004, 3)).toBe("down");
    expect(signOf(0.01)).toBe("up");
  });

  it("a compact signed figure has at most five characters", () => {
    const written = [4.44, -9.96, 61.9, -999.4, 999.6, 1234, -34_400, 999_700, -2_340_000].map((value) =>
      formatSignedShort(value),
    );
    expect(written).toEqual(["+4.4", "−10", "+62", "−999", "+1.0k", "+1.2k", "−34k", "+1.0M", "−2.3M"]);
    for (const figure of written) expect(figure.length).toBeLessThanOrEqual(5);
  });

  it("compact signed figures that are shown together have the same decimals", () => {
    const together = (values: number[]) =>
      values.map((value) => formatSignedShort(value, Math.max(...values.map(Math.abs))));
    expect(together([-54, -1.1, 3.3])).toEqual(["−54", "−1", "+3"]);
    expect(together([-1.1, 3.3])).toEqual(["−1.1", "+3.3"]);
  });

  it("a share is written in percent", () => {
    expect(formatShare(0.524, 1)).toBe("52.4 %");
  });

  it("a count agrees with its noun", () => {
    expect(countWithNoun(1, "trade")).toBe("1 trade");
    expect(countWithNoun(0, "trade")).toBe("0 trades");
    expect(countWithNoun(2, "entry", "entries")).toBe("2 entries");
  });
});

describe("times", () => {
  const now = new Date("2026-11-21T07:55:30Z");

  it("the end of access is written with its time if it is at midnight, before the day that it names", () => {
    expect(formatEndOn(UTC_CLOCK, new Date("2026-12-31T00:00:00Z"))).toBe("31 Dec 2026, 00:00 UTC");
    expect(formatEndOn(UTC_CLOCK, new Date("2026-12-31T12:00:00Z"))).toBe("31 Dec 2026");
  });

  it("an instant is written with UTC", () => {
    expect(formatInstant(now)).toBe("21 Nov 2026, 07:55 UTC");
    expect(formatIsoSeconds(new Date("2026-11-21T07:55:30.999Z"))).toBe("2026-11-21T07:55:30Z");
  });

  it.each([
    [0.75, "45 s"],
    [12.9, "12 min"],
    [60, "1 h"],
    [185, "3 h 5 min"],
    [1440 * 2 + 240, "2 d 4 h"],
    [1440 * 30 + 240, "30 d"],
    [-3, "0 s"],
  ])("%d minutes are written as %s", (minutes, written) => {
    expect(formatSpan(minutes)).toBe(written);
  });

  it("an age and a remaining time are worded differently", () => {
    expect(formatRelative(new Date("2026-11-21T07:43:00Z"), now)).toBe("12 min ago");
    expect(formatRelative(new Date("2026-11-24T07:55:30Z"), now)).toBe("in 3 d");
    expect(formatRelative(new Date("2026-11-21T07:55:28Z"), now)).toBe("just now");
  });
});

it("describeCosts says how many results have no cost", () => {
  expect(describeCosts({ n: 3_400, nWithoutCost: 0 })).toBe("after costs");
  expect(describeCosts({ n: 3_400, nWithoutCost: 3_400 })).toBe(
    "before costs: the operator has entered none",
  );
  expect(describeCosts({ n: 3_400, nWithoutCost: 1_200 })).toBe(
    "after costs, except for 1,200 of 3,400 results, for which the operator had entered none",
  );
  expect(describeCosts({ n: 0, nWithoutCost: 0 })).toBe("after costs");
});
