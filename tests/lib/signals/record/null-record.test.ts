import { describe, expect, it } from "vitest";
import { evidenceNeeded, evidenceOf } from "@/lib/signals/record/figures";
import { runNullRecords } from "@/tests/research/null-record";

describe("the sentence on top of the record", () => {
  // All two hundred: npm run research -- null-record --samples 200
  it("claims no skill on walks without an edge, looked at every day of a year", () => {
    const lines: string[] = [];
    expect(
      runNullRecords(12, (line) => lines.push(line)),
      lines.join("\n"),
    ).toBe(0);
  }, 120_000);

  it("claims it of a slot whose days gain more often than they lose", () => {
    const days = Float64Array.from({ length: 400 }, (_, i) => 20_000 + i);
    const gains = days.map((_, i) => (i % 5 < 3 ? 0.4 : -0.4));
    expect(evidenceOf(days, gains, "H1")).toBeLessThan(evidenceNeeded(1));
    expect(
      evidenceOf(
        days,
        days.map((_, i) => (i % 5 < 4 ? 0.4 : -0.4)),
        "H1",
      ),
    ).toBeGreaterThan(evidenceNeeded(15));
  });

  it("asks for more the more slots there are", () => {
    expect([1, 4, 15].map(evidenceNeeded)).toEqual([40, 160, 600]);
  });
});
