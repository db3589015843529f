import { z } from "zod";
import { EA_STATES } from "@/lib/vocabulary";
import { PlanName, SymbolCode, TimeframeCode, Timestamp } from "./shared";

export const EaState = z
  .strictObject({
    status: z.enum(EA_STATES),
    label: z.string(),
    online: z.boolean(),
    mins_since: z.number().nullable(),
  })
  .meta({ id: "EaState" });

export const AccountMe = z
  .strictObject({
    plan_tier: PlanName,
    user_name: z.string(),
    email: z.string().nullable(),
    expires_at: Timestamp.nullable(),
    days_remaining: z.int().nullable(),
    symbols_allowed: z.array(SymbolCode).nullable(),
    tfs_allowed: z.array(TimeframeCode).nullable(),
    rate_limit_per_min: z.int(),
    last_seen_at: Timestamp.nullable(),
    ea_status: EaState,
    api_key_hint: z.string(),
    is_owner_env: z.boolean(),
    created_at: Timestamp.nullable(),
  })
  .meta({ id: "Account" });

export const KeyRotated = z
  .strictObject({
    ok: z.literal(true),
    key_id: z.int(),
    api_key: z.string().meta({ description: "The new key, shown only once" }),
    rotated_at: Timestamp,
    warning: z.string(),
  })
  .meta({ id: "KeyRotated" });
