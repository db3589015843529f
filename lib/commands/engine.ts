/**
 * `npm run engine -- train|backtest|tick [--data DIR] [--slot EURUSD/H1] [--out DIR] [--json]`
 *
 * backtest prints the walk-forward of every slot. train trains a model for each slot: with --data it writes a file for
 * each slot with a trained model, else it registers the models in the service's database. tick records due signals and
 * forecast ranges. Candles come from DIR (`{SYMBOL}_{TIMEFRAME}.csv[.gz]`), from CANDLES_DIR for backtest, else from
 * the database.
 */
import { workerDb } from "@/db/client";
import { readCandles } from "@/db/queries/candles";
import { listTrainingStates } from "@/db/queries/trainings";
import { defaultCostRule } from "@/lib/engine/costs";
import type { WeeklyBrierGains } from "@/lib/engine/pooled-evidence";
import { MIN_TRAINING_CANDLES } from "@/lib/engine/train";
import { WALK_FORWARD_SETTINGS } from "@/lib/engine/walk-forward";
import { assignBaselineToSlots } from "@/lib/models/producer/assign-baseline-to-slots";
import { produceDueSignals } from "@/lib/models/producer/produce-due-signals";
import { recordDueForecastRanges } from "@/lib/models/producer/record-due-ranges";
import { trainSlotModel } from "@/lib/models/training/train-slot-model";
import { isTrainable } from "@/lib/settings/training-plan";
import { exitWithUsage, printFailure, readCommandLine } from "./command-line";
import { Progress } from "./engine/progress";
import { figuresOfReport, runSlotWalkForward, type SlotSource, slotName } from "./engine/run-slot";
import { listSlotFiles, readSlotFile } from "./engine/slot-files";
import { SlotPools } from "./engine/slot-pools";
import { textReport } from "./engine/text-report";
import { withDatabase } from "./with-database";

const ACTIONS = ["train", "backtest", "tick"] as const;
type FileAction = "train" | "backtest";
const USAGE = "npm run engine -- train|backtest|tick [--data DIR] [--slot SYMBOL/TF] [--out DIR] [--json]";

const { positionals, values } = readCommandLine(USAGE, {
  allowPositionals: true,
  options: {
    data: { type: "string" },
    slot: { type: "string" },
    out: { type: "string" },
    json: { type: "boolean" },
  },
});
const action = ACTIONS.find((name) => name === positionals[0]);
if (action === undefined || positionals.length > 1) exitWithUsage(USAGE);
const wanted = values.slot?.toUpperCase();
const isWanted = (slot: { symbol: string; timeframe: string }) =>
  wanted === undefined || slotName(slot) === wanted;

// CANDLES_DIR belongs to this machine and not to the service, so `env()` does not parse it.
const directory = values.data ?? (action === "train" ? undefined : process.env.CANDLES_DIR);
if (action === "tick") {
  await withDatabase(async () => {
    await assignBaselineToSlots(workerDb(), { seenForSeconds: 0 });
    const never = new AbortController().signal;
    const recorded = await produceDueSignals(workerDb(), never);
    await recordDueForecastRanges(workerDb(), never);
    process.stdout.write(`${recorded} signals recorded\n`);
  });
} else if (directory !== undefined) {
  await runFiles(action, directory).catch(printFailure);
} else if (action === "train") {
  await withDatabase(trainStored);
} else {
  await withDatabase(async () => runAll("backtest", await storedSlots()));
}

async function runFiles(name: FileAction, from: string): Promise<void> {
  const files = listSlotFiles(from);
  await runAll(
    name,
    files.map((file) => ({ ...file, cost: defaultCostRule(file.symbol), load: () => readSlotFile(file) })),
  );
}

async function runAll(name: FileAction, all: SlotSource[]): Promise<void> {
  const slots = all.filter(isWanted);
  insistOn(slots);
  const pools = new SlotPools(all);
  const progress = new Progress(slots.length * WALK_FORWARD_SETTINGS.folds);
  const evidence = new Map<string, WeeklyBrierGains[]>(slots.map(({ timeframe }) => [timeframe, []]));
  for (const slot of slots) {
    const ofTimeframe = evidence.get(slot.timeframe) ?? [];
    const own = await runSlotWalkForward(slot, {
      action: name,
      pool: await pools.of(slot),
      out: values.out ?? "engine-models",
      json: values.json === true,
      slots: slots.length,
      alike: { evidence: ofTimeframe, timeframes: evidence.size },
      onFold: () => progress.step(slotName(slot)),
      onTrained: () => progress.clear(),
    });
    if (own !== null) ofTimeframe.push(own);
  }
}

/** Slots of the database with enough candles. */
async function storedSlots(): Promise<SlotSource[]> {
  const states = await listTrainingStates(workerDb(), MIN_TRAINING_CANDLES);
  return states
    .filter((slot) => slot.hasCandles)
    .map((slot) => ({
      symbol: slot.symbol,
      timeframe: slot.timeframe,
      cost: { kind: slot.costKind, value: slot.costValue },
      load: () => readCandles(workerDb(), slot.slotId),
    }));
}

/** Trains and registers now, even if no training is due. */
async function trainStored(): Promise<void> {
  await assignBaselineToSlots(workerDb(), { seenForSeconds: 0 });
  const trainable = (await listTrainingStates(workerDb(), MIN_TRAINING_CANDLES)).filter(isTrainable);
  const slots = trainable.filter(isWanted);
  insistOn(slots);
  const progress = new Progress(slots.length * WALK_FORWARD_SETTINGS.folds);
  for (const slot of slots) {
    const training = await trainSlotModel(workerDb(), slot, trainable, {
      onFold: () => progress.step(slotName(slot)),
    });
    progress.clear();
    const cost = { kind: slot.costKind, value: slot.costValue };
    const { shown, ...about } = figuresOfReport(training, training.candles, cost);
    process.stdout.write(`${textReport(slotName(slot), shown, training.decision, about)}\n`);
    if (!training.isRecorded) process.stdout.write("  not recorded: the champion changed meanwhile\n");
  }
}

function insistOn(slots: readonly unknown[]): void {
  if (slots.length > 0) return;
  throw new Error(
    `no slot${wanted === undefined ? "" : ` ${wanted}`} with ${MIN_TRAINING_CANDLES} candles for training`,
  );
}
