import { describe, expect, it } from "vitest";
import { runDriftFigures } from "@/tests/research/drift-figures";

describe("research -- drift", () => {
  it("the drift study prints the shares of false alarms and of demoted champions, each with its n and interval", () => {
    const lines: string[] = [];
    runDriftFigures(4, (line) => lines.push(line));
    expect(lines.map((line) => line.split(":")[0])).toEqual([
      "D1",
      "H4",
      "H1",
      "H4",
      "features on clustered walks, 20000 training candles without a change",
      "features on two-speed walks, 20000 training candles without a change",
      "champions whose hourly skill turns into equal harm",
    ]);
    for (const line of lines) expect(line).toMatch(/\d+ of \d+ \(\d+\.\d %, 95 %: \d+\.\d to \d+\.\d\)/);
    // 39 features on twelve later windows of one walk.
    expect(lines[4]).toContain(" of 468 ");
    expect(lines[6]).toContain("4 of 4");
  }, 60_000);
});
