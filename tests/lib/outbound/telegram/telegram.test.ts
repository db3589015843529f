import { Api } from "grammy";
import type postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { deleteOldTelegramUpdates, recordTelegramCallResult } from "@/db/queries/telegram-queue";
import { computeReceiverAccess } from "@/lib/access/compute-receiver-access";
import { revokeKey } from "@/lib/access/keys/revoke-key";
import { publishEvents } from "@/lib/outbound/publish";
import { isQuietHour } from "@/lib/outbound/quiet-hours";
import { deliverDueTelegramMessages } from "@/lib/outbound/telegram/deliver-messages";
import { makeTelegramLink, unlinkTelegram } from "@/lib/outbound/telegram/links";
import { processUpdateOnce } from "@/lib/outbound/telegram/process-update";
import { receiveTelegramUpdates } from "@/lib/outbound/telegram/receive-updates";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { resolveOutcomes } from "@/lib/signals/outcomes/resolve-outcomes";
import { signalPrices } from "@/lib/signals/signal-prices";
import { type KeyFields, makeKey } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import {
  hourCandles,
  hourlyCandleOpenTime,
  ingest,
  modelItem,
  signalItem,
} from "@/tests/support/market-data";
import { BOT_TOKEN, startTelegram, type TelegramDouble } from "@/tests/support/telegram-double";

useDatabase({ MARKET_FEED: "demo", TELEGRAM_BOT_TOKEN: BOT_TOKEN });

let sql: postgres.Sql;
let telegram: TelegramDouble;
let api: Api;
const RUNNING = new AbortController().signal;

beforeAll(() => {
  sql = connectDirectly();
});
beforeEach(async () => {
  telegram = await startTelegram();
  api = new Api(BOT_TOKEN, { apiRoot: telegram.root, timeoutSeconds: 2 });
  await recordTelegramCallResult(db(), { code: null, userName: "signals_test_bot" });
});
afterEach(async () => {
  await telegram.close();
  await sql`delete from telegram_messages`;
  await sql`delete from telegram_chats`;
  await sql`delete from telegram_updates`;
  await sql`update telegram_bot set paused_until = null`;
});
afterAll(() => sql.end());

const publish = () =>
  publishEvents(db(), { accessOf: computeReceiverAccess, readPrices: signalPrices }, new Date());
const receive = () =>
  receiveTelegramUpdates(db(), { api, accessOf: computeReceiverAccess, pollSeconds: 0 }, RUNNING);
/** Ends every chat's wait for its next message, and sends. */
async function deliver() {
  await sql`update telegram_chats set next_send_at = now()`;
  return deliverDueTelegramMessages(db(), { api, accessOf: computeReceiverAccess }, RUNNING);
}
/** Sends until the queue is empty, ending every wait. */
async function deliverAll() {
  for (;;) {
    await deliverDueTelegramMessages(db(), { api, accessOf: computeReceiverAccess }, RUNNING);
    const [left] =
      await sql`select count(*)::int as n from telegram_messages where state = 'pending' or edit_due_at is not null`;
    if (left!.n === 0) return;
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** Number of chats in the test of the rate limits. TELEGRAM_CHATS=1000 takes two minutes. */
const CHATS = Number(process.env.TELEGRAM_CHATS ?? 60);

let nextChat = 1_000;
async function subscriber(fields: KeyFields = {}) {
  const { keyId } = await makeKey({ plan_tier: "pro", ...fields });
  const [row] = await sql<
    { subscription_id: number }[]
  >`select subscription_id from api_keys where id = ${keyId}`;
  const subscriptionId = row!.subscription_id;
  const actor = { kind: "subscriber", subscriptionId, address: "127.0.0.1", requestId: "t" } as const;
  return { keyId, subscriptionId, planTier: fields.plan_tier ?? "pro", actor };
}

async function linked(fields: KeyFields = {}) {
  const person = await subscriber(fields);
  const chatId = nextChat++;
  const url = await makeTelegramLink(db(), person, person.actor);
  telegram.say(chatId, `/start ${new URL(url).searchParams.get("start")}`);
  await receive();
  await deliver();
  return { ...person, chatId, url };
}

const toChat = (chatId: number) => telegram.sent.filter((one) => one.chatId === chatId);
const lastTo = (chatId: number) => toChat(chatId).at(-1)?.text ?? "";
let symbolNo = 0;
const newSymbol = () => {
  const [first, second] = [Math.floor(symbolNo / 26), symbolNo++ % 26];
  return `X${String.fromCharCode(65 + first, 65 + second)}USD`;
};
const flat = { open: 1.1, high: 1.101, low: 1.099, close: 1.1 };

describe("a Telegram link", () => {
  it("a Telegram link connects the chat that opens it, once, until it expires", async () => {
    const person = await linked();
    expect(new URL(person.url).pathname).toBe("/signals_test_bot");
    expect(lastTo(person.chatId)).toMatch(/^Linked\./);
    telegram.say(77, `/start ${new URL(person.url).searchParams.get("start")}`);
    await receive();
    await deliver();
    expect(lastTo(77)).toMatch(/was used or is older/);

    const late = await subscriber();
    const url = await makeTelegramLink(db(), late, late.actor);
    await sql`update telegram_links set expires_at = now()`;
    telegram.say(78, `/start ${new URL(url).searchParams.get("start")}`);
    await receive();
    await deliver();
    expect(lastTo(78)).toMatch(/was used or is older/);
    expect([...(await sql`select chat_id::int from telegram_chats`)]).toEqual([{ chat_id: person.chatId }]);
  });

  it("the token of a Telegram link is stored only as a hash", async () => {
    const person = await subscriber();
    const url = await makeTelegramLink(db(), person, person.actor);
    const token = new URL(url).searchParams.get("start") ?? "";
    const rows =
      await sql`select token_hash from telegram_links where subscription_id = ${person.subscriptionId}`;
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token);
  });
});

describe("a signal", () => {
  it("a signal becomes one message with probability and prices, which is edited with its result", async () => {
    const { chatId } = await linked();
    const symbol = newSymbol();
    const candles = hourCandles(
      symbol,
      Array.from({ length: 40 }, () => flat),
    );
    await ingest("candles", candles.slice(0, 20));
    await ingest("signals", [signalItem({ symbol, ts: hourlyCandleOpenTime(20), expected_rr: 1.5 })]);
    await publish();
    await publish();
    await deliver();
    const [, message] = toChat(chatId);
    expect(message?.text).toBe(
      [
        `${symbol} H1: BUY`,
        "Probability 50 %",
        "Target 1.10600, stop 1.09600",
        message?.text.split("\n")[3],
        "Simulated market.",
      ].join("\n"),
    );
    expect(message?.text).toMatch(/^Valid until \d{4}-\d\d-\d\d \d\d:\d\d UTC$/m);
    await ingest("candles", candles.slice(20));
    await resolveOutcomes(db());
    await publish();
    await deliver();
    await deliver();
    expect(toChat(chatId)).toHaveLength(3);
    expect(toChat(chatId)[2]).toMatchObject({ method: "editMessageText", messageId: message?.messageId });
    expect(lastTo(chatId)).toMatch(/^Result: time over, [+−]\d\.\d\d R$/m);
  });

  it("a signal of a low-priced coin has enough decimals", async () => {
    const { chatId } = await linked();
    const price = 0.00000123;
    const symbol = "PEPEUSD";
    const bars = hourCandles(
      symbol,
      Array.from({ length: 40 }, () => ({
        open: price,
        high: price * 1.01,
        low: price * 0.99,
        close: price,
      })),
    );
    await ingest("candles", bars.slice(0, 20));
    await ingest("signals", [signalItem({ symbol, ts: hourlyCandleOpenTime(20), expected_rr: 1.5 })]);
    await publish();
    await deliver();
    expect(lastTo(chatId)).toMatch(/^Target 0\.00000130\d\d, stop 0\.00000118\d\d$/m);
  });

  it("a NO_TRADE signal is sent only on request, and slots can be switched off", async () => {
    const asked = await linked();
    const other = await linked();
    const [quiet, loud] = [newSymbol(), newSymbol()];
    await ingest("models", [modelItem(quiet), modelItem(loud)]);
    telegram.press(asked.chatId, "no_trade", 1);
    const [slot] = await sql`select id from slots where symbol = ${quiet}`;
    telegram.press(other.chatId, `slot:${slot!.id}`, 1);
    await receive();
    await ingest("signals", [
      signalItem({ symbol: loud, signal: "NO_TRADE", probs: [0.2, 0.2, 0.6] }),
      signalItem({ symbol: quiet }),
    ]);
    await publish();
    await deliver();
    await deliver();
    expect(toChat(asked.chatId)).toHaveLength(3);
    expect(toChat(other.chatId)).toHaveLength(1);
  });

  it("many signals at once are grouped in a digest", async () => {
    const { chatId } = await linked();
    const symbols = Array.from({ length: 5 }, newSymbol);
    await ingest(
      "signals",
      symbols.map((symbol) => signalItem({ symbol })),
    );
    await publish();
    await deliver();
    expect(toChat(chatId)).toHaveLength(2);
    for (const symbol of symbols) expect(lastTo(chatId)).toContain(`${symbol} H1 BUY 50 %`);
  });

  it("a digest names the ledger head of the moment it was queued, and a single message names none", async () => {
    const { chatId } = await linked();
    const root = "ab".repeat(32);
    await sql`insert into ledger_checkpoints (size, root, note) values (4711, decode(${root}, 'hex'), 'note')`;
    await ingest(
      "signals",
      Array.from({ length: 5 }, () => signalItem({ symbol: newSymbol() })),
    );
    await publish();
    await sql`insert into ledger_checkpoints (size, root, note) values (4712, decode(${root}, 'hex'), 'note')`;
    await deliver();
    expect(lastTo(chatId)).toMatch(new RegExp(`\\nLedger head 4711:${root}$`));
    await ingest("signals", [signalItem({ symbol: newSymbol() })]);
    await publish();
    await deliver();
    expect(lastTo(chatId)).not.toContain("Ledger head");
    await sql`delete from ledger_checkpoints`;
  });

  it("a chat whose key allows the first 10 and the last 20 of 150 symbols gets exactly their signals", async () => {
    const few = await linked({ symbols_allowed: [] });
    const all = await linked();
    const symbols = Array.from({ length: 150 }, newSymbol);
    const wanted = [...symbols.slice(0, 10), ...symbols.slice(-20)];
    await sql`update api_keys set symbols_allowed = ${wanted} where id = ${few.keyId}`;
    await ingest(
      "signals",
      symbols.map((symbol) => signalItem({ symbol })),
    );
    await publish();
    await deliverAll();
    const named = (chatId: number) =>
      toChat(chatId)
        .slice(1)
        .flatMap(({ text }) => [...text.matchAll(/^(X[A-Z]{2}USD) H1 BUY/gm)].map(([, symbol]) => symbol));
    expect(named(few.chatId)).toEqual(wanted);
    expect(named(all.chatId)).toEqual(symbols);
    expect(toChat(all.chatId)).toHaveLength(1 + 150 / 25);
  });

  it("more signals than fit in one transaction are queued once each", async () => {
    const { chatId } = await linked();
    const symbols = Array.from({ length: 10 }, newSymbol);
    const items = symbols.flatMap((symbol) =>
      Array.from({ length: 60 }, (_, n) =>
        signalItem({ symbol, ts: hourlyCandleOpenTime(n), model_v: `many${n}` }),
      ),
    );
    await ingest("signals", items);
    await publish();
    await publish();
    const told = await sql`select 1 from telegram_message_signals t
      join telegram_messages m on m.id = t.message_id where m.chat_id = ${chatId}`;
    expect(told).toHaveLength(600);
  });

  it("a queued signal is no longer sent when the key excludes its symbol", async () => {
    const { chatId, keyId } = await linked();
    await ingest("signals", [signalItem({ symbol: newSymbol() })]);
    await publish();
    await sql`update api_keys set symbols_allowed = '{EURUSD}' where id = ${keyId}`;
    await deliver();
    expect(toChat(chatId)).toHaveLength(1);
  });

  it("a queued signal is no longer sent when the subscriber's plan has no Telegram", async () => {
    const { chatId } = await linked();
    await ingest("signals", [signalItem({ symbol: newSymbol() })]);
    await publish();
    await sql`update plans set telegram = false where name = 'pro'`;
    await settingsCache().readAgain();
    try {
      await deliver();
    } finally {
      await sql`update plans set telegram = true where name = 'pro'`;
      await settingsCache().readAgain();
    }
    expect(toChat(chatId)).toHaveLength(1);
    const rows = await sql`select state, last_code from telegram_messages where kind = 'signals'`;
    expect([...rows]).toEqual([{ state: "dropped", last_code: "plan_without_telegram" }]);
  });
});

describe("the end of access", () => {
  it("the end of access stops all messages and is announced once, as is its return", async () => {
    const { chatId, keyId, actor } = await linked();
    await ingest("signals", [signalItem({ symbol: newSymbol() })]);
    await publish();
    await revokeKey(db(), keyId, actor);
    await deliver();
    expect(toChat(chatId)).toHaveLength(1);
    await publish();
    await publish();
    await deliver();
    await ingest("signals", [signalItem({ symbol: newSymbol() })]);
    await publish();
    await deliver();
    expect(
      toChat(chatId)
        .slice(1)
        .map(({ text }) => text),
    ).toEqual(["Your access has ended. No more signals are sent to this chat."]);
    await sql`update api_keys set revoked_at = null where id = ${keyId}`;
    await publish();
    await deliver();
    await ingest("signals", [signalItem({ symbol: newSymbol() })]);
    await publish();
    await deliver();
    expect(toChat(chatId)).toHaveLength(4);
    expect(toChat(chatId)[2]?.text).toMatch(/^Your access works again/);
  });

  it("unlinking by the portal or by /stop removes pending messages", async () => {
    const one = await linked();
    const two = await linked();
    await ingest("signals", [signalItem({ symbol: newSymbol() })]);
    await publish();
    await unlinkTelegram(db(), one.subscriptionId, one.actor);
    telegram.say(two.chatId, "/stop");
    await receive();
    await deliver();
    await deliver();
    expect(toChat(one.chatId).map(({ text }) => text.slice(0, 8))).toEqual(["Linked. ", "This cha"]);
    expect(toChat(two.chatId).map(({ text }) => text.slice(0, 8))).toEqual(["Linked. ", "Stopped."]);
  });

  it("a chat that blocked the bot is removed, and gets no message", async () => {
    const { chatId } = await linked();
    telegram.block(chatId);
    await ingest("signals", [signalItem({ symbol: newSymbol() })]);
    await publish();
    await deliver();
    expect([...(await sql`select 1 from telegram_chats`)]).toEqual([]);
    expect(toChat(chatId)).toHaveLength(1);
  });
});

describe("bot commands", () => {
  it("bot commands set quiet hours", async () => {
    const { chatId } = await linked();
    telegram.say(chatId, "/quiet 0-23");
    await receive();
    await deliver();
    expect(lastTo(chatId)).toBe("From 0:00 to 23:00 messages come without a sound.");
    telegram.say(chatId, "/quiet 22-99");
    await receive();
    await deliver();
    expect(lastTo(chatId)).toMatch(/Send \/quiet 22-7/);
    telegram.say(chatId, "/quiet 22-22");
    await receive();
    await deliver();
    expect(lastTo(chatId)).toMatch(/^From 0:00 to 23:00 .*\n.*\/quiet off/);
    expect(isQuietHour({ from: 22, to: 7 }, 23) && isQuietHour({ from: 22, to: 7 }, 6)).toBe(true);
    expect(isQuietHour({ from: 22, to: 7 }, 7) || isQuietHour({ from: null, to: null }, 3)).toBe(false);
  });

  it("bot commands list slots as buttons and current settings, within the plan's scope", async () => {
    await ingest("models", [modelItem("EURUSD"), modelItem("USDJPY")]);
    const { chatId } = await linked({ plan_tier: "telegram" });
    telegram.say(chatId, "/slots");
    telegram.say(chatId, "/status");
    await receive();
    await deliver();
    await deliver();
    const [, slots, status] = toChat(chatId);
    const names = slots?.buttons?.flat().map(({ text }) => text);
    expect(names).toContain("✓ EURUSD H1");
    expect(names).toContain("– NO TRADE");
    expect(names?.join()).not.toContain("USDJPY");
    expect(status?.text).toMatch(/^Plan telegram/);
  });

  it("bot commands list the slots of a symbol or timeframe when there are too many for buttons", async () => {
    const symbols = Array.from({ length: 110 }, newSymbol);
    await ingest("models", [...symbols.map((symbol) => modelItem(symbol)), modelItem(symbols[0]!, "H4")]);
    const { chatId } = await linked();
    const ask = async (text: string) => {
      telegram.say(chatId, text);
      await receive();
      await deliver();
      return toChat(chatId).at(-1);
    };
    expect((await ask("/slots"))?.text).toMatch(
      /^You have \d{3} slots\. Send \/slots [A-Z]+ for those of a symbol/,
    );
    expect((await ask("/status"))?.text).toMatch(/and \d+ more\./);
    expect((await ask("/slots gold"))?.text).toBe("You have no slot called GOLD.");
    const one = await ask(`/slots ${symbols[0]!.toLowerCase()}`);
    expect(one?.buttons?.flat().map(({ text }) => text)).toEqual([
      `✓ ${symbols[0]} H1`,
      `✓ ${symbols[0]} H4`,
      "– NO TRADE",
    ]);
    telegram.press(chatId, one!.buttons![0]![0]!.callback_data, one!.messageId);
    await receive();
    expect((await ask("/slots h4"))?.buttons?.flat()[0]?.text).toBe(`✓ ${symbols[0]} H4`);
    expect((await ask(`/slots ${symbols[0]}`))?.buttons?.flat()[0]?.text).toBe(`– ${symbols[0]} H1`);
  });

  it("each text from an unlinked chat gets one reply that it is not linked, even if its update arrives twice", async () => {
    for (const text of ["/slots", "hello", "/start"]) telegram.say(99, text);
    await receive();
    // Makes the last update arrive again, as after a crash before its confirmation.
    await sql`delete from telegram_updates where update_id = (select max(update_id) from telegram_updates)`;
    await receive();
    for (let i = 0; i < 4; i++) {
      await deliver();
    }
    expect(toChat(99).map(({ text }) => text)).toEqual(Array(3).fill(expect.stringMatching(/not linked/)));
  });

  it("commands to a replaced bot are answered even if the former bot had an update with the same id", async () => {
    const botInfo = await api.getMe();
    const from = { id: 97, is_bot: false, first_name: "P97" };
    const chat = { id: 97, type: "private", first_name: "P97" } as const;
    for (const id of [botInfo.id, botInfo.id + 1])
      for (const [updateId, text] of [
        [5, "hello"],
        [6, "/id"],
      ] as const) {
        const entities =
          text === "/id" ? [{ type: "bot_command" as const, offset: 0, length: text.length }] : [];
        const message = { message_id: 1, date: 0, chat, from, text, entities };
        const bot = { api, botInfo: { ...botInfo, id }, accessOf: computeReceiverAccess };
        for (let again = 0; again < 2; again++)
          await processUpdateOnce(db(), bot, { update_id: updateId, message });
      }
    await deliverAll();
    expect(toChat(97).map(({ text }) => text.slice(0, 13))).toEqual([
      "This chat is ",
      "The id of thi",
      "This chat is ",
      "The id of thi",
    ]);
  });

  it("a text to the bot is still received when Telegram restarts its update ids at a lower number after three quiet days", async () => {
    telegram.say(98, "hello");
    await receive();
    await sql`update telegram_updates set update_id = update_id + 1000, received_at = now() - interval '3 days'`;
    await deleteOldTelegramUpdates(db());
    telegram.say(98, "again");
    expect(await receive()).toBeGreaterThan(0);
    expect([...(await sql`select max(update_id)::int as n from telegram_updates`)]).toEqual([{ n: 2 }]);
  });
});

describe("the queue", () => {
  it("the Telegram queue waits for Telegram's retry_after and retries refused calls, without duplicates", async () => {
    const { chatId } = await linked();
    await ingest("signals", [signalItem({ symbol: newSymbol() })]);
    await publish();
    const answers = [
      {
        status: 429,
        body: {
          ok: false,
          error_code: 429,
          description: "Too Many Requests",
          parameters: { retry_after: 1 },
        },
      },
      { status: 409, body: { ok: false, error_code: 409, description: "Conflict" } },
    ];
    telegram.fail((_, response) => {
      const answer = answers.shift();
      if (!answer) return false;
      response.writeHead(answer.status).end(JSON.stringify(answer.body));
      return true;
    });
    const startedAt = performance.now();
    await deliver();
    const [paused] = await sql`select paused_until > now() as paused from telegram_bot`;
    expect(paused?.paused).toBe(true);
    expect(await deliver()).toBe(0);
    await deliverAll();
    expect(performance.now() - startedAt).toBeGreaterThan(1_000);
    expect(toChat(chatId)).toHaveLength(2);
    const [row] = await sql`select attempts, state from telegram_messages where kind = 'signals'`;
    expect(row).toEqual({ attempts: 2, state: "sent" });
  });

  it("the Telegram queue follows a group that became a supergroup", async () => {
    const [group, supergroup] = [-4001, -1_000_000_004_001];
    await sql`insert into telegram_messages (dedupe_key, chat_id, kind, text) values ('alert/moved', ${group}, 'reply', 'Signals are late.')`;
    telegram.fail(({ chatId }, response) => {
      if (chatId !== group) return false;
      const parameters = { migrate_to_chat_id: supergroup };
      const description = "Bad Request: group chat was upgraded to a supergroup chat";
      response.writeHead(400).end(JSON.stringify({ ok: false, error_code: 400, description, parameters }));
      return true;
    });
    await deliverAll();
    telegram.fail(null);
    expect(toChat(supergroup).map(({ text }) => text)).toEqual(["Signals are late."]);
    const [row] =
      await sql`select state, attempts, chat_id from telegram_messages where dedupe_key = 'alert/moved'`;
    expect(row).toMatchObject({ state: "sent", attempts: 1, chat_id: String(supergroup) });
  });

  it("the Telegram queue does not resend a message that may have arrived, and marks it as in doubt", async () => {
    const { chatId } = await linked();
    await ingest("signals", [signalItem({ symbol: newSymbol() })]);
    await publish();
    telegram.fail((_, response) => response.destroy() !== undefined);
    await deliver();
    telegram.fail(null);
    await deliver();
    const rows = await sql`select state from telegram_messages where kind = 'signals'`;
    expect([...rows]).toEqual([{ state: "doubtful" }]);
    await sql`update telegram_bot set paused_until = null`;

    await ingest("signals", [signalItem({ symbol: newSymbol() })]);
    await publish();
    // A process that crashed midway leaves this row.
    await sql`update telegram_messages set state = 'sending', sending_since = now() - interval '2 minutes' where state = 'pending'`;
    await deliver();
    expect(toChat(chatId)).toHaveLength(1);
    const doubtful = await sql`select 1 from telegram_messages where state = 'doubtful'`;
    expect(doubtful).toHaveLength(2);
  });

  it("the Telegram queue marks a message in doubt after an error of Telegram's servers, and waits before the next one", async () => {
    for (const status of [500, 502, 504]) {
      await sql`delete from telegram_messages`;
      const chats = [await linked(), await linked()];
      await ingest("signals", [signalItem({ symbol: newSymbol() })]);
      await publish();
      telegram.fail((_, response) => {
        response.writeHead(status).end(JSON.stringify({ ok: false, error_code: status, description: "x" }));
        return true;
      });
      await deliver();
      telegram.fail(null);
      await deliver();
      const counts = () =>
        sql`select state, count(*)::int as n from telegram_messages where kind = 'signals' group by 1 order by 1`;
      expect([...(await counts())], String(status)).toEqual([
        { state: "doubtful", n: 1 },
        { state: "pending", n: 1 },
      ]);
      await sql`update telegram_bot set paused_until = null`;
      await deliverAll();
      expect(chats.flatMap(({ chatId }) => toChat(chatId))).toHaveLength(3);
      await sql`delete from telegram_chats`;
    }
  });

  it("the Telegram queue delivers five signals to many chats within the limits, none twice, each edited", {
    timeout: 30_000 + 300 * CHATS,
  }, async () => {
    const N = CHATS;
    // The worker takes 500 chats per run.
    const publishToAll = async () => {
      for (let turn = 0; turn <= N / 500; turn++) await publish();
    };
    telegram.holdToLimits();
    await sql`
      insert into subscriptions (id, user_name) select 10000 + n, 'Chat ' || n from generate_series(1, ${N}) n`;
    await sql`
      insert into api_keys (subscription_id, key_hash, hint, plan_tier)
      select 10000 + n, md5(n::text), 'x', 'pro' from generate_series(1, ${N}) n`;
    await sql`
      insert into telegram_chats (subscription_id, chat_id, signals_up_to)
      select 10000 + n, 500000 + n, last_seq from generate_series(1, ${N}) n, state_versions`;
    const symbols = Array.from({ length: 5 }, newSymbol);
    const items = symbols.map((symbol) => signalItem({ symbol, ts: hourlyCandleOpenTime(20) }));
    const candles = symbols.map((symbol) =>
      hourCandles(
        symbol,
        Array.from({ length: 40 }, () => flat),
      ),
    );
    await ingest(
      "candles",
      candles.flatMap((some) => some.slice(0, 20)),
    );
    await ingest("signals", items);
    await publishToAll();
    await deliverAll();
    const sends = telegram.sent.filter(({ method }) => method === "sendMessage");
    expect(sends).toHaveLength(N);
    expect(new Set(sends.map(({ chatId }) => chatId)).size).toBe(N);
    await ingest(
      "candles",
      candles.flatMap((some) => some.slice(20)),
    );
    expect(await resolveOutcomes(db())).toBe(5);
    await publishToAll();
    await deliverAll();
    const edits = telegram.sent.filter(({ method }) => method === "editMessageText");
    expect(edits).toHaveLength(N);
    expect(edits.every(({ text }) => text.match(/result: /g)?.length === 5)).toBe(true);
    expect(telegram.tooMany).toBe(0);
    // The subscriptions table belongs to this file.
    await sql`delete from telegram_messages where subscription_id > 10000`;
  });
});
