import { describe, expect, it } from "vitest";
import { uniformSource } from "@/lib/engine/random";
import { headlineOf, resultFigures } from "@/lib/signals/record/figures";
import { summarizeRecord } from "@/lib/signals/record/summarize-record";
import type { PublicRecord } from "@/lib/wire/contracts/record";
import { sampleRecord, sampleResults, sampleSlot } from "@/tests/support/record-sample";

const SLOTS = [sampleSlot({ symbol: "EURUSD" }), sampleSlot({ symbol: "XAUUSD" })];
const WHOLE = { isWhole: true };

/** A record of two slots with these sums in R, mean results and test findings. */
function record(of: {
  totalR?: number;
  coinR?: number;
  together?: boolean;
  alone?: number;
  n?: number;
  items?: PublicRecord["items"];
}): PublicRecord {
  const { totalR = 40, coinR = -20, together = false, alone = 0, n = 800, items = SLOTS } = of;
  const sample = sampleRecord(items);
  const judged = (shown: boolean) => ({ value: shown ? 50 : 1, needed: 40, shown });
  return {
    ...sample,
    headline: { text: "", n_slots: n < 50 ? 0 : items.length, n_direction: alone, n_probability: 0 },
    overall: items.length === 1 ? null : { direction: judged(together), probability: judged(false) },
    total: {
      ...sample.total,
      model: { ...sampleResults(n, totalR), expectancy_ci95: n < 50 ? null : [0.02, 0.3] },
      coin: sampleResults(n, coinR),
    },
  };
}
const results = (of: Parameters<typeof record>[0], how = WHOLE) => summarizeRecord(record(of), how).results;

describe("the record's verdict", () => {
  it("the record's verdict claims an edge only when the sequential test shows one", () => {
    expect(results({ together: true })).toBe(
      "All slots together have proved an edge. No single slot has proved it alone yet.",
    );
    expect(results({ together: true, alone: 1 })).toBe(
      "All slots together have proved an edge; 1 of the 2 slots with enough trades has proved it alone.",
    );
    for (const of of [{}, { coinR: 90 }, { totalR: -5 }])
      expect(results(of)).toContain("No edge is proved yet");
  });

  it("the record's verdict counts the same slots as the headline: those with enough trades", () => {
    const few = sampleSlot({ symbol: "GBPUSD", n: 12 });
    const items = [...SLOTS, few];
    const headline = headlineOf(
      items.map((item) => ({
        n: item.forecasts.n,
        nFollowed: item.model.n,
        direction: { shown: item === SLOTS[0] },
        probability: { shown: false },
      })),
      { direction: { shown: true }, probability: { shown: false } },
    );
    expect(headline.text).toContain("and on 1 of 2 alone");
    const said = summarizeRecord({ ...record({ together: true, items }), headline }, WHOLE);
    expect(said.results).toContain("1 of the 2 slots with enough trades has proved it alone.");
  });

  it("the verdict on a simulated market says so and claims no proof", () => {
    const simulated = (of: Parameters<typeof record>[0], how = WHOLE) =>
      summarizeRecord({ ...record(of), notice: "Simulated." }, how).results;
    expect(simulated({ together: true, alone: 1 })).toBe(
      "In this simulation, all slots together pass the test for an edge; 1 of the 2 slots with enough trades passes it alone.",
    );
    const one = { items: SLOTS.slice(0, 1), alone: 1 };
    expect(simulated(one)).toBe("In this simulation, EURUSD H1 passes the test for an edge.");
    for (const of of [{ together: true }, { alone: 1 }, one, { alone: 2 }, {}, { n: 12 }])
      for (const how of [WHOLE, { isWhole: false }])
        expect(simulated(of, how)).toMatch(/^In this simulation, (?!.*(?:has|have) proved an edge after)/);
  });

  it.each([
    ["ahead so far, but luck can still explain it", {}],
    ["in profit so far, but random entries did better", { coinR: 41 }],
    ["at a loss so far", { totalR: -0.1, coinR: -20 }],
  ])("the verdict says that the record is %s when its sums show that", (words, of) => {
    expect(results(of)).toContain(`All slots together are ${words}.`);
  });

  it("the verdict on a period gives only the test of the whole record, not the period's sums", () => {
    expect(results({}, { isWhole: false })).toBe("Over the whole record, no slot has proved an edge yet.");
  });

  it("the verdict on selected slots states their sum, and that none of them has proved an edge on its own", () => {
    const selected = { ...record({}), overall: null };
    expect(summarizeRecord(selected, WHOLE).results).toBe(
      "These 2 slots are ahead so far, but luck can still explain it. None of them has proved an edge on its own yet.",
    );
  });

  it("the record's verdict names the slot if there is only one", () => {
    const one = { items: SLOTS.slice(0, 1) };
    expect(results(one)).toBe(
      "EURUSD H1 is ahead so far, but luck can still explain it. No edge is proved yet.",
    );
    expect(results({ ...one, alone: 1 })).toBe("EURUSD H1 has proved an edge.");
  });

  it("the record's verdict is that it is too early to judge below fifty results", () => {
    expect(summarizeRecord(record({ n: 12 }), WHOLE)).toEqual({
      results: "Too early to judge: 12 of the 50 results needed.",
      probabilities: null,
    });
  });

  it("the verdict on a slot without trades says that no edge is proved, or with 49 forecasts that it is too early", () => {
    const slot = sampleSlot({ symbol: "EURUSD", n: 0 });
    const whole = record({ items: [slot], n: 800, totalR: 0, coinR: 0 });
    const none = (n: number): PublicRecord => ({
      ...whole,
      total: {
        ...whole.total,
        model: sampleResults(0, 0),
        forecasts: { ...whole.total.forecasts, n, n_directional: 0, enough: n >= 50 },
      },
      headline: { ...whole.headline, n_slots: n >= 50 ? 1 : 0 },
    });
    expect(summarizeRecord(none(1_234), WHOLE)).toEqual({
      results: "No trades: all 1,234 resolved signals said NO TRADE. No edge is proved.",
      probabilities: "It is not proved that the probabilities beat simple averages.",
    });
    expect(summarizeRecord(none(49), WHOLE).results).toContain("Too early to judge");
  });

  it("the record's verdict says that the probabilities are not proved to beat simple averages", () => {
    expect(summarizeRecord(record({}), WHOLE).probabilities).toBe(
      "It is not proved that the probabilities beat simple averages.",
    );
  });

  it("the record's verdict never rules luck out for trades without an edge, on any day of a year", () => {
    const none = record({});
    for (let run = 1; run <= 100; run++) {
      const said = new Set<string>();
      const uniform = uniformSource(run);
      const [model, coin] = [noTrades(), noTrades()];
      for (let day = 0; day < 365; day++) {
        for (let trade = 0; trade < 6; trade++)
          for (const sums of [model, coin]) addTrade(sums, uniform() < 0.5);
        said.add(
          summarizeRecord(
            {
              ...none,
              total: { ...none.total, model: resultFigures(model, []), coin: resultFigures(coin, []) },
            },
            WHOLE,
          ).results,
        );
      }
      for (const sentence of said)
        expect(sentence).toMatch(/Too early|luck can still explain it|random entries did better|at a loss/);
    }
  });
});

const noTrades = () => ({ n: 0, nIndependent: 0, wins: 0, losses: 0, r: 0, rSquares: 0, gain: 0 });

/** A trade that wins or loses 1 R. */
function addTrade(sums: ReturnType<typeof noTrades>, isWin: boolean) {
  sums.n++;
  sums.nIndependent++;
  sums.r += isWin ? 1e6 : -1e6;
  sums.rSquares += 1e6;
  if (isWin) {
    sums.wins++;
    sums.gain += 1e6;
  } else sums.losses++;
}
