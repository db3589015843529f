import type { z } from "zod";
import type {
  EndingKey,
  PublishedChampion,
  PublishedResult,
  PublishedSignal,
} from "@/db/queries/outbound-events";
import { signalValidUntil } from "@/lib/market/freshness";
import { env } from "@/lib/runtime/env";
import { WEBHOOK_TEST_EVENT } from "@/lib/vocabulary";
import { WebhookBodies, type WebhookEventName } from "@/lib/wire/contracts/webhook-events";
import { writeJson } from "@/lib/wire/json";
import { toScanItem } from "@/lib/wire/signal-item";

/** Serialises an event. Outside production it is checked against its contract, as answers are. */
function write<N extends WebhookEventName>(
  type: N,
  timestamp: Date,
  data: z.output<(typeof WebhookBodies)[N]>["data"],
): string {
  const body = { type, timestamp, simulated: env().marketFeed === "demo", data };
  if (!env().production) WebhookBodies[type].parse(body);
  return writeJson(body);
}

export function signalCreatedBody(signal: PublishedSignal): string {
  return write("signal.created", signal.createdAt, {
    ...toScanItem(signal),
    pred_id: signal.predId,
    seq: signal.seq,
    valid_until: signalValidUntil(signal, signal.ts),
  });
}

export function signalResolvedBody(result: PublishedResult): string {
  return write("signal.resolved", result.endedAt, {
    pred_id: result.predId,
    seq: result.seq,
    symbol: result.symbol,
    timeframe: result.timeframe,
    signal: result.signal,
    ts: result.ts,
    model_v: result.modelV,
    outcome: result.label,
    result_r: result.resultR,
    exit_reason: result.exitReason,
    entry_price: result.entryPrice,
    exit_price: result.exitPrice,
    ended_at: result.endedAt,
  });
}

export function modelChangedBody(change: PublishedChampion): string {
  const { symbol, timeframe, modelV } = change;
  return write("model.changed", change.championSince, { symbol, timeframe, model_v: modelV });
}

export function keyExpiringBody(key: EndingKey, daysLeft: number, now: Date): string {
  return write("key.expiring", now, {
    key_id: key.keyId,
    api_key_hint: key.hint,
    plan_tier: key.planTier,
    expires_at: key.expiresAt,
    days_remaining: daysLeft,
  });
}

export function endpointTestBody(now: Date): string {
  return write(WEBHOOK_TEST_EVENT, now, {
    text: "This delivery was sent from the portal to try the endpoint.",
  });
}
