import { addDays } from "@/lib/time";
import type {
  ForecastQuality,
  PublicCalibration,
  PublicModel,
  PublicRecord,
  RecordCoverage,
  RecordForecasts,
  RecordResults,
  RecordSlot,
  ResolvedSignal,
} from "@/lib/wire/contracts/record";
import { Dice } from "./dice";

/** Sample results of the public record's queries for tests that render pages; the same in every run. */

const isoDay = (at: Date) => at.toISOString().slice(0, 10);

export function sampleResults(n: number, totalR: number): RecordResults {
  const enough = n >= 50;
  const wins = Math.floor(n * 0.42);
  return {
    n,
    n_independent: Math.ceil(n * 0.7),
    enough,
    n_wins: wins,
    n_losses: n - wins,
    win_rate_pct: enough ? 42 : null,
    win_rate_ci95: enough ? [36.4, 47.8] : null,
    total_r: totalR,
    expectancy_r: enough ? totalR / n : null,
    expectancy_ci95: enough ? [totalR / n - 0.11, totalR / n + 0.11] : null,
    profit_factor: enough ? 1.08 : null,
    max_drawdown_r: Math.abs(totalR) / 2 + 3.25,
  };
}

export function sampleForecasts(n: number, skill: number): RecordForecasts {
  const enough = n >= 50;
  return {
    n,
    n_independent: Math.ceil(n / 4),
    enough,
    n_directional: Math.floor(n * 0.2),
    brier: enough ? 0.64 * (1 - skill) : null,
    brier_frequencies: enough ? 0.64 : null,
    brier_coin: enough ? 2 / 3 : null,
    skill: enough ? skill : null,
    skill_ci95: enough ? [skill - 0.02, skill + 0.02] : null,
  };
}

export function sampleCoverage(nCandles: number): RecordCoverage {
  return {
    since: new Date("2026-06-01T00:00:00Z"),
    n_candles: nCandles,
    n_in_time: nCandles - 6,
    pct: (100 * (nCandles - 6)) / nCandles,
    n_slow: 3,
    n_late: 2,
    mean_late_minutes: 190,
    n_paused: 3,
    n_missing_candles: 0,
    n_directional: 0,
    n_without_cost: 0,
    n_entered_later: 40,
  };
}

export function sampleSlot(wish: {
  symbol: string;
  tf_code?: string;
  n?: number;
  totalR?: number;
  coinR?: number;
  skill?: number;
}): RecordSlot {
  const { symbol, tf_code = "H1", n = 400, totalR = 12.5, coinR = -20, skill = 0.012 } = wish;
  return {
    symbol,
    tf_code,
    simulated: true,
    models: ["baseline-1"],
    forecasts: sampleForecasts(n * 5, skill),
    model: sampleResults(n, totalR),
    coin: sampleResults(n, coinR),
    frequencies: sampleResults(Math.floor(n / 3), coinR / 2),
    evidence: {
      direction: { value: 0.8, needed: 400, shown: false },
      probability: { value: 900, needed: 400, shown: skill > 0.03 },
    },
    coverage: sampleCoverage(n * 5),
  };
}

export function sampleRecord(items: RecordSlot[], days = 120): PublicRecord {
  const dice = new Dice(7);
  let [r, coin, frequencies] = [0, 0, 0];
  const first = new Date("2026-06-01T00:00:00Z");
  const curve = Array.from({ length: days }, (_, index) => {
    r += dice.below(400) / 100 - 1.8;
    coin += dice.below(400) / 100 - 2.2;
    frequencies += dice.below(200) / 100 - 1.1;
    return { date: isoDay(addDays(first, index)), r, coin_r: coin, frequencies_r: frequencies };
  });
  const months = [...new Set(curve.map(({ date }) => date.slice(0, 7)))].map((month, index) => ({
    month,
    n: index === 0 ? 30 : 900,
    n_followed: 180,
    total_r: 4.2 - 3 * index,
    coin_r: -2.5,
    frequencies_r: -1,
    brier: index === 0 ? null : 0.63,
    brier_frequencies: index === 0 ? null : 0.64,
    skill: index === 0 ? null : 0.0156,
  }));
  const n = items.reduce((sum, slot) => sum + slot.model.n, 0);
  return {
    ledger_size: 12_345,
    simulated: true,
    notice: null,
    overall: {
      direction: { value: 0.8, needed: 40, shown: false },
      probability: { value: 300, needed: 40, shown: true },
    },
    coverage: sampleCoverage(20_000),
    from: null,
    to: null,
    first_day: curve[0]?.date ?? null,
    last_day: curve.at(-1)?.date ?? null,
    headline: {
      text: "Direction: not shown to be better than a coin on 4 of 4 slots. Probabilities: better than the class frequencies on 1 of 4.",
      n_slots: 4,
      n_direction: 0,
      n_probability: 1,
    },
    total: {
      forecasts: sampleForecasts(n * 5, 0.011),
      model: sampleResults(n, r),
      coin: sampleResults(n, coin),
      frequencies: sampleResults(Math.floor(n / 3), frequencies),
    },
    count: items.length,
    items,
    curve,
    months,
    entered_later: null,
  };
}

export function sampleQuality(n: number): ForecastQuality {
  const enough = n >= 50;
  return {
    n,
    n_independent: Math.ceil(n / 4),
    enough,
    brier: enough ? 0.6312 : null,
    skill: enough ? 0.0141 : null,
    ece: enough ? 0.023 : null,
    accuracy: enough ? 0.452 : null,
    accuracy_ci95: enough ? [0.431, 0.473] : null,
    avg_confidence: enough ? 0.447 : null,
    decomposition: enough
      ? { brier: 0.2401, reliability: 0.0012, resolution: 0.0089, uncertainty: 0.2478, within: 0 }
      : null,
    bins: Array.from({ length: 10 }, (_, index) => {
      const share = [0, 0, 0, 0.34, 0.41, 0.16, 0.07, 0.02, 0, 0][index] ?? 0;
      const count = Math.round(n * share);
      const rate = 0.02 + (index + 0.5) / 10;
      const wide = count === 0 ? 0 : 1 / Math.sqrt(count + 4);
      return {
        lo: index / 10,
        hi: (index + 1) / 10,
        n: count,
        n_independent: Math.ceil(count / 4),
        avg_confidence: count === 0 ? null : (index + 0.5) / 10,
        hit_rate: count === 0 ? null : rate,
        ci95: count === 0 ? null : [Math.max(0, rate - wide), Math.min(1, rate + wide)],
      };
    }),
  };
}

export function sampleCalibration(symbol: string, n: number): PublicCalibration {
  const qualities = { model: sampleQuality(n), coin: sampleQuality(n), frequencies: sampleQuality(n) };
  return {
    ledger_size: 12_345,
    simulated: true,
    notice: null,
    from: null,
    to: null,
    n_bins: 10,
    total: qualities,
    count: 1,
    items: [{ symbol, tf_code: "H1", simulated: true, ...qualities }],
  };
}

export function sampleModel(wish: Partial<PublicModel> = {}): PublicModel {
  const estimate = (value: number, wide: number) => ({
    value,
    ci95: [value - wide, value + wide] as [number, number],
  });
  return {
    id: 3,
    symbol: "EURUSD",
    tf_code: "H1",
    model_v: "blend-20260601-0a1b2c3d",
    simulated: true,
    is_active: true,
    trained_at: new Date("2026-06-01T03:00:00Z"),
    champion_since: new Date("2026-06-02T03:00:00Z"),
    auc_wf: 0.512,
    pf_wf: 1.04,
    n_wf: 18_000,
    class_frequencies: [0.34, 0.33, 0.33],
    training: {
      n_candles: 21_340,
      from: new Date("2023-01-02T00:00:00Z"),
      to: new Date("2026-05-31T23:00:00Z"),
      data_hash: "9f".repeat(32),
      champion: "blend",
      reason: "Promoted: its log loss beats the baseline's at every level that was asked.",
    },
    promotions: [{ at: new Date("2026-06-02T03:00:00Z"), entry: 4_711 }],
    claim: {
      sealed_at: new Date("2026-06-02T03:00:00Z"),
      entry: 4_712,
      n: 18_000,
      skill: estimate(0.012, 0.006),
      ece: estimate(0.021, 0.01),
      directional_share: estimate(0.18, 0.02),
      max_drawdown_r: estimate(22, 9),
    },
    result: {
      n: 2_400,
      skill: estimate(0.014, 0.011),
      ece: estimate(0.034, 0.01),
      directional_share: estimate(0.19, 0.02),
      max_drawdown_r: { value: 14.25, ci95: null },
    },
    ...wish,
  };
}

export function sampleSignals(symbol: string, n: number): ResolvedSignal[] {
  const dice = new Dice(11);
  return Array.from({ length: n }, (_, index) => {
    const signal = dice.pick(["BUY", "SELL", "NO_TRADE", "NO_TRADE"] as const);
    const ts = new Date(Date.UTC(2026, 8, 28) - index * 3_600_000);
    const isFollowed = signal !== "NO_TRADE";
    return {
      seq: 9_000 - index,
      symbol,
      timeframe: "H1",
      signal,
      confidence: 0.412345,
      prob_buy: 0.412345,
      prob_sell: 0.3,
      prob_no: 0.287655,
      regime: "RANGE",
      expected_rr: 1,
      ts,
      model_v: "blend-20260601-0a1b2c3d",
      created_at: ts,
      simulated: true,
      entered_later: index % 9 === 0,
      label: dice.pick(["BUY", "SELL", "NO_TRADE"] as const),
      entry_price: 1.0842,
      barrier_distance: 0.00184,
      buy_r: 0.95,
      sell_r: -1.05,
      result_r: isFollowed ? (dice.chance(0.45) ? 0.9565 : -1.0435) : null,
      exit_price: isFollowed ? 1.08604 : null,
      exit_reason: isFollowed ? dice.pick(["TP", "SL", "TIMEOUT"] as const) : null,
      ended_at: ts,
      entries: {
        commitment: index % 9 === 0 ? null : 100 + index,
        reveal: 5_000 + 2 * index,
        outcome: 5_001 + 2 * index,
      },
    };
  });
}
