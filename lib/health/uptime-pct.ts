import { db } from "@/db/client";
import { countProbeMinutes } from "@/db/queries/probes";
import { roundFigure } from "../round";
import { windowCache } from "../window-cache";

const MINUTE_MS = 60_000;
const WINDOW_DAYS = 30;

/**
 * Share of the minutes since the first probe (at most 30 days, the running minute left out) in which the service was
 * not down, in percent. A minute without a probe counts as down; before any minute was observed it is 100.
 */
export function readUptimePct(now: Date): Promise<number> {
  const until = new Date(Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS);
  return windowCache<number>("uptime", 2).get("30d", until.getTime(), now, async () => {
    const from = new Date(until.getTime() - WINDOW_DAYS * 86_400_000);
    const { observed, up } = await countProbeMinutes(db(), from, until);
    return {
      value: observed === 0 ? 100 : roundFigure((100 * Math.min(up, observed)) / observed),
      validUntil: null,
    };
  });
}
