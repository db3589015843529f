import type { ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { BarChart } from "@/app/_components/chart/bar-chart";
import { CalendarHeatmap } from "@/app/_components/chart/calendar-heatmap";
import { CandleChart } from "@/app/_components/chart/candle-chart";
import { Histogram } from "@/app/_components/chart/histogram";
import { LineChart } from "@/app/_components/chart/line-chart";
import { MonthTable } from "@/app/_components/chart/month-table";
import { ReliabilityDiagram } from "@/app/_components/chart/reliability-diagram";
import { Sparkline } from "@/app/_components/chart/sparkline";
import { UptimeBars } from "@/app/_components/chart/uptime-bars";
import { HOUR_MS } from "@/lib/time";

const html = (element: ReactElement) => renderToStaticMarkup(element);
const day = (date: number) => new Date(Date.UTC(2026, 10, date));

const line = (
  <LineChart
    name="Closed P/L"
    unit="EUR"
    points={[
      { at: day(1), value: 10 },
      { at: day(2), value: 4 },
      { at: day(3), value: null },
      { at: day(4), value: 25 },
      { at: day(5), value: 20 },
    ]}
  />
);

describe("an equity curve", () => {
  it("an equity curve has a one-sentence description", () => {
    expect(html(line)).toContain(
      'aria-label="Closed P/L from 1 Nov 2026 to 5 Nov 2026: ends at +20.00 EUR; highest +25.00 on 4 Nov 2026; deepest drawdown 6.00; 4 points, 1 missing."',
    );
  });

  it("an equity curve has its data as a table, with missing values named", () => {
    const table = html(line).match(/<table[\s\S]*<\/table>/)?.[0] ?? "";
    expect(table.match(/<tr>/g)).toHaveLength(6);
    expect(table).toContain("no data");
    expect(table).toContain("+25.00");
  });

  it("the crosshair of an equity curve has a position for each table row, without a height where the value is missing", () => {
    const places =
      html(line)
        .match(/data-curve="([^"]+)"/)?.[1]
        ?.split(" ") ?? [];
    expect(places).toHaveLength(5);
    expect(places[0]).toMatch(/^0\.0000,\d+\.\d$/);
    expect(places[2]).toBe("0.5000,");
    expect(html(line)).not.toContain("data-curve-table");
    const onDemand = html(
      <LineChart
        name="Closed P/L"
        unit="EUR"
        points={[
          { at: day(1), value: 1 },
          { at: day(2), value: 2 },
        ]}
        table={{ href: "?table=1", isOpen: false }}
      />,
    );
    expect(onDemand).toMatch(/data-curve-table="[^"]*\+2\.00/);
    expect(html(<LineChart name="Closed P/L" unit="EUR" points={[]} />)).not.toContain("data-curve");
  });

  it("an equity curve leaves a gap where a value is missing", () => {
    const path = html(line).match(/d="([^"]+)" class="chart-line"/)?.[1] ?? "";
    expect(path.match(/M/g)).toHaveLength(2);
  });

  it("an equity curve has a zero line", () => {
    expect(html(line)).toContain("chart-zero");
  });

  it("an equity curve without data says that nothing is recorded yet", () => {
    expect(html(<LineChart name="Closed P/L" unit="EUR" points={[]} />)).toContain(
      "Closed P/L: nothing recorded yet.",
    );
  });
});

describe("a chart with several curves", () => {
  const markup = html(
    <LineChart
      name="As signalled"
      unit="R"
      drawdown={false}
      points={[
        { at: day(1), value: 0 },
        { at: day(2), value: 2 },
        { at: day(3), value: 1 },
      ]}
      comparisons={[
        {
          name: "Coin",
          points: [
            { at: day(1), value: 0 },
            { at: day(3), value: -60 },
          ],
        },
      ]}
      changes={[day(2)]}
    />,
  );

  it("a chart with several curves names each curve above the plot and at its end", () => {
    expect(markup).toContain("Coin ends at −60.00 R.");
    expect(markup.match(/chart-comparison"/g)).toHaveLength(2);
    expect(markup).not.toContain("max drawdown");
  });

  it("a chart with several curves is scaled to contain them all, and lists them in its table", () => {
    const heights = [...markup.matchAll(/ d="([^"]+)"/g)].flatMap(([, path]) =>
      [...(path ?? "").matchAll(/[ML][\d.-]+ ([\d.-]+)/g)].map(([, y]) => Number(y)),
    );
    expect(heights.length).toBeGreaterThan(4);
    for (const y of heights) expect(y > 0 && y < 240, String(y)).toBe(true);
    const rows = [...(markup.match(/<tbody[\s\S]*<\/tbody>/)?.[0] ?? "").matchAll(/<td[^>]*>([^<]*)</g)];
    expect(rows.map(([, value]) => value)).toEqual(["0.00", "0.00", "+2.00", "", "+1.00", "−60.00"]);
  });
});

describe("a reliability diagram with intervals", () => {
  const markup = html(
    <ReliabilityDiagram
      model="EURUSD H1"
      ece={0.05}
      bins={[
        { lo: 0.4, hi: 0.5, n: 12_345, avgConfidence: 0.45, hitRate: 0.5, ci95: [0.4, 0.6] },
        { lo: 0.5, hi: 0.6, n: 0, avgConfidence: null, hitRate: null, ci95: null },
      ]}
    />,
  );

  it("a reliability diagram draws and lists the interval of each bin that has one, and abbreviates large counts", () => {
    expect(markup.match(/stroke-accent\/60/g)).toHaveLength(1);
    expect(markup).toContain("40 % to 60 %");
    expect(markup.match(/>12k</g)).toHaveLength(2);
    expect(markup).toContain("12,345");
  });
});

describe("a curve with more points than pixels", () => {
  // 3,000 results of +-1 R, but for a fall of 40 R that the next result regains.
  let total = 0;
  const points = Array.from({ length: 3_000 }, (_, index) => {
    total += index === 1_502 ? -40 : index === 1_503 ? 40 : index % 2 === 0 ? 1 : -1;
    return { at: new Date(Date.UTC(2026, 0, 1) + index * HOUR_MS), value: total };
  });
  const markup = html(<LineChart name="EURUSD H1" unit="R" points={points} />);

  it("a thinned curve states the drawdown over all points, not only over the drawn ones", () => {
    expect(markup.match(/aria-label="([^"]+)"/)?.[1]).toContain("deepest drawdown 41.00; 3,000 points.");
    expect(markup.match(/max drawdown [\d.]+/g)).toEqual(["max drawdown 41.00", "max drawdown 41.00"]);
  });

  it("a curve with more points than pixels is thinned, keeping the lowest and the last point", () => {
    const rows = markup.match(/<tr>/g)?.length ?? 0;
    expect(rows).toBeGreaterThan(100);
    expect(rows).toBeLessThanOrEqual(241);
    expect(markup.match(/<td[^>]*>−40\.00<\/td><td[^>]*>41\.00<\/td>/g)).toHaveLength(1);
  });
});

describe("a candle chart", () => {
  const candle = (hour: number, open: number, close: number) => ({
    at: new Date(Date.UTC(2026, 10, 20, hour)),
    open,
    close,
    high: Math.max(open, close) + 0.001,
    low: Math.min(open, close) - 0.001,
  });
  const chart = (
    <CandleChart
      symbol="EURUSD"
      timeframe="H1"
      timeframeMinutes={60}
      digits={5}
      candles={[candle(1, 1.08, 1.081), candle(2, 1.081, 1.079), candle(6, 1.079, 1.08)]}
      signals={[
        { at: new Date(Date.UTC(2026, 10, 20, 2)), direction: "SELL" },
        { at: new Date(Date.UTC(2026, 10, 20, 6)), direction: "NO_TRADE" },
      ]}
    />
  );

  it("a candle chart draws rising candles hollow and falling ones filled", () => {
    const markup = html(chart);
    const bodies = (fill: string) =>
      new RegExp(`<path d="([^"]*)" class="chart-candle ${fill}"`).exec(markup)?.[1]?.match(/M/g);
    expect(bodies("fill-raised")).toHaveLength(2);
    expect(bodies("fill-down")).toHaveLength(1);
  });

  it("a candle chart counts its signals and gaps in words", () => {
    expect(html(chart)).toContain("0 BUY signals, 1 SELL signal; 1 gap without candles.");
  });

  it("a candle chart without signals counts only its gaps", () => {
    const { signals: _, ...withoutSignals } = chart.props;
    const markup = html(<CandleChart {...withoutSignals} />);
    expect(markup).toContain("1 gap without candles.");
    expect(markup).not.toContain("BUY signal");
  });

  it("a candle chart writes prices with the symbol's decimals", () => {
    expect(html(chart)).toContain("last close 1.08000");
  });
});

describe("bar charts", () => {
  it("a bar chart writes a loss with its sign and its own colour, and a missing value as no data", () => {
    const markup = html(
      <BarChart
        name="P/L"
        unit="EUR"
        signed
        summary="Two symbols."
        bars={[
          { label: "A", value: 10 },
          { label: "B", value: -4 },
          { label: "C", value: null },
        ]}
      />,
    );
    expect(markup).toContain("−4");
    expect(markup.match(/class="fill-(up|down)"/g)).toEqual(['class="fill-up"', 'class="fill-down"']);
    expect(markup).toContain("no data");
  });

  it("bars with long names are all labelled on a phone", () => {
    const markup = html(
      <BarChart
        name="Signals"
        unit="signals"
        summary="By regime"
        bars={["RANGE", "TREND UP", "TREND DOWN", "VOLATILE"].map((label) => ({ label, value: 3 }))}
      />,
    );
    expect(markup.match(/<text[^>]* class="chart-text hidden phone:block[^"]*">[^<]+/g)).toHaveLength(4);
  });

  it("a histogram names its fullest bin and its sample", () => {
    const markup = html(
      <Histogram
        name="P/L"
        unit="EUR"
        bins={[
          { lo: -10, hi: 0, n: 2 },
          { lo: 0, hi: 10, n: 5 },
        ]}
      />,
    );
    expect(markup).toContain("P/L, 7 values: most often 0 to 10 EUR (5 of 7).");
  });

  it("the table of a histogram has the headers of its value, with the unit, and count", () => {
    const markup = html(<Histogram name="Result" unit="R" bins={[{ lo: 0, hi: 1, n: 3 }]} />);
    const headers = [...markup.matchAll(/<th scope="col"[^>]*>([^<]*)<\/th>/g)].map((match) => match[1]);
    expect(headers).toEqual(["Result, R", "Count"]);
  });
});

describe("a monthly calendar", () => {
  const markup = html(
    <CalendarHeatmap
      month={day(15)}
      unit="EUR"
      days={[
        { day: 2, value: 12.5, n: 2, href: "/portal/executions?day=2026-11-02" },
        { day: 3, value: -3, n: 1 },
      ]}
    />,
  );

  it("a monthly calendar starts on Monday and contains every day once", () => {
    const cells = [...markup.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map((match) =>
      match[1]!.replace(/<[^>]+>/g, ""),
    );
    expect(cells.slice(0, 7)).toEqual(["", "", "", "", "", "", "1"]);
    expect(cells.filter((cell) => cell !== "")).toHaveLength(30);
  });

  it("a monthly calendar has a summary, and signs in its cells", () => {
    expect(markup).toContain("November 2026: +9.50 EUR from 3 positions");
    expect(markup).toContain("−3.0");
    expect(markup).toContain("2 Nov 2026: +12.50 EUR, 2 positions");
  });
});

it("the table of months shows a dash, not a zero, for a month without results", () => {
  const markup = html(
    <MonthTable
      caption="P/L"
      unit="EUR"
      years={[{ year: 2026, months: [null, 5, 0], hrefs: [], total: 5 }]}
    />,
  );
  expect(markup.match(/>–</g)).toHaveLength(10);
});

describe("a reliability diagram", () => {
  it("a reliability diagram shows its counts and an explanation of the error", () => {
    const markup = html(
      <ReliabilityDiagram
        model="EURUSD H1"
        ece={0.034}
        bins={[
          { lo: 0, hi: 0.5, n: 30, avgConfidence: 0.45, hitRate: 0.5 },
          { lo: 0.5, hi: 1, n: 70, avgConfidence: 0.6, hitRate: 0.55 },
        ]}
      />,
    );
    expect(markup).toContain("EURUSD H1, 100 forecasts");
    expect(markup).toContain("differ by 3.4 % on average.");
    expect(markup, "a bin of 70 that is off by five points is within chance").not.toContain("confident.");
    expect(markup).toContain(">70</text>");
  });

  it("a reliability diagram says when there is too little data", () => {
    const bins = [{ lo: 0, hi: 1, n: 3, avgConfidence: 0.5, hitRate: 0.6 }];
    expect(html(<ReliabilityDiagram model="M" ece={null} bins={bins} />)).toContain(
      "too few for a calibration error",
    );
    expect(html(<ReliabilityDiagram model="M" ece={null} bins={[]} />)).toContain(
      "no resolved forecasts yet",
    );
  });
});

describe("uptime bars", () => {
  const markup = html(
    <UptimeBars
      component="API"
      days={[
        { date: day(1), observedMinutes: 0, downMinutes: 0, degradedMinutes: 0 },
        { date: day(2), observedMinutes: 1440, downMinutes: 0, degradedMinutes: 0 },
        { date: day(3), observedMinutes: 1440, downMinutes: 14, degradedMinutes: 0 },
        { date: day(4), observedMinutes: 1440, downMinutes: 0, degradedMinutes: 30 },
      ]}
    />,
  );

  it("uptime bars state the uptime and the days with incidents", () => {
    expect(markup).toContain(
      "API, last 4 days: 99.68 % up since 2 Nov 2026, 14 min down, 3 of 4 days observed.",
    );
    expect(markup).toContain("3 Nov 2026: down 14 min; 4 Nov 2026: degraded 30 min");
  });

  it("uptime bars of different states differ in height", () => {
    const heights = [...markup.matchAll(/<rect[^>]* height="(\d+)"/g)].map((match) => match[1]);
    expect(new Set(heights).size).toBe(4);
  });
});

it("a sparkline has a description in words", () => {
  expect(html(<Sparkline values={[1, null, 2]} label="Confidence of 3 signals" />)).toContain(
    'aria-label="Confidence of 3 signals"',
  );
});

describe("bars of positions", () => {
  const bars = html(
    <BarChart
      name="P/L"
      unit="EUR"
      signed
      summary="By symbol"
      bars={[
        { label: "EURUSD", value: 23.4, n: 12, wins: { share: 7 / 11, n: 11 }, href: "/list?symbol=EURUSD" },
        { label: "XAUUSD", value: null, n: 0, href: "/list?symbol=XAUUSD" },
      ]}
    />,
  );

  it("a bar of positions links to them, with their number and wins, and one without positions links nowhere", () => {
    expect(bars.match(/<a href="\/list/g)).toHaveLength(1);
    expect(bars).toContain('aria-label="EURUSD: +23 EUR, n 12, 64 % won"');
    expect(bars).toMatch(/<tspan[^>]*>n 12<\/tspan><tspan[^>]*>64 %<\/tspan>/);
  });

  it("the table of bars of positions lists the sample of the win rate", () => {
    for (const cell of ["Win rate", "of won and lost", "64 %", ">11<"]) expect(bars).toContain(cell);
  });
});
