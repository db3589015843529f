import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { jobRuns } from "@/db/schema";

/** Records the result of a job's run. */
export async function recordJobRun(
  handle: Handle,
  run: { job: string; startedAt: Date; errorCode: string | null },
): Promise<void> {
  const failed = run.errorCode === null ? 0 : 1;
  const written = { lastStartedAt: run.startedAt, lastFinishedAt: sql`now()`, lastErrorCode: run.errorCode };
  await handle
    .insert(jobRuns)
    .values({ job: run.job, ...written, nRuns: 1, nErrors: failed })
    .onConflictDoUpdate({
      target: jobRuns.job,
      set: { ...written, nRuns: sql`${jobRuns.nRuns} + 1`, nErrors: sql`${jobRuns.nErrors} + ${failed}` },
    });
}

/** Every job with its last run. */
export async function listJobRuns(handle: Handle) {
  return handle.select().from(jobRuns).orderBy(jobRuns.job);
}

/** Wakes a job of the worker; in a transaction, at commit. */
export async function wakeJob(handle: Handle, job: "signals" | "sums"): Promise<void> {
  await handle.execute(sql`select pg_notify('worker', ${job})`);
}
