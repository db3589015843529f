import { readFileSync } from "node:fs";
import type postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { POST as adminDelivery } from "@/app/admin/(area)/delivery/act/route";
import { POST as channel } from "@/app/portal/delivery/channels/[channel]/act/route";
import { db } from "@/db/client";
import { listChannelDeliveries, listRecipients } from "@/db/queries/channel-recipients";
import { computeReceiverAccess } from "@/lib/access/compute-receiver-access";
import { revokeKey } from "@/lib/access/keys/revoke-key";
import { postIncident, postIncidentUpdate } from "@/lib/admin/posted-incidents";
import { ADDRESS_CHANNELS } from "@/lib/outbound/channels";
import { deliverToRecipients } from "@/lib/outbound/channels/address-channel";
import { discordChannel } from "@/lib/outbound/channels/discord";
import type { ChannelEvent } from "@/lib/outbound/channels/events";
import { queueRecipientIncidents } from "@/lib/outbound/channels/queue-events";
import {
  queueTestMessage,
  removeRecipient,
  resendChannelMessage,
  saveRecipient,
} from "@/lib/outbound/channels/recipients";
import { publishEvents } from "@/lib/outbound/publish";
import { resolveOutcomes } from "@/lib/signals/outcomes/resolve-outcomes";
import { signalPrices } from "@/lib/signals/signal-prices";
import type { RecipientEventName } from "@/lib/vocabulary";
import { postFormForFlash, signInAdmin } from "@/tests/support/admin-browser";
import { type KeyFields, makeKey } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { type DiscordDouble, startDiscord } from "@/tests/support/discord-double";
import { hourCandles, hourlyCandleOpenTime, ingest, signalItem } from "@/tests/support/market-data";
import { portalForm, signInWithKey } from "@/tests/support/portal";

// The simulated market allows requests to this machine.
useDatabase({ MARKET_FEED: "demo", BASE_URL: "http://localhost:3000" });

let sql: postgres.Sql;
let server: DiscordDouble;
const RUNNING = new AbortController().signal;

beforeAll(() => {
  sql = connectDirectly();
});
beforeEach(async () => {
  server = await startDiscord();
});
afterEach(async () => {
  await server.close();
  await sql`delete from channel_recipients`;
  await sql`delete from incidents`;
});
afterAll(() => sql.end());

const publish = () =>
  publishEvents(db(), { accessOf: computeReceiverAccess, readPrices: signalPrices }, new Date());
/** Discord's channel without the pause after a message in doubt. */
const withoutPause: typeof discordChannel = {
  ...discordChannel,
  send: async (...call) => {
    const result = await discordChannel.send(...call);
    return result.result === "doubtful" ? { ...result, holdMs: 0 } : result;
  },
};
/** Ends every recipient's wait for its next attempt, and sends. */
async function deliver() {
  await sql`update channel_recipients set next_attempt_at = now() where next_attempt_at is not null`;
  return deliverToRecipients(db(), withoutPause, computeReceiverAccess, RUNNING);
}
async function deliverAll() {
  for (let n = 0; n < 50; n++) {
    await deliver();
    const [left] = await sql`select count(*)::int as n from channel_deliveries where state = 'pending'`;
    if (left!.n === 0) return;
  }
  throw new Error("something is left");
}
const states = async () =>
  (await sql`select state from channel_deliveries order by id`).map(({ state }) => state);
const recipientState = async () =>
  (await sql`select state, last_code, failures from channel_recipients`)[0] as Record<string, unknown>;

async function subscriber(fields: KeyFields = {}) {
  const { keyId, key } = await makeKey({ plan_tier: "pro", ...fields });
  const [row] = await sql<
    { subscription_id: number }[]
  >`select subscription_id from api_keys where id = ${keyId}`;
  const subscriptionId = row!.subscription_id;
  const actor = { kind: "subscriber", subscriptionId, address: "127.0.0.1", requestId: "t" } as const;
  return { key, keyId, subscriptionId, planTier: fields.plan_tier ?? "pro", actor };
}

const ALL_DAY = { quietFrom: null, quietTo: null };

async function listening(
  events: readonly RecipientEventName[] = ["signal.created", "signal.resolved"],
  fields: KeyFields = {},
) {
  const person = await subscriber(fields);
  const url = server.webhook();
  await saveRecipient(db(), person, "discord", { address: url, events, ...ALL_DAY }, person.actor);
  return { ...person, url };
}

let symbolNo = 0;
const newSymbol = () => {
  const [first, second] = [Math.floor(symbolNo / 26), symbolNo++ % 26];
  return `Y${String.fromCharCode(65 + first, 65 + second)}USD`;
};
const flat = { open: 1.1, high: 1.101, low: 1.099, close: 1.1 };
const titles = (url: string) =>
  server.sentTo(url).flatMap(({ embeds = [] }) => embeds.map(({ title }) => title));

describe("a recipient's address", () => {
  it("a recipient's address must be an https webhook at one of Discord's hosts, and is normalised", async () => {
    const token = "t".repeat(68);
    const path = `/api/webhooks/123456789012345678/${token}`;
    for (const host of ["discord.com", "ptb.discord.com", "canary.discord.com", "discordapp.com"])
      expect(discordChannel.parseAddress(`https://${host}${path}`)).toBe(
        `https://discord.com/api/v10/webhooks/123456789012345678/${token}`,
      );
    for (const refused of [
      "",
      "no address",
      `http://discord.com${path}`,
      `https://discord.com.example.com${path}`,
      `https://example.com${path}`,
      `https://169.254.169.254${path}`,
      `https://user@discord.com${path}`,
      `https://discord.com:8443${path}`,
      "https://discord.com/api/webhooks/123456789012345678",
      `https://discord.com/api/webhooks/123456789012345678/${token}/slack`,
    ])
      expect(() => discordChannel.parseAddress(refused), refused).toThrow();
  });

  it("a recipient's address is stored encrypted, and is in no list and no audit row", async () => {
    const { url, subscriptionId } = await listening();
    const token = url.split("/").at(-1) ?? "";
    const rows = await sql`select * from channel_recipients`;
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify(await listRecipients(db(), subscriptionId))).not.toContain(token);
    expect(JSON.stringify(await sql`select * from admin_audit`)).not.toContain(token);
  });

  it("a change without an address is accepted for a stored recipient and refused for a new one; no event and impossible quiet hours are refused", async () => {
    const person = await listening();
    const change = { address: "", events: ["incident"] as const, quietFrom: 22, quietTo: 7 };
    await saveRecipient(db(), person, "discord", change, person.actor);
    expect(await listRecipients(db(), person.subscriptionId)).toMatchObject([
      { events: ["incident"], quietFrom: 22, quietTo: 7, state: "active" },
    ]);
    const other = await subscriber();
    await expect(saveRecipient(db(), other, "discord", change, other.actor)).rejects.toMatchObject({
      code: "validation_failed",
    });
    await expect(
      saveRecipient(db(), person, "discord", { ...change, events: [] }, person.actor),
    ).rejects.toMatchObject({ code: "validation_failed" });
    for (const quietTo of [null, 22])
      await expect(
        saveRecipient(db(), person, "discord", { ...change, quietTo }, person.actor),
        `quiet from 22 to ${quietTo}`,
      ).rejects.toMatchObject({ errors: [{ loc: ["body", "quiet_to"] }] });
  });
});

describe("a signal", () => {
  it("a signal is sent once with probability and prices, marked as simulated, and followed by its result", async () => {
    const { url } = await listening();
    const symbol = newSymbol();
    const candles = hourCandles(
      symbol,
      Array.from({ length: 40 }, () => flat),
    );
    await ingest("candles", candles.slice(0, 20));
    await ingest("signals", [signalItem({ symbol, ts: hourlyCandleOpenTime(20), expected_rr: 1.5 })]);
    await Promise.all([publish(), publish()]);
    await deliverAll();
    const [message] = server.sentTo(url);
    expect(server.sentTo(url)).toHaveLength(1);
    expect(message?.allowed_mentions).toEqual({ parse: [] });
    expect(message?.flags).toBeUndefined();
    expect(message?.embeds).toMatchObject([
      { title: `${symbol} H1: BUY`, footer: { text: "Simulated market" } },
    ]);
    const lines = message?.embeds?.[0]?.description.split("\n");
    expect(lines?.slice(0, 2)).toEqual(["Probability 50 %", "Target 1.10600, stop 1.09600"]);
    expect(lines?.[2]).toMatch(/^Valid until <t:\d+:f>$/);

    await ingest("candles", candles.slice(20));
    await resolveOutcomes(db());
    await publish();
    await publish();
    await deliverAll();
    expect(titles(url)).toEqual([`${symbol} H1: BUY`, `${symbol} H1: result of BUY`]);
    expect(server.sentTo(url)[1]?.embeds?.[0]?.description).toMatch(/^time over, [+−]\d\.\d\d R\n/);
    expect(await states()).toEqual(["sent", "sent"]);
  });

  it("a recipient that wants NO TRADE gets it, and one whose key excludes the symbols gets no signal", async () => {
    const narrow = await listening(["signal.created"], { symbols_allowed: ["EURUSD"] } as KeyFields);
    const all = await listening(["signal.created", "signal.no_trade"]);
    const [quiet, loud] = [newSymbol(), newSymbol()];
    await ingest("signals", [
      signalItem({ symbol: quiet, signal: "NO_TRADE", probs: [0.2, 0.2, 0.6] }),
      signalItem({ symbol: loud }),
    ]);
    await publish();
    await deliverAll();
    expect(titles(all.url)).toEqual([`${quiet} H1: NO TRADE`, `${loud} H1: BUY`]);
    expect(titles(narrow.url)).toEqual([]);
  });

  it("up to ten signals are batched in one message, in order", async () => {
    const { url } = await listening();
    const symbols = Array.from({ length: 23 }, newSymbol);
    await ingest(
      "signals",
      symbols.map((symbol) => signalItem({ symbol })),
    );
    await publish();
    await deliverAll();
    expect(server.sentTo(url).map(({ embeds }) => embeds?.length)).toEqual([10, 10, 3]);
    const [inOrder] = await sql`
      select array_agg(s.symbol order by g.seq) as symbols from signals g join slots s on s.id = g.slot_id
       where s.symbol = any(${symbols})`;
    expect(titles(url)).toEqual(inOrder!.symbols.map((symbol: string) => `${symbol} H1: BUY`));
  });

  it("a signal is not sent after access ended, even when queued before", async () => {
    const { url, keyId } = await listening();
    await ingest("signals", [signalItem({ symbol: newSymbol() })]);
    await publish();
    await revokeKey(db(), keyId, { kind: "command" });
    await deliver();
    expect(server.callsTo(url)).toBe(0);
    expect(await states()).toEqual(["dropped"]);
  });

  it("a signal that has waited seven hours is dropped, and can be resent once", async () => {
    const { url } = await listening();
    await ingest("signals", [signalItem({ symbol: newSymbol() })]);
    await publish();
    await sql`update channel_deliveries set created_at = now() - interval '7 hours'`;
    await deliver();
    expect(server.callsTo(url)).toBe(0);
    const [row] = await sql`select id::int, state, last_code from channel_deliveries`;
    expect(row).toMatchObject({ state: "dead", last_code: "too_old" });
    // An administrator may resend it.
    await resendChannelMessage(db(), row!.id, { kind: "command" });
    await deliver();
    expect(titles(url)).toHaveLength(1);
    await expect(resendChannelMessage(db(), row!.id, { kind: "command" })).rejects.toMatchObject({
      code: "conflict",
    });
  });

  it("a signal is sent silently in quiet hours", async () => {
    const person = await listening();
    const hour = new Date().getUTCHours();
    const quiet = { quietFrom: hour, quietTo: (hour + 2) % 24 };
    const change = { address: "", events: ["signal.created"] as const, ...quiet };
    await saveRecipient(db(), person, "discord", change, person.actor);
    await ingest("signals", [signalItem({ symbol: newSymbol() })]);
    await publish();
    await deliver();
    expect(server.sentTo(person.url)[0]?.flags).toBe(4096);
  });
});

describe("an incident", () => {
  it("an incident is reported once when it opens and once when it ends, unless it opened before the recipient was added", async () => {
    const incident = (opened: string, component: string) => sql`
      insert into incidents (component, severity, reasons, opened_at)
      values (${component}, 'down', '{secret reason}', now() + ${opened}::text::interval) returning id`;
    await incident("-1 hour", "executions");
    const { url } = await listening(["incident"]);
    const other = await listening(["signal.created"]);
    const [opened] = await incident("1 second", "signals");
    await queueRecipientIncidents(db());
    await queueRecipientIncidents(db());
    await deliverAll();
    await sql`update incidents set closed_at = opened_at + interval '5 minutes' where id = ${opened!.id}`;
    await queueRecipientIncidents(db());
    await queueRecipientIncidents(db());
    await deliverAll();
    expect(titles(url)).toEqual(["signals: down", "signals: incident over"]);
    expect(JSON.stringify(server.sentTo(url))).not.toContain("secret reason");
    expect(titles(other.url)).toEqual([]);
  });

  it("an incident posted by an administrator is sent once when published and once when resolved", async () => {
    const { url } = await listening(["incident"]);
    const actor = { kind: "command" } as const;
    const posted = {
      title: "Gold prices are wrong",
      severity: "degraded",
      message: "We check them.",
    } as const;
    const postedId = await postIncident(db(), posted, actor, 0);
    await queueRecipientIncidents(db());
    await queueRecipientIncidents(db());
    await deliverAll();
    await postIncidentUpdate(
      db(),
      { postedId },
      { stage: "resolved", message: "Prices are right again." },
      actor,
    );
    await queueRecipientIncidents(db());
    await queueRecipientIncidents(db());
    await deliverAll();
    expect(titles(url)).toEqual(["Gold prices are wrong: degraded", "Gold prices are wrong: incident over"]);
    expect(JSON.stringify(server.sentTo(url))).toContain("Prices are right again.");
  });
});

describe("an undelivered message", () => {
  const tell = async (count = 1) => {
    await ingest(
      "signals",
      Array.from({ length: count }, () => signalItem({ symbol: newSymbol() })),
    );
    await publish();
  };
  const refuse = (status: number, body: object | string = {}, headers: Record<string, string> = {}) => {
    server.fail((response) => {
      response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
      return true;
    });
  };
  const waitMs = async () =>
    (
      await sql`
      select extract(epoch from next_attempt_at - clock_timestamp())::float8 * 1000 as ms from channel_recipients`
    )[0]!.ms as number;

  it("a rate-limited message waits as long as Discord says, without counting the attempt", async () => {
    const { url } = await listening();
    await tell();
    refuse(429, { message: "You are being rate limited.", retry_after: 64.57, global: false });
    await deliver();
    expect(await waitMs()).toBeGreaterThan(60_000);
    expect(await states()).toEqual(["pending"]);
    expect((await sql`select attempts from channel_deliveries`)[0]).toEqual({ attempts: 0 });
    expect(await recipientState()).toMatchObject({ failures: 0 });
    refuse(429, "<html>error 1015</html>", { "Retry-After": "30" });
    await deliver();
    expect(await waitMs()).toBeGreaterThan(25_000);
    server.fail(null);
    await deliver();
    expect(titles(url)).toHaveLength(1);
  });

  it("Discord's global limit holds back the next send, and two recipients get their message once", async () => {
    const [first, second] = [await listening(), await listening()];
    await tell();
    let calls = 0;
    server.fail((response) => {
      calls++;
      if (calls > 1) return false;
      response.writeHead(429).end(JSON.stringify({ message: "x", retry_after: 0.4, global: true }));
      return true;
    });
    const startedAt = performance.now();
    await deliver();
    await deliverAll();
    expect(performance.now() - startedAt).toBeGreaterThan(350);
    expect([titles(first.url).length, titles(second.url).length]).toEqual([1, 1]);
  });

  it("a message that Discord answers with 403 is retried, and then sent together with the next one", async () => {
    const { url } = await listening();
    await tell();
    refuse(403, { message: "x" });
    for (let n = 0; n < 3; n++) await deliver();
    expect(await recipientState()).toMatchObject({ failures: 3, last_code: "status_403", state: "active" });
    await tell();
    server.fail(null);
    await deliver();
    expect(server.sentTo(url).map(({ embeds }) => embeds?.length)).toEqual([2]);
    expect(await recipientState()).toMatchObject({ failures: 0, last_code: null });
  });

  it("a message stays pending after a failed connection", async () => {
    await listening();
    await tell();
    await server.close();
    await deliver();
    expect(await states()).toEqual(["pending"]);
    expect(await recipientState()).toMatchObject({ last_code: "econnrefused" });
    server = await startDiscord();
  });

  it("a message is marked in doubt and not repeated when the connection ends without an answer", async () => {
    const { url } = await listening();
    await tell();
    server.fail((response, store) => {
      store();
      response.destroy();
      return true;
    });
    await deliver();
    server.fail(null);
    await deliver();
    await publish();
    await deliver();
    expect(await states()).toEqual(["doubtful"]);
    expect(server.sentTo(url)).toHaveLength(1);
  });

  it("a message is marked in doubt and not repeated after an error of Discord's servers", async () => {
    const { url } = await listening();
    for (const status of [500, 502, 504]) {
      await tell();
      server.fail((response, store) => {
        store();
        response.writeHead(status).end("{}");
        return true;
      });
      await deliver();
      server.fail(null);
      await deliver();
    }
    expect(await states()).toEqual(["doubtful", "doubtful", "doubtful"]);
    expect(server.sentTo(url)).toHaveLength(3);
  });

  it("a message that Discord answers with 502 is in doubt, and the channel asks for a pause of 30 seconds", async () => {
    refuse(502);
    const address = discordChannel.parseAddress(server.webhook());
    expect(await discordChannel.send(address, JSON.stringify({ content: "x" }))).toMatchObject({
      result: "doubtful",
      holdMs: 30_000,
    });
  });

  it("a message from before a process crash is marked in doubt, and the next one is sent", async () => {
    const { url } = await listening();
    await tell();
    await sql`update channel_deliveries set state = 'sending', attempts = 1`;
    await sql`update channel_recipients set leased_until = now() - interval '1 second', turn = 1`;
    await tell();
    await deliver();
    expect(await states()).toEqual(["doubtful", "sent"]);
    expect(titles(url)).toHaveLength(1);
  });

  it("a message that Discord answers with 400 is dropped, and the next one is sent", async () => {
    const { url } = await listening();
    await tell();
    refuse(400, { message: "Invalid Form Body", code: 50035 });
    await deliver();
    server.fail(null);
    await tell();
    await deliver();
    expect(await states()).toEqual(["dead", "sent"]);
    expect(titles(url)).toHaveLength(1);
  });

  it("a deleted webhook pauses the recipient until a new address is saved", async () => {
    const person = await listening(undefined, { email: "gone@example.test" });
    await tell();
    server.remove(person.url);
    await deliver();
    expect(await recipientState()).toMatchObject({ state: "paused", last_code: "status_404" });
    const mails = await sql`select kind from mail_outbox where subscription_id = ${person.subscriptionId}`;
    expect(mails.filter(({ kind }) => kind === "channel-paused")).toHaveLength(1);
    await tell();
    await deliver();
    expect(await states()).toEqual(["dead"]);
    await expect(queueTestMessage(db(), person, "discord")).rejects.toMatchObject({ code: "conflict" });

    const url = server.webhook();
    await saveRecipient(
      db(),
      person,
      "discord",
      { address: url, events: ["signal.created"], ...ALL_DAY },
      person.actor,
    );
    await tell();
    await deliver();
    expect(titles(url)).toHaveLength(1);
  });

  it("a failed message to a previous address does not pause the recipient with its new one", async () => {
    const person = await listening();
    await tell();
    const former = person.url;
    let hasCalled = () => {};
    const called = new Promise<void>((done) => {
      hasCalled = done;
    });
    server.fail((response) => {
      if (server.callsTo(former) > 1) return false;
      hasCalled();
      setTimeout(() => response.writeHead(404).end("{}"), 300);
      return true;
    });
    const delivering = deliver();
    await called;
    const fields = { address: server.webhook(), events: ["signal.created"] as const, ...ALL_DAY };
    await saveRecipient(db(), person, "discord", fields, person.actor);
    await delivering;
    server.fail(null);
    expect(await recipientState()).toMatchObject({ state: "active" });
    await tell();
    await deliver();
    expect(titles(fields.address)).toHaveLength(1);
  });

  it("while one of four recipients gets an error after 1.5 seconds, the same run sends to the other three", async () => {
    const slow = await listening();
    const others = await Promise.all([listening(), listening(), listening()]);
    await tell();
    const hanging = new Set<string>();
    server.fail((response) => {
      if (hanging.size > 0) return false;
      hanging.add("one");
      setTimeout(() => response.writeHead(500).end(), 1_500);
      return true;
    });
    await deliver();
    const arrived = [slow, ...others].filter(({ url }) => titles(url).length === 1);
    expect(arrived).toHaveLength(3);
  });
});

describe("a Discord recipient", () => {
  it("a Discord recipient is tested once at a time, and removed with its deliveries", async () => {
    const person = await listening();
    await queueTestMessage(db(), person, "discord");
    await expect(queueTestMessage(db(), person, "discord")).rejects.toMatchObject({ code: "conflict" });
    await deliver();
    expect(titles(person.url)).toEqual(["Test"]);
    const sent = await listChannelDeliveries(db(), person.subscriptionId, "discord", 10);
    expect(sent).toMatchObject([{ event: "test", state: "sent" }]);
    await removeRecipient(db(), person, "discord", person.actor);
    expect(await states()).toEqual([]);
  });

  it("a Discord recipient is saved, tested and removed by the forms of the portal", async () => {
    const { key, subscriptionId } = await subscriber();
    const cookie = await signInWithKey(key, "192.0.2.77");
    const url = server.webhook();
    const send = async (handler: typeof channel.forms.save, name: string, fields: Record<string, string>) => {
      const answer = await handler(portalForm("/portal/delivery/channels/x/y", fields, { cookie }), {
        params: Promise.resolve({ channel: name }),
      });
      return [answer.status, answer.headers.get("location")];
    };
    const fields = { address: url, quiet_from: "", quiet_to: "" };
    const done = [303, "/portal/delivery"];
    const stored = () => listRecipients(db(), subscriptionId);
    expect(
      await send(channel.forms.save, "discord", {
        ...fields,
        address: "https://example.com",
        incident: "true",
      }),
    ).toEqual(done);
    expect(await send(channel.forms.save, "discord", fields), "without an event").toEqual(done);
    expect(await send(channel.forms.save, "pigeon", { ...fields, incident: "true" })).toEqual(done);
    expect(await stored()).toEqual([]);
    expect(
      await send(channel.forms.save, "discord", { ...fields, incident: "true", "signal.created": "true" }),
    ).toEqual(done);
    expect(await stored()).toMatchObject([{ channel: "discord", events: ["signal.created", "incident"] }]);
    expect(await send(channel.forms.test, "discord", {})).toEqual(done);
    await deliver();
    expect(titles(url)).toEqual(["Test"]);
    expect(await send(channel.forms.remove, "discord", {})).toEqual(done);
    expect(await stored()).toEqual([]);
  });
});

describe("the admin page Delivery", () => {
  it("the form of the admin page Delivery resends a message in doubt, once", async () => {
    const { url } = await listening();
    await ingest("signals", [signalItem({ symbol: newSymbol() })]);
    await publish();
    await sql`update channel_deliveries set state = 'doubtful'`;
    const [row] = await sql`select id::text from channel_deliveries`;
    const cookie = await signInAdmin();
    expect(
      await postFormForFlash(adminDelivery.forms.again, {}, { what: "channel", id: row!.id }, cookie),
    ).toMatchObject({
      kind: "done",
    });
    await deliver();
    expect(titles(url)).toHaveLength(1);
    expect(
      await postFormForFlash(adminDelivery.forms.again, {}, { what: "channel", id: row!.id }, cookie),
    ).not.toMatchObject({
      kind: "done",
    });
  });
});

describe("every channel", () => {
  const LONG = "x".repeat(5_000);
  const EVENTS: ChannelEvent[] = [
    {
      type: "signal",
      symbol: LONG,
      timeframe: "H1",
      signal: "BUY",
      confidence: 0.5,
      validUntilMs: 0,
      digits: 5,
      targetPrice: 1.2,
      stopPrice: 1,
    },
    {
      type: "result",
      symbol: LONG,
      timeframe: "H1",
      signal: "NO_TRADE",
      tsMs: 0,
      label: "BUY",
      resultR: null,
      exitReason: null,
    },
    { type: "incident", component: LONG, severity: "down", isOver: false, atMs: 0 },
    { type: "test" },
  ];

  it("every channel has a section in docs/site/telegram.md", () => {
    const text = readFileSync("docs/site/telegram.md", "utf8");
    for (const { title } of Object.values(ADDRESS_CHANNELS)) expect(text).toContain(`## ${title}\n`);
  });

  it("every channel fits the longest events into its maximum message, and marks the simulated market", async () => {
    for (const channel of Object.values(ADDRESS_CHANNELS)) {
      const events = Array.from({ length: channel.together }, (_, n) => EVENTS[n % EVENTS.length]!);
      const message = channel.write(events, { silent: false, simulated: true });
      expect(message).toContain("Simulated market");
      const address = discordChannel.parseAddress(server.webhook());
      expect(await channel.send(address, message), channel.name).toMatchObject({ result: "sent" });
      expect(channel.write(events, { silent: false, simulated: false })).not.toContain("Simulated market");
    }
  });
});
