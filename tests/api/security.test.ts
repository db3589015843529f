import { createHmac } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { OPERATIONS } from "@/app/operations.generated";
import { db, workerDb } from "@/db/client";
import { issueFeedToken } from "@/lib/access/feed-tokens";
import { localLimiter } from "@/lib/access/limits/rolling-window";
import type { Operation } from "@/lib/api/openapi/operation";
import { MAX_BODY_BYTES, MAX_INGEST_BYTES } from "@/lib/api/request-body";
import { enterIntoLedger } from "@/lib/signals/ledger/enter-into-ledger";
import { publishCheckpoint } from "@/lib/signals/ledger/publish-checkpoint";
import { type CallOptions, call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { resolveOutcomesNow, storeMarket } from "@/tests/support/record-market";

// Every administration path is tried with wrong secrets, which exceeds the limit across addresses.
useDatabase({
  PAYMENT_WEBHOOK_SECRET: "whsec-0123456789abcdef",
  TUNING: "admin-failures=100000,timeout-factor=10",
  PUBLIC_CANDLES: "on",
  BASE_URL: "https://secured.example.test",
});

let nTerminals = 0;

/** An address of the operation whose object exists. */
function addressOf({ path, params }: Operation): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(params?.[name]?.example ?? ""));
}

function send(operation: Operation, options: CallOptions = {}, query = "") {
  const body = operation.body ? { body: operation.body.example } : {};
  const method = operation.method.toUpperCase();
  const asked = new URLSearchParams(query);
  for (const [name, value] of Object.entries(operation.needs ?? {}))
    if (!asked.has(name)) asked.set(name, value);
  const search = asked.size === 0 ? "" : `?${asked}`;
  return call(method, addressOf(operation) + search, { ...body, ...options });
}

const keyed = OPERATIONS.filter((operation) => operation.access === "key");
const administered = OPERATIONS.filter(({ access }) => access === "admin" || access === "producer");
const open = OPERATIONS.filter((operation) => operation.access === "anyone" && !operation.unlimited);
const withBody = OPERATIONS.filter((operation) => operation.body);

const ended = { revoked: "", rotated: "", expired: "" };
const YEAR_AHEAD = new Date(Date.now() + 365 * 86_400_000).toISOString();

beforeAll(async () => {
  await storeMarket({ symbol: "EURUSD", nCandles: 60, nSignals: 30, seed: 5 });
  await resolveOutcomesNow();
  await enterIntoLedger(workerDb());
  await publishCheckpoint(workerDb());
  const revoked = await makeKey();
  await call("DELETE", `/admin/keys/${revoked.keyId}`, { admin: true });
  const rotated = await makeKey();
  await call("POST", "/api/account/regenerate-key", { key: rotated.key });
  const expired = await makeKey({ expires_at: YEAR_AHEAD });
  await db().$client`update api_keys set expires_at = now() - interval '4 days' where id = ${expired.keyId}`;
  Object.assign(ended, { revoked: revoked.key, rotated: rotated.key, expired: expired.key });
});

describe.each(
  keyed.map((operation) => [`${operation.method.toUpperCase()} ${operation.path}`, operation] as const),
)("%s", (_name, operation) => {
  // The signal of the example does not exist here.
  const answeredWith = operation.id === "reportNotTraded" ? 422 : operation.ok.status;

  it("answers 401 key_missing without a key", async () => {
    const { status, json } = await send(operation);
    expect([status, json.code]).toEqual([401, "key_missing"]);
  });

  it.each(["not-a-uuid", "00000000-0000-4000-8000-000000000000", "' or 1=1 --"])(
    "answers 401 key_invalid to %s",
    async (key) => {
      const headers = { "x-client-address": `unknown-${operation.id}` };
      const { status, json } = await send(operation, { key, headers });
      expect([status, json.code]).toEqual([401, "key_invalid"]);
    },
  );

  it.each(["revoked", "rotated", "expired"] as const)(
    "answers 401 with the matching code to a key that was %s",
    async (state) => {
      const { status, json } = await send(operation, { key: ended[state] });
      expect([status, json.code]).toEqual([401, `key_${state}`]);
    },
  );

  it("answers 429 with quota headers once the limit is used up, but not to another subscription", async () => {
    const { key } = await makeKey({ rate_limit_per_min: 1 });
    const bucket = operation.path.startsWith("/api/executions") ? "execution" : "read";
    const other = await makeKey();
    const [{ subscription_id: id } = { subscription_id: 0 }] = await db().$client<
      { subscription_id: number }[]
    >`
        select subscription_id from api_keys order by id desc offset 1 limit 1`;
    localLimiter().take(`${bucket}:${id}`, 1);
    const refused = await send(operation, { key });
    expect([refused.status, refused.json.code]).toEqual([429, "rate_limited"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(refused.headers.get("x-ratelimit-remaining")).toBe("0");
    expect(refused.headers.get("ratelimit-policy")).toBe('"default";q=1;w=60');
    const passed = await send(operation, { key: other.key });
    expect(passed.status).toBe(answeredWith);
    expect(passed.headers.get("cache-control")).toMatch(/no-store|private/);
  });

  it("a path for subscribers does not accept the administrator secret", async () => {
    expect((await send(operation, { admin: true })).status).toBe(401);
  });

  it("a wrong method is 405 without a key, and OPTIONS is 204", async () => {
    const { status, headers, json } = await call("PATCH", addressOf(operation));
    expect([status, json.code]).toEqual([405, "method_not_allowed"]);
    expect(headers.get("allow")).toContain(operation.method.toUpperCase());
    const options = await call("OPTIONS", addressOf(operation));
    expect([options.status, options.text]).toEqual([204, ""]);
  });

  it("answers addresses with repeated and trailing slashes without a redirect", async () => {
    const { key } = await makeKey();
    const doubled = addressOf(operation).replace("/api/", "//api//");
    const body = operation.body ? { body: operation.body.example } : {};
    const answered = await call(operation.method.toUpperCase(), `${doubled}/`, { key, ...body });
    expect(answered.status).toBe(answeredWith);
  });
});

describe.each(
  keyed
    .filter((operation) => operation.method === "get")
    .map((operation) => [`HEAD ${operation.path}`, operation] as const),
)("%s", (_name, operation) => {
  it("answers HEAD like GET, without the body", async () => {
    const { key } = await makeKey();
    const head = await call("HEAD", addressOf(operation), { key });
    expect([head.status, head.text]).toEqual([200, ""]);
    const type = operation.events ? "text/event-stream" : "application/json";
    expect(head.headers.get("content-type")).toContain(type);
  });
});

describe.each(
  OPERATIONS.filter(({ query }) => query).map((operation) => [operation.path, operation] as const),
)("parameters of %s", (_name, operation) => {
  const options = async (): Promise<CallOptions> =>
    operation.access === "admin" || operation.access === "producer"
      ? { admin: true }
      : { key: (await makeKey()).key };

  it("a repeated known parameter is refused, and unknown parameters are ignored", async () => {
    const who = await options();
    for (const name of Object.keys(operation.query?.shape ?? {})) {
      const twice = await send(operation, who, `?${name}=1&${name}=1`);
      expect(twice.status, name).toBe(422);
      expect(twice.json.errors.some((error: { loc: string[] }) => error.loc[1] === name)).toBe(true);
    }
    expect((await send(operation, who, "?cachebuster=1&cachebuster=2&_=3")).status).toBe(200);
  });

  it("a numeric parameter in another spelling or out of range is refused with 422, naming the field", async () => {
    const who = await options();
    for (const name of ["days", "limit", "bins", "min_confidence", "offset"]) {
      if (!operation.query || !(name in operation.query.shape)) continue;
      for (const value of ["+7", " 7", "1e1", "", "abc", "7.5.1", "-1", "99999999999"]) {
        const { status, json } = await send(operation, who, `?${name}=${encodeURIComponent(value)}`);
        expect(status, `${name}=${value}`).toBe(422);
        expect(json.errors[0].loc).toEqual(["query", name]);
      }
    }
  });

  it("an empty text filter counts as absent, and a malformed one is refused", async () => {
    const who = await options();
    for (const name of ["symbol", "tf_code"]) {
      if (!operation.query || !(name in operation.query.shape)) continue;
      const isNeeded = name in (operation.needs ?? {});
      expect((await send(operation, who, `?${name}=`)).status).toBe(isNeeded ? 422 : 200);
      expect((await send(operation, who, `?${name}=%00`)).status).toBe(422);
      expect((await send(operation, who, `?${name}=${"x".repeat(80)}!`)).status).toBe(422);
    }
  });
});

describe.each(
  administered.map(
    (operation) => [`${operation.method.toUpperCase()} ${operation.path}`, operation] as const,
  ),
)("%s", (_name, operation) => {
  const from = (address: string) => ({ headers: { "x-client-address": `${operation.id}-${address}` } });

  it("answers 401 without the admin secret or with a subscriber's key, and 403 with a wrong secret", async () => {
    const none = await send(operation, from("a"));
    expect([none.status, none.json.code]).toEqual([401, "admin_secret_missing"]);
    const wrong = await send(operation, { admin: "wrong-secret-0123456789", ...from("a") });
    expect([wrong.status, wrong.json.code]).toEqual([403, "admin_secret_invalid"]);
    const { key } = await makeKey();
    expect((await send(operation, { key, ...from("a") })).status).toBe(401);
  });

  it("answers 429 after ten failures from one address, even to the right secret", async () => {
    for (let i = 0; i < 10; i++) await send(operation, { admin: "wrong-secret-0123456789", ...from("b") });
    const eleventh = await send(operation, { admin: true, ...from("b") });
    expect([eleventh.status, eleventh.json.code]).toEqual([429, "rate_limited"]);
    expect(Number(eleventh.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  });
});

describe.each(open.map((operation) => [operation.path, operation] as const))("%s", (_name, operation) => {
  it("an open path answers anyone, from any origin, up to 240 times a minute per address", async () => {
    const from = { headers: { "x-client-address": `open-${operation.id}` } };
    const first = await send(operation, from);
    expect([200, 503]).toContain(first.status);
    expect(first.headers.get("access-control-allow-origin")).toBe("*");
    for (let i = 1; i < 240; i++) localLimiter().take(`public:open-${operation.id}`, 240);
    expect((await send(operation, from)).status).toBe(429);
  });
});

describe.each(withBody.map((operation) => [operation.path, operation] as const))(
  "a body sent to %s",
  (_name, operation) => {
    const who = async (bytes: string): Promise<CallOptions> => {
      if (operation.access === "admin" || operation.access === "producer") return { admin: true };
      if (operation.access === "key") return { key: (await makeKey()).key };
      if (operation.access === "feed") {
        const token = await issueFeedToken(db(), `terminal ${++nTerminals}`, { kind: "command" });
        return { headers: { "X-Feed-Token": token } };
      }
      const signature = createHmac("sha256", "whsec-0123456789abcdef").update(bytes).digest("hex");
      return { headers: { "x-signature": signature } };
    };

    it("a compressed body is refused with 415, and one that is too large with 413", async () => {
      const limit = operation.tag === "Ingest" ? MAX_INGEST_BYTES : MAX_BODY_BYTES;
      const large = " ".repeat(limit + 1);
      const tooLarge = await send(operation, { ...(await who(large)), body: large });
      expect([tooLarge.status, tooLarge.json.code]).toEqual([413, "body_too_large"]);
      const { headers, ...rest } = await who("{}");
      const zipped = await send(operation, {
        ...rest,
        body: "{}",
        headers: { ...headers, "Content-Encoding": "gzip" },
      });
      expect([zipped.status, zipped.json.code]).toEqual([415, "unsupported_encoding"]);
    });

    // A delivery of a payment platform is not described in the document.
    if (operation.access !== "signature")
      it("a body that does not match the documentation is refused with 422", async () => {
        for (const body of ["", "{", "[]", "null", "7", '{"a":"\\u0000"}', "[".repeat(30) + "]".repeat(30)]) {
          const { status, json } = await send(operation, { ...(await who(body)), body });
          expect([status, json.code], body).toEqual([422, "validation_failed"]);
        }
      });
  },
);

describe.each(
  OPERATIONS.filter(({ access }) => access === "signature").map(
    (operation) => [operation.path, operation] as const,
  ),
)("%s", (_name, operation) => {
  it("a payment delivery with a wrong or missing signature is 403, even with the admin secret", async () => {
    const wrong: Record<string, string>[] = [{}, { "x-signature": "0".repeat(64) }];
    for (const headers of wrong) {
      const { status, json } = await send(operation, { headers, admin: true });
      expect([status, json.code]).toEqual([403, "signature_invalid"]);
    }
  });
});

describe("unknown addresses", () => {
  it.each(["/api/unknown", "/api/signals/EURUSD", "/webhooks/other", "/admin/keys/1/more", "/api/scan/more"])(
    "the unknown path %s is 404 in the error format",
    async (path) => {
      const { status, json, headers } = await call("GET", path);
      expect([status, json.code]).toEqual([404, "not_found"]);
      expect(headers.get("x-request-id")).toBe(json.request_id);
    },
  );
});

describe("DELETE /admin/keys/{key_id}", () => {
  it("a key is revoked once, a repetition answers already_inactive, an unknown id is 404, a malformed one 422", async () => {
    const { keyId } = await makeKey();
    const first = await call("DELETE", `/admin/keys/${keyId}`, { admin: true });
    expect(first.json).toMatchObject({ ok: true, key_id: keyId, active: false, action: "revoked" });
    const again = await call("DELETE", `/admin/keys/${keyId}`, { admin: true });
    expect(again.json).toMatchObject({ action: "already_inactive", revoked_at: first.json.revoked_at });
    expect((await call("DELETE", "/admin/keys/99999999", { admin: true })).status).toBe(404);
    expect((await call("DELETE", "/admin/keys/x1", { admin: true })).status).toBe(422);
  });
});
