import { setTimeout as pause } from "node:timers/promises";
import postgres from "postgres";
import { LOCKS } from "@/db/advisory-locks";
import { abandonWorkerDb, connectionOptions, directDatabaseUrl, workerDb } from "@/db/client";
import { recordJobRun } from "@/db/queries/jobs";
import { errorFacts, log } from "@/lib/runtime/log";
import { processWide } from "@/lib/runtime/process-wide";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { isDatabaseUnavailable, withDeadline } from "@/lib/runtime/unavailable";
import { JOBS, type Job } from "./jobs";

const RETRY_MS = 2_000;
const STOP_GRACE_MS = 10_000;
/** Longest wait for the connection that holds the lead. */
const LEAD_DEADLINE_MS = 5_000;
/** Within this a job that is cut off from the database has recorded that, or never will. */
const JOBS_END_MS = 5_000;
/**
 * With these settings the database drops the lock of a vanished machine after 25 s; without them it takes hours.
 */
const KEEPALIVES = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 };

const state = () => processWide("worker", () => ({ leads: false }));

/** Whether this process runs the jobs now; another worker may. */
export const leads = (): boolean => state().leads;

/**
 * Runs the background jobs in this process while no other process does. Any number of workers may be started; one works
 * at a time, and another takes over within seconds of its end. Returns the function that stops it.
 */
export function startWorker(): () => Promise<void> {
  const abort = new AbortController();
  const finished = lead(abort.signal);
  return async () => {
    abort.abort();
    const grace = new AbortController();
    await Promise.race([
      finished,
      pause(STOP_GRACE_MS, undefined, { signal: grace.signal }).catch(() => undefined),
    ]);
    grace.abort();
  };
}

async function lead(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await leadOverConnection(signal);
    } catch (error) {
      if (!isDatabaseUnavailable(error))
        log("error", "the worker lost its lead", { error: errorFacts(error) });
    }
    await sleep(RETRY_MS, signal);
  }
}

async function leadOverConnection(signal: AbortSignal): Promise<void> {
  const options = connectionOptions(1);
  const connection = postgres(directDatabaseUrl(), {
    ...options,
    connection: { ...options.connection, ...KEEPALIVES },
    idle_timeout: 0,
    max_lifetime: null,
  });
  try {
    await workWhileLeading(connection, signal);
  } finally {
    state().leads = false;
    await connection.end({ timeout: 1 }).catch(() => undefined);
  }
}

async function workWhileLeading(connection: postgres.Sql, signal: AbortSignal): Promise<void> {
  // Held by the one worker that runs; released by the database when its process dies.
  const asked = connection<{ leads: boolean }[]>`select pg_try_advisory_lock(${LOCKS.worker}) as leads`;
  const [row] = await withDeadline(asked, LEAD_DEADLINE_MS);
  if (!row?.leads) return;
  log("info", "the worker leads");
  state().leads = true;
  const term = new AbortController();
  const end = () => term.abort();
  signal.addEventListener("abort", end, { once: true });
  const wake = new Wake(term.signal);
  await withDeadline(
    connection.listen("worker", (job) => wake.call(job)),
    LEAD_DEADLINE_MS,
  );
  // What a subscriber may see is judged by the plans as they are.
  await settingsCache().get();
  const jobs = JOBS.map((job) => loop(job, wake, term.signal));
  try {
    while (!term.signal.aborted) {
      await sleep(RETRY_MS, term.signal);
      // The lock lives with the connection: when this fails another worker may lead already.
      await withDeadline(connection`select 1`, LEAD_DEADLINE_MS);
    }
  } catch (error) {
    // Jobs may wait for ever for a lost database, and must not write while another worker leads.
    term.abort();
    await endJobs(jobs);
    throw error;
  } finally {
    term.abort();
    signal.removeEventListener("abort", end);
    await Promise.allSettled(jobs);
  }
}

/**
 * Ends whatever jobs wait for. What they do after that, such as recording their failure, goes over new connections, which
 * may fall silent as well; and the next term begins without any of those.
 */
async function endJobs(jobs: Promise<void>[]): Promise<void> {
  const ended = Promise.allSettled(jobs).then(() => true);
  for (let haveEnded = false; !haveEnded; ) {
    await abandonWorkerDb();
    haveEnded = await Promise.race([ended, pause(JOBS_END_MS, false, { ref: false })]);
  }
  await abandonWorkerDb();
}

/** Starts a job before its interval is over when a notification names it. */
class Wake {
  readonly #waiting = new Map<string, () => void>();
  /** Jobs that were called while they ran: what called them may have come too late for that run. */
  readonly #called = new Set<string>();

  /** One listener for the waits of all jobs, and none for each of them. */
  constructor(readonly signal: AbortSignal) {
    signal.addEventListener("abort", () => {
      for (const end of this.#waiting.values()) end();
    });
  }

  call(job: string): void {
    const start = this.#waiting.get(job);
    if (start === undefined) this.#called.add(job);
    else start();
  }

  /** Resolves after `ms`, when the job is called, or when the signal aborts. */
  async wait(job: string, ms: number): Promise<void> {
    if (this.#called.delete(job) || this.signal.aborted) return;
    const over = new AbortController();
    this.#waiting.set(job, () => over.abort());
    await sleep(ms, over.signal);
    this.#waiting.delete(job);
  }
}

async function loop(job: Job, wake: Wake, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await run(job, signal);
    await wake.wait(job.name, job.everyMs);
  }
}

/**
 * One run. A failure is recorded, and the job runs again at its next turn: every job reads from the database what is
 * left to do.
 */
async function run(job: Job, signal: AbortSignal): Promise<void> {
  const startedAt = new Date();
  let errorCode: string | null = null;
  try {
    await job.run({ signal });
  } catch (error) {
    errorCode = isDatabaseUnavailable(error) ? "database_unavailable" : errorFacts(error).name;
    log("warn", "a job failed", { job: job.name, error: errorFacts(error) });
  }
  if (job.quiet && errorCode === null) return;
  await recordJobRun(workerDb(), { job: job.name, startedAt, errorCode }).catch(() => undefined);
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => undefined);
}
