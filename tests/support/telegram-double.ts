import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export const BOT_TOKEN = "1234567:test-token-abcdefghij";

export interface SentTelegramMessage {
  method: string;
  chatId: number;
  text: string;
  messageId: number;
  silent: boolean;
  buttons: { text: string; callback_data: string }[][] | null;
  atMs: number;
}

export interface TelegramDouble {
  root: string;
  /** Accepted messages and edits of a text, in order. */
  sent: SentTelegramMessage[];
  /**
   * Number of calls refused after `holdToLimits`: beyond 30 messages within a second, or less than 0.9 s after a
   * message to the same chat.
   */
  tooMany: number;
  /** From now on refuses calls above the limits, like Telegram. */
  holdToLimits(): void;
  /**
   * Answers each further call that sends or edits a message with this function; if it returns false, the usual answer is
   * sent. `n` counts these calls. null restores the usual answers.
   */
  fail(how: ((call: { chatId: number; n: number }, response: ServerResponse) => boolean) | null): void;
  /** Queues a person's message to the bot. */
  say(chatId: number, text: string): void;
  press(chatId: number, data: string, messageId: number): void;
  block(chatId: number): void;
  /** What the service registered by setWebhook; null: no webhook, so getUpdates is allowed. */
  webhook: { url: string; secret_token?: string; allowed_updates?: string[] } | null;
  /** Makes getWebhookInfo report failed deliveries, or stops it. */
  failWebhook(isFailing: boolean): void;
  /** Posts each update that was not posted before, with the webhook's secret header. */
  sendTo(post: (update: object, headers: Record<string, string>) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts a server with the methods of Telegram's Bot API that the service uses. POST /say with {chatId, text} queues a
 * person's message, for tests in another process.
 */
export async function startTelegram(): Promise<TelegramDouble> {
  const sent: SentTelegramMessage[] = [];
  const updates: object[] = [];
  const blocked = new Set<number>();
  let failing: ((call: { chatId: number; n: number }, response: ServerResponse) => boolean) | null = null;
  let nextMessage = 100;
  let nextUpdate = 1;
  let calls = 0;
  const person = (chatId: number) => ({
    id: chatId,
    is_bot: false,
    first_name: `P${chatId}`,
    username: `person${chatId}`,
  });
  const chatOf = (chatId: number) => ({ id: chatId, type: "private", first_name: `P${chatId}` });
  const me = {
    id: 1234567,
    is_bot: true,
    first_name: "Signals",
    username: "signals_test_bot",
    can_join_groups: false,
    can_read_all_group_messages: false,
    supports_inline_queries: false,
    can_connect_to_business: false,
    has_main_web_app: false,
  };
  const double = { tooMany: 0, holds: false, isFailing: false };
  let webhook: TelegramDouble["webhook"] = null;
  let sentUpTo = 0;

  const command = (text: string) => {
    const found = /^\/\w+/.exec(text)?.[0];
    return found ? [{ type: "bot_command", offset: 0, length: found.length }] : [];
  };
  const say = (chatId: number, text: string) => {
    updates.push({
      update_id: nextUpdate++,
      message: {
        message_id: 1,
        date: 0,
        chat: chatOf(chatId),
        from: person(chatId),
        text,
        entities: command(text),
      },
    });
  };

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (request.url === "/say") {
        const { chatId, text } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
        say(chatId, text);
        return response.end();
      }
      const method = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? "");
      const reply = (status: number, body: object) => {
        response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
      };
      const ok = (result: unknown) => reply(200, { ok: true, result });
      const no = (status: number, description: string, parameters = {}) =>
        reply(status, { ok: false, error_code: status, description, parameters });
      if (method?.[1] !== BOT_TOKEN) return no(401, "Unauthorized");
      const text = Buffer.concat(chunks).toString("utf8");
      const payload = text === "" ? {} : JSON.parse(text);
      switch (method[2]) {
        case "getMe":
          return ok(me);
        case "getWebhookInfo":
          return ok({
            url: webhook?.url ?? "",
            has_custom_certificate: false,
            pending_update_count: double.isFailing ? 3 : 0,
            ...(double.isFailing ? { last_error_date: Math.floor(Date.now() / 1000) } : {}),
          });
        case "setWebhook":
          webhook = payload;
          return ok(true);
        case "deleteWebhook":
          webhook = null;
          return ok(true);
        case "getUpdates": {
          if (webhook !== null)
            return no(
              409,
              "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook",
            );
          const offset = payload.offset ?? 0;
          return ok(updates.filter((update) => (update as { update_id: number }).update_id >= offset));
        }
        case "answerCallbackQuery":
        case "editMessageReplyMarkup":
          return ok(true);
        case "sendMessage":
        case "editMessageText": {
          const chatId = payload.chat_id as number;
          if (failing?.({ chatId, n: ++calls }, response)) return;
          if (blocked.has(chatId)) return no(403, "Forbidden: bot was blocked by the user");
          if (String(payload.text).length > 4_096) return no(400, "Bad Request: message is too long");
          if ((payload.reply_markup?.inline_keyboard ?? []).flat().length > 100)
            return no(400, "Bad Request: reply markup is too long");
          const atMs = performance.now();
          const recent = sent.filter((one) => one.atMs > atMs - 1_000);
          const sameChat = recent.filter((one) => one.chatId === chatId && one.atMs > atMs - 900);
          if (double.holds && (recent.length >= 30 || sameChat.length > 0)) {
            double.tooMany++;
            return no(429, "Too Many Requests: retry after 1", { retry_after: 1 });
          }
          const messageId = method[2] === "sendMessage" ? nextMessage++ : payload.message_id;
          sent.push({
            method: method[2],
            chatId,
            text: payload.text,
            messageId,
            silent: payload.disable_notification === true,
            buttons: payload.reply_markup?.inline_keyboard ?? null,
            atMs,
          });
          return ok({ message_id: messageId, date: 0, chat: chatOf(chatId), text: payload.text });
        }
        default:
          return no(404, "Not Found");
      }
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  // The address of a listening TCP server is an object.
  const { port } = server.address() as AddressInfo;
  return {
    root: `http://127.0.0.1:${port}`,
    sent,
    get webhook() {
      return webhook;
    },
    failWebhook: (isFailing) => {
      double.isFailing = isFailing;
    },
    sendTo: async (post) => {
      const secret = webhook?.secret_token ?? "";
      for (const update of updates.slice(sentUpTo)) {
        await post(update, { "X-Telegram-Bot-Api-Secret-Token": secret });
        sentUpTo++;
      }
    },
    get tooMany() {
      return double.tooMany;
    },
    holdToLimits: () => {
      double.holds = true;
    },
    fail: (how) => {
      failing = how;
    },
    say,
    press: (chatId, data, messageId) => {
      updates.push({
        update_id: nextUpdate++,
        callback_query: {
          id: "1",
          from: person(chatId),
          chat_instance: "1",
          data,
          message: { message_id: messageId, date: 1, chat: chatOf(chatId), text: "" },
        },
      });
    },
    block: (chatId) => blocked.add(chatId),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}
