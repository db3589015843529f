import { db } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import { readGauges } from "@/lib/health/read-gauges";
import type { GaugeReading } from "@/lib/runtime/prometheus";
import { withDeadline } from "@/lib/runtime/unavailable";
import { leads } from "./";

/** Supervisors wait a second or more. */
const DEADLINE_MS = 700;

export interface ProbeAnswer {
  status: 200 | 503;
  body: object;
}

/** What the worker's port answers to a supervisor at this path; null: there is nothing at it. */
export async function answerProbe(path: string): Promise<ProbeAnswer | null> {
  if (path === "/api/health/live") return { status: 200, body: { live: true } };
  if (path !== "/api/health/ready") return null;
  const isThere = await withDeadline(readClock(db()), DEADLINE_MS).then(
    () => true,
    () => false,
  );
  // A worker that waits for its turn is as ready as one that leads.
  return isThere
    ? { status: 200, body: { ready: true, reason: null, leads: leads() } }
    : { status: 503, body: { ready: false, reason: "database_unavailable", leads: leads() } };
}

/** The worker's figures for Prometheus. */
export async function readWorkerGauges(): Promise<GaugeReading[]> {
  const help = "Whether this worker runs the jobs, 1; 0: it waits for its turn.";
  return [...(await readGauges()), { name: "worker_leads", help, values: [{ value: Number(leads()) }] }];
}
