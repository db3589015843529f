/** Invented figures for the gallery; deterministic, so that screenshots can be compared. */

import { DAY_MS, HOUR_MS } from "@/lib/time";

/** A linear congruential generator (constants of Numerical Recipes) of shares in 0..1. */
function shares(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export const NOW = new Date("2026-11-20T14:30:00Z");

export const equity = (() => {
  const next = shares(7);
  let sum = 0;
  return Array.from({ length: 90 }, (_, day) => {
    sum += (next() - 0.46) * 60;
    const missing = day > 40 && day < 45;
    return {
      at: new Date(NOW.getTime() - (89 - day) * DAY_MS),
      value: missing ? null : Number(sum.toFixed(2)),
    };
  });
})();

export const candles = (() => {
  const next = shares(11);
  let price = 1.0842;
  const start = new Date("2026-11-18T12:00:00Z").getTime();
  const list = [];
  for (let hour = 0; hour < 72; hour += 1) {
    const open = price;
    const close = open + (next() - 0.5) * 0.0024;
    const high = Math.max(open, close) + next() * 0.0008;
    const low = Math.min(open, close) - next() * 0.0008;
    price = close;
    if (hour >= 40 && hour < 44) continue;
    list.push({ at: new Date(start + hour * HOUR_MS), open, high, low, close });
  }
  return list;
})();

export const candleSignals = [
  { at: new Date("2026-11-18T20:00:00Z"), direction: "BUY" as const },
  { at: new Date("2026-11-19T13:00:00Z"), direction: "SELL" as const },
  { at: new Date("2026-11-20T15:00:00Z"), direction: "BUY" as const },
  { at: new Date("2026-11-21T05:00:00Z"), direction: "SELL" as const },
];

export const calendarDays = (() => {
  const next = shares(23);
  return Array.from({ length: 20 }, (_, index) => index + 1)
    .filter((day) => ![1, 7, 8, 14, 15].includes(day))
    .map((day) => ({
      day,
      value: Number(((next() - 0.45) * 180).toFixed(2)),
      n: 1 + Math.floor(next() * 6),
      href: day % 3 === 0 ? "#" : undefined,
    }));
})();

export const reliability = Array.from({ length: 10 }, (_, index) => {
  const lo = index / 10;
  const counts = [0, 0, 0, 42, 310, 268, 121, 44, 9, 0];
  const rates = [0, 0, 0, 0.36, 0.44, 0.56, 0.61, 0.78, 0.67, 0];
  const n = counts[index] ?? 0;
  return {
    lo,
    hi: lo + 0.1,
    n,
    avgConfidence: n ? lo + 0.052 : null,
    hitRate: n ? (rates[index] ?? 0) : null,
  };
});

export const uptimeDays = Array.from({ length: 90 }, (_, index) => ({
  date: new Date(NOW.getTime() - (89 - index) * DAY_MS),
  observedMinutes: index < 12 ? 0 : 1440,
  downMinutes: index === 47 ? 14 : 0,
  degradedMinutes: index === 63 || index === 64 ? 90 : 0,
}));

export const slots = [
  {
    slot: "EURUSD H1",
    direction: "BUY" as const,
    confidence: 0.58,
    buy: 0.58,
    no: 0.27,
    sell: 0.15,
    regime: "TREND_UP",
    price: 1.08421,
    digits: 5,
    rr: 1.6,
    state: "ok" as const,
  },
  {
    slot: "GBPUSD H4",
    direction: "SELL" as const,
    confidence: 0.49,
    buy: 0.22,
    no: 0.29,
    sell: 0.49,
    regime: "VOLATILE",
    price: 1.2675,
    digits: 5,
    rr: 1.4,
    state: "ok" as const,
  },
  {
    slot: "USDJPY H1",
    direction: "NO_TRADE" as const,
    confidence: 0.51,
    buy: 0.24,
    no: 0.51,
    sell: 0.25,
    regime: "RANGE",
    price: 154.312,
    digits: 3,
    rr: 1.2,
    state: "stale" as const,
  },
  {
    slot: "XAUUSD H4",
    direction: "BUY" as const,
    confidence: 0.63,
    buy: 0.63,
    no: 0.2,
    sell: 0.17,
    regime: "TREND_UP",
    price: 2664.1,
    digits: 2,
    rr: 1.8,
    state: "ok" as const,
  },
];
