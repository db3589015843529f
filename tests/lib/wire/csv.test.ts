import { describe, expect, it } from "vitest";
import { thinCurve } from "@/lib/engine/chart/thin-curve";
import { csvRecord } from "@/lib/wire/csv";

describe("a CSV record", () => {
  it("quotes what RFC 4180 wants quoted and ends with CRLF", () => {
    expect(csvRecord([{ text: 'a "b", c' }, { text: "two\nlines" }, { text: "plain" }, { text: null }])).toBe(
      '"a ""b"", c","two\nlines",plain,\r\n',
    );
  });

  it.each(["=1+1", "+1", "-1", "@x", "\tx", "\rx", "\0x"])(
    "guards text that begins as a formula does: %j",
    (text) => {
      expect(csvRecord([{ text }]).replaceAll('"', "").startsWith("'")).toBe(true);
    },
  );

  it("leaves figures and instants as they are", () => {
    expect(
      csvRecord([{ number: "-4.50" }, { number: -1 }, { at: new Date("2026-11-21T08:00:00.123Z") }]),
    ).toBe("-4.50,-1,2026-11-21T08:00:00Z\r\n");
  });
});

describe("a thinned curve", () => {
  const points = Array.from({ length: 5_000 }, (_, index) => ({
    at: new Date(index * 60_000),
    value: Math.sin(index / 170) * 100 + ((index * 7919) % 97),
  }));
  const drawdown = (values: number[]) => {
    let peak = 0;
    let deepest = 0;
    for (const value of values) {
      peak = Math.max(peak, value);
      deepest = Math.max(deepest, peak - value);
    }
    return deepest;
  };

  it("keeps its end, its order and its deepest drawdown", () => {
    const thin = thinCurve(points);
    expect(thin.length).toBeLessThanOrEqual(240);
    expect(thin.at(-1)).toEqual(points.at(-1));
    expect(thin.map((point) => point.at.getTime())).toEqual(
      thin.map((point) => point.at.getTime()).toSorted((a, b) => a - b),
    );
    expect(drawdown(thin.map((point) => point.value))).toBe(drawdown(points.map((point) => point.value)));
  });

  it("that is short enough is left alone", () => {
    expect(thinCurve(points.slice(0, 200))).toEqual(points.slice(0, 200));
    expect(thinCurve([])).toEqual([]);
  });
});
