import { z } from "zod";
import { DOUBTFUL_SEND_PAUSE_MS, type SendResult } from "@/lib/outbound/channel";
import { formatPercent, formatPrices, formatResult } from "@/lib/outbound/telegram/format-message";
import { postJson } from "@/lib/outbound/webhooks/post";
import { isDemoLoopback } from "@/lib/outbound/webhooks/target";
import { paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";
import { MINUTE_MS, SECOND_MS } from "@/lib/time";
import { invalidField } from "@/lib/wire/errors";
import type { AddressChannel, RecipientReport } from "./address-channel";
import type { ChannelEvent } from "./events";

/**
 * Sends to the incoming webhook of a channel on Discord: "Execute Webhook" of Discord's API, version 10.
 *
 * https://discord.com/developers/docs/resources/webhook#execute-webhook
 * https://discord.com/developers/docs/topics/rate-limits
 */
export const discordChannel: AddressChannel = {
  name: "discord",
  title: "Discord",
  address: {
    label: "Webhook URL",
    placeholder: "https://discord.com/api/webhooks/…",
    hint: "In Discord: Edit Channel, Integrations, Webhooks, Copy Webhook URL.",
  },
  parseAddress,
  hintOf: (address) => `webhook ${new URL(address).pathname.split("/").at(-2)}`,
  // Discord's limit of embeds per message.
  together: 10,
  lanes: [6, 2],
  // Discord allows 50 calls per second and IP address, and about five in two seconds per webhook.
  gapMs: 25,
  recipientGapMs: 500,
  write,
  send,
};

const HOSTS = new Set(["discord.com", "ptb.discord.com", "canary.discord.com", "discordapp.com"]);
const PATH = /^\/api\/(?:v[0-9]{1,2}\/)?webhooks\/([0-9]{5,20})\/([A-Za-z0-9_-]{20,100})\/?$/;

function parseAddress(text: string): string {
  const wrong = invalidField("body", "address", "must be the URL of a Discord webhook");
  const trimmed = text.trim();
  if (trimmed.length > 500 || !URL.canParse(trimmed)) throw wrong;
  const url = new URL(trimmed);
  const isDiscord = url.protocol === "https:" && url.port === "" && HOSTS.has(url.hostname);
  if ((!isDiscord && !isDemoLoopback(url)) || url.username !== "" || url.password !== "") throw wrong;
  const [, id, token] = PATH.exec(url.pathname) ?? [];
  if (id === undefined) throw wrong;
  return `${isDiscord ? "https://discord.com" : url.origin}/api/v10/webhooks/${id}/${token}`;
}

interface Embed {
  title: string;
  description: string;
  color: number;
}

const GREEN = 0x2e9e6b;
const RED = 0xc8443c;
const GREY = 0x7a828c;
/**
 * Ten embeds with titles of this length and descriptions of `MAX_DESCRIPTION` stay below Discord's limit of 6,000
 * characters.
 */
const MAX_TITLE = 100;
const MAX_DESCRIPTION = 400;
/** Leaves room in an incident's description for the time and the status page's address. */
const MAX_MESSAGE = 250;
/** Message flag: no sound and no push notification. */
const SUPPRESS_NOTIFICATIONS = 1 << 12;

function write(
  events: readonly ChannelEvent[],
  { silent, simulated }: { silent: boolean; simulated: boolean },
): string {
  const embeds = events.map(embedOf).map(({ title, description, color }) => ({
    title: title.slice(0, MAX_TITLE),
    description: description.slice(0, MAX_DESCRIPTION),
    color,
    ...(simulated ? { footer: { text: "Simulated market" } } : {}),
  }));
  return JSON.stringify({
    embeds,
    // Prevents mentions of users and roles.
    allowed_mentions: { parse: [] },
    ...(silent ? { flags: SUPPRESS_NOTIFICATIONS } : {}),
  });
}

const COLOUR = { BUY: GREEN, SELL: RED, NO_TRADE: GREY } as const;
/** An instant in Discord's markup, which shows it in each user's time zone. */
const instant = (ms: number): string => `<t:${Math.floor(ms / SECOND_MS)}:f>`;

function embedOf(event: ChannelEvent): Embed {
  switch (event.type) {
    case "signal": {
      const prices = formatPrices(event);
      return {
        title: `${event.symbol} ${event.timeframe}: ${event.signal.replace("_", " ")}`,
        description: [
          `Probability ${formatPercent(event.confidence)}`,
          ...(prices === null ? [] : [prices]),
          `Valid until ${instant(event.validUntilMs)}`,
        ].join("\n"),
        color: COLOUR[event.signal],
      };
    }
    case "result":
      return {
        title: `${event.symbol} ${event.timeframe}: result of ${event.signal.replace("_", " ")}`,
        description: `${formatResult(event)}\nSignal of the candle of ${instant(event.tsMs)}`,
        color: (event.resultR ?? 0) > 0 ? GREEN : (event.resultR ?? 0) < 0 ? RED : GREY,
      };
    case "incident":
      return {
        title: `${event.component}: ${event.isOver ? "incident over" : event.severity}`,
        description: [
          ...(event.message === undefined ? [] : [event.message.slice(0, MAX_MESSAGE)]),
          `${event.isOver ? "Since" : "Noticed"} ${instant(event.atMs)}`,
          `${env().baseUrl}${paths.status()}`,
        ].join("\n"),
        color: event.isOver ? GREEN : RED,
      };
    case "test":
      return { title: "Test", description: "Signals will appear in this channel.", color: GREY };
  }
}

/** Codes of failures before a connection was established: nothing was sent. */
const NOT_SENT = new Set([
  "closed_address",
  "econnrefused",
  "ehostunreach",
  "enetunreach",
  "enodata",
  "enotfound",
  "erefused",
  "eservfail",
  "etimeout",
]);
const LONGEST_HOLD_MS = MINUTE_MS;
const RateLimit = z.object({ retry_after: z.number().min(0).max(86_400), global: z.boolean().optional() });

async function send(address: string, message: string): Promise<SendResult<RecipientReport>> {
  // Without `wait` Discord does not say whether the message was stored.
  const { status, code, answer, retryAfterSeconds } = await postJson(`${address}?wait=true`, message, {});
  const report = { isGone: status === 401 || status === 404 };
  if (code === null) return { result: "sent", report };
  if (status === 429) {
    const limit = RateLimit.safeParse(parsed(answer)).data;
    const wait = limit?.retry_after ?? retryAfterSeconds ?? 5;
    const hold = limit?.global ? { holdMs: Math.min(LONGEST_HOLD_MS, wait * SECOND_MS) } : {};
    return { result: "retry", code, report, retryAfterSeconds: wait, isUncounted: true, ...hold };
  }
  if (status === null ? !NOT_SENT.has(code) : status >= 500)
    return { result: "doubtful", code, report, holdMs: DOUBTFUL_SEND_PAUSE_MS };
  // Discord also answers 403 to a network that it has blocked temporarily.
  return status === null || status === 403
    ? { result: "retry", code, report, retryAfterSeconds }
    : { result: "dead", code, report };
}

function parsed(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return null;
  }
}
