import { beforeAll, describe, expect, it } from "vitest";
import { GET as exportCsv } from "@/app/portal/executions/export/route";
import { db } from "@/db/client";
import {
  countFilteredExecutions,
  groupExecutions,
  groupExecutionsByEach,
  listClosedResults,
  sumFilteredExecutions,
} from "@/db/queries/execution-figures";
import type { ExecutionFilter } from "@/db/queries/execution-filter";
import { listFilteredExecutions } from "@/db/queries/executions";
import { findSubscriber } from "@/lib/auth/find-subscriber";
import { cookiesOf } from "@/lib/auth/session-cookie";
import { deriveExecutionFigures } from "@/lib/executions/execution-figures";
import { listPositions, sortOrderForExport } from "@/lib/executions/list-positions";
import { narrowToNewestPositions } from "@/lib/executions/newest-positions";
import { apiApp } from "@/lib/server/api-app";
import { MOUNTS } from "@/lib/server/mounts";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { portalRequest, signInWithKey } from "@/tests/support/portal";

useDatabase();

/** P/L of the closed positions in the order of their closes; null: closed without a P/L. */
const PNLS = [0.1, 0.2, -0.3, 0, 5, 7.25, -2.05, -1, -4, 3, null] as const;
const HOUR_MS = 3_600_000;
const START = Date.parse("2026-03-27T20:00:00Z");

let cookie: string;
let own: { subscriptionId: number };

beforeAll(async () => {
  const { key } = await makeKey({ rate_limit_per_min: 100_000 });
  for (const [index, pnl] of PNLS.entries()) {
    await call("POST", "/api/executions", {
      key,
      body: {
        ticket: 100 + index,
        symbol: index % 2 ? "XAUUSD" : "EURUSD",
        timeframe: "H1",
        signal: index % 3 ? "BUY" : "SELL",
        opened_at: new Date(START + index * 5 * HOUR_MS).toISOString(),
        closed_at: new Date(START + (index * 5 + 8) * HOUR_MS).toISOString(),
        pnl,
        result: pnl === null ? "=1+1" : pnl > 0 ? "TP" : "SL",
      },
    });
  }
  // Not through `call`, whose JSON numbers would round this ticket.
  await apiApp(MOUNTS).fetch(
    new Request("http://localhost/api/executions", {
      method: "POST",
      headers: { "X-API-Key": key },
      body: '{"ticket": "9223372036854775807", "symbol": "EURUSD", "timeframe": "H4", "signal": "BUY"}',
    }),
  );
  cookie = await signInWithKey(key);
  const found = await findSubscriber(cookiesOf(new Headers({ cookie })));
  if (found.kind !== "subscriber") throw new Error(found.kind);
  own = { subscriptionId: found.subscriber.subscriptionId };
});

describe("positions by hour and day of their close", () => {
  const clock = { zone: "UTC", addMinutes: 0 };
  const all = { sort: "opened_at", descending: false } as const;

  it("the list of positions closed in an hour or weekday has as many with a P/L as the group of that hour or weekday", async () => {
    for (const by of ["hour", "weekday"] as const) {
      const groups = await groupExecutions(db(), own, by, clock);
      expect(groups.length).toBeGreaterThan(1);
      for (const { key, n } of groups) {
        const closedIn = { [by]: Number(key), clock };
        const rows = await listFilteredExecutions(db(), { ...own, closedIn }, all, { limit: 100 });
        expect([by, key, rows.filter(({ pnl }) => pnl !== null).length]).toEqual([by, key, n]);
      }
    }
    const never = { weekday: 7, hour: 3, clock };
    expect(await listFilteredExecutions(db(), { ...own, closedIn: never }, all, { limit: 100 })).toEqual([]);
  });
});

describe("a long history of positions", () => {
  it("a long history of positions is cut to the newest by opening time, and a short one is complete", async () => {
    const { nTotal } = await sumFilteredExecutions(db(), own);
    expect(await narrowToNewestPositions(db(), own, nTotal)).toEqual({ filter: own, since: null });
    const { filter, since } = await narrowToNewestPositions(db(), own, 4);
    const newest = await listFilteredExecutions(
      db(),
      own,
      { sort: "opened_at", descending: true },
      { limit: 5 },
    );
    expect(since).toEqual(new Date((newest[4]?.openedAt.getTime() ?? 0) + 1));
    expect((await sumFilteredExecutions(db(), filter)).nTotal).toBe(4);
    const golds = await narrowToNewestPositions(db(), { ...own, symbol: "XAUUSD" }, 2);
    expect((await sumFilteredExecutions(db(), golds.filter)).nTotal).toBe(2);
  });

  it("a long history of positions is listed completely by opening and ticket, and only its newest in other orders", async () => {
    const page = { limit: 50, offset: 0 };
    const by = (sort: "opened_at" | "ticket" | "pnl", max: number, filter: ExecutionFilter = own) =>
      listPositions(db(), filter, { sort, descending: true }, page, max);
    const whole = await by("pnl", 100);
    expect(whole).toMatchObject({ nListed: whole.n, isCountedWhole: true, since: null });
    expect(whole.rows).toHaveLength(whole.n);

    for (const sort of ["opened_at", "ticket"] as const)
      expect((await by(sort, 4)).rows, sort).toHaveLength(whole.n);
    const cut = await by("pnl", 4);
    const newest = (await by("opened_at", 4)).rows.slice(0, 4);
    expect(cut).toMatchObject({ n: whole.n, totalPnl: whole.totalPnl, nListed: 4, isCountedWhole: true });
    expect(cut.since).not.toBeNull();
    expect(cut.sortedSince).toEqual(cut.since);
    expect((await by("ticket", 4)).sortedSince).toBeNull();
    expect(new Set(cut.rows.map((row) => row.executionId))).toEqual(
      new Set(newest.map((row) => row.executionId)),
    );
    const golds = await by("pnl", 2, { ...own, symbol: "XAUUSD" });
    expect(golds, "a filter is counted as far as that").toMatchObject({ n: 2, isCountedWhole: false });
    expect(golds.sortedSince, "and the page says so").not.toBeNull();
  });

  it.each(["opened_at", "ticket"] as const)(
    "a long filtered list of positions by %s, oldest first, has the positions that its sums count",
    async (sort) => {
      const golds: ExecutionFilter = { ...own, symbol: "XAUUSD" };
      const page = { limit: 50, offset: 0 };
      const list = await listPositions(db(), golds, { sort, descending: false }, page, 2);
      const newest = await listPositions(db(), golds, { sort: "opened_at", descending: true }, page, 2);
      expect(list).toMatchObject({ n: 2, nListed: 2, isCountedWhole: false });
      const idsOf = ({ rows }: typeof list) => rows.map(({ executionId }) => executionId).toSorted();
      expect(idsOf(list)).toEqual(idsOf(newest));
      expect(list.rows).toHaveLength(2);
      expect(list.sortedSince).toEqual(newest.since);
    },
  );

  it.each([
    ["opened_at", true],
    ["opened_at", false],
    ["ticket", true],
  ] as const)(
    "a list of positions by %s (descending: %s) has the same rows page by page as all at once",
    async (sort, descending) => {
      const read = async (limit: number, offset: number, max: number) =>
        (await listPositions(db(), own, { sort, descending }, { limit, offset }, max)).rows;
      const whole = await read(100, 0, 100);
      expect(whole.length).toBeGreaterThan(8);
      for (let offset = 0; offset <= whole.length + 3; offset++)
        expect(await read(3, offset, 1), `from ${offset} on`).toEqual(whole.slice(offset, offset + 3));
    },
  );

  it("a long history of positions is exported newest opening first when no index has the requested order", async () => {
    const byPnl = { sort: "pnl", descending: false } as const;
    const byTicket = { sort: "ticket", descending: false } as const;
    expect(await sortOrderForExport(db(), own, byPnl, 100)).toBe(byPnl);
    expect(await sortOrderForExport(db(), own, byTicket, 4)).toBe(byTicket);
    expect(await sortOrderForExport(db(), own, byPnl, 4)).toEqual({ sort: "opened_at", descending: true });
  });

  it("countFilteredExecutions gives the same counts and P/L as sumFilteredExecutions", async () => {
    for (const filter of [own, { ...own, outcome: "loss" as const }, { ...own, symbol: "NONE" }]) {
      const { nTotal: n, nClosed, totalPnl } = await sumFilteredExecutions(db(), filter);
      expect(await countFilteredExecutions(db(), filter)).toEqual({ n, nClosed, totalPnl });
    }
  });
});

describe("the sums of positions", () => {
  it("the sums of positions are exact where binary floating point is not", async () => {
    const sums = await sumFilteredExecutions(db(), own);
    expect(0.1 + 0.2 - 0.3).not.toBe(0);
    expect(sums).toMatchObject({
      nTotal: 12,
      nOpen: 1,
      nClosed: 11,
      nWithoutPnl: 1,
      nWins: 5,
      nLosses: 4,
      nFlat: 1,
      grossProfit: "15.55",
      grossLoss: "7.35",
      totalPnl: "8.20",
      bestPnl: "7.25",
      worstPnl: "-4",
    });
  });

  it("the sums of positions contain the deepest drawdown and the longest runs; a zero ends a run", async () => {
    const sums = await sumFilteredExecutions(db(), own);
    // 0.1 0.3 0 0 5 12.25 10.2 9.2 5.2 8.2: from 12.25 down to 5.2
    expect(Number(sums.maxDrawdown)).toBe(7.05);
    expect([sums.longestWinRun, sums.longestLossRun]).toEqual([2, 3]);
    expect([Number(sums.bestRunPnl), Number(sums.worstRunPnl)]).toEqual([12.25, -7.05]);
  });

  it("the sums and figures of positions equal the summary of GET /api/account/executions", async () => {
    const { key } = await makeKey();
    const at = (hoursAgo: number) => new Date(Date.now() - hoursAgo * HOUR_MS).toISOString();
    for (const [index, pnl] of [10.05, -3.1, 0, 2].entries()) {
      await call("POST", "/api/executions", {
        key,
        body: {
          ticket: index + 1,
          symbol: "EURUSD",
          timeframe: "H1",
          signal: "BUY",
          opened_at: at(30),
          closed_at: at(index + 1),
          pnl,
        },
      });
    }
    const found = await findSubscriber(cookiesOf(new Headers({ cookie: await signInWithKey(key) })));
    if (found.kind !== "subscriber") throw new Error(found.kind);
    const filter = { subscriptionId: found.subscriber.subscriptionId };
    const sums = await sumFilteredExecutions(db(), filter);
    const figures = deriveExecutionFigures(sums, await listClosedResults(db(), filter));
    const { summary } = (await call("GET", "/api/account/executions?days=365", { key })).json;
    expect(summary).toMatchObject({
      n_total: sums.nTotal,
      n_closed: sums.nClosed,
      n_wins: sums.nWins,
      n_losses: sums.nLosses,
      total_pnl: Number(sums.totalPnl),
      gross_profit: Number(sums.grossProfit),
      gross_loss: Number(sums.grossLoss),
    });
    expect(summary.win_rate_pct).toBeCloseTo(figures.winRatePct ?? 0, 4);
    expect(summary.profit_factor).toBeCloseTo(figures.profitFactor ?? 0, 4);
  });

  it("without positions the sums are zero, and the best result, rates and averages are null", async () => {
    const sums = await sumFilteredExecutions(db(), { ...own, symbol: "NOTHING" });
    expect(sums).toMatchObject({
      nTotal: 0,
      totalPnl: "0",
      maxDrawdown: "0",
      longestWinRun: 0,
      bestPnl: null,
    });
    expect(deriveExecutionFigures(sums, [])).toMatchObject({
      winRatePct: null,
      winRateCi95: null,
      profitFactor: null,
      expectancy: null,
    });
  });
});

describe("the figures of positions", () => {
  it("the figures of positions follow their definitions, and the win rate's interval counts only independent results", async () => {
    const [sums, results] = await Promise.all([
      sumFilteredExecutions(db(), own),
      listClosedResults(db(), own),
    ]);
    const figures = deriveExecutionFigures(sums, results);
    expect(figures.winRatePct).toBeCloseTo((100 * 5) / 9, 10);
    expect(figures.profitFactor).toBeCloseTo(15.55 / 7.35, 10);
    expect(figures.expectancy).toBeCloseTo(0.82, 10);
    expect(figures.payoffRatio).toBeCloseTo(3.11 / 1.8375, 10);
    // Positions last eight hours and begin every five, so every second one overlaps; the zero does not count.
    expect(figures.nIndependent).toBe(5);
    expect(figures.winRateCi95?.[0]).toBeLessThan(25);
    expect(figures.winRateCi95?.[1]).toBeGreaterThan(85);
  });

  it("positions are grouped by day of the chosen clock, even across the change to summer time", async () => {
    const days = async (zone: string, addMinutes: number) =>
      (await groupExecutions(db(), own, "day", { zone, addMinutes })).map((day) => [day.key, day.n]);
    expect(await days("UTC", 0)).toEqual([
      ["2026-03-28", 4],
      ["2026-03-29", 5],
      ["2026-03-30", 1],
    ]);
    // 28 March 04:00 UTC is 27 March in Los Angeles; Berlin moves to UTC+2 on the 29th.
    expect((await days("America/Los_Angeles", 0))[0]).toEqual(["2026-03-27", 1]);
    expect(await days("Europe/Berlin", 0)).toEqual(await days("UTC", 0));
    expect((await days("UTC", 20 * 60))[0]).toEqual(["2026-03-29", 5]);
  });

  it("positions grouped in several ways at once have the groups of each single way, on two clocks", async () => {
    const kinds = ["symbol", "timeframe", "hour", "weekday", "month", "day"] as const;
    for (const wanted of [kinds, ["day", "month"], ["month", "weekday"], ["day"]] as const)
      for (const clock of [
        { zone: "UTC", addMinutes: 0 },
        { zone: "America/Los_Angeles", addMinutes: 4 * 24 * 60 },
      ]) {
        const together = await groupExecutionsByEach(db(), own, wanted, clock);
        expect(Object.keys(together).toSorted()).toEqual([...wanted].toSorted());
        for (const by of wanted)
          expect(together[by], by).toEqual(await groupExecutions(db(), own, by, clock));
      }
  });
});

describe("the CSV export of positions", () => {
  const rowsOf = async (query: string) =>
    (await (await exportCsv(portalRequest(`/portal/executions/export${query}`, cookie))).text())
      .split("\r\n")
      .slice(1, -1)
      .map((line) => line.split(","));

  it("the CSV export of positions has the rows of the filtered list in its order", async () => {
    for (const [query, filter, order] of [
      ["", {}, { sort: "opened_at", descending: true }],
      ["?symbol=XAUUSD&sort=pnl&dir=asc", { symbol: "XAUUSD" }, { sort: "pnl", descending: false }],
      [
        "?state=closed&outcome=loss&sort=closed_at&dir=desc",
        { state: "closed", outcome: "loss" },
        { sort: "closed_at", descending: true },
      ],
      ["?sort=closed_at&dir=desc", {}, { sort: "closed_at", descending: true }],
    ] as const) {
      const listed = await listFilteredExecutions(db(), { ...own, ...filter }, order, { limit: 100 });
      expect((await rowsOf(query)).map((row) => row[1])).toEqual(listed.map((row) => row.ticket));
    }
  });

  it("the CSV export of positions keeps every digit of a ticket and minus signs, and escapes formulas", async () => {
    const rows = await rowsOf("?sort=ticket&dir=desc");
    expect(rows[0]?.[1]).toBe("9223372036854775807");
    expect(rows.find((row) => row[1] === "108")?.[11]).toBe("-4");
    expect(rows.find((row) => row[1] === "110")?.[12]).toBe("'=1+1");
  });

  it("the list of positions read by cursor has each row once, even with equal sort values", async () => {
    const seen: string[] = [];
    let after: { key: string; executionId: number } | undefined;
    for (;;) {
      const rows = await listFilteredExecutions(
        db(),
        own,
        { sort: "symbol", descending: true },
        { limit: 2, after },
      );
      if (rows.length === 0) break;
      seen.push(...rows.map((row) => row.ticket));
      after = rows.at(-1)?.cursor;
    }
    expect(new Set(seen).size).toBe(12);
    expect(seen).toHaveLength(12);
  });
});

describe("the list of positions by ticket", () => {
  it("the list of positions by ticket is sorted numerically across pages", async () => {
    const { key } = await makeKey();
    for (const ticket of [9, 100, 10])
      await call("POST", "/api/executions", {
        key,
        body: { ticket, symbol: "EURUSD", timeframe: "H1", signal: "BUY" },
      });
    const found = await findSubscriber(cookiesOf(new Headers({ cookie: await signInWithKey(key) })));
    if (found.kind !== "subscriber") throw new Error(found.kind);
    const filter = { subscriptionId: found.subscriber.subscriptionId };
    const order = { sort: "ticket", descending: false } as const;
    const first = await listFilteredExecutions(db(), filter, order, { limit: 2 });
    expect(first.map((row) => row.ticket)).toEqual(["9", "10"]);
    const next = await listFilteredExecutions(db(), filter, order, { limit: 2, after: first.at(-1)?.cursor });
    expect(next.map((row) => row.ticket)).toEqual(["100"]);
  });
});
