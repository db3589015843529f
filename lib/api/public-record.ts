import type { z } from "zod";
import { db } from "@/db/client";
import { readLedgerState } from "@/db/queries/ledger";
import { windowCache } from "@/lib/runtime/window-cache";
import { isRecordPublic } from "@/lib/signals/record/is-public";
import { AppError } from "@/lib/wire/errors";
import type { Answer } from "./answer";
import { type BodyWithEtag, CACHE_CONTROL_PUBLIC, conditionalAnswer, serialiseWithEtag } from "./conditional";
import { requireAnonymousQuota } from "./require-quota";

/**
 * Counts a read of the public record against the caller's network. Throws 429 over the limit, and 404 `record_off` if
 * the operator switched the record off.
 */
export async function requireRecordIsOnAndQuota(request: Request): Promise<void> {
  await requireAnonymousQuota(request);
  await requireRecordIsOn();
}

/** Throws 404 `record_off` if the operator switched the public record off. */
export async function requireRecordIsOn(): Promise<void> {
  if (!(await isRecordPublic())) throw new AppError("record_off");
}

/** Maximum number of cached bodies. A further one replaces the oldest. */
const KEPT = 64;

/** Answers with figures of the public record, from `cachedRecordBody`. */
export async function answerFromRecord<S extends z.ZodType>(
  request: Request,
  schema: S,
  query: Record<string, unknown>,
  compute: () => Promise<z.output<S>>,
): Promise<Answer> {
  const name = new URL(request.url, "http://localhost").pathname;
  return conditionalAnswer(
    request,
    await cachedRecordBody(name, schema, query, compute),
    CACHE_CONTROL_PUBLIC,
  );
}

/**
 * A body with figures of the public record, cached in this process by path (`name`) and query until further ledger
 * entries are included in the record's sums, or the sums are restarted.
 */
export async function cachedRecordBody<S extends z.ZodType>(
  name: string,
  schema: S,
  query: Record<string, unknown>,
  compute: () => Promise<z.output<S>>,
): Promise<BodyWithEtag> {
  const now = new Date();
  const { folded, recordEpoch } = await readLedgerState(db("heavy"));
  return windowCache<BodyWithEtag>("public-record", KEPT).get(
    `${name} ${recordEpoch} ${JSON.stringify(query)}`,
    folded,
    now,
    async () => ({ value: serialiseWithEtag(schema, await compute()), validUntil: null }),
  );
}
