import { z } from "zod";
import { booleanParam } from "@/lib/wire/params";
import { PlanName, Timestamp } from "./shared";

export const EaStatusQuery = z.object({
  explain: booleanParam({ default: false }),
  expand: z.enum(["terminals"], "must be terminals").optional(),
});

export const EaFinding = z
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
  account: z.strictObject({ name: z.string(), tier: PlanName }),
  slot_coverage: z.strictObject({ expected: z.int(), active: z.int(), pct: z.number() }),
  recent_signals_24h: z.int(),
  lag_minutes: z.number().nullable(),
};

export const EaDiagnostics = z.strictObject(diagnosticFields).meta({ id: "EaDiagnostics" });
export const ExplainedEaDiagnostics = z
  .strictObject({ ...diagnosticFields, findings: z.array(EaFinding) })
  .meta({ id: "EaDiagnosticsExplained" });

export const TerminalState = z
  .strictObject({
    terminal: z.string().meta({ description: "Name that the terminal sent", example: "9f2c41d07ab35e68" }),
    server: z.string().nullable().meta({ description: "null: not reported", example: "Broker-Demo" }),
    account: z
      .enum(["demo", "real", "contest"])
      .nullable()
      .meta({ description: "null: not reported", example: "demo" }),
    online: z.boolean(),
    last_heartbeat: Timestamp,
    mins_since: z.number(),
    n_open: z.int().meta({ description: "Open positions of the last 30 days that it reported" }),
    n_closed: z.int().meta({ description: "Closed positions of the last 30 days that it reported" }),
    n_not_traded: z.int().meta({ description: "Signals of the last 30 days that it reported as not traded" }),
  })
  .meta({ id: "TerminalState" });

const byTerminal = { terminals: z.array(TerminalState) };
const EaDiagnosticsByTerminal = z
  .strictObject({ ...diagnosticFields, ...byTerminal })
  .meta({ id: "EaDiagnosticsByTerminal" });
const EaDiagnosticsWhole = z
  .strictObject({ ...diagnosticFields, findings: z.array(EaFinding), ...byTerminal })
  .meta({ id: "EaDiagnosticsWhole" });

export const EaStatus = z.union([
  EaDiagnostics,
  ExplainedEaDiagnostics,
  EaDiagnosticsByTerminal,
  EaDiagnosticsWhole,
]);
