import { listSlotFiles, readSlotFile } from "@/lib/commands/engine/slot-files";
import { timeframeMinutes } from "@/lib/market/timeframes";
import type { Suite } from "@/tests/support/run-named";
import { runBaselineWalks } from "./baseline-walks";
import { runClockNull } from "./clock-null";
import { runDriftFigures } from "./drift-figures";
import { runNullRecords } from "./null-record";
import { runNullWalks } from "./null-walks";
import { runPooledPromotions } from "./pooled-promotions";
import { printRangeCoverage } from "./range-coverage";
import { runRecordPower } from "./record-power";

const WALKS = 200;

/** A study that prints line by line, wrapped as a suite. */
const study =
  (run: (n: number, print: (line: string) => void) => unknown): Suite =>
  async ({ samples }) => {
    const lines: string[] = [];
    run(samples ?? WALKS, (line) => lines.push(line));
    return lines;
  };

/** Coverage of the expected ranges on the candle files in CANDLES_DIR, by slot and year. */
const ranges: Suite = async () => {
  const directory = process.env.CANDLES_DIR;
  if (directory === undefined) throw new Error("set CANDLES_DIR to a folder of candle files");
  const lines: string[] = [];
  for (const file of listSlotFiles(directory))
    printRangeCoverage(
      `${file.symbol}/${file.timeframe}`,
      await readSlotFile(file),
      timeframeMinutes(file.timeframe),
      (line) => lines.push(line),
    );
  return lines;
};

/**
 * Studies of the engine on simulated walks, most of them without an edge, and on candle files, by name. `--samples`
 * sets the number of walks or runs, except for `ranges`.
 */
export const studies: Readonly<Record<string, Suite>> = {
  /** Share of walks, with and without an edge, on which the baseline ever gives a direction in three years. */
  baseline: study(runBaselineWalks),
  /** Share of driftless walks on which a trained model ever gives a direction in three years. */
  null: study(runNullWalks),
  /** Share of driftless walks on which the public record claims skill on any day of a year. */
  "null-record": study(runNullRecords),
  /** How often and when the public record proves edges of several sizes within a year. */
  "record-power": study(runRecordPower),
  /** Cost of the clock calibration on walks whose hours the forecasts know. */
  clock: study(runClockNull),
  /** False drift alarms, and share of champions that turned bad and are demoted within 12 weeks. */
  drift: study(runDriftFigures),
  /** False promotions of a recipe without skill by shared evidence, and time to promotion of one with skill. */
  promotions: study(runPooledPromotions),
  ranges,
};
