import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  candleCloseAt,
  candleOpenMs,
  compareTimeframeCodes,
  compareTimeframes,
  parseBrokerTimeframe,
  parseTimeframe,
  timeframeMinutes,
} from "@/lib/market/timeframes";
import { TIMEFRAMES, type Timeframe } from "@/lib/vocabulary";

const iso = (at: Date) => at.toISOString();
const candleOpenAt = (at: Date, timeframe: Timeframe) => new Date(candleOpenMs(at.getTime(), timeframe));

describe("the order of stored codes", () => {
  it("stored codes of timeframes are sorted by length, with unknown ones last", () => {
    expect(["H4", "X", "M15", "D1", "H1"].toSorted(compareTimeframeCodes)).toEqual([
      "M15",
      "H1",
      "H4",
      "D1",
      "X",
    ]);
  });
});

describe("parseTimeframe", () => {
  it("parseTimeframe accepts codes in upper and lower case and with surrounding white space", () => {
    for (const code of TIMEFRAMES) {
      expect(parseTimeframe(code)).toBe(code);
      expect(parseTimeframe(` ${code.toLowerCase()}\n`)).toBe(code);
    }
  });

  it("parseTimeframe returns null for texts that are no code", () => {
    for (const text of ["", "H5", "M7", "MN", "60", "1H", "PERIOD_H1", "H 1", "H1H4", "constructor", "Н1"]) {
      expect(parseTimeframe(text), text).toBeNull();
    }
  });
});

describe("parseBrokerTimeframe", () => {
  it("parseBrokerTimeframe accepts MQL5 numbers of all 21 timeframes", () => {
    // ENUM_TIMEFRAMES from MetaTrader's documentation.
    const numbers = [
      1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 16385, 16386, 16387, 16388, 16390, 16392, 16396, 16408, 32769,
      49153,
    ];
    expect(numbers.map(parseBrokerTimeframe)).toEqual([...TIMEFRAMES]);
    expect(numbers.map(String).map(parseBrokerTimeframe)).toEqual([...TIMEFRAMES]);
  });

  it("parseBrokerTimeframe accepts minutes as in MQL4, as numbers and as text", () => {
    const minutes = [
      1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, 1440, 10080, 43200,
    ];
    expect(minutes.map(parseBrokerTimeframe)).toEqual([...TIMEFRAMES]);
    expect(minutes.map((value) => parseBrokerTimeframe(` ${value} `))).toEqual([...TIMEFRAMES]);
  });

  it("parseBrokerTimeframe accepts PERIOD_ constants, codes and spellings like 15m", () => {
    expect(parseBrokerTimeframe("PERIOD_H1")).toBe("H1");
    expect(parseBrokerTimeframe("period_mn1")).toBe("MN1");
    expect(parseBrokerTimeframe("h1")).toBe("H1");
    expect(parseBrokerTimeframe("1h")).toBe("H1");
    expect(parseBrokerTimeframe("4H")).toBe("H4");
    expect(parseBrokerTimeframe("15m")).toBe("M15");
    expect(parseBrokerTimeframe("1m")).toBe("M1");
    expect(parseBrokerTimeframe("1d")).toBe("D1");
    expect(parseBrokerTimeframe("1mn")).toBe("MN1");
  });

  it("parseBrokerTimeframe refuses 1M, which means a minute or a month", () => {
    expect(parseBrokerTimeframe("1M")).toBeNull();
  });

  it("parseBrokerTimeframe refuses the current period, unknown numbers and other types", () => {
    for (const value of [
      0,
      "0",
      -60,
      60.5,
      7,
      16389,
      "60.0",
      "",
      "5h",
      "PERIOD_",
      null,
      undefined,
      true,
      {},
      ["H1"],
    ]) {
      expect(parseBrokerTimeframe(value), JSON.stringify(value)).toBeNull();
    }
  });
});

it("timeframes are sorted by length, not by name", () => {
  const byName = [...TIMEFRAMES].sort();
  expect(byName).not.toEqual(TIMEFRAMES);
  expect(byName.sort(compareTimeframes)).toEqual(TIMEFRAMES);
  expect(timeframeMinutes("H4")).toBe(240);
});

describe("candle boundaries", () => {
  it("H4 candles open at 00, 04, 08, 12, 16 and 20 UTC", () => {
    expect(iso(candleOpenAt(new Date("2026-03-08T07:59:59.999Z"), "H4"))).toBe("2026-03-08T04:00:00.000Z");
    expect(iso(candleOpenAt(new Date("2026-03-08T08:00:00Z"), "H4"))).toBe("2026-03-08T08:00:00.000Z");
  });

  it("weeks open on Sunday 00:00 UTC", () => {
    expect(iso(candleOpenAt(new Date("2026-11-21T23:59:59Z"), "W1"))).toBe("2026-11-15T00:00:00.000Z");
    expect(iso(candleOpenAt(new Date("2026-11-22T00:00:00Z"), "W1"))).toBe("2026-11-22T00:00:00.000Z");
    expect(iso(candleOpenAt(new Date("1970-01-01T00:00:00Z"), "W1"))).toBe("1969-12-28T00:00:00.000Z");
  });

  it("a month closes when the next UTC month begins, leap years included", () => {
    expect(iso(candleCloseAt(new Date("2024-02-01T00:00:00Z"), "MN1"))).toBe("2024-03-01T00:00:00.000Z");
    expect(iso(candleCloseAt(new Date("2026-12-01T00:00:00Z"), "MN1"))).toBe("2027-01-01T00:00:00.000Z");
    expect(iso(candleOpenAt(new Date("2024-02-29T23:59:59Z"), "MN1"))).toBe("2024-02-01T00:00:00.000Z");
  });

  it("an instant belongs to the candle that opens at or before it and closes after it", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("1970-01-01"), max: new Date("2100-12-31"), noInvalidDate: true }),
        fc.constantFrom(...TIMEFRAMES),
        (at, timeframe) => {
          const open = candleOpenAt(at, timeframe);
          const close = candleCloseAt(open, timeframe);
          expect(open.getTime()).toBeLessThanOrEqual(at.getTime());
          expect(close.getTime()).toBeGreaterThan(at.getTime());
          expect(candleOpenAt(close, timeframe)).toEqual(close);
        },
      ),
    );
  });
});
