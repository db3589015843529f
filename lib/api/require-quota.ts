import type { ApiKey } from "@/lib/access/api-key";
import { type Quota, quotaHeaders } from "@/lib/access/limits/rolling-window";
import { takeQuota } from "@/lib/access/limits/shared/take-quota";
import { AppError } from "@/lib/wire/errors";
import { callingNetwork } from "./client-address";
import { requestFactsOf } from "./request-facts";

/** Reads and execution reports are counted separately, so that polling never blocks a closing report. */
export type QuotaBucket = "read" | "execution";

/**
 * Counts the request against the subscription's limit per minute. Throws 429 over the limit. Either answer to the
 * request has the rate-limit headers.
 */
export async function requireQuota(request: Request, key: ApiKey, bucket: QuotaBucket): Promise<Quota> {
  const quota = await takeQuota(`${bucket}:${key.subscriptionId}`, key.rateLimitPerMin);
  requestFactsOf(request).headers = quotaHeaders(quota);
  if (!quota.allowed) {
    throw new AppError("rate_limited", {
      detail: `More than ${quota.limit} requests in 60 seconds. Try again in ${quota.resetSeconds} s.`,
    });
  }
  return quota;
}

const PUBLIC_READS_PER_MIN = 240;

/** Counts a request without a key against the limit of the caller's network. Throws 429 over the limit. */
export async function requireAnonymousQuota(request: Request): Promise<void> {
  const quota = await takeQuota(`public:${callingNetwork(request.headers)}`, PUBLIC_READS_PER_MIN);
  if (!quota.allowed)
    throw new AppError("rate_limited", { headers: { "Retry-After": String(quota.resetSeconds) } });
}
