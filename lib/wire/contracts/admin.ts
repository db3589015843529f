import { z } from "zod";
import { parseSymbol } from "@/lib/market/symbols";
import { parseTimeframe, UNKNOWN_TIMEFRAME_MESSAGE } from "@/lib/market/timeframes";
import { Email } from "@/lib/wire/email";
import { booleanParam, intParam, textParam } from "@/lib/wire/params";
import { PersonName } from "@/lib/wire/person-name";
import { IsoInstant, PlanName, SymbolCode, TimeframeCode, Timestamp } from "./shared";

const codes = (parse: (value: string) => string | null, problem: string) =>
  z
    .array(
      z.string().transform((value, context) => {
        const code = parse(value);
        if (code) return code;
        context.addIssue({ code: "custom", message: problem });
        return z.NEVER;
      }),
    )
    .max(200)
    .transform((list) => [...new Set(list)]);

export const CreateKeyBody = z.object({
  user_name: PersonName,
  email: z.preprocess((value) => (value === "" ? null : value), Email.nullish()),
  plan_tier: PlanName.default("basic"),
  expires_at: IsoInstant.nullish(),
  notes: z.string().trim().max(2000, "must have at most 2000 characters").nullish(),
  symbols_allowed: codes(parseSymbol, "must be a symbol").nullish(),
  tfs_allowed: codes(parseTimeframe, UNKNOWN_TIMEFRAME_MESSAGE).nullish(),
  rate_limit_per_min: z
    .int("must be an integer")
    .min(1, "must be between 1 and 100000")
    .max(100_000, "must be between 1 and 100000")
    .nullish(),
});

export const KeyCreated = z
  .strictObject({
    key_id: z.int(),
    api_key: z.string(),
    plan_tier: PlanName,
    _ea_config: z.strictObject({ InpApiUrl: z.string(), InpApiKey: z.string() }),
  })
  .meta({ id: "KeyCreated" });

export const ListKeysQuery = z.object({
  active: booleanParam({ default: false }).removeDefault().optional(),
  plan_tier: z
    .preprocess((value) => (value === "" ? undefined : value), PlanName.optional())
    .meta({ wire: { type: "string" } }),
  q: textParam((value) => value.trim().slice(0, 200), "must be text"),
  limit: intParam({ min: 1, max: 100_000, default: 100_000 }).removeDefault().optional(),
  offset: intParam({ min: 0, max: 10_000_000, default: 0 }),
});

export const KeyRecord = z
  .strictObject({
    key_id: z.int(),
    user_name: z.string(),
    email: z.string().nullable(),
    plan_tier: PlanName,
    expires_at: Timestamp.nullable(),
    notes: z.string().nullable(),
    active: z.boolean(),
    symbols_allowed: z.array(SymbolCode).nullable(),
    tfs_allowed: z.array(TimeframeCode).nullable(),
    rate_limit_per_min: z.int(),
    last_seen_at: Timestamp.nullable(),
    created_at: Timestamp,
    api_key_hint: z.string(),
  })
  .meta({ id: "KeyRecord" });

export const KeyList = z.strictObject({ count: z.int(), keys: z.array(KeyRecord) }).meta({ id: "KeyList" });

export const KeyRevoked = z
  .strictObject({
    ok: z.literal(true),
    key_id: z.int(),
    active: z.literal(false),
    action: z.enum(["revoked", "already_inactive"]),
    revoked_at: Timestamp,
  })
  .meta({ id: "KeyRevoked" });
