import { z } from "zod";
import { EXIT_REASONS, LEDGER_KINDS } from "@/lib/vocabulary";
import { booleanFilter, intParam, textParam } from "@/lib/wire/params";
import { dayFilter, instantFilter, symbolFilter, timeframeFilter } from "./filters";
import { Direction, Probability, SymbolCode, TimeframeCode, Timestamp } from "./shared";

/** With fewer results than this, rates and intervals are null, because they would say nothing. */
export const MIN_RESULTS_FOR_RATES = 50;

const LONGEST_MODEL_NAME = 100;
const modelFilter = () =>
  textParam(
    (text) => (text.trim().length <= LONGEST_MODEL_NAME ? text.trim() : null),
    "must be the version of a model",
  );

/**
 * Filters of the public record. `from` and `to` are UTC days, both inclusive, and refer to the close of a signal's
 * candle.
 */
export const RecordQuery = z
  .object({
    symbol: symbolFilter(),
    tf_code: timeframeFilter(),
    model_v: modelFilter(),
    from: dayFilter(),
    to: dayFilter(),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    path: ["from"],
    message: "must not be later than to",
  });
export type RecordQuery = z.output<typeof RecordQuery>;

const Day = z.iso.date();
const Interval = z.tuple([z.number(), z.number()]);
const withoutReference = "null with too few results, and if all signals have their own levels";
const isNullWithFew = { description: `95 % interval; null with fewer than ${MIN_RESULTS_FOR_RATES} results` };

/** Results of trading the signals in their direction, in R after costs. */
export const RecordResults = z
  .strictObject({
    n: z.int().meta({ description: "Followed signals with a result" }),
    n_independent: z.int().meta({ description: "Number of these that do not overlap in time" }),
    enough: z.boolean().meta({ description: `Whether n is at least ${MIN_RESULTS_FOR_RATES}` }),
    n_wins: z.int(),
    n_losses: z.int(),
    win_rate_pct: z.number().nullable(),
    win_rate_ci95: Interval.nullable().meta(isNullWithFew),
    total_r: z.number(),
    expectancy_r: z.number().nullable(),
    expectancy_ci95: Interval.nullable().meta(isNullWithFew),
    profit_factor: z.number().nullable().meta({ description: "null without losses" }),
    max_drawdown_r: z
      .number()
      .meta({ description: "Maximum drawdown of the sum of results, by UTC day; a positive amount" }),
  })
  .meta({ id: "RecordResults" });
export type RecordResults = z.output<typeof RecordResults>;

/** Quality of the signals' probabilities, compared with naive forecasts. */
export const RecordForecasts = z
  .strictObject({
    n: z.int().meta({ description: "Resolved signals, NO_TRADE included" }),
    n_independent: z.int().meta({ description: "Number of these whose horizons do not overlap" }),
    enough: z.boolean().meta({ description: `Whether n is at least ${MIN_RESULTS_FOR_RATES}` }),
    n_directional: z.int(),
    brier: z.number().nullable().meta({ description: "Three classes, 0..2; smaller is better" }),
    brier_frequencies: z.number().nullable().meta({
      description:
        "Brier score of forecasting the class frequencies of the slot's earlier outcomes; a signal with its own levels is compared with nothing and adds its own score",
    }),
    brier_coin: z
      .number()
      .nullable()
      .meta({ description: "Brier score of always forecasting one third for each class" }),
    skill: z
      .number()
      .nullable()
      .meta({ description: `1 - brier / brier_frequencies; ${withoutReference}` }),
    skill_ci95: Interval.nullable().meta({ description: "95 % interval; null where `skill` is null" }),
  })
  .meta({ id: "RecordForecasts" });
export type RecordForecasts = z.output<typeof RecordForecasts>;

const figures = {
  forecasts: RecordForecasts,
  /** Results of the model, and below those of two baseline bots on the same signals. */
  model: RecordResults,
  coin: RecordResults.meta({ description: "A random direction for each signal with a direction" }),
  frequencies: RecordResults.meta({
    description: "The direction with positive expectancy under the class frequencies, if there is one",
  }),
};

const Evidence = z
  .strictObject({
    value: z.number().meta({ description: "Factor by which bets against luck have multiplied the stake" }),
    needed: z.number().meta({ description: "Factor from which skill is claimed" }),
    shown: z.boolean(),
  })
  .meta({ id: "RecordEvidence" });

/**
 * Share of candles with a signal that was committed in time, over the whole record, regardless of the selected period
 * or model.
 */
export const RecordCoverage = z
  .strictObject({
    since: Timestamp.nullable().meta({
      description:
        "Open time of the first candle with a signal that was committed in time; null if there is none",
    }),
    n_candles: z.int().meta({
      description: "Candles of the slots since then, without those whose signal can still be in time",
    }),
    n_in_time: z.int().meta({ description: "Number of these with a signal that was committed in time" }),
    n_slow: z.int().meta({
      description:
        "Number of these with a signal that was sealed more than a tenth of the candle's length after its close. Outcomes count from the close",
    }),
    pct: z.number().nullable().meta({ description: "100 x n_in_time / n_candles; null without candles" }),
    n_late: z.int().meta({ description: "Candles that have only signals that were entered later" }),
    mean_late_minutes: z
      .number()
      .nullable()
      .meta({ description: "Mean time from the close of these candles to the entry, in minutes" }),
    n_paused: z.int().meta({ description: "Candles without a signal that closed during a pause" }),
    n_missing_candles: z.int().meta({
      description:
        "Candles in the slots' trading hours since then that were not sent within a week. Outcomes count the candles that exist",
    }),
    n_directional: z.int().meta({ description: "Results of BUY and SELL signals over the whole record" }),
    n_without_cost: z.int().meta({
      description:
        "Number of these without a round-trip cost, because none was set for the symbol at that time",
    }),
    n_entered_later: z.int().meta({
      description:
        "Resolved signals that were entered later. They prove nothing, so no figure of the record counts them",
    }),
  })
  .meta({ id: "RecordCoverage" });
export type RecordCoverage = z.output<typeof RecordCoverage>;

const notice = z.string().nullable().meta({
  description: "For a simulated market, a notice that nothing was committed in time; else null",
});

const lateFigures = {
  n: z.int().meta({ description: "Resolved signals, NO_TRADE included" }),
  n_followed: z.int().meta({ description: "Number of these with a direction and a result" }),
  n_wins: z.int(),
  n_losses: z.int(),
  win_rate_pct: z
    .number()
    .nullable()
    .meta({ description: `null with fewer than ${MIN_RESULTS_FOR_RATES} results` }),
  total_r: z.number(),
  expectancy_r: z
    .number()
    .nullable()
    .meta({ description: `null with fewer than ${MIN_RESULTS_FOR_RATES} results` }),
  first_day: Day.meta({ description: "UTC day of the first candle's close" }),
  last_day: Day,
};

/** Signals that entered the ledger too late. Their figures are shown separately and are not part of the record. */
export const EnteredLaterFigures = z
  .strictObject({
    notice: z.string().meta({ description: "How far these figures can be trusted" }),
    ...lateFigures,
    count: z.int(),
    items: z.array(
      z
        .strictObject({ symbol: SymbolCode, tf_code: TimeframeCode, ...lateFigures })
        .meta({ id: "EnteredLaterSlot" }),
    ),
  })
  .meta({ id: "EnteredLater" });
export type EnteredLaterFigures = z.output<typeof EnteredLaterFigures>;

export const RecordSlot = z
  .strictObject({
    symbol: SymbolCode,
    tf_code: TimeframeCode,
    simulated: z
      .boolean()
      .meta({ description: "Whether the market is simulated: its prices were never traded" }),
    models: z.array(z.string()).meta({ description: "Versions with resolved signals in the selection" }),
    ...figures,
    evidence: z.strictObject({ direction: Evidence, probability: Evidence }).meta({
      description:
        "Uses the slot's whole record, regardless of the selection. It stays valid however often it is checked",
    }),
    coverage: RecordCoverage,
  })
  .meta({ id: "RecordSlot" });
export type RecordSlot = z.output<typeof RecordSlot>;

export const RecordHeadline = z
  .strictObject({
    text: z.string().meta({ description: "A summary of what the figures prove and what they do not" }),
    n_slots: z.int().meta({ description: "Slots with enough results for a test" }),
    n_direction: z.int().meta({ description: "Slots whose directions have proved an edge after costs" }),
    n_probability: z
      .int()
      .meta({ description: "Slots whose probabilities have proved better than the class frequencies" }),
  })
  .meta({ id: "RecordHeadline" });
export type RecordHeadline = z.output<typeof RecordHeadline>;

/** The answer of GET /api/public/record. */
export const PublicRecord = z
  .strictObject({
    ledger_size: z.int().meta({ description: "Number of ledger entries from which the figures are summed" }),
    simulated: z
      .boolean()
      .meta({ description: "Whether the market of any slot in the response is simulated" }),
    from: Day.nullable(),
    to: Day.nullable(),
    first_day: Day.nullable().meta({ description: "First UTC day with a resolved signal" }),
    last_day: Day.nullable(),
    notice,
    headline: RecordHeadline,
    overall: z.strictObject({ direction: Evidence, probability: Evidence }).nullable().meta({
      description:
        "Mean evidence of all slots over their whole records, valid under any dependence between them; null if slots are selected",
    }),
    coverage: RecordCoverage,
    total: z.strictObject(figures).meta({ id: "RecordTotal" }),
    count: z.int(),
    items: z.array(RecordSlot),
    curve: z
      .array(z.strictObject({ date: Day, r: z.number(), coin_r: z.number(), frequencies_r: z.number() }))
      .meta({ description: "Cumulative results at each day with a result, in R after costs" }),
    months: z
      .array(
        z.strictObject({
          month: z.string().regex(/^\d{4}-\d{2}$/),
          n: z.int(),
          n_followed: z.int(),
          total_r: z.number(),
          coin_r: z.number(),
          frequencies_r: z.number(),
          brier: z.number().nullable(),
          brier_frequencies: z.number().nullable(),
          skill: z.number().nullable().meta({ description: withoutReference }),
        }),
      )
      .meta({ description: "Figures by UTC calendar month; forecasts are null with too few results" }),
    entered_later: EnteredLaterFigures.nullable().meta({
      description:
        "Selected signals that were entered later, which no figure of the record counts; null if there are none",
    }),
  })
  .meta({ id: "PublicRecord" });
export type PublicRecord = z.output<typeof PublicRecord>;

/** Quality of the forecasts of one forecaster: the model or a baseline bot. */
export const ForecastQuality = z
  .strictObject({
    n: z.int(),
    n_independent: z.int(),
    enough: z.boolean(),
    brier: z.number().nullable().meta({ description: "Three classes, 0..2" }),
    skill: z
      .number()
      .nullable()
      .meta({ description: `Brier skill against the class frequencies; ${withoutReference}` }),
    ece: z.number().nullable().meta({ description: "Expected calibration error of the most probable class" }),
    accuracy: Probability.nullable(),
    accuracy_ci95: Interval.nullable().meta(isNullWithFew),
    avg_confidence: Probability.nullable(),
    decomposition: z
      .strictObject({
        brier: z.number(),
        reliability: z.number(),
        resolution: z.number(),
        uncertainty: z.number(),
        within: z.number().meta({
          description: "Remainder from binning: brier - (reliability - resolution + uncertainty)",
        }),
      })
      .nullable()
      .meta({
        description:
          "Murphy's decomposition for the most probable class: squared error of the confidence, 0..1",
      }),
    bins: z.array(
      z.strictObject({
        lo: z.number(),
        hi: z.number(),
        n: z.int(),
        n_independent: z.int(),
        avg_confidence: Probability.nullable(),
        hit_rate: Probability.nullable(),
        ci95: Interval.nullable().meta({ description: "Wilson interval of hit_rate; null in an empty bin" }),
      }),
    ),
  })
  .meta({ id: "ForecastQuality" });
export type ForecastQuality = z.output<typeof ForecastQuality>;

const qualities = { model: ForecastQuality, coin: ForecastQuality, frequencies: ForecastQuality };

/** The answer of GET /api/public/calibration. */
export const PublicCalibration = z
  .strictObject({
    ledger_size: z.int(),
    simulated: z.boolean(),
    notice,
    from: Day.nullable(),
    to: Day.nullable(),
    n_bins: z.int(),
    total: z.strictObject(qualities).meta({ id: "CalibrationTotal" }),
    count: z.int(),
    items: z.array(
      z.strictObject({ symbol: SymbolCode, tf_code: TimeframeCode, simulated: z.boolean(), ...qualities }),
    ),
  })
  .meta({ id: "PublicCalibration" });
export type PublicCalibration = z.output<typeof PublicCalibration>;

export const PublicModelsQuery = z.object({
  symbol: symbolFilter(),
  tf_code: timeframeFilter(),
  model_v: modelFilter(),
});

/** A figure with its 95 % interval; the interval is null with too little data. */
const Estimate = z
  .strictObject({ value: z.number().nullable(), ci95: Interval.nullable() })
  .meta({ id: "Estimate" });
const modelFigures = {
  n: z.int().meta({ description: "Number of signals behind the figures" }),
  skill: Estimate.meta({ description: "Brier skill against the class frequencies" }),
  ece: Estimate,
  directional_share: Estimate.meta({ description: "Share of signals with a direction" }),
  max_drawdown_r: Estimate,
};

export const PublicModel = z
  .strictObject({
    id: z.int(),
    symbol: SymbolCode,
    tf_code: TimeframeCode,
    model_v: z.string(),
    simulated: z.boolean(),
    is_active: z.boolean(),
    trained_at: Timestamp,
    champion_since: Timestamp.nullable(),
    auc_wf: z.number().nullable(),
    pf_wf: z.number().nullable(),
    n_wf: z.int().nullable().meta({
      description: "Number of candles on which auc_wf and pf_wf were measured; null if unknown",
    }),
    class_frequencies: z
      .tuple([z.number(), z.number(), z.number()])
      .nullable()
      .meta({ description: "Shares of BUY, SELL and NO_TRADE in the training sample" }),
    training: z
      .strictObject({
        n_candles: z.int(),
        from: Timestamp,
        to: Timestamp,
        data_hash: z.string(),
        champion: z.string().meta({ description: "Name of the recipe, or `baseline`" }),
        reason: z.string(),
      })
      .nullable()
      .meta({ description: "null for a model that was not trained here" }),
    promotions: z.array(
      z.strictObject({ at: Timestamp, entry: z.int().meta({ description: "Index of the ledger entry" }) }),
    ),
    claim: z
      .strictObject({
        sealed_at: Timestamp,
        entry: z
          .int()
          .nullable()
          .meta({ description: "Index of the ledger entry; null until it is entered" }),
        ...modelFigures,
      })
      .nullable()
      .meta({ description: "Its expected results, sealed before it went live; never changed" }),
    result: z.strictObject(modelFigures).meta({ id: "ModelResult", description: "Its observed results" }),
  })
  .meta({ id: "PublicModel" });
export type PublicModel = z.output<typeof PublicModel>;

/** The answer of GET /api/public/models. */
export const PublicModels = z
  .strictObject({ ledger_size: z.int(), notice, count: z.int(), items: z.array(PublicModel) })
  .meta({ id: "PublicModels" });
export type PublicModels = z.output<typeof PublicModels>;

/** Largest number that a parameter accepts as the index of a ledger entry or as a size of the ledger. */
const MAX_ENTRIES = 999_999_999_999;

export const PublicSignalsQuery = z.object({
  symbol: symbolFilter(),
  tf_code: timeframeFilter(),
  model_v: modelFilter(),
  after: z
    .string()
    .regex(/^[0-9]{1,12}$/, "must be a cursor that an earlier answer gave as next")
    .transform(Number)
    .meta({ wire: { type: "integer", minimum: 0 } })
    .optional(),
  limit: intParam({ min: 1, max: 1000, default: 200 }),
  entered_later: booleanFilter(),
  order: z
    .enum(["oldest", "newest"], "must be oldest or newest")
    .meta({ wire: { type: "string", enum: ["oldest", "newest"], default: "oldest" } })
    .default("oldest"),
  format: z.enum(["json", "ndjson", "csv"], "must be json, ndjson or csv").optional(),
});
export type PublicSignalsQuery = z.output<typeof PublicSignalsQuery>;

/** A signal whose horizon is over, with its outcome. */
export const ResolvedSignal = z
  .strictObject({
    seq: z.int().meta({ description: "Number of the signal in the order of commits" }),
    symbol: SymbolCode,
    timeframe: TimeframeCode,
    signal: Direction,
    confidence: Probability,
    prob_buy: Probability,
    prob_sell: Probability,
    prob_no: Probability,
    regime: z.string(),
    expected_rr: z.number(),
    ts: Timestamp,
    model_v: z.string(),
    created_at: Timestamp,
    simulated: z.boolean(),
    entered_later: z.boolean().meta({
      description: "Whether it was not committed in time, so that no figure of the record counts it",
    }),
    label: Direction.nullable().meta({
      description: "Class of the outcome; null if there was too little history for one",
    }),
    entry_price: z.number().nullable(),
    barrier_distance: z.number().nullable(),
    buy_r: z.number().nullable().meta({ description: "Result of a BUY at its barriers, after costs" }),
    sell_r: z.number().nullable(),
    result_r: z.number().nullable().meta({ description: "Result of its direction; null for NO_TRADE" }),
    exit_price: z.number().nullable(),
    exit_reason: z.enum(EXIT_REASONS).nullable(),
    ended_at: Timestamp.nullable(),
    stop: z.number().optional().meta({
      description: "Stop as a price. Only for signals with their own levels",
    }),
    target: z.number().nullable().optional(),
    horizon_candles: z.int().optional(),
    rule: z.string().nullable().optional().meta({
      description: "Name and version of the rule behind the result. Only for signals with their own levels",
    }),
    entries: z
      .strictObject({ commitment: z.int().nullable(), reveal: z.int(), outcome: z.int() })
      .meta({ description: "Indexes of its ledger entries" }),
  })
  .meta({ id: "ResolvedSignal" });
export type ResolvedSignal = z.output<typeof ResolvedSignal>;

/** The answer of GET /api/public/signals. */
export const PublicSignals = z
  .strictObject({
    notice,
    count: z.int(),
    items: z.array(ResolvedSignal),
    next: z
      .int()
      .nullable()
      .meta({ description: "Value of `after` for the next page; null on the last page" }),
  })
  .meta({ id: "PublicSignals" });
export type PublicSignals = z.output<typeof PublicSignals>;

const place = (problem: string) =>
  z
    .string()
    .regex(/^[0-9]{1,12}$/, problem)
    .transform(Number)
    .meta({ wire: { type: "integer", minimum: 0, maximum: MAX_ENTRIES } });

/** Maximum number of ledger entries per answer. */
export const MAX_LEDGER_ENTRIES_PER_ANSWER = 1_000;

export const LedgerEntriesQuery = z
  .object({ start: place("must be the place of an entry"), end: place("must be the place of an entry") })
  .refine(({ start, end }) => start <= end, { path: ["start"], message: "must not be larger than end" });

const Hash = z.string().regex(/^[0-9a-f]{64}$/);

export const LedgerEntry = z
  .strictObject({
    index: z.int(),
    kind: z.enum(LEDGER_KINDS),
    subject: z.string(),
    at: Timestamp,
    content: z.string().meta({ description: "Canonical JSON (RFC 8785): the bytes of the leaf" }),
    leaf_hash: Hash,
  })
  .meta({ id: "LedgerEntry" });

/**
 * The answer of GET /api/public/ledger/entries: the entries from `start` to `end`, both inclusive, as far as they
 * exist.
 */
export const LedgerEntries = z
  .strictObject({ size: z.int(), count: z.int(), items: z.array(LedgerEntry) })
  .meta({ id: "LedgerEntries" });
export type LedgerEntries = z.output<typeof LedgerEntries>;

export const LedgerProofQuery = z
  .object({ entry: place("must be the place of an entry"), size: place("must be a size of the ledger") })
  .refine(({ entry, size }) => entry < size, { path: ["entry"], message: "must be smaller than size" });

/**
 * The answer of GET /api/public/ledger/proof: a proof that the ledger of a given size contains an entry (RFC 6962,
 * section 2.1.1).
 */
export const LedgerProof = z
  .strictObject({ entry: z.int(), size: z.int(), leaf_hash: Hash, root: Hash, path: z.array(Hash) })
  .meta({ id: "LedgerProof" });
export type LedgerProof = z.output<typeof LedgerProof>;

export const LedgerConsistencyQuery = z
  .object({
    first: place("must be a size of the ledger"),
    second: place("must be a size of the ledger"),
  })
  .refine(({ first, second }) => first <= second, {
    path: ["first"],
    message: "must not be larger than second",
  });

/**
 * The answer of GET /api/public/ledger/consistency: a proof that the ledger of one size extends that of a smaller size
 * (RFC 6962, section 2.1.2).
 */
export const LedgerConsistency = z
  .strictObject({
    first: z.int(),
    second: z.int(),
    first_root: Hash,
    second_root: Hash,
    path: z.array(Hash),
  })
  .meta({ id: "LedgerConsistency" });
export type LedgerConsistency = z.output<typeof LedgerConsistency>;

/** The answer of GET /.well-known/signal-ledger: the public key that verifies the ledger. */
export const LedgerKey = z
  .strictObject({
    origin: z.string(),
    public_key: z.string().meta({ description: "Ed25519, base64" }),
    vkey: z.string().meta({ description: "The key in the format of C2SP signed notes" }),
    checkpoint: z.string(),
  })
  .meta({ id: "LedgerKey" });
export type LedgerKey = z.output<typeof LedgerKey>;

/** Maximum number of candles per answer. */
export const MAX_PUBLIC_CANDLES = 5_000;

export const PublicCandlesQuery = z.object({
  symbol: symbolFilter().refine((symbol) => symbol !== undefined, "is required"),
  tf_code: timeframeFilter().refine((timeframe) => timeframe !== undefined, "is required"),
  from: instantFilter(),
  to: instantFilter(),
});

/** The answer of GET /api/public/candles: settled candles by open time, `from` and `to` inclusive. */
export const PublicCandles = z
  .strictObject({
    symbol: SymbolCode,
    tf_code: TimeframeCode,
    count: z.int(),
    items: z.array(
      z.strictObject({
        ts: Timestamp,
        open: z.number(),
        high: z.number(),
        low: z.number(),
        close: z.number(),
      }),
    ),
    next: Timestamp.nullable().meta({
      description: "Value of `from` for the next page; null on the last page",
    }),
  })
  .meta({ id: "PublicCandles" });
export type PublicCandles = z.output<typeof PublicCandles>;
