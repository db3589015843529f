import { workerDb } from "@/db/client";
import { advanceDemoMarket } from "../demo/advance-demo-market";
import { env } from "../env";
import { recordProbe } from "../health/record-probe";
import { produceDueSignals } from "../producer/produce-due-signals";

export interface JobTurn {
  now: Date;
  /** Aborted when the worker stops: long runs end at the next safe point. */
  signal: AbortSignal;
}

export interface Job {
  /** Also the payload of `NOTIFY worker` that starts it at once. */
  name: string;
  /** Pause after a run before the next one. */
  everyMs: number;
  /** Runs often and needs no record unless it fails. */
  quiet?: boolean;
  run(turn: JobTurn): Promise<void>;
}

/** Everything that happens without a request. Each job is safe to run twice and to be killed at any point. */
export const JOBS: readonly Job[] = [
  {
    name: "demo-market",
    everyMs: 5_000,
    quiet: true,
    run: async ({ now, signal }) => {
      if (env().marketFeed === "demo") await advanceDemoMarket(workerDb(), now, signal);
    },
  },
  {
    name: "signals",
    everyMs: 1_000,
    quiet: true,
    run: ({ signal }) => produceDueSignals(workerDb(), signal),
  },
  { name: "probe", everyMs: 10_000, run: ({ now }) => recordProbe(workerDb(), now) },
];
