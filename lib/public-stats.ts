import type { z } from "zod";
import { db } from "@/db/client";
import { listChampions } from "@/db/queries/models";
import { countSignalsBySlot } from "@/db/queries/signal-windows";
import { type Tagged, tagged } from "./api/conditional";
import { PublicStats } from "./api/contracts/public-stats";
import { readUptimePct } from "./health/uptime-pct";
import { windowCache } from "./window-cache";

const DAY_MS = 86_400_000;
/** Anyone may ask, as often as they like: the database is asked at most once in this time. */
const SHARED_FOR_MS = 5_000;

/** The figures of the landing page and the body of `/api/public/stats`. */
export function getPublicStatsBody(now: Date): Promise<Tagged> {
  return windowCache<Tagged>("public-stats", 1).get("all", 0, now, async () => ({
    value: tagged(PublicStats, await readPublicStats(now)),
    validUntil: new Date(now.getTime() + SHARED_FOR_MS),
  }));
}

/** Counts over everything that the service does; no client's own data. */
export async function readPublicStats(now: Date): Promise<z.output<typeof PublicStats>> {
  const [champions, counts, uptimePct] = await Promise.all([
    listChampions(db()),
    countSignalsBySlot(db(), new Date(now.getTime() - DAY_MS)),
    readUptimePct(now),
  ]);
  const directional = counts.filter((count) => count.signal !== "NO_TRADE");
  return {
    active_models: champions.length,
    total_signals_24h: sum(counts),
    directional_signals_24h: sum(directional),
    monitored_pairs: new Set(champions.map((champion) => champion.symbol)).size,
    uptime_pct_30d: uptimePct,
  };
}

function sum(counts: { n: number }[]): number {
  return counts.reduce((total, { n }) => total + n, 0);
}
