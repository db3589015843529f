import { z } from "zod";
import { SIDES } from "@/lib/vocabulary";
import { intParam } from "@/lib/wire/params";
import { ExactInteger, Probability, SymbolCode, Timestamp } from "./shared";

export const ExecutionRecorded = z
  .strictObject({
    ok: z.literal(true),
    action: z.enum(["created", "updated"]),
    exec_id: z.int(),
    ticket: ExactInteger,
  })
  .meta({ id: "ExecutionRecorded" });

export const AccountExecutionsQuery = z.object({
  days: intParam({ min: 1, max: 365, default: 30 }),
  limit: intParam({ min: 1, max: 1000, default: 100 }),
});

export const Execution = z
  .strictObject({
    exec_id: z.int(),
    ticket: ExactInteger,
    symbol: SymbolCode,
    timeframe: z.string().meta({ description: "A timeframe, or the label as it was sent", example: "H1" }),
    signal: z.enum(SIDES),
    confidence: Probability.nullable(),
    opened_at: Timestamp,
    closed_at: Timestamp.nullable().meta({ description: "null while the position is open" }),
    entry_price: z.number().nullable(),
    exit_price: z.number().nullable(),
    pnl: z.number().nullable(),
    result: z
      .string()
      .nullable()
      .meta({ description: "Known: TP SL TRAIL BE MANUAL SIGNAL TIMEOUT STOPOUT OTHER", example: "TP" }),
  })
  .meta({ id: "Execution" });

export const ExecutionSummary = z
  .strictObject({
    days: z.int(),
    n_total: z.int(),
    n_closed: z.int(),
    n_wins: z.int(),
    n_losses: z.int(),
    win_rate_pct: z.number(),
    profit_factor: z.number().nullable().meta({ description: "null when there is no loss" }),
    total_pnl: z.number(),
    gross_profit: z.number(),
    gross_loss: z.number().meta({ description: "A positive amount" }),
  })
  .meta({ id: "ExecutionSummary" });

export const AccountExecutions = z
  .strictObject({
    executions: z.array(Execution),
    summary: ExecutionSummary,
  })
  .meta({ id: "AccountExecutions" });
