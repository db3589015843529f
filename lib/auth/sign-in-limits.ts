import { RollingWindowLimiter } from "@/lib/access/limits/rolling-window";
import { processWide } from "@/lib/runtime/process-wide";

/** New links to one address per hour, for each network that asks. */
export const LINKS_PER_HOUR = 3;
/** Mails with one and the same link. */
export const MAILS_PER_LINK = 3;
const LINK_REQUESTS_PER_HOUR_AND_NETWORK = 10;

/** The limiter's window is one minute of the clock that it is given: on a clock sixty times slower it is an hour. */
const HOUR_IN_WINDOWS = 60;

/** Counts a request for a link by this network. false: too many within the last hour. */
export function takeLinkRequest(network: string, nowMs = performance.now()): boolean {
  const hourly = processWide("sign-in-hourly-limiter", () => new RollingWindowLimiter(50_000));
  return hourly.take(network, LINK_REQUESTS_PER_HOUR_AND_NETWORK, nowMs / HOUR_IN_WINDOWS).allowed;
}
