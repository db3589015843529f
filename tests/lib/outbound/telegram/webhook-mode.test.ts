import { Api } from "grammy";
import type postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { readBot } from "@/db/queries/telegram-queue";
import { computeReceiverAccess } from "@/lib/access/compute-receiver-access";
import { makeTelegramLink } from "@/lib/outbound/telegram/links";
import { receiveTelegramUpdates } from "@/lib/outbound/telegram/receive-updates";
import { apiApp } from "@/lib/server/api-app";
import { MOUNTS } from "@/lib/server/mounts";
import { makeKey } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { ingest, modelItem } from "@/tests/support/market-data";
import { BOT_TOKEN, startTelegram, type TelegramDouble } from "@/tests/support/telegram-double";

useDatabase({ MARKET_FEED: "demo", TELEGRAM_BOT_TOKEN: BOT_TOKEN, TELEGRAM_MODE: "webhook" });

const app = apiApp(MOUNTS);
const RUNNING = new AbortController().signal;
const ADDRESS = "https://signals.example.test/webhooks/telegram";
const SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token";

let telegram: TelegramDouble;
let api: Api;
let sql: postgres.Sql;
beforeAll(async () => {
  telegram = await startTelegram();
  process.env.API_ROOTS = `telegram=${telegram.root}`;
  api = new Api(BOT_TOKEN, { apiRoot: telegram.root, timeoutSeconds: 2 });
  sql = connectDirectly();
});
afterAll(async () => {
  delete process.env.API_ROOTS;
  await telegram.close();
  await sql.end();
});

const keep = (mode: "polling" | "webhook" = "webhook") =>
  receiveTelegramUpdates(db(), { api, accessOf: computeReceiverAccess, pollSeconds: 0, mode }, RUNNING);

function post(update: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const body = typeof update === "string" ? update : JSON.stringify(update);
  return app.fetch(new Request("http://localhost/webhooks/telegram", { method: "POST", body, headers }));
}

/** Telegram delivers its updates, and each is accepted. */
const send = (times = 1) =>
  telegram.sendTo(async (update, headers) => {
    const answers = await Promise.all(Array.from({ length: times }, () => post(update, headers)));
    for (const answer of answers) expect([answer.status, await answer.json()]).toEqual([200, { ok: true }]);
  });

let nextChat = 5_000;
async function linkOf(): Promise<{ chatId: number; subscriptionId: number; token: string }> {
  const { keyId } = await makeKey();
  const [row] = await sql<
    { subscription_id: number }[]
  >`select subscription_id from api_keys where id = ${keyId}`;
  const subscriptionId = row!.subscription_id;
  const actor = { kind: "subscriber", subscriptionId, address: "127.0.0.1", requestId: "t" } as const;
  const url = await makeTelegramLink(db(), { subscriptionId, planTier: "pro" }, actor);
  return { chatId: nextChat++, subscriptionId, token: new URL(url).searchParams.get("start") ?? "" };
}

describe("a bot with a webhook", () => {
  beforeEach(() => keep());
  afterEach(async () => {
    await sql`delete from telegram_messages`;
    await sql`delete from telegram_chats`;
  });

  it("the bot registers its webhook with a secret other than the token", () => {
    expect(telegram.webhook).toMatchObject({
      url: ADDRESS,
      allowed_updates: ["message", "callback_query", "my_chat_member"],
    });
    expect(telegram.webhook?.secret_token).toMatch(/^[A-Za-z0-9_-]{40,256}$/);
    expect(telegram.webhook?.secret_token).not.toContain(BOT_TOKEN.split(":")[1]);
  });

  it("the webhook links a chat, and processes each update once despite repetitions and concurrency", async () => {
    const { chatId, subscriptionId, token } = await linkOf();
    telegram.say(chatId, `/start ${token}`);
    await send(5);
    const chats =
      await sql`select chat_id::int from telegram_chats where subscription_id = ${subscriptionId}`;
    expect([...chats]).toEqual([{ chat_id: chatId }]);
    const texts = await sql`select text from telegram_messages where chat_id = ${chatId}`;
    // A used link would be answered differently.
    expect(texts.map(({ text }) => text)).toEqual([expect.stringMatching(/^Linked\./)]);

    await ingest("models", [modelItem("EURUSD")]);
    telegram.press(chatId, "no_trade", 1);
    await send(5);
    const [chat] = await sql`select with_no_trade from telegram_chats where chat_id = ${chatId}`;
    expect(chat?.with_no_trade).toBe(true);
  });

  it.each([
    ["none", {}],
    ["an empty one", { [SECRET_HEADER]: "" }],
    ["another one", { [SECRET_HEADER]: "a".repeat(64) }],
    ["the token", { [SECRET_HEADER]: BOT_TOKEN }],
  ])(
    "the webhook answers 403 to %s as the secret, also with an invalid or long body",
    async (_, headers: Record<string, string>) => {
      for (const body of [{ update_id: 900 }, "{", "x".repeat(100_000)]) {
        const answer = await post(body, headers);
        expect([answer.status, (await answer.json()).code]).toEqual([403, "signature_invalid"]);
      }
      expect([...(await sql`select 1 from telegram_updates where update_id = 900`)]).toEqual([]);
    },
  );

  it("the webhook refuses invalid, oversized and compressed updates even with the secret", async () => {
    const headers = { [SECRET_HEADER]: telegram.webhook?.secret_token ?? "" };
    for (const body of ["", "{", "[]", "{}", '{"update_id":"x"}', '{"update_id":-1}', '{"update_id":1.5}'])
      expect((await post(body, headers)).status, body).toBe(422);
    expect((await post(" ".repeat(64 * 1024 + 1), headers)).status).toBe(413);
    expect((await post("{}", { ...headers, "Content-Encoding": "gzip" })).status).toBe(415);
  });

  it("the webhook acknowledges unknown updates", async () => {
    const headers = { [SECRET_HEADER]: telegram.webhook?.secret_token ?? "" };
    const strange = [
      { update_id: 801 },
      { update_id: 802, message: {} },
      { update_id: 803, message: { chat: 7 } },
    ];
    for (const update of strange) expect((await post(update, headers)).status).toBe(200);
    const done =
      await sql`select update_id::int as id from telegram_updates where update_id > 800 order by 1`;
    expect(done.map(({ id }) => id)).toEqual([801, 802, 803]);
    await sql`delete from telegram_updates where update_id > 800`;
  });

  it("the bot reports when Telegram cannot reach its webhook", async () => {
    telegram.failWebhook(true);
    // As from another process that takes over.
    await keep("polling");
    await keep();
    expect((await readBot(db())).lastCode).toBe("webhook_unreachable");
    telegram.failWebhook(false);
    await keep("polling");
    await keep();
    expect((await readBot(db())).lastCode).toBeNull();
  });
});

describe("a bot that polls again", () => {
  it("a bot that polls again removes its webhook, and processes pending updates once", async () => {
    await keep();
    const { chatId, token } = await linkOf();
    telegram.say(chatId, `/start ${token}`);
    await send();
    telegram.say(chatId, "/status");
    expect(await keep("polling")).toBeGreaterThan(0);
    expect(telegram.webhook).toBeNull();
    const texts = await sql`select text from telegram_messages where chat_id = ${chatId} order by id`;
    expect(texts.map(({ text }) => String(text).slice(0, 5))).toEqual(["Linke", "Plan "]);
  });

  it("a bot that polls again removes a webhook that another program set", async () => {
    await keep("polling");
    await api.setWebhook("https://elsewhere.example/hook");
    expect(await keep("polling")).toBe(0);
    await keep("polling");
    expect(telegram.webhook).toBeNull();
    expect((await readBot(db())).lastCode).toBeNull();
  });
});
