import { z } from "zod";
import { DIRECTIONS, EXIT_REASONS, WEBHOOK_TEST_EVENT, type WebhookEvent } from "@/lib/vocabulary";
import { Direction, PlanName, SymbolCode, TimeframeCode, Timestamp } from "./shared";
import { ScanItem } from "./signals";

const event = <const T extends string, D extends z.ZodType>(type: T, data: D) =>
  z.strictObject({
    type: z.literal(type),
    /** Time of the event. */
    timestamp: Timestamp,
    /** Whether the event comes from a simulated market. */
    simulated: z.boolean(),
    data,
  });

/** The body of each webhook event, by the event's name. */
export const WebhookBodies = {
  "signal.created": event(
    "signal.created",
    z.strictObject({ ...ScanItem.shape, pred_id: z.int(), seq: z.int(), valid_until: Timestamp }),
  ),
  "signal.resolved": event(
    "signal.resolved",
    z.strictObject({
      pred_id: z.int(),
      seq: z.int(),
      symbol: SymbolCode,
      timeframe: TimeframeCode,
      signal: Direction,
      ts: Timestamp,
      model_v: z.string(),
      /** Direction of the barrier that the price touched first; NO_TRADE: none, or both first in the same candle. */
      outcome: z.enum(DIRECTIONS),
      /** Result in R of following the signal's direction, after costs; null for NO_TRADE. */
      result_r: z.number().nullable(),
      exit_reason: z.enum(EXIT_REASONS).nullable(),
      entry_price: z.number(),
      exit_price: z.number().nullable(),
      ended_at: Timestamp,
    }),
  ),
  "model.changed": event(
    "model.changed",
    z.strictObject({ symbol: SymbolCode, timeframe: TimeframeCode, model_v: z.string() }),
  ),
  "key.expiring": event(
    "key.expiring",
    z.strictObject({
      key_id: z.int(),
      api_key_hint: z.string(),
      plan_tier: PlanName,
      expires_at: Timestamp,
      days_remaining: z.int(),
    }),
  ),
  [WEBHOOK_TEST_EVENT]: event(WEBHOOK_TEST_EVENT, z.strictObject({ text: z.string() })),
} as const satisfies Record<WebhookEvent | typeof WEBHOOK_TEST_EVENT, z.ZodType>;

export type WebhookEventName = keyof typeof WebhookBodies;
