import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { changeHub } from "@/lib/api/watch/change-hub";
import { wilderAtr } from "@/lib/engine/atr";
import { endPause, pauseSignals } from "@/lib/signals/pause-signals";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { waitUntil } from "@/tests/support/server";
import { compileFollower, hasCppCompiler } from "./compile";
import { type ReceivedAnswer, type SentRequest, SimulatedTerminal } from "./terminal";

if (!hasCppCompiler)
  process.stdout.write("The EA kit is not run: there is no g++ for 64-bit Linux on this machine.\n");

const URL_OF_SERVICE = "https://signals.example.test";
const HOUR_MS = 3_600_000;
/** Opening of the candle this many hours before the current one. */
const hoursAgo = (hours: number) =>
  new Date(Math.floor(Date.now() / HOUR_MS - hours) * HOUR_MS).toISOString();
const ADMIN = { kind: "admin-session", sessionId: "s", address: "127.0.0.1", requestId: "t" } as const;
const REPORT = "/api/executions";

useDatabase();

/** Differences between the terminals. */
const TERMINALS = [
  // A ticket beyond double precision.
  { version: 5, ticket: "9007199254740993", refusal: /refused: market closed/ },
  { version: 4, ticket: "700700700", refusal: /refused: error 132/ },
] as const;

describe.runIf(hasCppCompiler).each(TERMINALS)("the sample EA in a simulated MetaTrader $version", (kind) => {
  let program: string;
  let terminal: SimulatedTerminal;
  let key: string;
  /** Answers to the next requests; afterwards the service answers. */
  let instead: (ReceivedAnswer | "the service")[];
  let round = 0;

  beforeAll(async () => {
    program = await compileFollower(kind.version);
  }, 120_000);

  beforeEach(async () => {
    key = (await makeKey()).key;
    instead = [];
    await signal("NO_TRADE");
    terminal = new SimulatedTerminal(program, answer);
    await terminal.run(
      `set InpApiUrl  ${URL_OF_SERVICE}/ `,
      `set InpApiKey  ${key} `,
      "set InpWaitSeconds 1",
    );
  });
  afterEach(() => terminal.stop());

  async function answer({ method, url, headers, body }: SentRequest): Promise<ReceivedAnswer> {
    const prepared = instead.shift();
    if (prepared !== undefined && prepared !== "the service") return prepared;
    expect(url.startsWith(`${URL_OF_SERVICE}/api/`)).toBe(true);
    const sent = headers
      .split("\r\n")
      .flatMap((line) => (line ? [line.split(": ") as [string, string]] : []));
    // Without the long poll of a second: only commands move the terminal's clock, so waiting would change nothing.
    return call(method, url.slice(URL_OF_SERVICE.length).replace(/&wait=1$/, ""), {
      headers: Object.fromEntries(sent),
      ...(body ? { body } : {}),
    });
  }

  /** Ingests the newest signal of the chart's slot. Crypto markets never close, so it is always fresh. */
  async function signal(direction: "BUY" | "SELL" | "NO_TRADE", wish: object = {}): Promise<void> {
    const item = {
      symbol: "BTCUSD",
      timeframe: "H1",
      ts: hoursAgo(1),
      signal: direction,
      confidence: 0.6,
      prob_buy: direction === "BUY" ? 0.6 : 0.2,
      prob_sell: direction === "SELL" ? 0.6 : 0.2,
      prob_no: direction === "NO_TRADE" ? 0.6 : 0.2,
      regime: "RANGE",
      expected_rr: 1.5,
      model_v: `m${kind.version}-${++round}`,
      ...wish,
    };
    const made = await call("POST", "/admin/ingest/signals", { admin: true, body: { items: [item] } });
    expect(made.status, made.text).toBe(200);
  }

  const executions = async () => (await call("GET", "/api/account/executions", { key })).json.executions;
  const pathsOf = (sent: SentRequest[]) => sent.map(({ url }) => new URL(url).pathname);
  const heard = (status: number, body: object, headers: Record<string, string> = {}): ReceivedAnswer => ({
    status,
    headers: new Headers(headers),
    text: JSON.stringify(body),
  });

  it("polls one second after the start, and one second after a waiting request", async () => {
    expect((await terminal.do("start")).timerSeconds).toBe(1);
    expect((await terminal.do("look")).timerSeconds).toBe(1);
  });

  it("polls at its interval when waiting is off", async () => {
    await terminal.do("set InpWaitSeconds 0");
    expect((await terminal.do("start")).timerSeconds).toBe(1);
    const { timerSeconds, sent } = await terminal.do("look");
    expect(timerSeconds).toBe(60);
    expect(sent.map(({ url }) => new URL(url).search)).toEqual(["?expand=validity"]);
  });

  it("long-polls for a new signal and follows it", async () => {
    await terminal.do("set InpWaitSeconds 20");
    const first = await terminal.run("start", "look");
    expect(first.sent[0]?.url).toContain("&wait=20");
    expect(first.sent[0]?.headers).not.toContain("If-None-Match");
    const looking = terminal.do("look");
    await waitUntil(async () => changeHub().size === 1, 5_000);
    const madeMs = performance.now();
    await signal("BUY");
    const { sent, orders } = await looking;
    expect(performance.now() - madeMs).toBeLessThan(5_000);
    expect(sent[0]?.headers).toMatch(/If-None-Match: W\/"/);
    expect(orders).toHaveLength(1);
  });

  it("polls once a minute without waiting after a 429 too_many_open", async () => {
    await terminal.do("start");
    const refused = heard(429, { code: "too_many_open", detail: "Too many." }, { "Retry-After": "15" });
    instead = [refused];
    const { sent, chart } = await terminal.do("look");
    expect(sent.map(({ url }) => new URL(url).search)).toEqual([
      "?expand=validity&wait=1",
      "?expand=validity",
    ]);
    expect(chart).toContain("connected");
    expect((await terminal.run("pass 30", "look")).sent).toEqual([]);
    expect(pathsOf((await terminal.run("pass 31", "look")).sent)).toEqual(["/api/scan"]);
  });

  it("follows a fresh signal once with its stop and target, and reports it", async () => {
    await signal("BUY");
    const { orders, chart } = await terminal.run("start", "look");
    const [order] = orders;
    // The candles of terminal.cpp around a price of 90,000.
    const sizes = Array.from({ length: 300 }, (_, i) => (i === 299 ? 900 : 100 + 10 * (i % 7)));
    const candles = {
      high: Float64Array.from(sizes, (size) => 90_000 + size),
      low: Float64Array.from(sizes, (size) => 90_000 - size),
      close: Float64Array.from(sizes, (size) => 90_000 + size / 2),
    };
    const distance = 2 * wilderAtr(candles, 14).at(-1)!;
    expect(order).toMatchObject({ buys: true, price: 90_001, magic: 20_260_900 + 60 });
    expect(order?.stop).toBeCloseTo(90_001 - distance, 1);
    expect(order?.target).toBeCloseTo(90_001 + 1.5 * distance, 1);
    // Half a percent of 10,000 is at risk, rounded down to a volume step.
    expect(order!.volume * distance).toBeLessThanOrEqual(50);
    expect((order!.volume + 0.01) * distance).toBeGreaterThan(50);
    expect(chart).toMatch(/^BTCUSD H1 {2}connected; newest signal BUY of \d{4}-\d\d-\d\dT\d\d:00:00Z$/);

    const [reported] = await executions();
    expect(reported).toMatchObject({ symbol: "BTCUSD", timeframe: "H1", signal: "BUY", confidence: 0.6 });
    expect(reported).toMatchObject({ entry_price: 90_001, closed_at: null });
    // In UTC, although the broker's clock is two hours ahead.
    expect(Math.abs(Date.parse(reported.opened_at) - Date.now())).toBeLessThan(HOUR_MS);

    const again = await terminal.run("pass 60", "look");
    expect([again.orders, pathsOf(again.sent)]).toEqual([[], ["/api/scan"]]);
  });

  it.each([
    ["tp 90500", "TP"],
    ["sl 89500", "SL"],
    ["client 90100", "MANUAL"],
  ])("reports a close by the broker or by hand (%s) once, with its costs", async (how, result) => {
    await signal("BUY");
    const { orders } = await terminal.run("start", "look");
    const { sent } = await terminal.run("pass 7200", `close ${how}`, "look");
    expect(pathsOf(sent)[0]).toBe(REPORT);
    const [closed] = await executions();
    const price = Number(how.split(" ")[1]);
    // Minus swap, the commission of both deals and a fee.
    const expected = (price - 90_001) * orders[0]!.volume - 0.2 - 1 - 0.1;
    expect(closed).toMatchObject({ exit_price: price, result });
    expect(closed.pnl).toBeCloseTo(expected, 2);
    const { json } = await call("GET", "/api/account/executions?expand=details", { key });
    expect(json.executions[0]).toMatchObject({
      volume: orders[0]?.volume,
      commission: -1.1,
      swap: -0.2,
      currency: "EUR",
      magic: String(20_260_900 + 60),
    });
    expect(Date.parse(closed.closed_at) - Date.parse(closed.opened_at)).toBe(7_200_000);
    expect(pathsOf((await terminal.run("pass 60", "look")).sent)).toEqual(["/api/scan"]);
  });

  it("reports the close of a position that was opened 40 days ago", async () => {
    await signal("BUY");
    await terminal.run(`set ago ${40 * 86_400}`, "start", "look");
    await terminal.run("set ago 60", "close sl 89500", "look");
    expect(await executions()).toEqual([]);
    const { json } = await call("GET", "/api/account/executions?days=60", { key });
    expect(json.executions).toMatchObject([{ result: "SL" }]);
  });

  it("closes a position after twelve candles, and reports it with the result TIMEOUT", async () => {
    await signal("SELL");
    await terminal.run("start", "look", `pass ${11 * 3600 + 3599}`, "look");
    expect((await executions())[0]).toMatchObject({ signal: "SELL", closed_at: null });
    await terminal.run("pass 1", "look");
    expect((await executions())[0]).toMatchObject({ result: "TIMEOUT" });
  });

  it("resends lost reports, even after a restart without memory", async () => {
    await signal("BUY");
    instead = ["the service", null];
    const lost = await terminal.run("start", "look");
    expect(pathsOf(lost.sent)).toEqual(["/api/scan", REPORT]);
    expect(lost.chart).toContain("5203");
    expect(await executions()).toHaveLength(0);
    await signal("NO_TRADE");
    await terminal.run("pass 60", "close tp 90500", "forget", "start", "look");
    const { json, text } = await call("GET", "/api/account/executions", { key });
    expect(json.executions).toMatchObject([{ result: "TP" }]);
    expect(text).toContain(`"ticket":${kind.ticket},`);
  });

  it("opens nothing on NO_TRADE or a stale signal", async () => {
    const undecided = await terminal.run("start", "look");
    expect([undecided.orders, undecided.chart]).toEqual([
      [],
      expect.stringMatching(/newest signal NO_TRADE of \S+$/),
    ]);
    await signal("BUY", { symbol: "ETHUSD", ts: hoursAgo(4) });
    const stale = await terminal.run("set InpSymbol ETHUSD", "start", "look");
    expect([stale.orders, stale.chart]).toEqual([
      [],
      expect.stringMatching(/newest signal BUY of \S+, stale$/),
    ]);
  });

  it.runIf(kind.version === 4)("estimates the server's time while no quotes arrive", async () => {
    await signal("BUY");
    await terminal.run("start", "look", "pass 60", "look", "pass 60", "look");
    await terminal.run("set frozen 1", "pass 36000", "close tp 90500", "look");
    const [closed] = await executions();
    expect(Date.parse(closed.closed_at) - Date.parse(closed.opened_at)).toBe(36_120_000);
  });

  it.runIf(kind.version === 5)(
    "opens nothing on a netting account while another position is open",
    async () => {
      await signal("BUY");
      expect((await terminal.run("set netting 1", "foreign", "start", "look")).orders).toEqual([]);
      expect((await terminal.run("set netting 0", "pass 60", "look")).orders).toHaveLength(1);
    },
  );

  it("logs a broker's refusal once, and retries", async () => {
    await signal("BUY");
    const looks = [
      await terminal.run("set refuses 1", "start", "look"),
      await terminal.run("pass 60", "look"),
    ];
    expect(looks.map(({ printed }) => printed.filter((line) => kind.refusal.test(line)).length)).toEqual([
      1, 0,
    ]);
    expect((await terminal.run("set refuses 0", "pass 60", "look")).orders).toHaveLength(1);
  });

  it("shows a missing slot, a foreign answer and no answer on the chart", async () => {
    const none = await terminal.run("set InpSymbol NZDUSD", "start", "look");
    expect(none.chart).toMatch(/connected; no signal for NZDUSD H1/);
    instead = [heard(404, { error: "no such page" })];
    expect((await terminal.run("pass 60", "look")).chart).toMatch(/Unexpected answer 404.*InpApiUrl/);
    instead = [heard(200, { welcome: true })];
    expect((await terminal.run("pass 60", "look")).chart).toMatch(/is not the service.*InpApiUrl/);
    instead = [null];
    expect((await terminal.run("pass 60", "look")).chart).toMatch(/5203/);
  });

  it("says that the operator has paused the slot", async () => {
    const target = { symbol: "BTCUSD", timeframe: "H1", reason: "Bad prices", until: null } as const;
    const id = await pauseSignals(db(), target, ADMIN, new Date());
    try {
      const { chart } = await terminal.run("start", "look");
      expect(chart).toMatch(/connected; BTCUSD H1 is paused by the operator/);
    } finally {
      await endPause(db(), id, ADMIN);
    }
    expect((await terminal.run("pass 60", "look")).chart).toMatch(/newest signal NO_TRADE/);
  });

  it("honours Retry-After", async () => {
    instead = [heard(429, { detail: "Too many requests." }, { "Retry-After": "90" })];
    expect((await terminal.run("start", "look")).chart).toContain("Too many requests.");
    expect((await terminal.run("pass 89", "look")).sent).toEqual([]);
    expect((await terminal.run("pass 1", "look")).sent).toHaveLength(1);
  });

  it("sends nothing for five minutes after its key was refused, and polls at once with another key", async () => {
    const refused = await terminal.run(`set InpApiKey ${crypto.randomUUID()}`, "start", "look");
    expect(refused.chart).toMatch(/Key refused: This API key is unknown/);
    expect((await terminal.run("pass 300", "look")).sent).toEqual([]);
    const { sent, chart } = await terminal.run(`set InpApiKey ${key}`, "start", "look");
    expect([pathsOf(sent), chart]).toEqual([["/api/scan"], expect.stringContaining("connected")]);
  });

  it("does not repeat a rejected report, and prints the reason", async () => {
    await signal("BUY");
    instead = ["the service", heard(422, { detail: "symbol: must be a symbol" })];
    const { printed } = await terminal.run("start", "look");
    expect(printed).toContainEqual(`Report of ticket ${kind.ticket} refused: symbol: must be a symbol`);
    expect(pathsOf((await terminal.run("pass 60", "look")).sent)).toEqual(["/api/scan"]);
  });
});
