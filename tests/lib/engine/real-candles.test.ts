import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { Evaluation } from "@/lib/engine/evaluation";

const directory = process.env.CANDLES_DIR;
if (!directory) console.info("real candles: skipped, CANDLES_DIR names no directory of candle files");

interface Line {
  slot: string;
  candles: number;
  champion: string;
  evaluations: Evaluation[];
}

/** The engine command as a separate process. */
async function backtest(slot: string): Promise<{ line: Line; elapsedS: number }> {
  const startedMs = performance.now();
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      "--import",
      "tsx",
      "lib/commands/engine.ts",
      "backtest",
      "--json",
      "--slot",
      slot,
      "--data",
      directory ?? "",
    ],
    { cwd: fileURLToPath(new URL("../../..", import.meta.url)), maxBuffer: 2 ** 24 },
  );
  return { line: JSON.parse(stdout), elapsedS: (performance.now() - startedMs) / 1000 };
}

/** Skill of an independent implementation, in percent, by slot. */
const REFERENCE_SKILL: Record<string, number> = {
  "EURUSD/H1": 13,
  "XAUUSD/H1": 8,
  "BTCUSDT/H1": 3,
  "XAUUSD/H4": 0,
};

describe.skipIf(!directory)("on real candles", () => {
  for (const [slot, reference] of Object.entries(REFERENCE_SKILL)) {
    it(`${slot}: movement forecasts have at least the reference's skill, and the AUC of directions is below 0.6`, async () => {
      const { line, elapsedS } = await backtest(slot);
      const blend = line.evaluations.find((evaluation) => evaluation.recipe === "blend")!;
      const eceLimit = Math.max(slot.endsWith("H1") ? 0.02 : 0.03, blend.eceNoise);
      console.info(
        `${slot}: skill ${blend.skillPct.toFixed(2)} %, ECE ${blend.calibration.ece!.toFixed(4)}, ` +
          `AUC direction ${blend.aucDirection!.auc.toFixed(3)}, ${elapsedS.toFixed(0)} s`,
      );
      expect(blend.skillPct).toBeGreaterThanOrEqual(reference);
      expect(blend.calibration.ece!).toBeLessThanOrEqual(eceLimit);
      for (const { skillTest, aucDirection } of line.evaluations) {
        expect(skillTest!.t, "nothing is significantly worse than the class frequencies").toBeGreaterThan(
          -1.645,
        );
        // A higher direction skill would indicate a leak.
        expect(aucDirection!.auc).toBeLessThan(0.6);
      }
    }, 300_000);
  }
});
