import { describe, expect, it } from "vitest";
import {
  evidenceNeeded,
  evidenceOf,
  headlineOf,
  OVERALL_EVIDENCE_NEEDED,
  overallEvidence,
} from "@/lib/signals/record/figures";
import { runNullRecords } from "@/tests/research/null-record";

describe("the headline of the record", () => {
  // All two hundred: npm run research -- null-record --samples 200
  it("the headline claims no skill on driftless walks, checked every day of a year", () => {
    const lines: string[] = [];
    expect(
      runNullRecords(12, (line) => lines.push(line)),
      lines.join("\n"),
    ).toBe(0);
  }, 120_000);

  it("a hundred days with gains on 80 % are evidence of skill, and with gains on 60 % they are not", () => {
    const days = (n: number, wins: number) =>
      Float64Array.from({ length: n }, (_, i) => (i % 10 < wins ? 0.4 : -0.4));
    expect(evidenceOf(days(100, 6))).toBeLessThan(evidenceNeeded(1));
    expect(evidenceOf(days(100, 8))).toBeGreaterThan(evidenceNeeded(15));
  });

  it("more slots require more evidence of each", () => {
    expect([1, 4, 15].map(evidenceNeeded)).toEqual([40, 160, 600]);
  });

  it.each([1, 2, 8, 50])(
    "with %i slots, one slot that is proved alone proves all combined, and slots below the threshold do not",
    (n) => {
      const needed = evidenceNeeded(n);
      expect(overallEvidence([needed, ...new Array(n - 1).fill(0)])).toBeGreaterThanOrEqual(
        OVERALL_EVIDENCE_NEEDED,
      );
      expect(overallEvidence(new Array(n).fill(OVERALL_EVIDENCE_NEEDED - 1))).toBeLessThan(
        OVERALL_EVIDENCE_NEEDED,
      );
    },
  );

  it("twenty slots of equal evidence have together the evidence of one of them", () => {
    expect(overallEvidence(new Array(20).fill(7.25))).toBe(7.25);
  });

  it("the headline follows the combined test for all slots, not single slots", () => {
    const slot = { n: 100, nFollowed: 100, direction: { shown: false }, probability: { shown: false } };
    const overall = (shown: boolean) => ({ direction: { shown }, probability: { shown } });
    const [none, together] = [
      headlineOf([slot, slot], overall(false)),
      headlineOf([slot, slot], overall(true)),
    ];
    expect(none).toMatchObject({ n_slots: 2, n_direction: 0, n_probability: 0 });
    expect(none.text).toMatch(/not shown to be better than a coin, neither over all slots together nor/);
    expect(together.text).toMatch(/shown to pay after costs over all slots together, and on 0 of 2 alone/);
    expect(together.text).not.toMatch(/not shown/);
  });
});
