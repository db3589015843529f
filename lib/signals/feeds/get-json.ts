import { abortSignalWithTimeout } from "@/lib/runtime/abort-signal-with-timeout";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "@/lib/time";
import { FeedFailure } from "./source";

const TIMEOUT_MS = 20 * SECOND_MS;
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Requests JSON, and returns it with the time in the header Date (null: none). Throws FeedFailure, or another error
 * once `signal` has aborted. Follows no redirect, which could leak a token.
 */
export async function getJson(
  url: URL,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<{ body: unknown; now: Date | null }> {
  const { limited, release } = abortSignalWithTimeout(signal, TIMEOUT_MS);
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { headers, signal: limited, redirect: "error" });
    text = await readText(response);
  } catch (error) {
    if (error instanceof FeedFailure || signal.aborted) throw error;
    throw new FeedFailure("failed", `${url.host} did not answer`);
  } finally {
    release();
  }
  if (!response.ok) throw feedFailureOf(response, url.host);
  try {
    const at = Date.parse(response.headers.get("date") ?? "");
    return { body: JSON.parse(text), now: Number.isNaN(at) ? null : new Date(at) };
  } catch {
    throw new FeedFailure("failed", `${url.host} answered with something that is not JSON`);
  }
}

async function readText(response: Response): Promise<string> {
  if (response.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_BYTES) throw new FeedFailure("failed", "the answer was too long");
  }
  return text + decoder.decode();
}

/** The failure that an HTTP error status means for a feed. */
export function feedFailureOf(response: Response, host: string): FeedFailure {
  const { status } = response;
  if (status === 429 || status === 418)
    return new FeedFailure("wait", `the rate limit of ${host} was reached`, retryAfterMs(response.headers));
  if (status === 401 || status === 403)
    return new FeedFailure("refused", `${host} does not accept the token (${status})`);
  if (status >= 400 && status < 500)
    return new FeedFailure("refused", `${host} does not have this symbol or timeframe (${status})`);
  return new FeedFailure("failed", `${host} answered ${status}`);
}

/**
 * How long the header Retry-After (seconds or a date) asks to wait, limited to between a second and a day; a minute if
 * it is missing or unreadable.
 */
export function retryAfterMs(headers: Headers, nowMs = Date.now()): number {
  const text = headers.get("retry-after")?.trim() ?? "";
  const ms = /^[0-9]{1,6}$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - nowMs;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, SECOND_MS), DAY_MS) : MINUTE_MS;
}
