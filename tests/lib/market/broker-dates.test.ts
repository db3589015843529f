import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseBrokerDate } from "@/lib/market/broker-dates";
import { parseIsoInstant } from "@/lib/time";

/** The instant as ISO text, "not set", or "refused". */
function read(value: unknown): string {
  const date = parseBrokerDate(value);
  if (!date.ok) return "refused";
  return date.at ? date.at.toISOString() : "not set";
}

describe("ISO 8601", () => {
  it.each([
    ["2026-11-21T05:07:09Z", "2026-11-21T05:07:09.000Z"],
    ["2026-11-21T05:07:09", "2026-11-21T05:07:09.000Z"],
    ["2026-11-21 05:07:09", "2026-11-21T05:07:09.000Z"],
    ["2026-11-21 05:07", "2026-11-21T05:07:00.000Z"],
    ["2026-11-21T05:07:09+02:00", "2026-11-21T03:07:09.000Z"],
    ["2026-11-21T05:07:09+0200", "2026-11-21T03:07:09.000Z"],
    ["2026-11-21T05:07:09+02", "2026-11-21T03:07:09.000Z"],
    ["2026-11-21T05:07:09-05:30", "2026-11-21T10:37:09.000Z"],
    ["2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00.000Z"],
    ["2026-11-21T05:07:09.5Z", "2026-11-21T05:07:09.500Z"],
    ["2026-11-21T05:07:09.123999Z", "2026-11-21T05:07:09.123Z"],
    ["2026-11-21T05:07:09,25Z", "2026-11-21T05:07:09.250Z"],
    [" 2026-11-21T05:07:09Z ", "2026-11-21T05:07:09.000Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
    ["2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000Z"],
    ["2100-12-31T23:59:59Z", "2100-12-31T23:59:59.000Z"],
    ["2026-03-08T02:30:00", "2026-03-08T02:30:00.000Z"],
  ])("the ISO 8601 date %s is read as %s", (text, instant) => {
    expect(read(text)).toBe(instant);
    expect(parseIsoInstant(text)?.toISOString()).toBe(instant);
  });

  it.each([
    "2026-02-30T00:00:00Z",
    "2025-02-29T00:00:00Z",
    "2100-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-10T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-04-00T00:00:00Z",
    "2026-11-21T24:00:00Z",
    "2026-11-21T23:60:00Z",
    "2026-11-21T23:59:60Z",
    "2026-11-21T23:59:59+24:00",
    "2026-11-21T23:59:59+02:60",
    "1969-12-31T23:59:59Z",
    "2101-01-01T00:00:00Z",
    "2100-12-31T23:59:59-01:00",
    "2026-11-21",
    "2026-11-21T05",
    "2026-11-21T05:07:",
    "2026-11-21T05:07.5Z",
    "2026-11-21T05:07:09 Z",
    "2026-11-21T05:07:09GMT",
    "2026-11-21  05:07:09",
    "2026-11-21T5:07:09",
    "20261121T050709Z",
    "+2026-11-21T05:07:09Z",
    "2026/11/21 05:07:09",
    "21.11.2026 05:07",
    "2026-W47-6",
    "٢٠٢٦-11-21T05:07:09Z",
    "yesterday",
  ])("the text %s is refused as a date", (text) => {
    expect(read(text)).toBe("refused");
    expect(parseIsoInstant(text)).toBeNull();
  });

  it("every instant from 1970 to 2100 survives a round trip through ISO text", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("1970-01-02"), max: new Date("2100-12-31"), noInvalidDate: true }),
        (at) => {
          expect(read(at.toISOString())).toBe(at.toISOString());
          expect(parseIsoInstant(at.toISOString())).toEqual(at);
        },
      ),
    );
  });

  it("parseBrokerDate never throws for arbitrary text, and never reads a date outside 1970 to 2100", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9T:.+Z -]{8,26}$/)), (text) => {
        const date = parseBrokerDate(text);
        if (date.ok && date.at) {
          expect(date.at.getUTCFullYear()).toBeGreaterThanOrEqual(1970);
          expect(date.at.getUTCFullYear()).toBeLessThanOrEqual(2100);
        }
      }),
    );
  });
});

describe("MetaTrader's date format", () => {
  it.each([
    ["2026.11.21 05:07:09", "2026-11-21T05:07:09.000Z"],
    ["2026.11.21 05:07", "2026-11-21T05:07:00.000Z"],
    ["2026.11.21 05:07:09.250", "2026-11-21T05:07:09.250Z"],
  ])("MetaTrader's date %s is read as %s", (text, instant) => {
    expect(read(text)).toBe(instant);
    expect(parseIsoInstant(text)).toBeNull();
  });

  it.each([
    "2026.02.30 00:00",
    "2026.11.21 24:00",
    "2026.11.21",
    "2026.11.21T05:07:09",
    "2026.11.21 05:07:09Z",
    "2026.11-21 05:07:09",
    "1969.12.31 23:59",
    "2101.01.01 00:00",
  ])("MetaTrader's date %s is refused", (text) => {
    expect(read(text)).toBe("refused");
  });
});

describe("seconds and milliseconds since 1970", () => {
  it("seconds and milliseconds since 1970 are distinguished by their size, as numbers and as text", () => {
    expect(read(1_795_237_629)).toBe("2026-11-21T05:07:09.000Z");
    expect(read("1795237629")).toBe("2026-11-21T05:07:09.000Z");
    expect(read(1_795_237_629_123)).toBe("2026-11-21T05:07:09.123Z");
    expect(read(" 1795237629123 ")).toBe("2026-11-21T05:07:09.123Z");
  });

  it("seconds and milliseconds since 1970 with a fraction are truncated to milliseconds", () => {
    expect(read(1_795_237_629.123)).toBe("2026-11-21T05:07:09.123Z");
    expect(read("1795237629.9999")).toBe("2026-11-21T05:07:09.999Z");
    expect(read(1_795_237_629_123.9)).toBe("2026-11-21T05:07:09.123Z");
  });

  it("seconds or milliseconds outside 1970 to 2100, negative or not in plain digits are refused", () => {
    expect(read(4_133_980_799)).toBe("2100-12-31T23:59:59.000Z");
    expect(read(4_133_980_800)).toBe("refused");
    expect(read(4_133_980_799_999)).toBe("2100-12-31T23:59:59.999Z");
    expect(read(4_133_980_800_000)).toBe("refused");
    for (const value of [
      -1,
      "-1",
      Number.NaN,
      Number.POSITIVE_INFINITY,
      "1e9",
      "0x10",
      "+5",
      1e300,
      "9".repeat(40),
    ]) {
      expect(read(value), String(value)).toBe("refused");
    }
  });
});

describe("an unset time", () => {
  it.each([
    [null],
    [undefined],
    [""],
    ["  "],
    [0],
    [-0],
    ["0"],
    ["0.0"],
    ["1970.01.01 00:00:00"],
    ["1970.01.01 00:00"],
    ["1970.01.01"],
    ["1970.01.01 02:00:00"],
    ["1970-01-01T00:00:00Z"],
    ["1970-01-01 00:00:00"],
    ["1970-01-01T00:00:00+02:00"],
    [7200],
  ])("the broker date %j is read as not set", (value) => {
    expect(read(value)).toBe("not set");
  });

  it("the broker date 2 January 1970, 00:00, is read as a time, not as unset", () => {
    expect(read("1970.01.02 00:00")).toBe("1970-01-02T00:00:00.000Z");
    expect(read(86_400)).toBe("1970-01-02T00:00:00.000Z");
  });

  it("parseIsoInstant reads the epoch as a date, and returns null for empty text", () => {
    expect(parseIsoInstant("1970-01-01T00:00:00Z")).toEqual(new Date(0));
    expect(parseIsoInstant("")).toBeNull();
  });
});

it("a broker date of another type, or of a day that does not exist, is refused with a reason", () => {
  for (const value of [true, false, {}, [], [0], new Date()]) {
    expect(parseBrokerDate(value)).toEqual({ ok: false, reason: expect.stringContaining("ISO 8601") });
  }
  expect(parseBrokerDate("2026.02.30 00:00")).toEqual({
    ok: false,
    reason: expect.stringContaining("exists"),
  });
});
