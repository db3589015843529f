import type { ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { drawdownCurve, equityCurves, monthsByYear } from "@/app/(site)/_record/curves";
import { EnteredLaterCard } from "@/app/(site)/_record/entered-later";
import { MeanResult, SkillWithInterval } from "@/app/(site)/_record/figures-with-interval";
import { LuckComparisonTable } from "@/app/(site)/_record/luck-table";
import { NoTrades } from "@/app/(site)/_record/no-trades";
import { parseRecordPageQuery } from "@/app/(site)/_record/record-page-query";
import { ClaimTable } from "@/app/(site)/models/[id]/_parts/claim-table";
import { walkForwardFacts } from "@/app/(site)/models/[id]/_parts/walk-forward-facts";
import { SlotTable } from "@/app/(site)/record/_parts/slot-table";
import { ResolvedTable } from "@/app/(site)/record/[symbol]/[tf]/_parts/resolved-table";
import {
  sampleForecasts,
  sampleModel,
  sampleRecord,
  sampleResults,
  sampleSignals,
  sampleSlot,
} from "@/tests/support/record-sample";

const html = (element: ReactElement) => renderToStaticMarkup(element);
/** The visible text: without tags, with white space collapsed. */
const words = (element: ReactElement) =>
  html(element)
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ");
const NOTHING = parseRecordPageQuery({});

describe("a rate of the record", () => {
  const few = sampleResults(49, 12);
  const enough = sampleResults(50, 12);
  const table = (results: typeof few) =>
    words(
      <LuckComparisonTable
        about="EURUSD H1"
        model={results}
        coin={enough}
        frequencies={sampleResults(0, 0)}
      />,
    );

  it("a rate is hidden below fifty results", () => {
    expect(table(few)).toContain("forecasts. too few results n = 49 too few results n = 49");
    expect(table(few)).toContain("measured against it. too few results n = 0");
  });

  it("a rate has its interval and sample from fifty results on", () => {
    expect(table(enough)).toContain("forecasts. 42.0 % 36 to 48, n = 50 +0.240 +0.13 to +0.35, n = 50");
  });
});

describe("a skill without a reference", () => {
  it("a skill that is missing although there are enough results names own levels as the reason", () => {
    const skillOf = (n: number) =>
      words(<SkillWithInterval forecasts={{ ...sampleForecasts(n, 0), skill: null, skill_ci95: null }} />);
    expect(skillOf(60)).toContain("– own levels: no reference");
    expect(skillOf(40)).toContain("too few results");
  });
});

describe("a slot without trades", () => {
  it("a slot without trades states how many forecasts there were and why none gave a direction", () => {
    const read = words(<NoTrades slot="EURUSD H1" nForecasts={1_234} />);
    expect(read).toContain("All 1,234 resolved signals of EURUSD H1");
    expect(read).toContain("only when past candles show an edge");
  });
});

describe("the table of slots", () => {
  const slots = [sampleSlot({ symbol: "EURUSD", skill: 0.05 }), sampleSlot({ symbol: "XAUUSD", totalR: 99 })];

  it("the table of slots links each column to its order and each slot to its page, and keeps the filter", () => {
    const markup = html(
      <SlotTable
        slots={slots}
        shown={{ ...NOTHING, model: "m 1", period: "90", sort: "total" }}
        isSimulated={false}
      />,
    );
    expect(markup).toContain('href="/record?model=m+1&amp;period=90&amp;sort=total&amp;order=asc"');
    expect(markup).toContain('href="/record?model=m+1&amp;period=90&amp;sort=skill&amp;order=desc"');
    expect(markup).toContain('href="/record/XAUUSD/H1?model=m+1&amp;period=90"');
    expect(markup.indexOf("XAUUSD")).toBeLessThan(markup.indexOf("EURUSD"));
    expect(markup).toContain('aria-sort="descending"');
  });

  it("the table of slots marks results that are significantly better than luck", () => {
    const read = words(<SlotTable slots={slots} shown={NOTHING} isSimulated={false} />);
    expect(read).toContain("Edge proved");
    expect(read).toMatch(/EURUSD H1 .* probability .*XAUUSD H1 .* not yet/);
  });

  it("the table of slots calls no edge proved on a simulated market", () => {
    const read = words(<SlotTable slots={slots} shown={NOTHING} isSimulated />);
    expect(read).not.toContain("Edge proved");
    expect(read).toMatch(/Test passed .*It proves nothing about a real market/);
  });
});

describe("an estimate", () => {
  it("an estimate is not coloured as a profit or loss, because luck alone decides its sign", () => {
    for (const sign of [-1, 1]) {
      const markup = html(
        <>
          <MeanResult results={sampleResults(60, 2 * sign)} />
          <SkillWithInterval forecasts={sampleForecasts(60, 0.01 * sign)} />
        </>,
      );
      expect(markup).toContain(sign < 0 ? "−0.033" : "+0.033");
      expect(markup).toContain(sign < 0 ? "−1.0 %" : "+1.0 %");
      expect(markup).not.toMatch(/text-(up|down)/);
    }
  });
});

describe("curves of the record", () => {
  const { curve, months } = sampleRecord([sampleSlot({ symbol: "EURUSD" })]);

  it("curves start at zero on the first morning and end at the last day's sum", () => {
    const { model, comparisons } = equityCurves(curve);
    expect(model[0]).toEqual({ at: new Date("2026-06-01T00:00:00Z"), value: 0 });
    expect(model.at(-1)).toEqual({ at: new Date("2026-09-28T23:59:00Z"), value: curve.at(-1)?.r });
    expect(comparisons.map(({ points }) => points.length)).toEqual([121, 121]);
    expect(equityCurves([]).model).toEqual([]);
  });

  it("the drawdown curve is never above zero", () => {
    const falls = drawdownCurve(equityCurves(curve).model).map(({ value }) => value ?? 0);
    expect(Math.max(...falls)).toBe(0);
    expect(Math.min(...falls)).toBeLessThan(0);
  });

  it("the results by month are one row per year, with an empty cell for a month without a followed signal", () => {
    const unfollowed = months.slice(0, 1).map((month) => ({ ...month, month: "2026-12", n_followed: 0 }));
    const [year] = monthsByYear([...months, ...unfollowed]);
    expect(year?.months.map((value) => value !== null)).toEqual([
      ...Array(5).fill(false),
      ...Array(4).fill(true),
      ...Array(3).fill(false),
    ]);
    expect(year?.total).toBeCloseTo(
      months.reduce((sum, month) => sum + month.total_r, 0),
      9,
    );
  });
});

describe("a model's claim", () => {
  const of = (model: ReturnType<typeof sampleModel>) =>
    words(<ClaimTable name={model.model_v} claim={model.claim} result={model.result} />);

  it("a model's claim is shown with the actual result, and says when they differ by more than luck explains", () => {
    const model = sampleModel();
    const share = { value: 0.27, ci95: [0.25, 0.29] as [number, number] };
    const read = of({
      ...model,
      result: { ...model.result, directional_share: share, ece: { value: 0.034, ci95: null } },
    });
    expect(read).toContain("Skill +1.2 % +0.6 % to +1.8 % +1.4 % +0.3 % to +2.5 % as claimed");
    expect(read).toContain("27.0 % 25.0 % to 29.0 % above the claim");
    expect(read).toContain("ECE 2.1 % 1.1 % to 3.1 % 3.4 % not compared");
  });

  it("a model's claim gets no verdict below fifty results", () => {
    const model = sampleModel();
    const read = of({ ...model, result: { ...model.result, n: 49 } });
    expect(read).not.toContain("as claimed");
    expect(read.match(/too few results/g)).toHaveLength(8);
  });

  it("a missing claim is a dash", () => {
    const read = of(sampleModel({ claim: null }));
    expect(read).toContain("Skill – +1.4 %");
    expect(read).not.toContain("So far");
  });
});

describe("figures of a model's walk-forward", () => {
  it("walk-forward figures are named as such only where this service measured them", () => {
    const figures = { auc_wf: 0.97, pf_wf: 9.5 };
    expect(walkForwardFacts({ ...figures, n_wf: 8_000 })).toEqual([
      { name: "AUC, walk-forward, n = 8,000", value: "0.970" },
      { name: "Profit factor, walk-forward, n = 8,000", value: "9.50" },
    ]);
    expect(walkForwardFacts({ ...figures, n_wf: null }).map(({ name }) => name)).toEqual([
      "AUC, stated at its registration",
      "Profit factor, stated at its registration",
    ]);
  });
});

describe("late entries", () => {
  const figures = {
    n: 480,
    n_followed: 320,
    n_wins: 154,
    n_losses: 166,
    win_rate_pct: 48.125,
    total_r: -6.746961,
    expectancy_r: -0.021084,
    first_day: "2026-11-06",
    last_day: "2026-11-26",
  };

  it("late entries are in a separate card that says that they prove nothing", () => {
    const slot = { symbol: "EURUSD", tf_code: "H1", ...figures };
    const late = { notice: "Entered later", ...figures, count: 1, items: [slot] };
    const read = words(<EnteredLaterCard late={late} />);
    expect(read).toContain("480 resolved signals entered the ledger too late");
    expect(read).toContain("They prove nothing and count in no figure above");
    expect(read).toContain("154 of 320");
    expect(read).not.toMatch(/%|win rate/i);
  });

  it("there is no card of late entries without any", () => {
    expect(html(<EnteredLaterCard late={null} />)).toBe("");
  });
});

describe("a resolved signal", () => {
  it("a resolved signal links to its ledger entries, and only a followed one shows an exit price", () => {
    const signals = sampleSignals("EURUSD", 12);
    const markup = html(
      <ResolvedTable slot="EURUSD H1" signals={signals} digits={5} isLater={false} footer={null} />,
    );
    for (const { entries, seq } of signals) {
      const places = `${entries.commitment ?? ""},${entries.reveal},${entries.outcome}`;
      expect(markup).toContain(`href="/verify?entries=${places}"`);
      expect(markup).toContain(`</span>${seq}</a>`);
    }
    expect(markup.match(/1\.08604/g)?.length).toBe(signals.filter((row) => row.result_r !== null).length);
  });
});
