import { z } from "zod";
import { NOT_TRADED_REASONS, SIDES } from "@/lib/vocabulary";
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

/** Also takes an integer as text, as many trading clients send it. */
const orDigits = <T extends z.ZodType>(schema: T) =>
  z.preprocess(
    (value) => (typeof value === "string" && /^\s*-?[0-9]{1,15}\s*$/.test(value) ? Number(value) : value),
    schema,
  );

export const NotTradedReport = z
  .object({
    pred_id: orDigits(z.int().min(1).max(Number.MAX_SAFE_INTEGER)).meta({
      wire: {
        type: "integer",
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: "`pred_id` of the signal",
      },
    }),
    reason: z.enum(NOT_TRADED_REASONS),
    error_code: orDigits(z.int().min(-2_147_483_648).max(2_147_483_647).nullish()).meta({
      wire: {
        type: ["integer", "null"],
        minimum: -2_147_483_648,
        maximum: 2_147_483_647,
        description: "Error code of the terminal, with TERMINAL_ERROR",
      },
    }),
  })
  .meta({ id: "NotTradedReport" });
export type NotTradedReport = z.output<typeof NotTradedReport>;

export const NotTradedRecorded = z
  .strictObject({
    ok: z.literal(true),
    action: z.enum(["created", "updated"]).meta({ example: "created" }),
    pred_id: z.int().meta({ example: 48213 }),
  })
  .meta({ id: "NotTradedRecorded" });

export const AccountExecutionsQuery = z.object({
  days: intParam({ min: 1, max: 365, default: 30 }),
  limit: intParam({ min: 1, max: 1000, default: 100 }),
  expand: z.enum(["details"], "must be details").optional(),
});

export const Execution = z
  .strictObject({
    exec_id: z.int(),
    ticket: ExactInteger,
    symbol: SymbolCode,
    timeframe: z.string().meta({ description: "A timeframe, or the label that was sent", example: "H1" }),
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
    profit_factor: z.number().nullable().meta({ description: "null without losses" }),
    total_pnl: z.number(),
    gross_profit: z.number(),
    gross_loss: z.number().meta({ description: "A positive amount" }),
  })
  .meta({ id: "ExecutionSummary" });

const AccountExecutionsPlain = z
  .strictObject({
    executions: z.array(Execution),
    summary: ExecutionSummary,
  })
  .meta({ id: "AccountExecutions" });

export const DetailedExecution = z
  .strictObject({
    ...Execution.shape,
    volume: z.number().nullable().meta({ description: "Lots", example: 0.1 }),
    commission: z.number().nullable().meta({ description: "In `currency`", example: -0.7 }),
    swap: z.number().nullable().meta({ description: "In `currency`", example: -0.12 }),
    currency: z.string().nullable().meta({ description: "Currency of the account", example: "EUR" }),
    magic: z.string().nullable().meta({ description: "Magic number, as digits", example: "20261122" }),
    comment: z.string().nullable().meta({ example: "first account" }),
  })
  .meta({ id: "ExecutionDetailed" });

export const DetailTotals = z
  .strictObject({
    currency: z.string().nullable().meta({ description: "null: not reported", example: "EUR" }),
    n: z.int().meta({ description: "Positions that report at least one of the three" }),
    volume: z.number().nullable(),
    commission: z.number().nullable(),
    swap: z.number().nullable(),
  })
  .meta({ id: "DetailTotals" });

const AccountExecutionsDetailed = z
  .strictObject({
    executions: z.array(DetailedExecution),
    summary: z
      .strictObject({ ...ExecutionSummary.shape, details: z.array(DetailTotals) })
      .meta({ id: "ExecutionSummaryDetailed" }),
  })
  .meta({ id: "AccountExecutionsDetailed" });

export const AccountExecutions = z.union([AccountExecutionsPlain, AccountExecutionsDetailed]);
