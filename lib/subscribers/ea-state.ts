import type { z } from "zod";
import { minutesBetween } from "@/lib/time";
import { EA_DELAYED_MINUTES, EA_ONLINE_MINUTES } from "@/lib/vocabulary";
import type { EaState } from "@/lib/wire/contracts/account";

/** State of a trading client from the time of its last call. */
export function eaStateAt(lastSeenAt: Date | null, now: Date): z.output<typeof EaState> {
  if (lastSeenAt === null)
    return { status: "never", label: "No call received yet", online: false, mins_since: null };
  const minsSince = Math.max(0, Math.round(minutesBetween(lastSeenAt, now) * 100) / 100);
  if (minsSince <= EA_ONLINE_MINUTES)
    return { status: "online", label: "Online", online: true, mins_since: minsSince };
  if (minsSince <= EA_DELAYED_MINUTES)
    return { status: "delayed", label: "Delayed", online: false, mins_since: minsSince };
  return { status: "offline", label: "Offline", online: false, mins_since: minsSince };
}
