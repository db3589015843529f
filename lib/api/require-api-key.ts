import type { FoundKey } from "@/db/queries/keys";
import type { ApiKey, CloseOnlyReason } from "@/lib/access/api-key";
import { cleanPastedKey, isKeyShaped, keyHint } from "@/lib/access/keys/key-text";
import { type KeyLookupResult, lookUpKey } from "@/lib/access/keys/look-up";
import { recordWrongKey } from "@/lib/access/limits/wrong-keys";
import {
  effectiveRateLimit,
  effectiveScope,
  type Grant,
  OWNER_GRANT,
  type Plan,
  planOf,
  type Scope,
} from "@/lib/access/plans";
import { env } from "@/lib/runtime/env";
import { isSameSecret, sha256 } from "@/lib/runtime/secrets";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { isDatabaseUnavailable } from "@/lib/runtime/unavailable";
import { heartbeatBuffer } from "@/lib/subscribers/heartbeat";
import { readTerminal, terminalBuffer } from "@/lib/subscribers/terminals";
import { AppError, databaseUnavailableError } from "@/lib/wire/errors";
import { clientAddress } from "./client-address";
import { requestFactsOf } from "./request-facts";

interface KeyOptions {
  /** Accepts a key in the 72 hours after its end or suspension, in which it may still report closed positions. */
  allowClosing?: boolean;
  /**
   * The caller is an AI agent: it may send the key as a bearer token, and its calls do not count as the trading
   * client's.
   */
  fromAgent?: boolean;
  /** Allows a try-out key. The handler must then show no signals, or delay them as the key's scope says. */
  tryOut?: boolean;
}

/**
 * The key in `X-API-Key`, looked up in the database on every call. Throws 401 with the reason, 403 for a try-out key
 * without `tryOut`, and 429 for too many unknown keys of a network. If the database is unavailable it throws 503,
 * because a client takes 401 as the end of its key and would stop.
 */
export async function requireApiKey(request: Request, options: KeyOptions = {}): Promise<ApiKey> {
  const { fromAgent = false } = options;
  const sent = readKeyHeader(request.headers) ?? (fromAgent ? readBearer(request.headers) : null);
  if (sent === null) throw new AppError("key_missing", keyInQuery(request) ? { detail: KEY_IN_QUERY } : {});
  // A malformed key is looked up as well, so that its answer and response time equal those of an unknown key.
  const hash = sha256(sent);
  const found = await find(hash);
  const owner = env().ownerApiKey;
  if (owner !== null && isSameSecret(sent, owner))
    return accept(request, ownerKey(hash, keyHint(sent), found), fromAgent);
  if (!found.key || !isKeyShaped(sent)) throw await unknownKey(request);
  if (found.key.delayCandles !== null && !options.tryOut) refuseTryOut(found.key.state);
  const key = checkKey(found, found.key, hash, keyHint(sent), options.allowClosing ?? false);
  return accept(request, key, fromAgent);
}

/** Throws 403 for a working try-out key. Keys in other states get their own errors from `checkKey`. */
function refuseTryOut(state: FoundKey["state"]): void {
  if (state === "live")
    throw new AppError("not_in_plan", { detail: "A try-out key does not include this. See /docs/try-out." });
}

/**
 * Looks the key of a waiting request up again. Throws 401 or 503 like `requireApiKey`, and records no call of the
 * trading client.
 */
export async function recheckKey(key: ApiKey): Promise<ApiKey> {
  const found = await find(key.hash);
  if (key.isOwnerEnv) return ownerKey(key.hash, key.hint, found);
  if (!found.key) throw new AppError("key_invalid");
  return checkKey(found, found.key, key.hash, key.hint, false);
}

/** The key as of a later snapshot in which the key itself was unchanged: with the snapshot's time and versions. */
export function keyAtSnapshot(
  key: ApiKey,
  { at: seenAt, versions }: Pick<KeyLookupResult, "at" | "versions">,
): ApiKey {
  return { ...key, scope: cachedScope(key), versions, seenAt };
}

function checkKey(
  { at: seenAt, versions }: KeyLookupResult,
  key: FoundKey,
  hash: string,
  hint: string,
  allowClosing: boolean,
): ApiKey {
  if (key.state === "revoked") throw new AppError("key_revoked");
  if (key.state === "rotated") throw new AppError("key_rotated");
  const closeOnly = closeOnlyOf(key);
  if (key.state === "suspended" || (closeOnly?.code === "key_suspended" && !allowClosing))
    throw new AppError("key_suspended");
  if (key.state === "expired" || (closeOnly && !allowClosing)) throw new AppError("key_expired");
  return {
    keyId: key.keyId,
    hash,
    revision: key.revision,
    subscriptionId: key.subscriptionId,
    planTier: key.planTier,
    plans: key.plans,
    plansUntil: key.plansUntil,
    scope: cachedScope(key),
    rateLimitPerMin: effectiveRateLimit(key),
    symbolsAllowed: key.symbolsAllowed,
    tfsAllowed: key.tfsAllowed,
    delayCandles: key.delayCandles,
    expiresAt: key.expiresAt,
    hint,
    createdAt: key.createdAt,
    isOwnerEnv: false,
    closeOnly,
    held: key.held ?? [],
    versions,
    seenAt,
  };
}

/**
 * Whether a key is in its closing window, and since when: since its end or its suspension, whichever was earlier. null:
 * it is not.
 */
function closeOnlyOf({ state, expiresAt, suspendedAt }: FoundKey): CloseOnlyReason | null {
  if (state === "closing" && expiresAt) return { code: "key_expired", since: expiresAt };
  if (state !== "suspended-closing" || !suspendedAt) return null;
  return { code: "key_suspended", since: expiresAt && expiresAt < suspendedAt ? expiresAt : suspendedAt };
}

const KEY_IN_QUERY =
  "Send your API key in the X-API-Key header, not in the address: addresses end up in log files.";

/**
 * The key in `X-API-Key` without white space and quotes, in lower case; null: missing. Repeated headers with the same
 * value count as one.
 */
function readKeyHeader(headers: Headers): string | null {
  const raw = headers.get("x-api-key");
  if (raw === null) return null;
  const cleaned = cleanPastedKey(raw);
  if (cleaned === "") return null;
  const [first = "", ...others] = cleaned.split(",");
  return others.every((other) => other === first) ? first : cleaned;
}

function readBearer(headers: Headers): string | null {
  const [, sent] = /^Bearer\s+(\S+)\s*$/i.exec(headers.get("authorization") ?? "") ?? [];
  return sent === undefined ? null : cleanPastedKey(sent);
}

function keyInQuery(request: Request): boolean {
  return /[?&](x-)?api[-_]?key=/i.test(request.url);
}

async function find(hash: string): Promise<KeyLookupResult> {
  try {
    // The key's scope depends on the plans. Only calls before the first read of the settings wait for them.
    await settingsCache().get();
    return await lookUpKey(hash);
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    throw databaseUnavailableError("key_unverifiable");
  }
}

async function unknownKey(request: Request): Promise<AppError> {
  const quota = await recordWrongKey(clientAddress(request.headers));
  if (quota.allowed) return new AppError("key_invalid");
  return new AppError("rate_limited", {
    detail:
      "Too many requests with unknown keys from this address. Check the key and wait as long as Retry-After says.",
    headers: { "Retry-After": String(quota.resetSeconds) },
  });
}

function accept(request: Request, key: ApiKey, fromAgent: boolean): ApiKey {
  const facts = requestFactsOf(request);
  facts.keyId = key.keyId;
  facts.subscriptionId = key.subscriptionId;
  if (!key.closeOnly && !fromAgent) {
    heartbeatBuffer().note(key.keyId, key.subscriptionId, key.seenAt, () => ({
      client: request.headers.get("user-agent")?.slice(0, 120) ?? null,
      address: clientAddress(request.headers),
    }));
    const terminal = readTerminal(request.headers);
    if (terminal !== null) terminalBuffer().note(key.subscriptionId, terminal, key.seenAt);
  }
  return key;
}

function ownerKey(hash: string, hint: string, { at: seenAt, versions }: KeyLookupResult): ApiKey {
  return {
    ...OWNER_GRANT,
    plans: null,
    plansUntil: null,
    delayCandles: null,
    keyId: 0,
    hash,
    revision: "",
    subscriptionId: 0,
    scope: effectiveScope(OWNER_GRANT),
    rateLimitPerMin: effectiveRateLimit(OWNER_GRANT),
    expiresAt: null,
    hint,
    createdAt: null,
    isOwnerEnv: true,
    closeOnly: null,
    held: [],
    versions,
    seenAt,
  };
}

const scopesOfPlans = new WeakMap<Plan, Scope>();
const scopes = new Map<string, Scope>();

/**
 * The scope of a key's grant. Unless several plans are in force, it is cached, so that keys with equal grants share one
 * object.
 */
function cachedScope(grant: Grant): Scope {
  if (grant.plans && grant.plans.length > 1) return effectiveScope(grant);
  const plan = planOf(grant.planTier);
  if (grant.symbolsAllowed !== null || grant.tfsAllowed !== null || grant.delayCandles != null)
    return narrowedScope(grant, plan);
  const known = scopesOfPlans.get(plan) ?? effectiveScope(grant, plan);
  scopesOfPlans.set(plan, known);
  return known;
}

function narrowedScope(grant: Grant, plan: Plan): Scope {
  const { symbols, timeframes } = plan;
  const codes = [symbols, timeframes, grant.symbolsAllowed, grant.tfsAllowed];
  const id = `${codes.map((list) => list?.join(",") ?? "*").join("|")}|${grant.delayCandles ?? 0}`;
  const found = scopes.get(id);
  if (found) return found;
  if (scopes.size > 10_000) scopes.clear();
  const scope = effectiveScope(grant, plan);
  scopes.set(id, scope);
  return scope;
}
