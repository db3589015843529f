import { execFile } from "node:child_process";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const KIT = join(process.cwd(), "public/ea-kit");

let available = false;
let server: Server | undefined;

beforeAll(async () => {
  available = await run("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).then(
    () => true,
    () => false,
  );
});

afterEach(() => server?.close());

interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

/** A server that returns these answers in order; `drop` closes the connection instead. */
async function answering(
  answers: ({ status: number; headers?: Record<string, string>; body?: unknown } | "drop")[],
): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const rest = [...answers];
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    seen.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body });
    const answer = rest.shift() ?? { status: 500 };
    if (answer === "drop") return void request.socket.destroy();
    response
      .writeHead(answer.status, answer.headers)
      .end(answer.body === undefined ? "" : JSON.stringify(answer.body));
  });
  await new Promise<void>((done) => server?.listen(0, "127.0.0.1", done));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { url: `http://127.0.0.1:${address.port}`, seen };
}

/** Runs Python lines with a client `service` that collects its pauses in `pauses` instead of sleeping. */
async function python(url: string, lines: string): Promise<unknown> {
  const code = `
import json
from signal_delivery import SignalDelivery, ApiError, KeyRefused
pauses = []
service = SignalDelivery("${url}/", " key ", sleep=pauses.append)
${lines}`;
  const { stdout } = await run("python3", ["-B", "-c", code], { cwd: KIT, timeout: 20_000 });
  return JSON.parse(stdout);
}

const EURUSD = { symbol: "EURUSD", timeframe: "H1" };

describe("the Python client", () => {
  it("waits for Retry-After, then continues", async ({ skip }) => {
    if (!available) skip("python3 is not on this machine");
    const { url, seen } = await answering([
      { status: 429, headers: { "Retry-After": "7" }, body: { code: "rate_limited", detail: "Wait." } },
      { status: 503, headers: { "Retry-After": "2" } },
      { status: 200, body: { items: [{ symbol: "EURUSD" }] } },
    ]);
    expect(await python(url, "items = service.scan(0.5)\nprint(json.dumps([items, pauses]))")).toEqual([
      [{ symbol: "EURUSD" }],
      [7, 2],
    ]);
    expect(seen.map((one) => one.url)).toEqual(
      Array(3).fill("/api/scan?expand=validity&min_confidence=0.500000"),
    );
    expect(seen[0]?.headers["x-api-key"]).toBe("key");
  });

  it("repeats a report after a lost answer with the identical body", async ({ skip }) => {
    if (!available) skip("python3 is not on this machine");
    const { url, seen } = await answering(["drop", { status: 201, body: { action: "updated" } }]);
    const answer = await python(
      url,
      "print(json.dumps(service.report(2**53 + 1, symbol='EURUSD', timeframe='H1', signal='BUY')))",
    );
    expect(answer).toEqual({ action: "updated" });
    expect(seen).toHaveLength(2);
    expect(seen[1]?.body).toBe(seen[0]?.body);
    expect(JSON.parse(seen[0]?.body ?? "")).toMatchObject({ ticket: "9007199254740993" });
  });

  it("raises the reason of a refusal without a retry", async ({ skip }) => {
    if (!available) skip("python3 is not on this machine");
    const refusal = { detail: "This API key has been revoked.", code: "key_revoked", request_id: "r1" };
    const { url, seen } = await answering([{ status: 401, body: refusal }]);
    const lines = `
try:
    service.account()
except KeyRefused as error:
    print(json.dumps([error.status, error.code, error.detail, error.request_id, pauses]))`;
    expect(await python(url, lines)).toEqual([401, "key_revoked", refusal.detail, "r1", []]);
    expect(seen).toHaveLength(1);
  });

  it("gives up after five attempts", async ({ skip }) => {
    if (!available) skip("python3 is not on this machine");
    const { url, seen } = await answering([]);
    const lines = `
try:
    service.account()
except ApiError as error:
    print(json.dumps([error.status, len(pauses)]))`;
    expect(await python(url, lines)).toEqual([500, 4]);
    expect(seen).toHaveLength(5);
  });

  it("scan() asks for the validity of each signal", async ({ skip }) => {
    if (!available) skip("python3 is not on this machine");
    const items = [{ ...EURUSD, pred_id: 7, stale: true }];
    const { url, seen } = await answering([{ status: 200, headers: { ETag: '"v1"' }, body: { items } }]);
    expect(await python(url, "print(json.dumps(service.scan()))")).toEqual(items);
    expect(seen.map((one) => one.url)).toEqual(["/api/scan?expand=validity"]);
  });

  it("the command line accepts the quick start's variables, and --help prints the commands", async ({
    skip,
  }) => {
    if (!available) skip("python3 is not on this machine");
    const { url, seen } = await answering([{ status: 200, body: { items: [] } }]);
    const { SIGNAL_API_URL: _url, SIGNAL_API_KEY: _key, ...env } = process.env;
    const start = (command: string, more: Record<string, string> = {}) =>
      run("python3", ["-B", "signal_delivery.py", command], { cwd: KIT, env: { ...env, ...more } });
    expect((await start("scan", { BASE_URL: url, API_KEY: "key" })).stdout).toBe("[]\n");
    expect(seen[0]?.headers["x-api-key"]).toBe("key");
    expect((await start("--help")).stdout).toContain("signal_delivery.py scan");
    await expect(start("scan", { BASE_URL: "", API_KEY: "" })).rejects.toThrow(/BASE_URL and API_KEY/);
  });

  it("follows each fresh signal with a direction once and ignores stale ones", async ({ skip }) => {
    if (!available) skip("python3 is not on this machine");
    const item = (pred_id: number, signal: string, stale: boolean) => ({ ...EURUSD, pred_id, signal, stale });
    const items = [item(1, "BUY", false), item(2, "SELL", true), item(3, "NO_TRADE", false)];
    const { url } = await answering([
      { status: 200, body: { items } },
      { status: 200, body: { items: [...items, item(4, "SELL", false)] } },
    ]);
    const lines =
      "found = service.follow()\nprint(json.dumps([next(found)['pred_id'], next(found)['pred_id'], pauses]))";
    expect(await python(url, lines)).toEqual([1, 4, [60]]);
  });

  it("long-polls with the ETag, and after a 429 too_many_open sends its next poll without a wait", async ({
    skip,
  }) => {
    if (!available) skip("python3 is not on this machine");
    const headers = { ETag: 'W/"v1"', "Signal-Seq": "7" };
    const items = (pred_id: number) => ({ items: [{ ...EURUSD, pred_id, signal: "BUY", stale: false }] });
    const { url, seen } = await answering([
      { status: 200, headers, body: items(1) },
      { status: 304, headers },
      { status: 429, headers: { "Retry-After": "15" }, body: { code: "too_many_open", detail: "Too many." } },
      { status: 200, headers, body: items(1) },
      { status: 200, headers, body: items(2) },
    ]);
    const lines =
      "found = service.follow()\nprint(json.dumps([next(found)['pred_id'], next(found)['pred_id'], pauses]))";
    expect(await python(url, lines)).toEqual([1, 2, [60]]);
    const wait = "/api/scan?expand=validity&wait=25";
    expect(seen.map((one) => one.url)).toEqual([wait, wait, wait, "/api/scan?expand=validity", wait]);
    expect(seen[1]?.headers["if-none-match"]).toBe('W/"v1"');
  });

  it("follow() skips the signal of a slot paused in the portal, and yields it after the pause if it is still fresh", async ({
    skip,
  }) => {
    if (!available) skip("python3 is not on this machine");
    const headers = { ETag: 'W/"v1"', "Signal-Seq": "7" };
    const paused = { ...headers, "X-Signals-Paused": "EURUSD/H1;since=2026-11-20T10:31:07Z" };
    const items = [
      { ...EURUSD, pred_id: 1, signal: "BUY", stale: false },
      { ...EURUSD, timeframe: "H4", pred_id: 2, signal: "SELL", stale: false },
    ];
    const all = { ...headers, "X-Signals-Paused": "all;since=2026-11-20T10:31:07Z" };
    const { url, seen } = await answering([
      { status: 200, headers: paused, body: { items } },
      { status: 304, headers: paused },
      { status: 304, headers },
      { status: 200, headers, body: { items } },
      { status: 200, headers: all, body: { items } },
    ]);
    const lines = `
found = service.follow()
first = next(found)["pred_id"]
held = [service.is_paused("EURUSD", "H1"), service.is_paused("EURUSD", "H4"), dict(service.paused)]
second = next(found)["pred_id"]
free = service.is_paused("EURUSD", "H1")
service.scan()
print(json.dumps([first, held, second, free, service.is_paused("XAUUSD", "H1")]))`;
    const since = "2026-11-20T10:31:07Z";
    expect(await python(url, lines)).toEqual([2, [true, false, { "EURUSD/H1": since }], 1, false, true]);
    expect(seen.map((one) => one.headers["if-none-match"])).toEqual([
      ...[undefined, 'W/"v1"', 'W/"v1"', undefined, undefined],
    ]);
  });
});
