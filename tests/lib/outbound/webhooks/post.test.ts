import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postJson } from "@/lib/outbound/webhooks/post";
import { isPublicAddress, publicLookup } from "@/lib/outbound/webhooks/public-address";
import { type ResolveHost, resolveHost } from "@/lib/outbound/webhooks/resolve-host";
import { RETRY_DELAYS_MS, webhookRetryDelayMs } from "@/lib/outbound/webhooks/retry";
import { parseWebhookUrl } from "@/lib/outbound/webhooks/target";
import { HOUR_MS } from "@/lib/time";
import { AppError } from "@/lib/wire/errors";
import { useDatabase } from "@/tests/support/database";
import { startWebhookReceiver, type WebhookReceiver } from "@/tests/support/receiver";

// The simulated market allows requests to this machine.
useDatabase({ MARKET_FEED: "demo", BASE_URL: "http://localhost:3000" });

const CLOSED = [
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "127.0.0.1",
  "127.255.255.254",
  "168.63.129.16",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.192",
  "192.168.1.1",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::127.0.0.1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:8.8.8.8",
  "64:ff9b::7f00:1",
  "100::1",
  "2001::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1",
  "localhost",
  "2130706433",
  "",
];
const OPEN = [
  "8.8.8.8",
  "1.1.1.1",
  "172.15.0.1",
  "172.32.0.1",
  "100.63.0.1",
  "2606:4700:4700::1111",
  "2a00:1450::1",
];

describe("a webhook address", () => {
  it.each(CLOSED)("the IP address %s is not public", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
  it.each(OPEN)("the IP address %s is public", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

/** A resolver that returns one of these lists of addresses per call, and the last one from then on. */
function resolverOf(...answers: string[][]): ResolveHost {
  let asked = 0;
  return async () => answers[Math.min(asked++, answers.length - 1)] ?? [];
}

const look = (resolve: ResolveHost, all: boolean) =>
  new Promise<unknown>((done) =>
    publicLookup(resolve)("hooks.example.com", { all }, (error, found) => done(error ?? found)),
  );

describe("the DNS resolver of a connection", () => {
  it("the DNS resolver of a webhook delivery returns public IP addresses", async () => {
    expect(await look(resolverOf(["8.8.8.8"]), false)).toBe("8.8.8.8");
    expect(await look(resolverOf(["8.8.8.8", "1.1.1.1"]), true)).toEqual([
      { address: "8.8.8.8", family: 4 },
      { address: "1.1.1.1", family: 4 },
    ]);
  });

  it("the DNS resolver of a webhook delivery refuses a name with one private IP address, or with none", async () => {
    for (const list of [["127.0.0.1"], ["8.8.8.8", "10.0.0.1"], ["::ffff:10.0.0.1"], []])
      expect(await look(resolverOf(list), true), list.join()).toMatchObject({ code: "CLOSED_ADDRESS" });
  });
});

describe("a webhook delivery", () => {
  let inside: WebhookReceiver;
  beforeAll(async () => {
    inside = await startWebhookReceiver();
  });
  afterAll(() => inside.close());

  const port = () => new URL(inside.url).port;
  const post = (target: string, resolve?: ResolveHost) =>
    postJson(target, "{}", {}, { deadlineMs: 500, ...(resolve ? { resolve } : {}) });

  it.each([
    ["120", 120],
    [+120_000, 120],
    [-120_000, 0],
    ["soon", null],
  ])(
    "a webhook delivery reads Retry-After: %s (a number means a date so many ms ahead)",
    async (wish, seconds) => {
      const header = typeof wish === "string" ? wish : new Date(Date.now() + wish).toUTCString();
      const receiver = await startWebhookReceiver();
      receiver.answer((response) => response.writeHead(503, { "Retry-After": header }).end());
      const { retryAfterSeconds } = await post(receiver.url);
      await receiver.close();
      if (seconds === null) expect(retryAfterSeconds).toBeNull();
      else expect(Math.abs((retryAfterSeconds ?? Number.NaN) - seconds)).toBeLessThanOrEqual(2);
    },
  );

  it("a webhook delivery to a name with a reserved or private IP address is refused, and reaches no server", async () => {
    const rebinding = resolverOf(["192.0.2.1"], ["127.0.0.1"]);
    const changing = resolverOf(["127.0.0.1"]);
    expect((await post(`https://hooks.example.com:${port()}/`, rebinding)).code).toBe("closed_address");
    expect((await post(`https://hooks.example.com:${port()}/`, changing)).code).toBe("closed_address");
    expect(inside.received).toHaveLength(0);
  });

  it("a webhook delivery refuses a private address in seven spellings", async () => {
    for (const host of [
      "127.0.0.1",
      "[::1]",
      "[::ffff:127.0.0.1]",
      "2130706433",
      "0x7f.1",
      "127.1",
      "0177.0.0.1",
    ])
      expect((await post(`https://${host}:${port()}/`)).code, host).toBe("closed_address");
    expect(inside.received).toHaveLength(0);
  });

  it("a webhook delivery to a name without an answer delays neither file operations nor other deliveries", async () => {
    const silent = createSocket("udp4").bind(0, "127.0.0.1");
    await once(silent, "listening");
    const servers = [`127.0.0.1:${silent.address().port}`];
    const hanging = Array.from({ length: 20 }, (_, n) =>
      postJson(
        `https://hooks${n}.example.com/`,
        "{}",
        {},
        {
          resolve: (hostname) => resolveHost(hostname, { servers, deadlineMs: 1_500 }),
        },
      ),
    );
    let answered = 0;
    for (const post of hanging) void post.then(() => answered++);
    await Promise.all(Array.from({ length: 50 }, () => readFile(import.meta.filename)));
    expect((await post(inside.url)).status).toBe(200);
    expect(answered).toBe(0);
    expect(new Set((await Promise.all(hanging)).map(({ code }) => code))).toEqual(new Set(["etimeout"]));
    silent.close();
    inside.received.splice(0);
  });

  it("a webhook delivery uses one address family when the name server does not answer for the other", async () => {
    const server = createSocket("udp4").bind(0, "127.0.0.1");
    await once(server, "listening");
    server.on("message", (query, { port, address }) => {
      // The query type precedes the last two bytes of the question, after which c-ares may add options.
      const end = query.indexOf(0, 12) + 5;
      if (query.readUInt16BE(end - 4) !== 1) return;
      const head = Buffer.from([query[0]!, query[1]!, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]);
      const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 10, 0, 0, 7]);
      server.send(Buffer.concat([head, query.subarray(12, end), answer]), port, address);
    });
    const resolve: ResolveHost = (hostname) =>
      resolveHost(hostname, { servers: [`127.0.0.1:${server.address().port}`], deadlineMs: 300 });
    expect(await resolve("hooks.example.com")).toEqual(["10.0.0.7"]);
    expect((await post("https://hooks.example.com/", resolve)).code).toBe("closed_address");
    server.close();
  });

  it("a webhook delivery follows no redirect", async () => {
    inside.answer((response) => response.writeHead(302, { Location: "/elsewhere" }).end());
    expect(await post(inside.url)).toMatchObject({ status: 302, code: "redirect" });
    expect(inside.received.map(({ path }) => path)).toEqual(["/hook"]);
  });

  it("a webhook delivery ends at its deadline, with no data or slow data", async () => {
    inside.answer(() => undefined);
    const silent = await post(inside.url);
    expect(silent).toMatchObject({ status: null, code: "too_slow" });
    expect(silent.ms).toBeLessThan(4_000);
    inside.answer((response) => response.writeHead(200).write("a"));
    expect(await post(inside.url)).toMatchObject({ status: 200, code: "too_slow" });
  });

  it("a webhook delivery stops reading a long answer, and returns its first 1,024 characters", async () => {
    let written = 0;
    inside.answer((response) => {
      const pour = () => {
        while (!response.destroyed && written < 50_000_000) {
          written += 65_536;
          if (!response.write("x".repeat(65_536))) return response.once("drain", pour);
        }
        return response.end();
      };
      pour();
    });
    const posted = await post(inside.url);
    expect(posted).toMatchObject({ status: 200, code: null });
    expect(posted.answer).toBe("x".repeat(1_024));
    expect(written).toBeLessThan(20_000_000);
  });

  it("a webhook delivery names the reason for a failed connection", async () => {
    expect((await post("http://127.0.0.1:9/")).code).toBe("econnrefused");
  });
});

describe("an entered address", () => {
  const demo = { marketFeed: "demo", baseUrl: "http://localhost:3000" } as const;
  const publicDemo = { marketFeed: "demo", baseUrl: "https://demo.example.com" } as const;
  const real = { marketFeed: "off", baseUrl: "http://localhost:3000" } as const;

  it("an entered webhook address is normalised", () => {
    expect(parseWebhookUrl(" https://Hooks.Example.com/a?b=1#c ", real)).toBe(
      "https://hooks.example.com/a?b=1",
    );
    expect(parseWebhookUrl("http://localhost:9/a", demo)).toBe("http://localhost:9/a");
  });

  it.each([
    ["", demo],
    ["hooks.example.com", demo],
    ["http://example.com/", demo],
    ["http://localhost/", real],
    ["http://localhost/", publicDemo],
    ["http://127.0.0.1/", publicDemo],
    ["https://localhost/", demo],
    ["https://127.0.0.1/", real],
    ["https://10.0.0.8/", real],
    ["https://[::ffff:10.0.0.8]/", real],
    ["https://2130706433/", real],
    ["https://intranet/", real],
    ["https://db.internal/", real],
    ["https://user:word@example.com/", real],
    ["ftp://example.com/", real],
    [`https://example.com/${"a".repeat(2_000)}`, real],
  ] as const)("the entered webhook address %s is refused, naming the field", (text, config) => {
    const parse = () => parseWebhookUrl(text, config);
    expect(parse).toThrow(AppError);
    try {
      parse();
    } catch (error) {
      expect(error).toMatchObject({ code: "validation_failed", errors: [{ loc: ["body", "url"] }] });
    }
  });
});

it("a plain http address on a private network is refused for both reasons", () => {
  const parse = () =>
    parseWebhookUrl("http://10.0.0.1/", { marketFeed: "demo", baseUrl: "http://localhost:3000" });
  expect(parse).toThrow(AppError);
  try {
    parse();
  } catch (error) {
    expect(error).toMatchObject({
      errors: [{ msg: "must begin with https:// and name a host on the public network" }],
    });
  }
});

describe("retry delays", () => {
  it("webhook retry delays grow, and allow ten attempts over a day", () => {
    const middle = Array.from({ length: 10 }, (_, i) => webhookRetryDelayMs(i + 1, null, 0.5));
    expect(middle).toEqual([...RETRY_DELAYS_MS, null]);
    const total = RETRY_DELAYS_MS.reduce((sum, ms) => sum + ms, 0);
    expect(total / HOUR_MS).toBeGreaterThan(23);
    expect(total / HOUR_MS).toBeLessThan(25);
    expect([...RETRY_DELAYS_MS].sort((a, b) => a - b)).toEqual([...RETRY_DELAYS_MS]);
  });

  it("webhook retry delays follow a busy receiver's Retry-After, up to an hour", () => {
    expect(webhookRetryDelayMs(1, 120, 0.5)).toBe(120_000);
    expect(webhookRetryDelayMs(1, 999_999, 0.5)).toBe(HOUR_MS);
  });
});
