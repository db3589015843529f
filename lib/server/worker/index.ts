import { setTimeout as pause } from "node:timers/promises";
import postgres from "postgres";
import { ADVISORY_LOCKS } from "@/db/advisory-locks";
import { abandonWorkerDb, connectionOptions, directDatabaseUrl, workerDb } from "@/db/client";
import { recordJobRecovery, recordJobRun } from "@/db/queries/jobs";
import { errorFacts, log } from "@/lib/runtime/log";
import { processWide } from "@/lib/runtime/process-wide";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { isDatabaseUnavailable, withDeadline } from "@/lib/runtime/unavailable";
import { WORKER_JOBS, type WorkerJob } from "./jobs";

const RETRY_MS = 2_000;
const STOP_GRACE_MS = 10_000;
/** Longest wait for the connection that holds the leader's lock. */
const LEAD_DEADLINE_MS = 5_000;
/** Time that a job which lost the database has to record its failure, before its connections are closed again. */
const JOBS_END_MS = 5_000;
/** With these settings the database releases the lock of a vanished machine after 25 s; without them it takes hours. */
const KEEPALIVES = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 };

const state = () => processWide("worker", () => ({ leads: false }));

/** Whether this worker is the leader and runs the jobs. */
export const isLeader = (): boolean => state().leads;

/**
 * Runs the background jobs while this process is the leader. Any number of workers may be started; another one takes
 * over within seconds after the leader ends, or half a minute after its machine vanishes. Returns the function that
 * stops it.
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
        log("error", "the worker lost the leader's lock", { error: errorFacts(error) });
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
  // The leader's lock. The database releases it when the process dies.
  const locking = connection<
    { leads: boolean }[]
  >`select pg_try_advisory_lock(${ADVISORY_LOCKS.worker}) as leads`;
  const [row] = await withDeadline(locking, LEAD_DEADLINE_MS);
  if (!row?.leads) return;
  log("info", "the worker leads");
  state().leads = true;
  const term = new AbortController();
  const end = () => term.abort();
  signal.addEventListener("abort", end, { once: true });
  let jobs: Promise<void>[] = [];
  try {
    const wake = new Wake(term.signal);
    await withDeadline(
      connection.listen("worker", (job) => wake.call(job)),
      LEAD_DEADLINE_MS,
    );
    // Loaded first, because access of subscribers depends on the current plans.
    await settingsCache().get();
    jobs = WORKER_JOBS.map((job) => loop(job, wake, term.signal));
    while (!term.signal.aborted) {
      await sleep(RETRY_MS, term.signal);
      // The lock belongs to the connection: if this fails, another worker may already be the leader.
      await withDeadline(connection`select 1`, LEAD_DEADLINE_MS);
    }
  } catch (error) {
    // Jobs could wait forever for a lost database, and must not write while another worker leads.
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
 * Closes the jobs' connections again and again until all jobs have ended. What a job does after the first close, such as
 * recording its failure, uses new connections, which may hang as well. The next term starts without any of them.
 */
async function endJobs(jobs: Promise<void>[]): Promise<void> {
  const ended = Promise.allSettled(jobs).then(() => true);
  for (let haveEnded = false; !haveEnded; ) {
    await abandonWorkerDb();
    haveEnded = await Promise.race([ended, pause(JOBS_END_MS, false, { ref: false })]);
  }
  await abandonWorkerDb();
}

/** Starts a job before its interval has passed when a notification names it. */
class Wake {
  readonly #waiting = new Map<string, () => void>();
  /** Jobs that were notified while they ran: that run may have missed the change. */
  readonly #called = new Set<string>();

  /** One abort listener for the waits of all jobs. */
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

  /** Resolves after `ms`, when the job is notified, or when the signal aborts. */
  async wait(job: string, ms: number): Promise<void> {
    if (this.#called.delete(job) || this.signal.aborted) return;
    const over = new AbortController();
    this.#waiting.set(job, () => over.abort());
    await sleep(ms, over.signal);
    this.#waiting.delete(job);
  }
}

async function loop(job: WorkerJob, wake: Wake, signal: AbortSignal): Promise<void> {
  // The last run of an earlier process may have failed.
  let isFailed = true;
  while (!signal.aborted) {
    isFailed = await run(job, signal, isFailed);
    await wake.wait(job.name, job.everyMs);
  }
}

/**
 * Runs a job once. A failure is recorded, and the next run repeats the work: every job reads its pending work from
 * the database. Of a quiet job only failures are recorded, and the first success after one. Returns whether the last
 * recorded run may be a failure.
 */
async function run(job: WorkerJob, signal: AbortSignal, isFailed: boolean): Promise<boolean> {
  const startedAt = new Date();
  let errorCode: string | null = null;
  try {
    await job.run({ signal });
  } catch (error) {
    errorCode = isDatabaseUnavailable(error) ? "database_unavailable" : errorFacts(error).name;
    log("warn", "a job failed", { job: job.name, error: errorFacts(error) });
  }
  const isQuiet = job.quiet === true && errorCode === null;
  if (isQuiet && !isFailed) return false;
  const recorded = isQuiet
    ? recordJobRecovery(workerDb(), { job: job.name, startedAt })
    : recordJobRun(workerDb(), { job: job.name, startedAt, errorCode });
  return recorded.then(
    () => errorCode !== null,
    () => true,
  );
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => undefined);
}
