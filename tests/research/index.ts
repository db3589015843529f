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

const WALKS = 200;

/** A study that prints line by line, as a suite. */
const study =
  (run: (n: number, print: (line: string) => void) => unknown): Suite =>
  async ({ samples }) => {
    const lines: string[] = [];
    run(samples ?? WALKS, (line) => lines.push(line));
    return lines;
  };

/** How often the ranges of the candle files in CANDLES_DIR held, by slot and year. */
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

/** Studies of the engine under the null and on candle files, by name. `--samples` sets the number of walks. */
export const studies: Readonly<Record<string, Suite>> = {
  /** On how many walks, with an edge and without, the baseline ever gives a direction in three years. */
  baseline: study(runBaselineWalks),
  /** On how many walks without an edge a trained model ever gives a direction in three years. */
  null: study(runNullWalks),
  /** On how many walks without an edge the public record claims skill on any day of a year. */
  "null-record": study(runNullRecords),
  /** What the calibration's clock costs on walks whose hours the forecasts know. */
  clock: study(runClockNull),
  /** How often good forecasts are called drifting, and how soon a champion that turned bad is demoted. */
  drift: study(runDriftFigures),
  /** How often a recipe without merit is promoted by evidence that slots share, and how soon one with merit. */
  promotions: study(runPooledPromotions),
  ranges,
};
