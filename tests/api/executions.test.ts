import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { readClientHistory } from "@/db/queries/client-history";
import { listAccountExecutions } from "@/lib/executions/list-account-executions";
import { heartbeatBuffer } from "@/lib/subscribers/heartbeat";
import { call, makeKey, type TestApiAnswer } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";

useDatabase();

let sql: postgres.Sql;
let key: string;
let keyId: number;
let nextTicket = 1_000;

beforeAll(async () => {
  sql = connectDirectly(4);
  // One key for the whole file, with a limit that no test reaches.
  ({ key, keyId } = await makeKey({ rate_limit_per_min: 100_000 }));
});
afterAll(() => sql.end());

const opening = (extra: Record<string, unknown> = {}) => ({
  ticket: nextTicket++,
  symbol: "EURUSD",
  timeframe: "H1",
  signal: "BUY",
  opened_at: "2026-11-20T10:00:00Z",
  entry_price: 1.1,
  ...extra,
});

const report = (body: unknown, headers: Record<string, string> = {}) =>
  call("POST", "/api/executions", { key, body, headers });

async function stored(ticket: number | string) {
  const [row] = await sql`
    select e.*, k.id as key_id from executions e join api_keys k on k.subscription_id = e.subscription_id
     where e.ticket = ${String(ticket)}::bigint and k.id = ${keyId}`;
  return row;
}

/** Reports an opening with these fields and returns the stored row. */
async function accepted(fields: Record<string, unknown>) {
  const body = opening(fields);
  const answer = await report(body);
  expect(answer, answer.text).toMatchObject({ status: 201, json: { action: "created" } });
  return stored(body.ticket);
}

/** Reports an opening with these fields, expects a refusal, and returns the fields it names. */
async function refused(fields: Record<string, unknown>) {
  const answer = await report(opening(fields));
  expect(answer, answer.text).toMatchObject({ status: 422, json: { code: "validation_failed" } });
  return answer.json.errors.map((error: { loc: unknown[] }) => error.loc.slice(1).join("."));
}

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

describe("POST /api/executions", () => {
  it("answers created to the first report of a ticket and updated to later ones", async () => {
    const first = await report({ ...opening(), ticket: 77 });
    expect(first.status).toBe(201);
    expect(first.text).toMatch(/^\{"ok":true,"action":"created","exec_id":\d+,"ticket":77\}$/);
    const second = await report({ ticket: "77", closed_at: "2026-11-20T12:00:00Z", pnl: 12.5 });
    expect(second.status).toBe(201);
    expect(second.json).toEqual({ ok: true, action: "updated", exec_id: first.json.exec_id, ticket: 77 });
  });

  it("a later report changes the result, clears nothing, leaves the opening, and is recorded with before and after", async () => {
    const body = opening();
    await report(body);
    await report({
      ticket: body.ticket,
      closed_at: "2026-11-20T12:00:00Z",
      exit_price: "1.25",
      pnl: -3.1,
      result: "tp",
    });
    await report({
      ticket: body.ticket,
      pnl: "-4.35",
      exit_price: null,
      result: "",
      symbol: "GBPUSD",
      entry_price: 9,
    });
    const row = await stored(body.ticket);
    expect(row).toMatchObject({
      symbol: "EURUSD",
      entry_price: "1.1",
      closed_at: new Date("2026-11-20T12:00:00Z"),
      exit_price: "1.25",
      pnl: "-4.35",
      result: "TP",
    });
    const changes =
      await sql`select before, after, key_id, request_id from execution_changes where execution_id = ${row?.id} order by id`;
    expect(changes).toEqual([
      {
        before: { closedAt: null, exitPrice: null, pnl: null, result: null },
        after: { closedAt: "2026-11-20T12:00:00.000Z", exitPrice: "1.25", pnl: "-3.1", result: "TP" },
        key_id: keyId,
        request_id: expect.any(String),
      },
      { before: { pnl: "-3.1" }, after: { pnl: "-4.35" }, key_id: keyId, request_id: expect.any(String) },
    ]);
  });

  it("writes no row to execution_changes for a repeated report that changes nothing", async () => {
    const body = opening({ closed_at: "2026-11-20T12:00:00Z", pnl: "1.50", result: "SL" });
    await report(body);
    await report({ ...body, pnl: 1.5, result: " sl " });
    const [row] =
      await sql`select count(*)::int as n from execution_changes c join executions e on e.id = c.execution_id where e.ticket = ${body.ticket}`;
    expect(row?.n).toBe(0);
  });

  it("ignores an opening report that arrives after the close of its position", async () => {
    const body = opening();
    await report({ ...body, closed_at: "2026-11-20T12:00:00Z", exit_price: 1.2, pnl: 10, result: "TP" });
    const late = await report({
      ...body,
      closed_at: "1970.01.01 00:00:00",
      exit_price: 0,
      pnl: 0,
      result: "",
    });
    expect(late).toMatchObject({ status: 201, json: { action: "updated" } });
    expect(await stored(body.ticket)).toMatchObject({ pnl: "10", exit_price: "1.2", result: "TP" });
    expect((await stored(body.ticket))?.closed_at).not.toBeNull();
  });

  it("stores one row for sixty identical concurrent reports and answers created to one of them", async () => {
    const body = opening({ closed_at: "2026-11-20T12:00:00Z", pnl: 1 });
    const answers = await Promise.all(Array.from({ length: 60 }, () => report(body)));
    expect(answers.map((answer) => answer.status)).toEqual(Array(60).fill(201));
    expect(answers.filter((answer) => answer.json.action === "created")).toHaveLength(1);
    expect(new Set(answers.map((answer) => answer.json.exec_id)).size).toBe(1);
    const [row] = await sql`select count(*)::int as n from executions where ticket = ${body.ticket}`;
    expect(row?.n).toBe(1);
  });

  it("treats the same ticket of two subscriptions as two positions", async () => {
    const other = await makeKey();
    const body = opening();
    const one = await report(body);
    const two = await call("POST", "/api/executions", { key: other.key, body });
    expect(two.json.action).toBe("created");
    expect(two.json.exec_id).not.toBe(one.json.exec_id);
  });

  it("requires only symbol, timeframe and signal for an unknown ticket", async () => {
    const answer = await report({ ticket: 999_999 });
    expect(answer.status).toBe(422);
    expect(answer.json.errors.map((error: { loc: string[] }) => error.loc[1])).toEqual([
      "symbol",
      "timeframe",
      "signal",
    ]);
    const startedAt = Date.now();
    const row = await accepted({ opened_at: undefined, entry_price: undefined });
    expect(Math.abs(row?.opened_at.getTime() - startedAt)).toBeLessThan(5_000);
  });

  it("stores an unknown timeframe label in upper case and notes it in the diagnostics", async () => {
    const fresh = await makeKey({ plan_tier: "pro" });
    const send = (timeframe: unknown, ticket: number) =>
      call("POST", "/api/executions", { key: fresh.key, body: { ...opening({ timeframe }), ticket } });
    const labels = ["r10", " Renko25 ", "H5", 7, "1M", "period_h6", 16_386];
    for (const [i, label] of labels.entries())
      expect((await send(label, i + 1)).status, String(label)).toBe(201);
    const { json } = await call("GET", "/api/account/executions", { key: fresh.key });
    const stored = json.executions.map((row: { ticket: number; timeframe: string }) => [
      row.ticket,
      row.timeframe,
    ]);
    expect(Object.fromEntries(stored)).toEqual({
      1: "R10",
      2: "RENKO25",
      3: "H5",
      4: "7",
      5: "1M",
      6: "H6",
      7: "H2",
    });

    for (const label of ["range-10", "RANGEBARS", "H 1", "Н1", "é", true, 1.5, {}]) {
      const refused = await send(label, 99);
      expect(refused.status, String(label)).toBe(422);
      expect(refused.json.errors[0].loc).toEqual(["body", "timeframe"]);
    }
    const diagnosed = await call("GET", "/api/ea-status?explain=true", { key: fresh.key });
    const finding = diagnosed.json.findings.find(
      (f: { code: string }) => f.code === "other_timeframe_labels",
    );
    expect(finding.message).toContain("1M, 7, H5, R10, RENKO25");
  });

  it("a report that names another position than its ticket is accepted as before, and the diagnostics name it", async () => {
    const fresh = await makeKey({ plan_tier: "pro" });
    const send = (body: object) => call("POST", "/api/executions", { key: fresh.key, body });
    const findings = async () =>
      (await call("GET", "/api/ea-status?explain=true", { key: fresh.key })).json.findings.filter(
        ({ code }: { code: string }) => code === "ticket_contradicted",
      );
    await send({ ...opening({ symbol: "EURUSDm" }), ticket: 1 });
    await send({ ticket: 1, pnl: 1 });
    await send({ ...opening({ symbol: "eurusd" }), ticket: 1, closed_at: "2026-11-20T11:00:00Z" });
    expect(await findings()).toEqual([]);
    const other = { symbol: "GBPUSD", timeframe: "H1", signal: "SELL", ticket: 1 };
    for (const body of [other, { ...other, closed_at: "2026-11-20T12:00:00Z" }])
      expect(await send(body)).toMatchObject({ status: 201, json: { action: "updated" } });
    expect(await findings()).toEqual([
      expect.objectContaining({
        message:
          "Ticket 1 is recorded as EURUSD BUY, and a later report names it GBPUSD SELL. Such a report counts for the recorded position.",
        fix: expect.stringContaining("X-Terminal"),
      }),
    ]);
  });

  it.each([1e300, "1e300", "1e15", 1e16])("a P/L of %s is refused as too large", async (pnl) => {
    const answer = await report(opening({ pnl }));
    expect([answer.status, answer.json.detail]).toEqual([422, "pnl: is too large"]);
  });

  it("a closing without closed_at leaves the position open, and the diagnostics say to send it", async () => {
    const fresh = await makeKey({ plan_tier: "pro" });
    const send = (body: object) => call("POST", "/api/executions", { key: fresh.key, body });
    const findings = async () =>
      (await call("GET", "/api/ea-status?explain=true", { key: fresh.key })).json.findings.filter(
        ({ code }: { code: string }) => code === "closed_at_missing",
      );
    await send({ ...opening(), ticket: 1, pnl: -3.5 });
    expect(await findings(), "a floating P/L is no closing").toEqual([]);
    for (const ticket of [2, 3]) await send({ ...opening(), ticket });
    await send({ ticket: 2, exit_price: 1.2, pnl: 10, result: "TP" });
    await send({ ticket: 3, result: "SL" });
    expect(await findings()).toEqual([
      {
        code: "closed_at_missing",
        severity: "warning",
        message: "2 positions count as open, although their exit price or result was reported: tickets 2, 3.",
        fix: "Send closed_at, the time of the closing, too. For these tickets, send the report again with it.",
      },
    ]);
    await send({ ticket: 2, closed_at: "2026-11-20T11:00:00Z" });
    expect((await findings())[0].message).toBe(
      "A position counts as open, although its exit price or result was reported: ticket 3.",
    );
  });

  it("accepts reports for slots outside the plan", async () => {
    const basic = await makeKey({ plan_tier: "basic" });
    const answer = await call("POST", "/api/executions", {
      key: basic.key,
      body: opening({ symbol: "BTCUSD", timeframe: "M5" }),
    });
    expect(answer.status).toBe(201);
  });
});

describe("reports of trading clients", () => {
  const text = (extra: Record<string, unknown> = {}) => JSON.stringify(opening(extra));

  it("a report may have a BOM, a trailing NUL and surrounding white space; a NUL elsewhere is 422", async () => {
    for (const body of [`${text()}\0`, `\uFEFF${text()}`, `\r\n ${text()} \n\0\0`]) {
      expect((await report(body)).status).toBe(201);
    }
    expect((await report(text({ comment: "a\0b" }))).status).toBe(422);
    expect((await report(text().replace("{", "{\0"))).status).toBe(422);
  });

  it("a report is accepted with unusual Content-Types and without one, and refused when compressed", async () => {
    for (const type of [
      "application/x-www-form-urlencoded",
      "text/plain",
      "application/json; charset=x",
      "nonsense",
    ]) {
      expect((await report(text(), { "Content-Type": type })).status).toBe(201);
    }
    expect((await report(new TextEncoder().encode(text()))).status).toBe(201);
    expect((await report(text(), { "Content-Encoding": "gzip" })).status).toBe(415);
  });

  it("a report may contain bytes that are not UTF-8", async () => {
    const bytes = Buffer.from(text({ comment: "Größe" }), "latin1");
    expect((await report(new Uint8Array(bytes))).status).toBe(201);
    const body = opening({ symbol: "EURUSD.\u00a3" });
    const inSymbol = new Uint8Array(Buffer.from(JSON.stringify(body), "latin1"));
    expect((await report(inSymbol)).status).toBe(201);
    expect(await stored(body.ticket)).toMatchObject({ symbol: "EURUSD", symbol_sent: "EURUSD.\u00a3" });
  });

  it("a report of 60 kB is accepted, and one of more than 64 KiB gets 413", async () => {
    const answer = await report(text({ comment: "x".repeat(65_536) }));
    expect(answer).toMatchObject({
      status: 413,
      json: { code: "body_too_large", detail: expect.any(String) },
    });
    expect((await report(text({ comment: "x".repeat(60_000) }))).status).toBe(201);
  });

  it("a ticket may be a number or digits in text, and is stored exactly up to 2^63 - 1", async () => {
    for (const literal of [
      "9223372036854775807",
      '"9223372036854775806"',
      "9007199254740993",
      '" 12345678901 "',
    ]) {
      const answer = await report(text().replace(/"ticket":\d+/, `"ticket":${literal}`));
      expect(answer.status).toBe(201);
      expect(answer.text).toContain(`"ticket":${literal.replace(/[" ]/g, "")}}`);
      expect(await stored(literal.replace(/[" ]/g, ""))).toMatchObject({ symbol: "EURUSD" });
    }
  });

  it.each([-5, 0, 1.5, "", "  ", "1.0", "0x10", "1e3", "+5", "٣", null, true, [1], "9223372036854775808"])(
    "a report with the ticket %j is refused",
    async (ticket) => {
      expect(await refused({ ticket })).toEqual(["ticket"]);
    },
  );

  it("a report may contain half a surrogate pair, which is stored as U+FFFD", async () => {
    const first = await report({ ...opening(), ticket: 8_800, result: "\ud83d" });
    expect(first.status).toBe(201);
    expect((await report({ ticket: 8_800, result: "CUT \ud83d" })).json.action).toBe("updated");
    expect((await stored(8_800))?.result).toBe("CUT \ufffd");
  });

  it.each(["9007199254740993.0", "1234567890123456789.0", "9.007199254740993e15"])(
    "the ticket %s, which JSON parsing would round, is refused",
    async (literal) => {
      const answer = await report(text().replace(/"ticket":\d+/, `"ticket":${literal}`));
      expect(answer).toMatchObject({ status: 422, json: { errors: [{ loc: ["body", "ticket"] }] } });
    },
  );

  it.each([undefined, null, 0, -1, "", "0", "-1", 999_999_999, "999999999999999999"])(
    "a report with pred_id %j, which is no known signal, is accepted and stored without one",
    async (pred_id) => {
      expect((await accepted({ pred_id }))?.pred_id).toBeNull();
    },
  );

  it.each([
    ["2026-11-20T10:11:12Z", "2026-11-20T10:11:12Z"],
    ["2026-11-20T10:11:12.987Z", "2026-11-20T10:11:12.987Z"],
    ["2026-11-20T12:11:12+02:00", "2026-11-20T10:11:12Z"],
    ["2026-11-20T10:11:12", "2026-11-20T10:11:12Z"],
    ["2026-11-20 10:11:12", "2026-11-20T10:11:12Z"],
    ["2026.11.20 10:11:12", "2026-11-20T10:11:12Z"],
    ["2026.11.20 10:11", "2026-11-20T10:11:00Z"],
    [1_795_169_472, "2026-11-20T10:11:12Z"],
    ["1795169472", "2026-11-20T10:11:12Z"],
    [1_795_169_472_000, "2026-11-20T10:11:12Z"],
  ])("the opening time %j is stored as %s", async (opened_at, expected) => {
    expect((await accepted({ opened_at }))?.opened_at).toEqual(new Date(expected));
  });

  it.each([
    "2026-02-30T00:00:00Z",
    "2026.13.01 00:00",
    "2026-11-20T25:00:00Z",
    "20/11/2026",
    "yesterday",
    true,
    Number.POSITIVE_INFINITY,
  ])("the opening time %j is refused", async (opened_at) => {
    const literal = opened_at === Number.POSITIVE_INFINITY ? "1e400" : JSON.stringify(opened_at);
    const answer = await report(text().replace('"2026-11-20T10:00:00Z"', literal));
    expect(answer.json.errors?.[0]?.loc).toEqual(["body", "opened_at"]);
  });

  it.each([null, "", 0, "0", "1970.01.01 00:00:00", "1970.01.01 00:00", "1970-01-01T00:00:00Z"])(
    "closed_at %j means that the position is open, and an exit price of 0 means that there is none",
    async (closed_at) => {
      expect(await accepted({ closed_at, exit_price: 0 })).toMatchObject({
        closed_at: null,
        exit_price: null,
      });
    },
  );

  it("an opening 3 hours ahead is stored and its clock marked as suspect; 27 hours ahead is refused", async () => {
    expect((await accepted({ opened_at: inHours(3) }))?.clock_suspect).toBe(true);
    expect((await accepted({ opened_at: inHours(-3) }))?.clock_suspect).toBe(false);
    expect(await refused({ opened_at: inHours(27) })).toEqual(["opened_at"]);
    expect(await refused({ closed_at: inHours(27) })).toEqual(["closed_at"]);
  });

  it.each(["2026-11-20T07:00:00Z", "2026-11-20T09:30:00Z", "2026-11-19T00:00:00Z"])(
    "a close at %s, before the opening, is recorded and its clock marked as suspect",
    async (closed_at) => {
      const row = await accepted({ opened_at: "2026-11-20T10:00:00Z", closed_at });
      expect(row).toMatchObject({ clock_suspect: true, closed_at: new Date(closed_at) });
    },
  );

  it.each([2, 3, 5.5])(
    "a position opened by a clock %d h ahead can be closed in UTC by a report that repeats every field",
    async (offset) => {
      const body = opening({ opened_at: inHours(offset - 1 / 3) });
      expect((await report(body)).status).toBe(201);
      const closed_at = inHours(0);
      const close = { ...body, closed_at, exit_price: 1.2, pnl: 5, result: "TP" };
      expect(await report(close)).toMatchObject({ status: 201, json: { action: "updated" } });
      expect(await stored(body.ticket)).toMatchObject({
        closed_at: new Date(closed_at),
        clock_suspect: true,
        result: "TP",
      });
    },
  );

  it("a later close that precedes the stored opening marks the clock as suspect", async () => {
    const { ticket, ...body } = opening({ opened_at: inHours(-1) });
    expect((await report({ ticket, ...body })).status).toBe(201);
    expect((await report({ ticket, closed_at: inHours(-4), pnl: 1 })).status).toBe(201);
    expect(await stored(ticket)).toMatchObject({ clock_suspect: true, pnl: "1" });
  });

  it("a close in the second of the opening, or an opening seconds ahead, is not marked as suspect", async () => {
    const { ticket, ...body } = opening({});
    expect((await report({ ticket, ...body })).status).toBe(201);
    const [row] = await sql`select opened_at from executions where ticket = ${ticket}`;
    const closed_at = `${row?.opened_at.toISOString().slice(0, 19)}Z`;
    expect((await report({ ticket, closed_at, pnl: 1 })).status).toBe(201);
    expect(await stored(ticket)).toMatchObject({ clock_suspect: false, closed_at: new Date(closed_at) });
    const ahead = new Date(Date.now() + 20_000).toISOString();
    expect((await accepted({ opened_at: ahead }))?.clock_suspect).toBe(false);
  });

  it.each([
    ["timeframe", "RENKO_10_50"],
    ["signal", "NO_TRADE"],
    ["signal", "CLOSE"],
    ["symbol", "x".repeat(41)],
    ["confidence", 62.5],
    ["opened_at", "27.11.2026 10:00"],
    ["entry_price", "1,10"],
    ["pred_id", "none"],
  ])("a close of a known ticket is recorded despite an invalid %s: %s", async (name, value) => {
    const body = opening();
    await report(body);
    const close = { ...body, [name]: value, closed_at: "2026-11-20T12:00:00Z", pnl: 12.5 };
    expect(await report(close)).toMatchObject({ status: 201, json: { action: "updated" } });
    expect(await stored(body.ticket)).toMatchObject({ pnl: "12.5", timeframe: "H1", signal: "BUY" });
    // Still refused for an unknown ticket, without a close, or with an invalid field that is stored.
    expect(await refused({ [name]: value, closed_at: "2026-11-20T12:00:00Z" })).toEqual([name]);
    const open = await report({ ...body, [name]: value, pnl: 1 });
    expect(open.json.errors[0].loc).toEqual(["body", name]);
    const wrong = await report({ ...close, pnl: "much" });
    expect(wrong.json.errors.map(({ loc }: { loc: string[] }) => loc[1]).toSorted()).toEqual(
      [name, "pnl"].toSorted(),
    );
  });

  it.each(["DAX.€", "ЗОЛОТО", "日経225", "A\u0000B".replace("\u0000", "\u0001")])(
    "the symbol %j is accepted and stored as sent, without control characters",
    async (symbol) => {
      const shown = symbol.replace("\u0001", "");
      expect(await accepted({ symbol })).toMatchObject({ symbol_sent: shown });
    },
  );

  it.each(["1.23457e+08", '"1.23457e+08"', "1E8"])(
    "the rounded ticket %s is refused with a hint to send tickets as text",
    async (literal) => {
      const answer = await report(text().replace(/"ticket":\d+/, `"ticket":${literal}`));
      expect(answer.status).toBe(422);
      expect(answer.json.errors).toEqual([
        expect.objectContaining({ loc: ["body", "ticket"], msg: expect.stringContaining("as text") }),
      ]);
    },
  );

  it("prices may have exponent form; a pred_id in exponent form counts as missing", async () => {
    const body = text().replace(
      '"entry_price":1.1',
      '"entry_price":1.23e-06,"confidence":5e-01,"pred_id":1.2e+05',
    );
    expect((await report(body)).status).toBe(201);
    expect(await stored(nextTicket - 1)).toMatchObject({ entry_price: "0.00000123", pred_id: null });
  });

  it.each([
    ["EURUSDm", "EURUSD"],
    ["EURUSD.i", "EURUSD"],
    ["#EURUSD", "EURUSD"],
    ["eurusd", "EURUSD"],
    ["XAUUSD-ECN", "XAUUSD"],
    ["GOLD", "XAUUSD"],
    ["BTCUSDT", "BTCUSDT"],
    ["US500.cash", "US500.CASH"],
  ])("the instrument %s is matched to %s and stored as sent", async (symbol, canonical) => {
    expect(await accepted({ symbol })).toMatchObject({ symbol: canonical, symbol_sent: symbol });
  });

  it.each([
    ["H1", "H1"],
    ["h4", "H4"],
    ["PERIOD_H1", "H1"],
    ["60", "H1"],
    [60, "H1"],
    ["1h", "H1"],
    [16385, "H1"],
    [16388, "H4"],
  ])("the timeframe %j is stored as %s", async (timeframe, canonical) => {
    expect((await accepted({ timeframe }))?.timeframe).toBe(canonical);
  });

  it.each([
    ["buy", "BUY"],
    ["LONG", "BUY"],
    [0, "BUY"],
    ["OP_BUY", "BUY"],
    ["Sell", "SELL"],
    ["1", "SELL"],
    ["short", "SELL"],
  ])("the direction %j is stored as %s", async (signal, canonical) => {
    expect((await accepted({ signal }))?.signal).toBe(canonical);
  });

  it.each(["NO_TRADE", 2, "toString", "__proto__", true, {}])(
    "the direction %j is refused",
    async (signal) => {
      expect(await refused({ signal })).toEqual(["signal"]);
    },
  );

  it("numbers may be text, and are stored to the last digit", async () => {
    const row = await accepted({
      entry_price: "1.10000010",
      pnl: "-12.340",
      confidence: "0.5",
      exit_price: 1e-7,
    });
    expect(row).toMatchObject({
      entry_price: "1.10000010",
      pnl: "-12.340",
      confidence: 0.5,
      exit_price: "0.0000001",
    });
  });

  it.each(["nan", "inf", "-inf", "Infinity", "1,5", "0x1", "1 000", "abc", true, [], 1e16])(
    "the price %j is refused",
    async (entry_price) => {
      expect(await refused({ entry_price })).toEqual(["entry_price"]);
    },
  );

  it("a pnl of 1e400 is refused, and one with a decimal comma is refused with a hint", async () => {
    expect((await report(text().replace('"entry_price":1.1', '"pnl":1e400'))).json.errors[0].loc).toEqual([
      "body",
      "pnl",
    ]);
    const comma = await report(text({ pnl: "1,5" }));
    expect(comma.json.detail).toMatch(/^pnl: .*comma/);
  });

  it("a result of up to 32 characters is stored in upper case, and a longer one is refused", async () => {
    const closed = { closed_at: "2026-11-20T12:00:00Z" };
    expect((await accepted({ ...closed, result: "trail" }))?.result).toBe("TRAIL");
    expect((await accepted({ ...closed, result: "x".repeat(32) }))?.result).toBe("X".repeat(32));
    expect(await refused({ ...closed, result: "x".repeat(33) })).toEqual(["result"]);
    expect(await refused({ ...closed, result: { a: 1 } })).toEqual(["result"]);
  });

  it("a report with unknown fields is accepted", async () => {
    const body = `${JSON.stringify(opening({ magic: 7, volume: 0.1, comment: "x", id: 1, subscription_id: 0 })).slice(0, -1)},"__proto__":{"a":1}}`;
    expect((await report(body)).status).toBe(201);
  });

  it.each([
    "[]",
    `[${JSON.stringify({ ticket: 1 })}]`,
    "null",
    "1",
    '"x"',
    "",
    "{",
    "nonsense",
    "ticket=1&symbol=EURUSD",
  ])("the body %j is refused with a list of errors", async (body) => {
    const answer = await report(body);
    expect(answer.status).toBe(422);
    expect(answer.json.errors.length).toBeGreaterThan(0);
  });
});

describe("diagnostics of refused reports", () => {
  it("diagnostics contain the reason, the request id and the start of the refused body", async () => {
    const answer = await report(
      `{"ticket":1,"symbol":"EURUSD","timeframe":"H9","comment":"${"x".repeat(2000)}"}\0`,
    );
    expect(answer.status).toBe(422);
    const [row] = await sql`select * from rejected_reports where request_id = ${answer.json.request_id}`;
    expect(row).toMatchObject({ key_id: keyId, code: "validation_failed", errors: answer.json.errors });
    expect(row?.body_excerpt).toHaveLength(1000);
  });

  it("diagnostics are stored even for bodies with characters that the database refuses", async () => {
    for (const body of ['{"a":"\0"}', '{"a":"\\ud800', `{"a":"${"\u{1F600}".repeat(700)}`]) {
      const answer = await report(body);
      expect(answer.status).toBe(422);
      const rows = await sql`select 1 from rejected_reports where request_id = ${answer.json.request_id}`;
      expect(rows).toHaveLength(1);
    }
  });

  it("diagnostics do not count a refused report whose ticket was reported again and accepted", async () => {
    const trader = await makeKey();
    const [own] = await sql`select subscription_id as id from api_keys where id = ${trader.keyId}`;
    const send = (fields: object) =>
      call("POST", "/api/executions", { key: trader.key, body: { ...fields } });
    const [mended, open] = [opening(), opening()];
    for (const body of [mended, open]) await send({ ...body, entry_price: "market" });
    expect((await readClientHistory(db(), own?.id)).nRejected24h).toBe(2);

    expect((await send(mended)).status).toBe(201);
    const history = await readClientHistory(db(), own?.id);
    expect(history).toMatchObject({ nRejected24h: 1, lastRejection: { field: "entry_price" } });

    expect((await send(open)).status).toBe(201);
    expect(await readClientHistory(db(), own?.id)).toMatchObject({ nRejected24h: 0, lastRejection: null });

    await send({ ...open, exit_price: "market", closed_at: "2026-11-20T11:00:00Z" });
    expect((await readClientHistory(db(), own?.id)).nRejected24h).toBe(1);
  });
});

describe("reports after access has ended", () => {
  const expire = (id: number, interval: string) =>
    sql`update api_keys set expires_at = now() - ${interval}::interval where id = ${id}`;

  /** A key and a position that it opened 100 hours ago. */
  async function traderWithPosition() {
    const trader = await makeKey();
    const body = opening();
    const say = (fields: unknown): Promise<TestApiAnswer> =>
      call("POST", "/api/executions", { key: trader.key, body: fields });
    await say(body);
    await sql`update executions set created_at = now() - interval '100 hours' where ticket = ${body.ticket}`;
    return { ...trader, body, say };
  }

  it("71 hours after expiry, a close of a known ticket is accepted, and other reports and a scan get 401", async () => {
    const { keyId: id, key: expired, body, say } = await traderWithPosition();
    await expire(id, "71 hours");
    const refusals = [
      opening(),
      body,
      { ...opening(), closed_at: "2026-11-20T12:00:00Z" },
      { ticket: body.ticket, pnl: 5 },
      { ticket: body.ticket, closed_at: "" },
      { ticket: "x" },
      "nonsense",
    ];
    for (const refusal of refusals)
      expect(await say(refusal)).toMatchObject({ status: 401, json: { code: "key_expired" } });
    expect((await call("GET", "/api/scan", { key: expired })).json.code).toBe("key_expired");

    await heartbeatBuffer().flush();
    const closing = await say({ ticket: body.ticket, closed_at: "2026-11-20T12:00:00Z", pnl: 5 });
    expect(closing).toMatchObject({ status: 201, json: { action: "updated" } });
    expect(heartbeatBuffer().newestOfKey(id), "access that is over shows nobody as online").toBeNull();
  });

  it("for 72 hours after a suspension, a close of a known ticket is accepted; other reports and a scan get 401", async () => {
    const { keyId: id, key, body, say } = await traderWithPosition();
    const suspend = (interval: string) =>
      sql`update api_keys set suspended_at = now() - ${interval}::interval where id = ${id}`;
    await suspend("71 hours");
    for (const refusal of [opening(), body, { ticket: body.ticket, pnl: 5 }, "nonsense"])
      expect(await say(refusal)).toMatchObject({ status: 401, json: { code: "key_suspended" } });
    expect((await call("GET", "/api/scan", { key })).json.code).toBe("key_suspended");
    const closing = { ticket: body.ticket, closed_at: "2026-11-20T12:00:00Z", pnl: 5 };
    expect(await say(closing)).toMatchObject({ status: 201, json: { action: "updated" } });

    await suspend("72 hours 1 second");
    expect(await say(closing)).toMatchObject({ status: 401, json: { code: "key_suspended" } });
    // The window starts at the earlier of suspension and end.
    await suspend("1 hour");
    await expire(id, "73 hours");
    expect(await say(closing)).toMatchObject({ status: 401, json: { code: "key_suspended" } });
    await expire(id, "71 hours");
    expect(await say(closing)).toMatchObject({ status: 201 });
  });

  it("a ticket first reported after expiry cannot be closed", async () => {
    const { keyId: id, body, say } = await traderWithPosition();
    await sql`update executions set created_at = now() where ticket = ${body.ticket}`;
    await expire(id, "1 hour");
    expect((await say({ ticket: body.ticket, closed_at: "2026-11-20T12:00:00Z" })).status).toBe(401);
  });

  it("a close gets 401 once more than 72 hours have passed since expiry", async () => {
    const { keyId: id, body, say } = await traderWithPosition();
    await expire(id, "72 hours 1 second");
    expect((await say({ ticket: body.ticket, closed_at: "2026-11-20T12:00:00Z" })).status).toBe(401);
  });

  it("a close after expiry gets 401 key_revoked once the key is revoked", async () => {
    const { keyId: id, body, say } = await traderWithPosition();
    await expire(id, "1 hour");
    await call("DELETE", `/admin/keys/${id}`, { admin: true });
    expect(await say({ ticket: body.ticket, closed_at: "2026-11-20T12:00:00Z" })).toMatchObject({
      status: 401,
      json: { code: "key_revoked" },
    });
  });
});

describe("optional fields beyond the specification", () => {
  const told = {
    volume: "0.30",
    commission: -0.7,
    swap: "-0.12",
    currency: "eur",
    magic: "18446744073709551615",
  };
  const expanded = async (of: string, query = "") =>
    (await call("GET", `/api/account/executions?expand=details&days=365${query}`, { key: of })).json;

  it("optional fields are stored exactly, listed only on request, and summed by currency", async () => {
    const own = await makeKey({ rate_limit_per_min: 100_000 });
    const send = (body: object) => call("POST", "/api/executions", { key: own.key, body });
    const first = opening({ ...told, comment: "first account" });
    await send(first);
    await send({ ...opening(), volume: 0.1, commission: 0.1, currency: "USD" });
    await send(opening());
    await send({ ...opening(), volume: 0.2, commission: "-0.2", swap: 0.1, currency: "EUR" });
    const [row] = await sql`select volume, commission, swap, currency, magic, comment from executions
                             where ticket = ${first.ticket} order by id desc limit 1`;
    expect(row).toEqual({ ...told, commission: "-0.7", currency: "EUR", comment: "first account" });

    const plain = (await call("GET", "/api/account/executions?days=365", { key: own.key })).json;
    expect(Object.keys(plain.executions[0])).not.toContain("volume");
    expect(Object.keys(plain.summary)).not.toContain("details");
    const all = await expanded(own.key, "&limit=1");
    expect(all.executions).toHaveLength(1);
    expect(all.summary.details).toEqual([
      { currency: "EUR", n: 2, volume: 0.5, commission: -0.9, swap: -0.02 },
      { currency: "USD", n: 1, volume: 0.1, commission: 0.1, swap: null },
    ]);
    const found = (await expanded(own.key)).executions.find(
      (item: { ticket: number }) => item.ticket === first.ticket,
    );
    expect(found).toMatchObject({
      volume: 0.3,
      commission: -0.7,
      magic: told.magic,
      comment: "first account",
    });
  });

  it("a position opened less than a millisecond after the start of the window is in the list, the totals and the sums", async () => {
    const own = await makeKey();
    await call("POST", "/api/executions", { key: own.key, body: { ...opening(), volume: 0.1 } });
    const now = new Date();
    const since = new Date(now.getTime() - 30 * 86_400_000).toISOString();
    const [row] = await sql`
      update executions set opened_at = ${since}::timestamptz + interval '400 microseconds'
       where subscription_id = (select subscription_id from api_keys where id = ${own.keyId}) returning subscription_id`;
    const { executions, summary } = await listAccountExecutions(
      row!.subscription_id,
      { days: 30, limit: 10, expand: "details" },
      now,
    );
    expect(executions).toHaveLength(1);
    expect(summary).toMatchObject({ n_total: 1, details: [{ n: 1, volume: 0.1 }] });
  });

  it("optional fields may come with the close, and a repeated report without them clears nothing", async () => {
    const body = opening({ volume: 0.3 });
    await report(body);
    await report({ ticket: body.ticket, closed_at: "2026-11-20T11:00:00Z", pnl: 3, commission: -1, swap: 0 });
    await report({ ticket: body.ticket, pnl: 4 });
    expect(await stored(body.ticket)).toMatchObject({ volume: "0.3", commission: "-1", swap: "0", pnl: "4" });
  });

  it.each([
    ["volume", ["0,1", -1, 0, {}, "much"]],
    ["commission", ["none", {}, "1e400", [1]]],
    ["currency", ["€", 978, "TOO-LONG-A-CODE", ""]],
    ["magic", ["x", 1.5, {}, 1e20]],
    ["comment", ["a\u0007b", 7, {}]],
  ])("a report with an invalid optional field is accepted without that field: %s", async (name, values) => {
    for (const value of values) expect(await accepted({ [name]: value })).toMatchObject({ [name]: null });
  });

  it("the first 64 characters of a comment are stored", async () => {
    expect((await accepted({ comment: "😀".repeat(70) }))?.comment).toBe("😀".repeat(64));
  });
});
