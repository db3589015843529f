/**
 * `npm run ea -- --url URL --key KEY [...]`: a trading client with the manners of a MetaTrader terminal, written
 * without regard for the server's convenience.
 *
 *   --every MS       pause between polls (default 60000); --polls N ends after N polls
 *   --replay DAYS    follow the recorded signals of the last DAYS instead of polling
 *   --prices DIR     the broker's candles, files {SYMBOL}_H1.csv.gz (default: the simulated market)
 *   --lose SHARE     share of answers that are lost on the way (default 0)
 *   --journal FILE   where to write the journal (NDJSON)
 *   --ticket N       first ticket (default: from the clock)
 */
import { writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { makeApiClient } from "../api/client";
import { parseTimeframe } from "../market/timeframes";
import { demoPrices, filePrices, type PriceSource } from "./ea/prices";
import { replaySignals } from "./ea/replay";
import { TerminalHttp } from "./ea/terminal-http";
import { type FollowedSignal, Trader } from "./ea/trader";

const { values } = parseArgs({
  options: {
    url: { type: "string", default: "http://localhost:3000/" },
    key: { type: "string" },
    every: { type: "string", default: "60000" },
    polls: { type: "string" },
    replay: { type: "string" },
    prices: { type: "string" },
    lose: { type: "string", default: "0" },
    journal: { type: "string" },
    ticket: { type: "string", default: String(Date.now()) },
    suffix: { type: "string", default: "m" },
  },
});
if (!values.key) {
  process.stderr.write(
    "usage: npm run ea -- --url http://localhost:3000 --key KEY [--every MS] [--replay DAYS --prices DIR]\n",
  );
  process.exit(2);
}

const http = new TerminalHttp({
  InpApiUrl: values.url,
  InpApiKey: values.key,
  timeoutMs: 5_000,
  lostAnswers: Number(values.lose),
  random: Math.random,
});
const trader = new Trader(http, values.suffix, BigInt(values.ticket));
const prices = values.prices ? filePrices(values.prices) : demoPrices(Date.now, 45);

if (values.replay) await replaySignals(http, trader, prices, Number(values.replay));
else await poll(prices, Number(values.every), values.polls ? Number(values.polls) : Number.POSITIVE_INFINITY);

if (values.journal)
  writeFileSync(values.journal, trader.journal.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
const opened = trader.journal.filter((entry) => entry.event === "opened").length;
const closed = trader.journal.length - opened;
process.stdout.write(
  `${opened} opened, ${closed} closed, ${trader.open.size} still open; ${http.counts.requests} requests, ${http.counts.retries} retries, ${http.counts.lost} answers lost\n`,
);
await tellWhatIsRecorded(values.url, values.key);

/** What the service has of this subscriber, read with the typed client: to compare with the journal. */
async function tellWhatIsRecorded(url: string, apiKey: string): Promise<void> {
  const client = makeApiClient({ baseUrl: url.replace(/\/+$/, ""), apiKey });
  const { data } = await client.GET("/api/account/executions", {
    params: { query: { days: 365, limit: 1 } },
  });
  if (!data) return;
  const { n_total, n_closed, total_pnl } = data.summary;
  process.stdout.write(
    `recorded in a year: ${n_total} executions, ${n_closed} closed, result ${total_pnl}\n`,
  );
}

/** Polls the scan, follows what is new and not stale, and watches its positions. */
async function poll(source: PriceSource, everyMs: number, polls: number): Promise<void> {
  const seen = new Map<string, number>();
  for (let n = 1; n <= polls; n++) {
    const answer = await http.send("GET", "/api/scan/?expand=validity");
    if (answer.status === 401) {
      process.stdout.write(`the key is refused: ${answer.body}\n`);
      process.exitCode = 3;
      return;
    }
    for (const item of JSON.parse(answer.body).items) {
      const timeframe = parseTimeframe(item.timeframe);
      if (!timeframe) continue;
      const slot = `${item.symbol}/${timeframe}`;
      const candles = await source(item.symbol, timeframe);
      const tsMs = Date.parse(item.ts);
      if (!candles || seen.get(slot) === tsMs) continue;
      const index = candles.ts.indexOf(tsMs);
      await trader.advance(slot, candles, candles.ts.length - 1);
      const signal: FollowedSignal = { ...item, timeframe, expectedRr: item.expected_rr, tsMs };
      if (!item.stale && index >= 0) await trader.follow(signal, candles, index);
      seen.set(slot, tsMs);
    }
    process.stdout.write(`poll ${n}: ${trader.open.size} open\n`);
    if (n < polls) await pause(everyMs);
  }
}
