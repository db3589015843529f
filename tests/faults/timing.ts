import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import { signBody } from "@/lib/payments/signature";
import { FORM_HEADERS } from "@/tests/authorisation/callers";
import { closeKeptAliveConnections, sendRequest } from "@/tests/authorisation/send-request";
import { makeKeys, startBenchService } from "@/tests/bench/service";
import { ADMIN_SECRET } from "@/tests/support/database";
import { Dice } from "@/tests/support/dice";
import type { RunOptions } from "@/tests/support/run-named";
import { PAYMENT_SECRET } from "./payment-sender";

const SAMPLES = 5_000;
const MAX_DIFFERENCE_PCT = 5;
const WARM_UP = 200;
const SUBSCRIBERS = 500;

interface Request {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** Expected status of every answer. */
  status: number;
}

/** Two kinds of requests, such as a near and a far guess, whose response times must not differ. */
interface Question {
  name: string;
  kinds: readonly [string, string];
  /** Sends a request of the first or second kind. */
  make: (kind: 0 | 1, n: number) => Request;
  /** Number of concurrent requests: answers with a fixed duration would take too long one by one. */
  lanes: number;
}

/**
 * Sends near and far guesses to the built server in random order, `--samples` of each. The two median response times must
 * differ by at most 5 %, or their 95 % intervals must overlap.
 */
export async function checkTimingLeaks(options: RunOptions): Promise<string[]> {
  const samples = options.samples ?? SAMPLES;
  const service = await startBenchService({
    LOG_LEVEL: "warn",
    WORKER: "none",
    MARKET_FEED: "off",
    TRUST_PROXY_HOPS: "1",
    TUNING: "admin-failures=100000",
    PAYMENT_WEBHOOK_SECRET: PAYMENT_SECRET,
    LOG_FILE: join(process.env.TEST_DIRECTORY ?? ".", "timing.log"),
  });
  try {
    const keys = await makeKeys(service.sql, SUBSCRIBERS, "pro");
    await service.sql`
      update subscriptions set email = 'known-' || id || '@example.com',
             email_normalized = 'known-' || id || '@example.com' where id > 0`;
    const rows = await service.sql<{ email: string }[]>`
      select email_normalized as email from subscriptions where id > 0`;
    const questions = questionsOf(
      keys,
      rows.map(({ email }) => email),
    );
    const lines: string[] = [];
    let apart = 0;
    for (const question of questions) {
      const times = await measure(service.server.port, question, samples, options);
      const [near, far] = [summary(times[0]), summary(times[1])];
      const pct = (100 * Math.abs(near.median - far.median)) / Math.min(near.median, far.median);
      const isDecided = near.high < far.low || far.high < near.low;
      if (pct > MAX_DIFFERENCE_PCT && isDecided) apart++;
      const doubt = pct > MAX_DIFFERENCE_PCT && !isDecided ? ", not decided: the intervals overlap" : "";
      lines.push(
        `${question.name}: ${question.kinds[0]} ${near.text}, ${question.kinds[1]} ${far.text}, medians ${pct.toFixed(2)} % apart${doubt}`,
      );
    }
    if (apart > 0)
      throw new Error([`${apart} differ by more than ${MAX_DIFFERENCE_PCT} %`, ...lines].join("\n"));
    return lines;
  } finally {
    closeKeptAliveConnections();
    await service.stop();
  }
}

function questionsOf(keys: readonly string[], emails: readonly string[]): Question[] {
  // The guesses rotate over all keys, because a guess that is repeated at once could be cached.
  const nearKey = (n: number) => {
    const key = keys[n % keys.length] ?? "";
    return `${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`;
  };
  const body = JSON.stringify({ event: "payment.unknown", data: {} });
  const right = signBody(Buffer.from(body), PAYMENT_SECRET);
  return [
    {
      name: "a sign-in link requested",
      kinds: ["known addresses", "unknown addresses"],
      lanes: 8,
      make: (kind, n) => ({
        method: "POST",
        path: "/login/request-link",
        headers: FORM_HEADERS,
        body: new URLSearchParams({
          email: kind === 0 ? (emails[n % emails.length] ?? "") : `other-${n % emails.length}@example.com`,
        }).toString(),
        status: 303,
      }),
    },
    {
      name: "a key guessed",
      kinds: ["a real key with one digit changed", "any other"],
      lanes: 1,
      make: (kind, n) => ({
        method: "GET",
        path: "/api/scan",
        headers: { "X-API-Key": kind === 0 ? nearKey(n) : randomUUID() },
        status: 401,
      }),
    },
    {
      name: "a key guessed at sign-in",
      kinds: ["a real key with one digit changed", "any other"],
      lanes: 1,
      make: (kind, n) => ({
        method: "POST",
        path: "/login/by-key",
        headers: FORM_HEADERS,
        body: new URLSearchParams({ api_key: kind === 0 ? nearKey(n) : randomUUID() }).toString(),
        status: 303,
      }),
    },
    {
      name: "the administrator's secret guessed",
      kinds: ["only the last character wrong", "all wrong"],
      lanes: 1,
      make: (kind) => ({
        method: "GET",
        path: "/admin/keys?limit=1",
        headers: {
          "X-Admin-Secret": kind === 0 ? `${ADMIN_SECRET.slice(0, -1)}x` : "x".repeat(ADMIN_SECRET.length),
        },
        status: 403,
      }),
    },
    {
      name: "a signature guessed",
      kinds: ["only the last digit wrong", "all wrong"],
      lanes: 1,
      make: (kind) => ({
        method: "POST",
        path: "/webhooks/payment",
        headers: {
          "x-signature":
            kind === 0
              ? `${right.slice(0, -1)}${right.endsWith("0") ? "1" : "0"}`
              : randomBytes(32).toString("hex"),
        },
        body,
        status: 403,
      }),
    },
  ];
}

/** Response times of both kinds, in milliseconds. */
async function measure(
  port: number,
  { make, lanes }: Question,
  samples: number,
  { seed }: RunOptions,
): Promise<[number[], number[]]> {
  const dice = new Dice(seed);
  const kinds = Array.from({ length: 2 * samples }, (_, n): 0 | 1 => (n % 2 === 0 ? 0 : 1));
  for (let n = kinds.length - 1; n > 0; n--) {
    const other = dice.below(n + 1);
    [kinds[n], kinds[other]] = [kinds[other] ?? 0, kinds[n] ?? 0];
  }
  const times: [number[], number[]] = [[], []];
  let next = -Math.min(WARM_UP, samples);
  const lane = async () => {
    while (next < kinds.length) {
      const n = next++;
      const kind = kinds[Math.max(n, 0)] ?? 0;
      const { status, ...request } = make(kind, Math.abs(n));
      // A random network address for each request, so that no failure limit applies.
      const at = dice.below(2 ** 24);
      const address = `11.${at >> 16}.${(at >> 8) & 255}.${at & 255}`;
      const startedAt = performance.now();
      const told = await sendRequest(port, {
        ...request,
        headers: { ...request.headers, "X-Forwarded-For": address },
      });
      const ms = performance.now() - startedAt;
      if (told.status !== status) throw new Error(`${request.path} answered ${told.status}: ${told.text}`);
      if (n >= 0) times[kind].push(ms);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return times;
}

/** The median and its 95 % interval by ranks, without assuming a distribution. */
function summary(times: number[]): { median: number; low: number; high: number; text: string } {
  const sorted = times.toSorted((a, b) => a - b);
  const n = sorted.length;
  const half = (1.96 * Math.sqrt(n)) / 2;
  const at = (rank: number) => sorted[Math.max(0, Math.min(n - 1, Math.round(rank)))] ?? 0;
  const [median, low, high] = [at(n / 2), at(n / 2 - half), at(n / 2 + half)];
  return {
    median,
    low,
    high,
    text: `${median.toFixed(3)} ms (n ${n}, ${low.toFixed(3)} to ${high.toFixed(3)})`,
  };
}
