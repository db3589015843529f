import { processWide } from "../process-wide";
import { localLimiter, RollingWindowLimiter } from "../rate-limit";

/** Links to one address per hour. */
export const LINKS_PER_HOUR = 3;
const LINK_REQUESTS_PER_HOUR_AND_CLIENT = 10;
const ATTEMPTS_PER_MINUTE_AND_CLIENT = 20;

/** The limiter's window is one minute of the clock that it is given: on a clock sixty times slower it is an hour. */
const HOUR_IN_WINDOWS = 60;

/** Counts a request for a link by this client. false: too many within the last hour. */
export function takeLinkRequest(clientAddress: string, nowMs = performance.now()): boolean {
  const hourly = processWide("sign-in-hourly-limiter", () => new RollingWindowLimiter(50_000));
  return hourly.take(clientAddress, LINK_REQUESTS_PER_HOUR_AND_CLIENT, nowMs / HOUR_IN_WINDOWS).allowed;
}

/** Counts a failed attempt with a key or a link. The count is shared with unknown keys at the interface. */
export function noteFailedAttempt(clientAddress: string): void {
  localLimiter().take(`unknown-key:${clientAddress}`, ATTEMPTS_PER_MINUTE_AND_CLIENT);
}

/** Whether this client has failed too often within the last minute to be heard. */
export function hasFailedTooOften(clientAddress: string): boolean {
  return localLimiter().isExhausted(`unknown-key:${clientAddress}`, ATTEMPTS_PER_MINUTE_AND_CLIENT);
}
