import { workerDb } from "@/db/client";
import { readClock } from "@/db/queries/instants";
import { deleteOldSignIns } from "@/db/queries/sessions";
import { recordProbe } from "@/lib/health/record-probe";
import { deliverDueMail } from "@/lib/mail/deliver-mail";
import { queueEaOfflineMails } from "@/lib/mail/ea-offline";
import { queueExpiryReminders } from "@/lib/mail/expiry-reminders";
import { wipeOldSecrets } from "@/lib/mail/outbox";
import { advanceDemoMarket } from "@/lib/models/demo/advance-demo-market";
import { measureFeatures } from "@/lib/models/measure-features";
import { env } from "@/lib/runtime/env";
import { resolveDueOutcomes } from "@/lib/signals/outcomes/resolve-due-outcomes";
import { deleteOldFetchesInBatches } from "@/lib/subscribers/delete-old-fetches";
import { HOUR_MS, MINUTE_MS } from "@/lib/time";
import { runEngineTask } from "./run-engine-task";

export interface JobTurn {
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
    run: async ({ signal }) => {
      if (env().marketFeed === "demo")
        await advanceDemoMarket(workerDb(), await readClock(workerDb()), signal);
    },
  },
  {
    name: "signals",
    everyMs: 1_000,
    quiet: true,
    run: ({ signal }) => runEngineTask("signals", signal),
  },
  {
    name: "training",
    everyMs: MINUTE_MS,
    quiet: true,
    run: ({ signal }) => runEngineTask("training", signal),
  },
  {
    name: "outcomes",
    everyMs: 2_000,
    quiet: true,
    run: ({ signal }) => resolveDueOutcomes(workerDb(), signal),
  },
  { name: "features", everyMs: 5 * MINUTE_MS, run: () => measureFeatures(workerDb()) },
  {
    name: "mail",
    everyMs: 1_000,
    quiet: true,
    run: async ({ signal }) => {
      await deliverDueMail(workerDb(), signal);
    },
  },
  {
    name: "reminders",
    everyMs: MINUTE_MS,
    run: async () => {
      const now = await readClock(workerDb());
      await queueExpiryReminders(workerDb(), now);
      await queueEaOfflineMails(workerDb(), now);
      await wipeOldSecrets(workerDb(), now);
    },
  },
  {
    name: "fetch-cleanup",
    everyMs: HOUR_MS,
    run: async ({ signal }) => deleteOldFetchesInBatches(workerDb(), await readClock(workerDb()), signal),
  },
  { name: "sign-in-cleanup", everyMs: HOUR_MS, run: () => deleteOldSignIns(workerDb()) },
  { name: "probe", everyMs: 10_000, run: async () => recordProbe(workerDb(), await readClock(workerDb())) },
];
