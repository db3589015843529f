/**
 * `npm run ea -- --url URL --key KEY [...]`: a trading client that behaves like a MetaTrader terminal, quirks
 * included.
 *
 * --every MS       pause between polls (default 60000); --polls N ends after N polls
 * --replay DAYS    follow the recorded signals of the last DAYS instead of polling
 * --prices DIR     the broker's candles, files {SYMBOL}_H1.csv.gz (default: the simulated market)
 * --lose SHARE     share of answers that are lost (default 0)
 * --journal FILE   where to write the journal (NDJSON)
 * --ticket N       first ticket (default: from the clock)
 * --suffix TEXT    suffix of the broker's symbols (default m)
 */
import { writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { isPaused, makeApiClient, readPauses } from "@/lib/api/client";
import { parseTimeframe } from "@/lib/market/timeframes";
import { exitWithUsage, printFailure, readCommandLine } from "./command-line";
import { demoCandleReader, fileCandleReader, type ReadBrokerCandles } from "./ea/candle-readers";
import { replaySignals } from "./ea/replay";
import { TerminalHttp } from "./ea/terminal-http";
import { Trader, type TraderSignal } from "./ea/trader";

const USAGE =
  "npm run ea -- --key KEY [--url URL] [--every MS] [--polls N] [--replay DAYS] [--prices DIR] [--lose SHARE] [--journal FILE] [--ticket N] [--suffix TEXT]";

const { values } = readCommandLine(USAGE, {
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
const apiKey = values.key ?? exitWithUsage(USAGE);
const number = (text: string) => (/^[0-9]+(\.[0-9]+)?$/.test(text) ? Number(text) : exitWithUsage(USAGE));
const everyMs = number(values.every);
const polls = values.polls === undefined ? Number.POSITIVE_INFINITY : number(values.polls);
const firstTicket = /^[0-9]{1,19}$/.test(values.ticket) ? BigInt(values.ticket) : exitWithUsage(USAGE);
const days = values.replay === undefined ? null : number(values.replay);

const http = new TerminalHttp({
  InpApiUrl: values.url,
  InpApiKey: apiKey,
  timeoutMs: 5_000,
  lostAnswers: number(values.lose),
  random: Math.random,
});
const trader = new Trader(http, values.suffix, firstTicket);

await trade().catch(printFailure);

async function trade(): Promise<void> {
  const prices = values.prices ? fileCandleReader(values.prices) : demoCandleReader(Date.now, 45);
  if (days === null) await poll(prices);
  else await replaySignals(http, trader, prices, days);

  const { journal, open } = trader;
  if (values.journal)
    writeFileSync(values.journal, journal.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  const opened = journal.filter((entry) => entry.event === "opened").length;
  const { requests, retries, lost } = http.counts;
  process.stdout.write(
    `${opened} opened, ${journal.length - opened} closed, ${open.size} still open; ${requests} requests, ${retries} retries, ${lost} answers lost\n`,
  );
  await tellWhatIsRecorded();
}

/** Prints the number and the total result of the executions stored within a year, to compare them with the journal. */
async function tellWhatIsRecorded(): Promise<void> {
  const client = makeApiClient({ baseUrl: values.url.replace(/\/+$/, ""), apiKey });
  const { data } = await client.GET("/api/account/executions", {
    params: { query: { days: 365, limit: 1 } },
  });
  if (!data) return;
  const { n_total, n_closed, total_pnl } = data.summary;
  process.stdout.write(
    `recorded within a year: ${n_total} executions, ${n_closed} closed, result ${total_pnl}\n`,
  );
}

/** Polls the scan, follows fresh signals of slots that the subscriber did not pause, and manages its positions. */
async function poll(source: ReadBrokerCandles): Promise<void> {
  const seen = new Map<string, number>();
  const held = new Set<string>();
  for (let n = 1; n <= polls; n++) {
    const answer = await http.send("GET", "/api/scan/?expand=validity");
    if (answer.status === 401) {
      process.stdout.write(`the key was refused: ${answer.body}\n`);
      process.exitCode = 3;
      return;
    }
    const paused = readPauses(answer.headers);
    for (const item of JSON.parse(answer.body).items) {
      const timeframe = parseTimeframe(item.timeframe);
      if (!timeframe) continue;
      const slot = `${item.symbol}/${timeframe}`;
      const tsMs = Date.parse(item.ts);
      const isNew = seen.get(slot) !== tsMs;
      // A signal that was skipped because of a pause is followed after the pause if it is still fresh.
      if (!held.delete(slot) && !isNew) continue;
      const candles = await source(item.symbol, timeframe);
      if (!candles) continue;
      const index = candles.ts.indexOf(tsMs);
      if (isNew) await trader.advance(slot, candles, candles.ts.length - 1);
      seen.set(slot, tsMs);
      const signal: TraderSignal = { ...item, timeframe, expectedRr: item.expected_rr, tsMs };
      if (isPaused(paused, signal)) held.add(slot);
      else if (!item.stale && index >= 0) await trader.follow(signal, candles, index);
    }
    process.stdout.write(`poll ${n}: ${trader.open.size} open\n`);
    if (n < polls) await pause(everyMs);
  }
}
