import { isDeepStrictEqual } from "node:util";
import { parse as parseCsv } from "csv-parse/sync";
import fc from "fast-check";
import type { z } from "zod";
import { OPERATIONS } from "@/app/operations.generated";
import { parseForwardedAddress } from "@/lib/api/client-address";
import { parseBody, parseQuery } from "@/lib/api/parse";
import { safeReturnPath } from "@/lib/auth/safe-return-path";
import { parseBrokerDate } from "@/lib/market/broker-dates";
import { matchBrokerSymbol, parseSymbol } from "@/lib/market/symbols";
import { candleCloseMs, candleOpenMs, parseBrokerTimeframe, parseTimeframe } from "@/lib/market/timeframes";
import { adapterOf } from "@/lib/payments/adapters/find-adapter";
import { choosePlan } from "@/lib/payments/choose-plan";
import { parseGenericDelivery } from "@/lib/payments/delivery";
import { LATEST_INSTANT_MS } from "@/lib/time";
import { TIMEFRAMES } from "@/lib/vocabulary";
import { csvNumber, csvRecord, csvText, csvTime } from "@/lib/wire/csv";
import { Email, normalizeEmail } from "@/lib/wire/email";
import { AppError } from "@/lib/wire/errors";
import { readExecutionReport } from "@/lib/wire/execution-report";
import { readJson, writeInstant, writeJson } from "@/lib/wire/json";
import { PersonName } from "@/lib/wire/person-name";
import {
  FIXTURES,
  PLATFORMS,
  type Platform,
  platformBytes,
  type Sale,
} from "@/tests/support/platform-fixtures";
import type { RunOptions } from "@/tests/support/run-named";
import { HOSTILE_LITERALS, HOSTILE_TEXTS } from "./hostile";

/** Throws if a property does not hold; fast-check adds the counterexample. */
function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

/** Rethrows an error that is not an AppError with one of these statuses. Throws if a field error has no message. */
function mustBeRefusal(statuses: readonly number[], error: unknown): void {
  if (!(error instanceof AppError && statuses.includes(error.status))) throw error;
  must(error.errors?.every(({ msg }) => msg !== "") ?? true, "refuses without a reason");
}

/** The result of `work`; undefined if it refuses its input with one of these statuses. Rethrows every other error. */
function allowing<T>(statuses: readonly number[], work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    mustBeRefusal(statuses, error);
    return undefined;
  }
}

/** Like `allowing`, for asynchronous parsers. */
async function allowingLater<T>(statuses: readonly number[], work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    mustBeRefusal(statuses, error);
    return undefined;
  }
}

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.constantFrom(...HOSTILE_TEXTS),
);
const anyJson = fc.oneof(fc.jsonValue({ maxDepth: 5 }), anyText, fc.double(), fc.bigInt().map(String));

const platformBodies = (platform: Platform) => {
  const sale: Sale = {
    payment: "1001",
    subscription: "2002",
    first: true,
    product: "price_1",
    email: "ada@example.com",
    amount: 49.9,
    paidAt: now,
  };
  const fixture = FIXTURES[platform];
  return [
    ...fixture.paid(sale),
    ...(fixture.failed(sale) ?? []),
    ...fixture.refunded(sale, 10),
    ...(fixture.chargeback(sale) ?? []),
    fixture.other(sale),
  ];
};

/** Texts similar to one of these: up to four times, some characters are inserted, dropped or replaced. */
function nearly(...samples: string[]) {
  const change = fc.record({
    at: fc.nat({ max: 200 }),
    drop: fc.nat({ max: 2 }),
    put: fc.oneof(
      fc.constant(""),
      fc.string({ unit: "binary", maxLength: 2 }),
      fc.constantFrom(..." .,:-+/TZ0129%{}[]\"'\\"),
    ),
  });
  return fc.tuple(fc.constantFrom(...samples), fc.array(change, { maxLength: 4 })).map(([sample, changes]) =>
    changes.reduce((text, { at, drop, put }) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + put + text.slice(place + drop);
    }, sample),
  );
}

const dates = fc.oneof(
  nearly(
    "2026-11-20T10:00:00Z",
    "2026-11-20T10:00:00.123+02:00",
    "2026-11-20 10:00",
    "2026.11.20 10:00:00",
    "1970.01.01 02:00:00",
    "1763632800",
    "1763632800123",
    "2024-02-29T23:59:60Z",
  ),
  fc.date({ noInvalidDate: true }).map((at) => at.toISOString()),
  fc.double(),
  fc.integer(),
  anyJson,
);

const known = new Set(["EURUSD", "GBPUSD", "XAUUSD", "BTCUSD", "BTCUSDT", "EUR"]);
const report = OPERATIONS.find(({ path }) => path === "/api/executions")?.body?.example ?? {};
const delivery = OPERATIONS.find(({ path }) => path === "/webhooks/payment")?.body?.example ?? {};
const now = new Date("2026-11-22T12:00:00Z");

/** The JSON text of a valid value with some values or some characters replaced, or of any other value, or any text. */
function nearlyJson(example: unknown) {
  const text = JSON.stringify(example);
  const values = [...text.matchAll(/:("(?:[^"\\]|\\.)*"|-?[0-9.]+|true|false|null)/g)];
  const replaced = fc
    .array(
      fc.tuple(
        fc.nat(),
        fc.oneof(
          fc.constantFrom(...HOSTILE_LITERALS),
          anyJson.map((value) => JSON.stringify(value)),
        ),
      ),
      {
        maxLength: 3,
      },
    )
    .map((changes) =>
      changes
        .map(([n, literal]) => ({ value: values[n % Math.max(values.length, 1)], literal }))
        .toSorted((a, b) => (b.value?.index ?? 0) - (a.value?.index ?? 0))
        .reduce((told, { value, literal }) => {
          if (!value) return told;
          return `${told.slice(0, value.index)}:${literal}${told.slice(value.index + value[0].length)}`;
        }, text),
    );
  return fc.oneof(
    replaced,
    nearly(text),
    anyJson.map((value) => JSON.stringify(value)),
    anyText,
  );
}

/** For each parser of external input, a property that must hold for every input. */
const PARSERS: Record<string, () => fc.IAsyncProperty<unknown> | fc.IProperty<unknown>> = {
  "broker times": () =>
    fc.property(dates, (value) => {
      const date = parseBrokerDate(value);
      if (!date.ok) return must(date.reason !== "", "refuses without a reason");
      if (date.at === null) return;
      must(date.at.getTime() > 0 && date.at.getTime() <= LATEST_INSTANT_MS, "is outside 1970 to 2100");
      const again = parseBrokerDate(date.at.toISOString());
      must(again.ok && again.at?.getTime() === date.at.getTime(), "does not survive a round trip");
    }),
  symbols: () =>
    fc.property(
      fc.oneof(nearly("EURUSD", "gbpusd.i", "#XAUUSD-ECN", "EUR/USD", "BTC-PERP"), anyText),
      (text) => {
        const symbol = parseSymbol(text);
        must(symbol === null || parseSymbol(symbol) === symbol, "is not its own canonical spelling");
        must(
          symbol === null || parseSymbol(` ${symbol.toLowerCase()} `) === symbol,
          "depends on case or white space",
        );
        const matched = matchBrokerSymbol(text, known);
        must(matched === null || parseSymbol(matched) === matched, "matches something that is not a symbol");
      },
    ),
  timeframes: () =>
    fc.property(fc.oneof(nearly("H1", "PERIOD_H4", "m15", "MN1", "16385"), anyJson), (value) => {
      const broker = parseBrokerTimeframe(value);
      must(broker === null || parseTimeframe(broker) === broker, "is not its own canonical spelling");
      if (typeof value === "string") {
        const plain = parseTimeframe(value);
        must(plain === null || parseBrokerTimeframe(plain) === plain, "is parsed inconsistently");
      }
    }),
  candles: () =>
    fc.property(
      fc.constantFrom(...TIMEFRAMES),
      fc.integer({ min: 0, max: LATEST_INSTANT_MS }),
      (timeframe, atMs) => {
        const open = candleOpenMs(atMs, timeframe);
        const close = candleCloseMs(open, timeframe);
        must(open <= atMs && atMs < close, "is outside its candle");
        must(
          candleOpenMs(open, timeframe) === open && candleOpenMs(close, timeframe) === close,
          "does not open when the previous one closes",
        );
      },
    ),
  "JSON as written": () =>
    fc.property(nearlyJson(report), (text) => {
      const value = allowing([422], () => readJson(text));
      if (value === undefined) return;
      const written = writeJsonOf(value);
      if (written !== null)
        must(
          isDeepStrictEqual(readJson(written), readJson(writeJson(readJson(written)))),
          "changes in a round trip",
        );
    }),
  "JSON of any value": () =>
    fc.property(fc.jsonValue({ maxDepth: 6, noUnicodeString: false }), (value) => {
      const text = JSON.stringify(value);
      const read = allowing([422], () => readJson(text));
      if (read !== undefined)
        must(isDeepStrictEqual(read, plain(JSON.parse(text))), "reads other values than JSON.parse");
    }),
  queries: () =>
    fc.property(
      fc.constantFrom(...OPERATIONS.filter(({ query }) => query)),
      fc.array(
        fc.tuple(
          fc.nat(),
          fc.oneof(anyText, nearly("7", "0.5", "true", "EURUSD", "H1", "2026-11-20")),
          fc.boolean(),
        ),
        { maxLength: 6 },
      ),
      (operation, pairs) => {
        const schema = operation.query as z.ZodObject;
        const names = Object.keys(schema.shape);
        const query = pairs
          .map(
            ([n, value, raw]) =>
              `${names[n % names.length]}=${raw ? value.replaceAll(/[#&]/g, "") : encodeURIComponent(value.toWellFormed())}`,
          )
          .join("&");
        const address = `http://localhost${operation.path}?${query}`;
        if (!URL.canParse(address)) return;
        const first = allowing([422], () => parseQuery(new Request(address), schema));
        const second = allowing([422], () => parseQuery(new Request(address), schema));
        must(isDeepStrictEqual(first, second), "reads the same query in two ways");
      },
    ),
  bodies: () =>
    fc.asyncProperty(
      fc
        .constantFrom(...OPERATIONS.filter(({ body, access }) => body && access !== "signature"))
        .chain((operation) => fc.tuple(fc.constant(operation), nearlyJson(operation.body?.example))),
      async ([operation, text]) => {
        const request = new Request("http://localhost/", {
          method: "POST",
          body: Buffer.from(text.toWellFormed()),
        });
        await allowingLater([422], parseBody(request, operation.body?.schema as z.ZodType));
      },
    ),
  "execution reports": () =>
    fc.property(nearlyJson(report), (text) => {
      const value = allowing([422], () => readJson(text));
      if (value === undefined) return;
      const read = allowing([422], () => readExecutionReport(value, now));
      if (read === undefined) return;
      must(/^[1-9][0-9]{0,18}$/.test(String(read.ticket)), "accepts a ticket that is not a 64-bit integer");
      must(read.ticket < 2n ** 63n, "accepts a ticket beyond 64 bits");
    }),
  "payment deliveries": () =>
    fc.property(
      fc.oneof(
        nearlyJson(delivery).map((text) => Buffer.from(text)),
        fc.uint8Array({ maxLength: 200 }),
      ),
      (bytes) => {
        const first = allowing([400], () => parseGenericDelivery(bytes, now));
        if (first === undefined) return;
        must(isDeepStrictEqual(first, parseGenericDelivery(bytes, now)), "reads the same bytes in two ways");
        must(
          first.invoiceId !== "" && first.invoiceId.isWellFormed() && !first.invoiceId.includes("\0"),
          "has an id that cannot be stored",
        );
        must(
          first.buyer === null || Email.safeParse(first.buyer.email).success,
          "has a buyer without an address",
        );
        if (first.firstItem)
          must(
            choosePlan(first.firstItem, { products: [], unmapped: { periodDays: 31, graceDays: 3 } })
              .periodDays === 31,
            "buys an unknown product for more than a month",
          );
      },
    ),
  "deliveries of platforms": () =>
    fc.property(
      fc.constantFrom(...PLATFORMS).chain((platform) =>
        fc.tuple(
          fc.constant(platform),
          fc.oneof(
            fc
              .constantFrom(...platformBodies(platform))
              .chain(nearlyJson)
              .map((text) => Buffer.from(text)),
            fc
              .constantFrom(...platformBodies(platform))
              .chain((body) => nearly(platformBytes(platform, body).toString()))
              .map((text) => Buffer.from(text)),
            fc.uint8Array({ maxLength: 200 }),
          ),
        ),
      ),
      ([platform, bytes]) => {
        const adapter = adapterOf(platform);
        const read = allowing([400], () => adapter.read(bytes, now));
        if (read === undefined) return;
        must(isDeepStrictEqual(read, adapter.read(bytes, now)), "reads the same bytes in two ways");
        const kept = [
          read.invoiceId,
          ...read.names,
          read.externalSubscriptionId ?? "",
          read.event ?? "",
          read.buyerName,
        ];
        must(
          kept.every((text) => text.isWellFormed() && !text.includes("\0") && text.length < 400),
          "holds a text that cannot be stored",
        );
        must(read.invoiceId.startsWith(`${platform}:`), "could collide with an invoice of another platform");
        must(
          [read.total?.amount, read.refunded?.amount].every(
            (sum) => sum == null || /^[0-9]{1,9}(\.[0-9]{1,4})?$/.test(sum),
          ),
          "has an amount that no column can hold",
        );
        must(
          read.buyer === null || Email.safeParse(read.buyer.email).success,
          "has a buyer without an address",
        );
      },
    ),
  "e-mail addresses": () =>
    fc.property(fc.oneof(nearly("ada@example.com", "Ada.Lovelace+x@sub.example.co.uk"), anyText), (text) => {
      const parsed = Email.safeParse(text);
      if (!parsed.success) return;
      must(
        !/[\r\n\0,;<>]/.test(parsed.data) && parsed.data.split("@").length === 2,
        "would be several addresses",
      );
      must(
        normalizeEmail(normalizeEmail(parsed.data)) === normalizeEmail(parsed.data),
        "has two normalised forms",
      );
    }),
  "personal names": () =>
    fc.property(anyText, (text) => {
      const parsed = PersonName.safeParse(text);
      if (parsed.success)
        must(!/\p{Cc}/u.test(parsed.data) && parsed.data.length <= 120, "would not fit into one line");
    }),
  "client addresses": () =>
    fc.property(
      fc.oneof(
        nearly("192.0.2.7", '"[2001:db8::1]:443"', "::ffff:10.0.0.1", "fe80::1%eth0", "10.1.2.3:8080"),
        fc.ipV4(),
        fc.ipV6(),
        anyText,
      ),
      (entry) => {
        const address = parseForwardedAddress(entry);
        must(
          address === null || parseForwardedAddress(address) === address,
          "is not its own canonical spelling",
        );
      },
    ),
  "redirects after sign-in": () =>
    fc.property(
      fc.oneof(
        nearly(
          "/portal",
          "/portal/signals?symbol=EURUSD",
          "//evil.example/portal",
          "/\\evil.example",
          "/portal/..//evil.example",
        ),
        fc.webUrl(),
        anyText,
      ),
      (next) => {
        const place = safeReturnPath(next, undefined);
        if (place === undefined) return;
        const url = new URL(place, "https://signals.example.test");
        must(url.origin === "https://signals.example.test", "leads to another site");
        must(/^\/portal(?:\/|$)/.test(url.pathname), "leads out of the portal");
        must(safeReturnPath(place, undefined) === place, "is another address when parsed again");
      },
    ),
  CSV: () =>
    fc.property(
      fc.array(
        fc.tuple(
          anyText.map((text) => text.toWellFormed()),
          fc.double({ noNaN: true, noDefaultInfinity: true }),
          fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(LATEST_INSTANT_MS) }),
        ),
        {
          minLength: 1,
          maxLength: 5,
        },
      ),
      (rows) => {
        const text = rows
          .map(([said, number, at]) => csvRecord([csvText(said), csvNumber(number), csvTime(at)]))
          .join("");
        const read: string[][] = parseCsv(text, { record_delimiter: "\r\n" });
        must(read.length === rows.length, "has more or fewer records than rows");
        for (const [n, [said, number, at]] of rows.entries()) {
          const [cell = "", figure, instant] = read[n] ?? [];
          must(cell === said || cell === `'${said}`, "contains another text");
          must(!/^[=+\-@\t\r\0]/.test(cell), "would be evaluated as a formula");
          must(Number(figure) === number && instant === writeInstant(at), "contains another figure or time");
        }
      },
    ),
};

/** The JSON text of a value; null if `writeJson` throws a RangeError, as for a number that is not finite. */
function writeJsonOf(value: unknown): string | null {
  try {
    return writeJson(value);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Turns a value of JSON.parse into what `readJson` returns: integers of 16 or more digits as text, no lone surrogates. */
function plain(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value === "number") {
    const text = JSON.stringify(value);
    return /^-?[1-9][0-9]{15,}$/.test(text) ? text : value;
  }
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.toWellFormed(), plain(member)]),
  );
}

export interface ParserRunOptions {
  seed: number;
  /** Number of inputs per parser. */
  inputs: number;
  /** Maximum time for all parsers. */
  maxMs: number;
}

/** Checks every parser on almost valid and invalid inputs. Throws at a failure. Returns the number of inputs by parser. */
export async function runParsers({ seed, inputs, maxMs }: ParserRunOptions): Promise<Map<string, number>> {
  const names = Object.keys(PARSERS);
  const counts = new Map<string, number>();
  for (const name of names) {
    const property = PARSERS[name]?.();
    if (!property) continue;
    const details = await fc.check(property as fc.IAsyncProperty<unknown>, {
      seed: seed | 0,
      numRuns: inputs,
      interruptAfterTimeLimit: maxMs / names.length,
      markInterruptAsFailure: false,
    });
    if (details.failed) throw new Error(`${name}: ${await fc.asyncDefaultReportMessage(details)}`);
    counts.set(name, details.numRuns);
  }
  return counts;
}

/**
 * Checks all parsers for a minute in total (or `--minutes`), or with `--requests` inputs each. Returns the lines to
 * print at the end.
 */
export async function fuzzParsers({ seed, minutes, requests }: RunOptions): Promise<string[]> {
  const maxMs = (minutes ?? (requests === null ? 1 : 24 * 60)) * 60_000;
  const counts = await runParsers({ seed, inputs: requests ?? 2_000_000_000, maxMs });
  const total = [...counts.values()].reduce((sum, n) => sum + n, 0);
  return [
    `${total} inputs for ${counts.size} parsers, no failure: ${[...counts].map(([name, n]) => `${name} ${n}`).join(", ")}`,
  ];
}
