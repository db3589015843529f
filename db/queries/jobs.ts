import { and, eq, isNotNull, sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { jobRuns } from "@/db/schema";

/** Records a finished run of a background job; `errorCode` null: it succeeded. */
export async function recordJobRun(
  handle: DatabaseHandle,
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

/** Records a successful run of a job, but only if its last recorded run failed. */
export async function recordJobRecovery(
  handle: DatabaseHandle,
  run: { job: string; startedAt: Date },
): Promise<void> {
  await handle
    .update(jobRuns)
    .set({
      lastStartedAt: run.startedAt,
      lastFinishedAt: sql`now()`,
      lastErrorCode: null,
      nRuns: sql`${jobRuns.nRuns} + 1`,
    })
    .where(and(eq(jobRuns.job, run.job), isNotNull(jobRuns.lastErrorCode)));
}

/** Every job with a recorded run, and its last recorded run. Most successful runs of quiet jobs are not recorded. */
export async function listLastJobRuns(handle: DatabaseHandle) {
  return handle.select().from(jobRuns).orderBy(jobRuns.job);
}

/** Notifies the worker to run a job now; within a transaction the notification is sent at commit. */
export async function wakeJob(handle: DatabaseHandle, job: "signals" | "sums"): Promise<void> {
  await handle.execute(sql`select pg_notify('worker', ${job})`);
}
