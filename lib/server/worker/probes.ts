import { db } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import { readGauges } from "@/lib/health/read-gauges";
import type { GaugeReading } from "@/lib/runtime/prometheus";
import { withDeadline } from "@/lib/runtime/unavailable";
import { isLeader } from "./";

/** Shorter than the timeout of supervisors, which is a second or more. */
const DEADLINE_MS = 700;

export interface ProbeAnswer {
  status: 200 | 503;
  body: object;
}

/** The worker's answer to a supervisor's probe; null: unknown path. */
export async function answerProbe(path: string): Promise<ProbeAnswer | null> {
  if (path === "/api/health/live") return { status: 200, body: { live: true } };
  if (path !== "/api/health/ready") return null;
  const isThere = await withDeadline(readClock(db()), DEADLINE_MS).then(
    () => true,
    () => false,
  );
  // A worker that waits for the leader's lock is ready, too.
  return isThere
    ? { status: 200, body: { ready: true, reason: null, leads: isLeader() } }
    : { status: 503, body: { ready: false, reason: "database_unavailable", leads: isLeader() } };
}

/** The worker's gauges for Prometheus. */
export async function readWorkerGauges(): Promise<GaugeReading[]> {
  const help = "Whether this worker runs the jobs, 1; 0: it waits for the leader's lock.";
  return [...(await readGauges()), { name: "worker_leads", help, values: [{ value: Number(isLeader()) }] }];
}
