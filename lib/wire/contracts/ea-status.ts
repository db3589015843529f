import { z } from "zod";
import { booleanParam } from "@/lib/wire/params";
import { Plan, Timestamp } from "./shared";

export const EaStatusQuery = z.object({ explain: booleanParam({ default: false }) });

export const Finding = z
  .strictObject({
    code: z.string().meta({ example: "plan_hides_symbols" }),
    severity: z.enum(["info", "warning", "error"]),
    message: z.string(),
    fix: z.string(),
  })
  .meta({ id: "Finding" });

const diagnosticFields = {
  online: z.boolean(),
  last_heartbeat: Timestamp.nullable(),
  mins_since: z.number().nullable(),
  account: z.strictObject({ name: z.string(), tier: Plan }),
  slot_coverage: z.strictObject({ expected: z.int(), active: z.int(), pct: z.number() }),
  recent_signals_24h: z.int(),
  lag_minutes: z.number().nullable(),
};

export const EaDiagnostics = z.strictObject(diagnosticFields).meta({ id: "EaDiagnostics" });
export const EaDiagnosticsExplained = z
  .strictObject({ ...diagnosticFields, findings: z.array(Finding) })
  .meta({ id: "EaDiagnosticsExplained" });
export const EaStatus = z.union([EaDiagnostics, EaDiagnosticsExplained]);
