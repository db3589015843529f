import { type Api, Bot, type Context } from "grammy";
import type { Update } from "grammy/types";
import type { Database, Transaction } from "@/db/client";
import type { ComputeReceiverAccess } from "@/db/queries/outbound-grants";
import {
  consumeTelegramLink,
  findLinkedChat,
  type LinkedChat,
  linkChat,
  listSlotsWithChampion,
  setQuietHours,
  toggleNoTradeSignals,
  toggleSlotMute,
  unlinkChat,
} from "@/db/queries/telegram-chats";
import { insertMessages, recordProcessedTelegramUpdate } from "@/db/queries/telegram-queue";
import type { TelegramButton } from "@/db/schema";
import { isInScope } from "@/lib/outbound/in-scope";
import { paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";
import { planNames } from "@/lib/runtime/plan-features";
import { sha256 } from "@/lib/runtime/secrets";
import { writeInstant } from "@/lib/wire/json";

const COMMANDS = [
  "/slots: choose slots",
  "/quiet 22-7: no sound in these hours",
  "/status: what is set",
  "/stop: end it",
].join("\n");
const SAME_HOUR =
  "These hours begin and end at the same time, so no hour is quiet. Send /quiet 0-23 for nearly the whole day, or /quiet off.";
const NOT_LINKED = "This chat is not linked. Open the portal, page Delivery, and press “Link Telegram”.";
const MAX_NAME = 64;

/** The bot's own user, as getMe returns it. */
export type BotInfo = Awaited<ReturnType<Api["getMe"]>>;

/**
 * Handles an update. Replies are queued, so that they respect the rate limits. The effect commits together with the
 * update's id, so that an update that is delivered again, or to two servers, is applied once. Updates from chats
 * other than private ones are ignored.
 */
export async function handleUpdate(
  database: Database,
  { api, botInfo, accessOf }: { api: Api; botInfo: BotInfo; accessOf: ComputeReceiverAccess },
  update: Update,
): Promise<void> {
  const bot = new Bot(api.token, { botInfo, client: { ...api.options } });
  const desk = bot.chatType("private");
  /** Runs `act` in one transaction with the update's id; `again` if it was already applied. */
  const once = <T>(act: (tx: Transaction) => Promise<T>): Promise<T | "again"> =>
    database.transaction(async (tx) => {
      const isFirst = await recordProcessedTelegramUpdate(tx, {
        botId: botInfo.id,
        updateId: update.update_id,
      });
      return isFirst ? act(tx) : "again";
    });
  const answer = (tx: Transaction, context: Context, text: string, buttons?: TelegramButton[][]) =>
    insertMessages(tx, [
      {
        // Each bot has its own sequence of update ids.
        dedupeKey: `reply/${botInfo.id}/${context.update.update_id}`,
        subscriptionId: null,
        chatId: context.chat?.id ?? 0,
        kind: "reply",
        text,
        buttons,
      },
    ]);

  desk.command("start", (context) =>
    once(async (tx) => {
      const chatId = context.chat.id;
      const token = context.match.trim();
      const link = token === "" ? null : await consumeTelegramLink(tx, sha256(token));
      if (token === "") {
        const linked = await findLinkedChat(tx, chatId);
        return answer(tx, context, linked ? `This chat is linked.\n${COMMANDS}` : NOT_LINKED);
      }
      if (link === null)
        return answer(
          tx,
          context,
          "This link was used or is older than ten minutes. Create a new one in the portal.",
        );
      const { subscriptionId } = link;
      // A subscription without a key in force has access only if it is the owner's, whose plan is in the configuration.
      if (link.planTier === null && accessOf({ subscriptionId, grant: null }) === null)
        return answer(tx, context, "The access of this subscription has ended.");
      const name = context.from.username ? `@${context.from.username}` : context.from.first_name;
      await linkChat(tx, { subscriptionId, chatId, name: name.slice(0, MAX_NAME) });
      await answer(tx, context, `Linked. You will get the signals of your plan here.\n${COMMANDS}`);
    }),
  );

  // An owner enters this id to get alerts by Telegram. Such a chat need not be linked to a subscription.
  desk.command("id", (context) =>
    once((tx) => answer(tx, context, `The id of this chat is ${context.chat.id}.`)),
  );

  const forLinked =
    (act: (tx: Transaction, chat: LinkedChat, context: Context & { match: string }) => Promise<void>) =>
    (context: Context & { match: string; chat: { id: number } }) =>
      once(async (tx) => {
        const chat = await findLinkedChat(tx, context.chat.id);
        if (chat === null) return answer(tx, context, NOT_LINKED);
        await act(tx, chat, context);
      });

  desk.command(
    "stop",
    forLinked(async (tx, chat, context) => {
      await unlinkChat(tx, chat.subscriptionId);
      await answer(
        tx,
        context,
        "Stopped. You get no more messages. To link this chat again, open the portal.",
      );
    }),
  );
  desk.command(
    "quiet",
    forLinked(async (tx, chat, context) => {
      const said = context.match.trim().toLowerCase();
      const hours = /^([01]?[0-9]|2[0-3])\s*[-–]\s*([01]?[0-9]|2[0-3])$/.exec(said);
      if (hours && Number(hours[1]) === Number(hours[2]))
        return answer(tx, context, `${quietWords(chat)}\n${SAME_HOUR}`);
      if (said !== "off" && !hours)
        return answer(
          tx,
          context,
          `${quietWords(chat)}\nSend /quiet 22-7 for other hours in your portal's time zone, or /quiet off.`,
        );
      const wanted = hours ? { from: Number(hours[1]), to: Number(hours[2]) } : null;
      await setQuietHours(tx, chat.subscriptionId, wanted);
      const now = { ...chat, quietFrom: wanted?.from ?? null, quietTo: wanted?.to ?? null };
      await answer(tx, context, quietWords(now));
    }),
  );
  desk.command(
    "status",
    forLinked(async (tx, chat, context) => {
      const access = accessOf(chat);
      const choices = await choicesOf(tx, chat, accessOf);
      const on = choices.filter(({ isOn }) => isOn);
      await answer(
        tx,
        context,
        [
          access === null
            ? "Your access has ended."
            : `Plan ${planNames(access).join(" and ")}${chat.expiresAt === null ? "" : `, until ${writeInstant(chat.expiresAt).slice(0, 10)}`}.`,
          `Slots: ${slotNames(on)}.`,
          `NO TRADE: ${chat.withNoTrade ? "sent" : "not sent"}.`,
          quietWords(chat),
          `${env().baseUrl}${paths.portalDelivery()}`,
        ].join("\n"),
      );
    }),
  );
  desk.command(
    "slots",
    forLinked(async (tx, chat, context) => {
      const wish = context.match.trim().toUpperCase();
      const choices = matching(await choicesOf(tx, chat, accessOf), wish);
      const isOdd = !WISH.test(wish) || (wish !== "" && choices.length === 0);
      if (isOdd) return answer(tx, context, `You have no slot called ${wish.slice(0, 40)}.`);
      if (choices.length > MAX_BUTTONS) return answer(tx, context, tooMany(choices));
      await answer(tx, context, SLOTS, slotButtons(choices, chat, wish));
    }),
  );
  desk.on("callback_query:data", async (context) => {
    const buttons = await once(async (tx) => {
      const chat = await findLinkedChat(tx, context.chat.id);
      if (chat === null) return null;
      const pressed = /^(?:slot:(?<id>[0-9]{1,9})|no_trade)(?:\/(?<wish>[A-Z0-9.]{0,20}))?$/.exec(
        context.callbackQuery.data,
      )?.groups;
      if (!pressed) return null;
      if (pressed.id === undefined) await toggleNoTradeSignals(tx, chat.subscriptionId);
      else await toggleSlotMute(tx, chat.subscriptionId, Number(pressed.id));
      const changed = await findLinkedChat(tx, context.chat.id);
      if (changed === null) return null;
      const wish = pressed.wish ?? "";
      const choices = matching(await choicesOf(tx, changed, accessOf), wish);
      return choices.length > MAX_BUTTONS ? null : slotButtons(choices, changed, wish);
    });
    if (buttons === "again") return;
    // The change is stored; updating the button is optional.
    await Promise.allSettled([
      context.answerCallbackQuery(),
      ...(buttons === null
        ? []
        : [
            context.editMessageReplyMarkup({
              reply_markup: {
                inline_keyboard: buttons.map((row) =>
                  row.map(({ text, data }) => ({ text, callback_data: data })),
                ),
              },
            }),
          ]),
    ]);
  });
  desk.on("my_chat_member", async (context) => {
    if (context.myChatMember.new_chat_member.status !== "kicked") return;
    await once(async (tx) => {
      const chat = await findLinkedChat(tx, context.chat.id);
      if (chat !== null) await unlinkChat(tx, chat.subscriptionId);
    });
  });
  desk.on("message:text", (context) =>
    once(async (tx) => {
      const linked = await findLinkedChat(tx, context.chat.id);
      await answer(tx, context, linked ? COMMANDS : NOT_LINKED);
    }),
  );
  await bot.handleUpdate(update);
}

const SLOTS = "Press a slot to switch it on or off.";
const BUTTONS_A_ROW = 3;
/** Telegram allows a hundred buttons below a message. */
const MAX_BUTTONS = 96;
/** The argument of /slots: a symbol, its beginning, or a timeframe. Each button carries it. */
const WISH = /^[A-Z0-9.]{0,20}$/;

async function choicesOf(tx: Transaction, chat: LinkedChat, accessOf: ComputeReceiverAccess) {
  const access = accessOf(chat);
  if (access === null) return [];
  return (await listSlotsWithChampion(tx))
    .filter((slot) => isInScope(access.scope, slot))
    .map(({ slotId, symbol, timeframe }) => ({
      slotId,
      symbol,
      timeframe,
      name: `${symbol} ${timeframe}`,
      isOn: !chat.mutedSlots.includes(slotId),
    }));
}

const MAX_NAMED = 40;

function slotNames(choices: readonly Choice[]): string {
  const names = choices.slice(0, MAX_NAMED).map(({ name }) => name);
  const more = choices.length - names.length;
  return [...(names.length === 0 ? ["none"] : names), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

type Choice = Awaited<ReturnType<typeof choicesOf>>[number];

function matching(choices: readonly Choice[], wish: string): Choice[] {
  return choices.filter(({ symbol, timeframe }) => symbol.startsWith(wish) || timeframe === wish);
}

function tooMany(choices: readonly Choice[]): string {
  const [{ symbol, timeframe } = { symbol: "EURUSD", timeframe: "H1" }] = choices;
  return `You have ${choices.length} slots. Send /slots ${symbol} for those of a symbol, or /slots ${timeframe} for those of a timeframe.`;
}

function slotButtons(choices: readonly Choice[], chat: LinkedChat, wish: string): TelegramButton[][] {
  const mark = (isOn: boolean, name: string) => `${isOn ? "✓" : "–"} ${name}`;
  const after = wish === "" ? "" : `/${wish}`;
  const slots = choices.map(({ slotId, name, isOn }) => ({
    text: mark(isOn, name),
    data: `slot:${slotId}${after}`,
  }));
  const rows: TelegramButton[][] = [];
  for (let i = 0; i < slots.length; i += BUTTONS_A_ROW) rows.push(slots.slice(i, i + BUTTONS_A_ROW));
  return [...rows, [{ text: mark(chat.withNoTrade, "NO TRADE"), data: `no_trade${after}` }]];
}

function quietWords({ quietFrom, quietTo }: { quietFrom: number | null; quietTo: number | null }): string {
  return quietFrom === null || quietTo === null
    ? "Messages have sound at all hours."
    : `From ${quietFrom}:00 to ${quietTo}:00 messages come without a sound.`;
}
