import type { DatabaseHandle } from "@/db/client";
import {
  type FoundPayment,
  type FoundRequestRecord,
  foldedWords,
  searchByRequestId,
  searchExecutionsByTicket,
  searchKeys,
  searchPayments,
  searchPeople,
} from "@/db/queries/search";
import { listSlots } from "@/db/queries/slots";
import { isKeyShaped, keyHint } from "@/lib/access/keys/key-text";
import { adminPaths } from "@/lib/paths";
import { shortEmailHash } from "@/lib/runtime/log";
import { normalizeEmail } from "@/lib/wire/email";
import { ERRORS } from "@/lib/wire/errors";
import { actionLabel } from "./audit-text";
import { searchPages } from "./search-pages";

/** A search result, and its page. */
export interface SearchResult {
  kind: "person" | "key" | "payment" | "position" | "request" | "page";
  title: string;
  note: string;
  href: string;
}

/** Maximum number of results of each search: of people, keys, payments, positions, requests, slots and pages. */
export const MAX_RESULTS_PER_SEARCH = 5;
export const MAX_SEARCH_LENGTH = 200;
const MAX_DIGITS = 18;

const day = (at: Date) => at.toISOString().slice(0, 16).replace("T", " ");

/**
 * People, keys, payments, positions, requests, slots and pages that match: by the beginning of any word of a name, an
 * address or a page, by the beginning of a symbol, by the first four characters of a key, or by a complete invoice id,
 * buyer's address, ticket or request id.
 */
export async function searchEverything(
  handle: DatabaseHandle,
  query: string,
  /** The label of a payment delivery's effect. */
  effectLabel: (payment: FoundPayment) => string,
): Promise<SearchResult[]> {
  const words = query.replaceAll("\0", "").trim().slice(0, MAX_SEARCH_LENGTH);
  if (words === "") return [];
  const lower = words.toLowerCase();
  // Only a key's hint is stored.
  const hint = isKeyShaped(lower)
    ? keyHint(lower)
    : /^[0-9a-f]{5,}[0-9a-f-]*$/.test(lower)
      ? lower.slice(0, 4)
      : lower;
  const [people, keys, payments, tickets, requests, slots] = await Promise.all([
    searchPeople(handle, foldedWords(words), MAX_RESULTS_PER_SEARCH),
    /^[0-9a-f]{1,4}/.test(hint) ? searchKeys(handle, hint, MAX_RESULTS_PER_SEARCH) : [],
    searchPayments(
      handle,
      words.includes("@") ? { emailHash: shortEmailHash(normalizeEmail(words)) } : { invoiceId: words },
      MAX_RESULTS_PER_SEARCH,
    ),
    new RegExp(`^[1-9][0-9]{0,${MAX_DIGITS - 1}}$`).test(words)
      ? searchExecutionsByTicket(handle, words, MAX_RESULTS_PER_SEARCH)
      : [],
    searchByRequestId(handle, words, MAX_RESULTS_PER_SEARCH),
    searchSlots(handle, words),
  ]);
  return [
    ...people.map(
      ({ subscriptionId, userName, email }): SearchResult => ({
        kind: "person",
        title: userName,
        note: email ?? "no address",
        href: adminPaths.subscriber(subscriptionId),
      }),
    ),
    ...keys.map(
      (key): SearchResult => ({
        kind: "key",
        title: key.hint,
        note: `key ${key.keyId} of ${key.userName}`,
        href: adminPaths.subscriber(key.subscriptionId),
      }),
    ),
    ...payments.map(
      (payment): SearchResult => ({
        kind: "payment",
        title: payment.invoiceId ?? `Delivery ${payment.deliveryId}`,
        note: `${effectLabel(payment)}, ${day(payment.receivedAt)}`,
        href: adminPaths.delivery(payment.deliveryId),
      }),
    ),
    ...tickets.map(
      (ticket): SearchResult => ({
        kind: "position",
        title: `${ticket.symbol} ${ticket.side}, ticket ${ticket.ticket}`,
        note: `${ticket.userName}, opened ${day(ticket.openedAt)}`,
        href: adminPaths.subscriber(ticket.subscriptionId),
      }),
    ),
    ...requests.map(
      (request): SearchResult => ({
        kind: "request",
        title: requestTitle(request),
        note: day(request.at),
        href:
          request.subscriptionId === null
            ? adminPaths.audit()
            : adminPaths.subscriber(request.subscriptionId),
      }),
    ),
    ...slots.map(
      ({ symbol, timeframe }): SearchResult => ({
        kind: "page",
        title: `${symbol} ${timeframe}`,
        note: "signals of a slot",
        href: adminPaths.slot(symbol, timeframe),
      }),
    ),
    ...searchPages(words, MAX_RESULTS_PER_SEARCH).map(
      ({ title, href }): SearchResult => ({
        kind: "page",
        title,
        note: "a page of the administration",
        href,
      }),
    ),
  ];
}

function requestTitle({ kind, what }: FoundRequestRecord): string {
  if (kind === "audit") return actionLabel(what);
  if (kind === "position") return `Reported position ${what}`;
  const error: { detail: string } | undefined = (ERRORS as Record<string, { detail: string }>)[what];
  return `Refused report: ${error?.detail ?? what}`;
}

/** Slots by the beginning of their symbol, such as `eur`, and of a timeframe after it. */
async function searchSlots(handle: DatabaseHandle, words: string) {
  const [symbolStart = "", timeframeStart = "", ...more] = words.toUpperCase().split(/[\s/]+/);
  if (symbolStart.length < 3 || more.length > 0) return [];
  const slots = await listSlots(handle);
  return slots
    .filter(({ symbol, timeframe }) => symbol.startsWith(symbolStart) && timeframe.startsWith(timeframeStart))
    .slice(0, MAX_RESULTS_PER_SEARCH);
}
