import { z } from "zod";
import { HEALTH_STATES, READ_REPLICA_STATES } from "@/lib/vocabulary";
import { Health } from "./health";
import { PlanName, SymbolCode, TimeframeCode, Timestamp } from "./shared";

const ComponentStatus = z.enum(HEALTH_STATES);
const since = Timestamp.nullable().meta({
  description: "Start of its current state, or of the recorded minutes if it is older",
});

export const StatusComponent = z
  .union([
    z.strictObject({
      name: z.enum(["database", "rate_limit"]),
      status: ComponentStatus,
      latency_ms: z.number().nullable(),
      since,
    }),
    z.strictObject({
      name: z.enum(["predictions", "candles", "worker"]),
      status: ComponentStatus,
      lag_minutes: z.number().nullable(),
      since,
    }),
    z.strictObject({ name: z.literal("mail"), status: ComponentStatus, queued: z.int(), since }),
  ])
  .meta({ id: "Component" });

export const Status = z
  .strictObject({
    ...Health.shape,
    server_time: Timestamp,
    uptime_pct_30d: z.number(),
    components: z.array(StatusComponent),
    slots: z.array(
      z.strictObject({
        symbol: SymbolCode,
        timeframe: TimeframeCode,
        last_ts: Timestamp.nullable(),
        age_minutes: z.number().nullable(),
        expected_minutes: z.int(),
        market_open: z.boolean(),
        stale: z.boolean(),
      }),
    ),
    replica: z
      .strictObject({
        state: z.enum(READ_REPLICA_STATES),
        behind_bytes: z.number().nullable(),
        behind_seconds: z.number().nullable(),
      })
      .nullable()
      .meta({
        description:
          "State of the database's replica a few seconds ago; null without a replica. While it is behind, the primary database answers instead.",
      }),
    key: z.strictObject({ plan_tier: PlanName, rate_limit_per_min: z.int(), remaining: z.int() }),
  })
  .meta({ id: "Status" });
