import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { beforeAll, describe, expect, it } from "vitest";
import { db, workerDb } from "@/db/client";
import { apiApp } from "@/lib/server/api-app";
import { MOUNTS } from "@/lib/server/mounts";
import { enterIntoLedger } from "@/lib/signals/ledger/enter-into-ledger";
import { heartbeatBuffer } from "@/lib/subscribers/heartbeat";
import { call, makeKey } from "@/tests/support/api";
import { startApiServer } from "@/tests/support/api-server";
import { useDatabase } from "@/tests/support/database";
import { ingest, signalItem } from "@/tests/support/market-data";
import { resolveOutcomesNow, storeMarket } from "@/tests/support/record-market";

useDatabase({ MARKET_FEED: "demo" });

const app = apiApp(MOUNTS);
const URL_OF_MCP = new URL("http://localhost/mcp");

/** Connects the official MCP client to the handler that the server mounts. */
async function connected(headers: Record<string, string>, mode: "auto" | "legacy" = "auto") {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(URL_OF_MCP, {
    requestInit: { headers },
    fetch: (url, init) => app.fetch(new Request(url, init)),
  });
  await client.connect(transport);
  return client;
}

async function tool(client: Client, name: string, args: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: args });
  const [content] = result.content;
  if (content?.type !== "text") throw new Error("no text");
  return { isError: result.isError === true, json: JSON.parse(content.text) };
}

const post = (headers: Record<string, string>, body: unknown, method = "POST") =>
  app.fetch(
    new Request(URL_OF_MCP, { method, headers, body: method === "POST" ? JSON.stringify(body) : null }),
  );
const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };

let pro: { key: string; keyId: number };
let basic: { key: string; keyId: number };
beforeAll(async () => {
  await storeMarket({ symbol: "EURUSD", nCandles: 60, nSignals: 30, seed: 5 });
  await resolveOutcomesNow();
  await enterIntoLedger(workerDb());
  await ingest("signals", [signalItem({ symbol: "USDJPY" })]);
  pro = await makeKey();
  basic = await makeKey({ plan_tier: "basic" });
  await call("POST", "/api/executions", {
    key: pro.key,
    body: { ticket: "9007199254740993", symbol: "EURUSD", timeframe: "H1", signal: "BUY" },
  });
});

describe.each(["auto", "legacy"] as const)("the official MCP client in the mode %s", (mode) => {
  it("lists five tools, all read-only", async () => {
    const client = await connected({ "X-API-Key": pro.key }, mode);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "scan",
      "slot_history",
      "record",
      "calibration",
      "my_executions",
    ]);
    for (const { annotations, description, inputSchema } of tools) {
      expect(annotations?.readOnlyHint).toBe(true);
      expect(description).toMatch(/\.$/);
      expect(inputSchema.type).toBe("object");
    }
    expect(client.getInstructions()).toContain("simulated");
    await client.close();
  });

  it("reads the same data as the API, labelled as simulated", async () => {
    const client = await connected({ "X-API-Key": pro.key }, mode);
    const scan = await tool(client, "scan");
    const same = await call("GET", "/api/scan?expand=validity,range", { key: pro.key });
    expect(scan.json).toMatchObject({
      simulated: true,
      plan_tier: "pro",
      filtered_by_plan: false,
      paused_slots: [],
    });
    const ageless = (items: { age_minutes: number }[]) => items.map((item) => ({ ...item, age_minutes: 0 }));
    expect(ageless(scan.json.items)).toEqual(ageless(same.json.items));
    expect((await tool(client, "scan", { min_confidence: 1 })).json.items).toEqual([]);

    const history = await tool(client, "slot_history", { symbol: " eurusd", timeframe: "h1", limit: 3 });
    const signals = await call("GET", "/api/signals/EURUSD/H1?limit=3", { key: pro.key });
    expect(history.json).toEqual({
      simulated: true,
      symbol: "EURUSD",
      timeframe: "H1",
      signals: signals.json,
    });
    expect(history.json.signals).toHaveLength(3);

    const record = await tool(client, "record", { symbol: "EURUSD", timeframe: "H1" });
    const told = await call("GET", "/api/public/record?symbol=EURUSD&tf_code=H1");
    expect(record.json.record).toEqual(told.json);

    const calibration = await tool(client, "calibration", { days: 365 });
    const quality = await call("GET", "/api/calibration?days=365", { key: pro.key });
    expect(calibration.json.calibration).toEqual(quality.json);

    const mine = await client.callTool({ name: "my_executions", arguments: {} });
    expect(JSON.stringify(mine.content)).toContain("9007199254740993");
    await client.close();
  });

  it("an MCP client gets tool errors with the codes of the API", async () => {
    const client = await connected({ Authorization: `Bearer ${basic.key}` }, mode);
    expect((await tool(client, "scan")).json.items.map(({ symbol }: { symbol: string }) => symbol)).toEqual([
      "EURUSD",
    ]);
    expect(await tool(client, "slot_history", { symbol: "USDJPY", timeframe: "H1" })).toMatchObject({
      isError: true,
      json: { code: "slot_not_in_plan" },
    });
    expect(await tool(client, "record", { from: "yesterday" })).toMatchObject({
      isError: true,
      json: { code: "validation_failed", errors: [{ loc: ["arguments", "from"] }] },
    });
    expect(await tool(client, "record", { symbol: "NOSUCH" })).toMatchObject({
      isError: true,
      json: { code: "not_found" },
    });
    const wrong = await client
      .callTool({ name: "calibration", arguments: { days: 0 } })
      .catch((error: Error) => error);
    expect(wrong instanceof Error || wrong.isError).toBe(true);
    const unknown = await client.callTool({ name: "buy", arguments: {} }).catch((error: Error) => error);
    expect(unknown instanceof Error || unknown.isError).toBe(true);
    expect((await tool(client, "my_executions")).json.executions).toEqual([]);
    await client.close();
  });

  it("an MCP client is refused at its next message after its key was revoked", async () => {
    const { key, keyId } = await makeKey();
    const client = await connected({ "X-API-Key": key }, mode);
    await tool(client, "scan");
    await call("DELETE", `/admin/keys/${keyId}`, { admin: true });
    await expect(tool(client, "scan")).rejects.toThrow();
    await client.close();
  });
});

describe("POST /mcp", () => {
  it("the official MCP client calls a tool over a real connection", async () => {
    const service = await startApiServer();
    for (const mode of ["auto", "legacy"] as const) {
      const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
      const requestInit = { headers: { Authorization: `Bearer ${pro.key}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit }));
      expect((await tool(client, "scan")).json.plan_tier).toBe("pro");
      await client.close();
    }
    await service.close();
  });

  it("refuses a missing, wrong or revoked key with 401 and the code of the reason", async () => {
    const { key, keyId } = await makeKey();
    await call("DELETE", `/admin/keys/${keyId}`, { admin: true });
    const cases: [Record<string, string>, string][] = [
      [{}, "key_missing"],
      [{ Authorization: "Bearer nonsense" }, "key_invalid"],
      [{ Authorization: `Basic ${pro.key}` }, "key_missing"],
      [{ "X-API-Key": "nonsense", Authorization: `Bearer ${pro.key}` }, "key_invalid"],
      [{ "X-API-Key": key }, "key_revoked"],
      [{ Authorization: `Bearer ${key}` }, "key_revoked"],
    ];
    for (const [headers, code] of cases) {
      const answer = await post(headers, LIST);
      expect([answer.status, (await answer.json()).code]).toEqual([401, code]);
    }
  });

  it("a bearer token is no key for /api/account/me: 401 key_missing", async () => {
    const headers = { Authorization: `Bearer ${pro.key}` };
    expect(await call("GET", "/api/account/me", { headers })).toMatchObject({
      status: 401,
      json: { code: "key_missing" },
    });
  });

  it("counts each message against the key's limit", async () => {
    const { key } = await makeKey({ rate_limit_per_min: 2 });
    const answers = [];
    for (let n = 0; n < 3; n++) answers.push(await post({ "X-API-Key": key }, LIST));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers[0]?.headers.get("x-ratelimit-remaining")).toBe("1");
    expect(Number(answers[2]?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  });

  it.each(["application/json", "application/json, text/event-stream", "*/*"])(
    "answers JSON to a client that accepts %s",
    async (accept) => {
      const headers = { "X-API-Key": pro.key, "Content-Type": "application/json", Accept: accept };
      const answer = await post(headers, LIST);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"]);
      expect((await answer.json()).result.tools).toHaveLength(5);
    },
  );

  it("answers a batch with a list, and counts each message against the limit", async () => {
    const { key } = await makeKey({ rate_limit_per_min: 4 });
    const note = { jsonrpc: "2.0", method: "notifications/initialized" };
    const answer = await post({ "X-API-Key": key }, [LIST, note, { ...LIST, id: "two" }]);
    expect(answer.status).toBe(200);
    expect((await answer.json()).map(({ id }: { id: unknown }) => id)).toEqual([1, "two"]);
    expect((await post({ "X-API-Key": key }, [note])).status).toBe(202);
    expect((await post({ "X-API-Key": key }, LIST)).status).toBe(429);
  });

  it("a batch larger than the limit is refused with the advice to send fewer, and counts as one request", async () => {
    const { key } = await makeKey({ rate_limit_per_min: 2 });
    const answer = await post({ "X-API-Key": key }, [LIST, LIST, LIST]);
    expect(answer.status).toBe(429);
    expect(answer.headers.get("retry-after")).toMatch(/^[1-9][0-9]*$/);
    expect((await answer.json()).detail).toBe(
      "3 messages at once, and 2 requests are allowed in 60 seconds. Send fewer.",
    );
    expect((await post({ "X-API-Key": key }, LIST)).status).toBe(200);
  });

  it.each(["9007199254740993", "-9223372036854775808", '"9007199254740993"', "9007199254740991"])(
    "echoes the message id %s exactly",
    async (id) => {
      const body = `{"jsonrpc":"2.0","id": ${id} ,"method":"tools/list"}`;
      const request = new Request(URL_OF_MCP, { method: "POST", headers: { "X-API-Key": pro.key }, body });
      expect(await (await app.fetch(request)).text()).toMatch(new RegExp(`"id":${id}[,}]`));
    },
  );

  it("answers 422 to an invalid message or batch, and 413 to one of 70 kB", async () => {
    for (const body of [[], [LIST, 7], Array(21).fill(LIST), {}, { jsonrpc: "1.0" }, 7, null, "x"]) {
      const answer = await post({ "X-API-Key": pro.key }, body);
      expect([answer.status, (await answer.json()).code], JSON.stringify(body)).toEqual([
        422,
        "validation_failed",
      ]);
    }
    const large = await post({ "X-API-Key": pro.key }, { ...LIST, params: { x: "x".repeat(70_000) } });
    expect(large.status).toBe(413);
  });

  it("refuses GET and DELETE with 405, and answers subscriptions/listen with an error", async () => {
    for (const method of ["GET", "DELETE"]) {
      const answer = await post({ "X-API-Key": pro.key }, null, method);
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    }
    const listen = {
      jsonrpc: "2.0",
      id: 1,
      method: "subscriptions/listen",
      params: {
        notifications: { toolsListChanged: true },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    };
    const headers = {
      "X-API-Key": pro.key,
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": "subscriptions/listen",
    };
    const answer = await post(headers, listen);
    expect(await answer.json()).toMatchObject({ error: { message: expect.stringMatching(/limit/) } });
  });

  it("malformed and unexpected MCP messages are not answered with a 5xx status", async () => {
    const { key } = await makeKey({ rate_limit_per_min: 1000 });
    const strange = [
      { method: "tools/call" },
      { id: 1, method: "tools/call", params: { name: "scan", arguments: { min_confidence: "a" } } },
      { id: 1, method: "tools/call", params: { name: "__proto__", arguments: {} } },
      { id: 1, method: "initialize", params: { protocolVersion: "9999-01-01" } },
      { id: {}, method: 7 },
      { id: 1, result: {} },
      { method: "notifications/initialized" },
      {
        id: 1,
        method: "server/discover",
        params: { _meta: { "io.modelcontextprotocol/protocolVersion": "9999-01-01" } },
      },
    ];
    for (const message of strange) {
      const answer = await post({ "X-API-Key": key }, { jsonrpc: "2.0", ...message });
      expect(answer.status, JSON.stringify(message)).toBeLessThan(500);
      await answer.text();
    }
  });

  it("an MCP message does not count as activity of the trading client", async () => {
    const { key, keyId } = await makeKey();
    await (await post({ "X-API-Key": key }, LIST)).text();
    await heartbeatBuffer().flush();
    const seen = await db().$client`select 1 from key_heartbeats where key_id = ${keyId}`;
    expect([...seen]).toEqual([]);
  });
});
