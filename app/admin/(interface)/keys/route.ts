import type { z } from "zod";
import { db } from "@/db/client";
import { listKeyPages } from "@/db/queries/keys";
import { issueKey } from "@/lib/access/keys/issue-key";
import { effectiveRateLimit, requirePlan } from "@/lib/access/plans";
import { respond } from "@/lib/api/answer";
import { parseBody, parseQuery } from "@/lib/api/parse";
import { adminSecretActor } from "@/lib/api/request-actor";
import { requireAdministrator } from "@/lib/api/require-admin";
import { route } from "@/lib/api/route";
import { respondWithStreamedList } from "@/lib/api/streamed-list";
import { env } from "@/lib/runtime/env";
import { heartbeatBuffer } from "@/lib/subscribers/heartbeat";
import { laterInstant } from "@/lib/time";
import { CreateKeyBody, KeyCreated, KeyRecord, ListKeysQuery } from "@/lib/wire/contracts/admin";

/** POST /admin/keys: opens a subscription. Only this response and, if there is an address, a mail contain the key. */
export const POST = route(async (request) => {
  await requireAdministrator(request);
  const body = await parseBody(request, CreateKeyBody);
  await requirePlan(body.plan_tier, "body");
  const issued = await issueKey(
    db(),
    {
      userName: body.user_name,
      email: body.email ?? null,
      planTier: body.plan_tier,
      expiresAt: body.expires_at ?? null,
      notes: body.notes ?? null,
      symbolsAllowed: body.symbols_allowed ?? null,
      tfsAllowed: body.tfs_allowed ?? null,
      rateLimitPerMin: body.rate_limit_per_min ?? null,
    },
    adminSecretActor(request),
    new Date(),
  );

  return respond(
    KeyCreated,
    {
      key_id: issued.keyId,
      api_key: issued.apiKey,
      plan_tier: body.plan_tier,
      _ea_config: { InpApiUrl: env().baseUrl, InpApiKey: issued.apiKey },
    },
    { status: 201 },
  );
});

/** GET /admin/keys: the keys that match the filters, newest first, masked. */
export const GET = route(async (request) => {
  await requireAdministrator(request);
  const query = parseQuery(request, ListKeysQuery);
  if (query.plan_tier !== undefined) await requirePlan(query.plan_tier, "query");
  const { plan_tier: planTier, ...filter } = query;
  const { count, pages } = await listKeyPages(() => db(), { ...filter, planTier });
  return respondWithStreamedList("keys", KeyRecord, { count, pages: keyRecords(pages) });
});

type KeyPages = Awaited<ReturnType<typeof listKeyPages>>["pages"];

async function* keyRecords(pages: KeyPages): AsyncGenerator<z.output<typeof KeyRecord>[], void> {
  for await (const rows of pages)
    yield rows.map((row) => ({
      key_id: row.keyId,
      user_name: row.userName,
      email: row.email,
      plan_tier: row.planTier,
      expires_at: row.expiresAt,
      notes: row.notes,
      active: row.active,
      symbols_allowed: row.symbolsAllowed,
      tfs_allowed: row.tfsAllowed,
      rate_limit_per_min: effectiveRateLimit(row),
      last_seen_at: laterInstant(row.lastSeenAt, heartbeatBuffer().newestOfKey(row.keyId)),
      created_at: row.createdAt,
      api_key_hint: row.hint,
    }));
}
