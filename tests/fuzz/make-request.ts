import { gzipSync } from "node:zlib";
import { OPERATIONS } from "@/app/operations.generated";
import { signBody } from "@/lib/payments/signature";
import type { Dice } from "@/tests/support/dice";
import { HOSTILE_LITERALS, HOSTILE_SEGMENTS, HOSTILE_TEXTS } from "./hostile";

export interface FuzzRequest {
  method: string;
  /** Path and query exactly as sent. */
  target: string;
  headers: Record<string, string>;
  body: Buffer | null;
  /** Sent without Content-Length. */
  chunked: boolean;
}

/** Credentials and ids from which requests are drawn. */
export interface Secrets {
  /** Keys of all plans; some of them revoked or expired. */
  keys: readonly string[];
  adminSecret: string;
  webhookSecret: string;
  /** Ids of keys that requests may change or revoke. */
  keyIds: readonly number[];
}

export const METHODS = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "PROPFIND",
  "TRACE",
  "CONNECT",
] as const;
const UNKNOWN_PATHS = [
  "/api",
  "/api/nothing",
  "/api/scan/x",
  "/api/signals/EURUSD",
  "/api/%73can",
  "/webhooks",
  "/webhooks/payment/x",
  "/admin/nothing",
  "/admin/keys/1/2",
  "/apis",
  "/no-such-page",
  "/.env",
] as const;
const CONTENT_TYPES = [
  "application/json",
  "application/x-www-form-urlencoded",
  "text/plain; charset=windows-1251",
  "multipart/form-data; boundary=x",
  "nonsense",
] as const;

/** Draws a request to an API path, usually an almost valid one, because entirely random requests are refused early. */
export function drawApiRequest(dice: Dice, secrets: Secrets): FuzzRequest {
  const operation = dice.pick(OPERATIONS);
  const known = !dice.chance(0.04);
  const path = known ? fillIn(operation.path, dice, secrets) : dice.pick(UNKNOWN_PATHS);
  const method = dice.chance(0.9) ? operation.method.toUpperCase() : dice.pick(METHODS);
  const query = makeQuery(Object.keys(operation.query?.shape ?? {}), dice);
  const sendsBody =
    operation.body !== undefined && method !== "HEAD" ? !dice.chance(0.05) : dice.chance(0.03);
  const body = sendsBody ? makeBody(operation.body?.example ?? {}, dice) : null;
  const headers = makeHeaders({ method, access: operation.access, body }, dice, secrets);
  return {
    method,
    target: `${shake(path, dice)}${query}`,
    headers,
    body: headers["Content-Encoding"] === "gzip" && body ? gzipSync(body) : body,
    chunked: dice.chance(0.15),
  };
}

function fillIn(template: string, dice: Dice, secrets: Secrets): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (dice.chance(0.3)) return dice.pick(HOSTILE_SEGMENTS);
    if (dice.chance(0.2)) return encodeURIComponent(dice.pick(HOSTILE_TEXTS).toWellFormed()) || "x";
    if (name === "key_id") return String(secrets.keyIds.length > 0 ? dice.pick(secrets.keyIds) : 1_000_000);
    return name === "symbol"
      ? dice.pick(["EURUSD", "xauusd", "%20BTCUSD", "ZZZZZZ"])
      : dice.pick(["H1", "h4", "M15"]);
  });
}

/** The path, in one of ten cases spelled with extra slashes or with dot segments. */
function shake(path: string, dice: Dice): string {
  if (dice.chance(0.9)) return path;
  return dice.pick([
    `${path}/`,
    `${path}//`,
    `/${path}`,
    path.replaceAll("/", "//"),
    `/.${path}`,
    `/x/..${path}`,
  ]);
}

function makeQuery(names: string[], dice: Dice): string {
  const parts: string[] = [];
  for (const name of names) {
    if (dice.chance(0.6)) continue;
    parts.push(`${name}=${makeValue(name, dice)}`);
    if (dice.chance(0.05)) parts.push(parts.at(-1) ?? "");
  }
  if (dice.chance(0.1)) parts.push(`_=${dice.below(1e9)}`);
  if (dice.chance(0.03)) parts.push(dice.pick(["&&=", "%", "=%00", "a[]=1&a[b]=2", "x".repeat(4000), "?"]));
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

const USUAL: Record<string, readonly string[]> = {
  min_confidence: ["0", "0.4", "1"],
  expand: ["validity", "range", "slots", "ranges"],
  symbol: ["EURUSD", "btcusd", ""],
  tf_code: ["H1", "h4", ""],
  days: ["1", "7", "30", "365"],
  limit: ["1", "10", "500"],
  offset: ["0", "3"],
  wait: ["0", "1"],
  after: ["0", "1", "100"],
  bins: ["5", "20"],
  explain: ["true", "false"],
  include_no_trade: ["true", "false"],
  active: ["true", "false"],
  plan_tier: ["basic", "pro"],
  q: ["Fuzz", "a@b"],
};

function makeValue(name: string, dice: Dice): string {
  const usual = USUAL[name];
  if (usual && dice.chance(0.6)) return dice.pick(usual);
  const text = dice.pick(HOSTILE_TEXTS).toWellFormed();
  return dice.chance(0.7) ? encodeURIComponent(text) : text.replaceAll(/[^\x21-\x7e]/g, "");
}

function makeHeaders(
  { method, access, body }: { method: string; access: string; body: Buffer | null },
  dice: Dice,
  secrets: Secrets,
): Record<string, string> {
  // A random address for each request, so that no failure limit applies.
  const headers: Record<string, string> = {
    "X-Forwarded-For": `10.${dice.below(256)}.${dice.below(256)}.${dice.below(256)}`,
  };
  if (access === "key" ? !dice.chance(0.04) : dice.chance(0.05))
    headers["X-API-Key"] = dice.chance(0.93)
      ? dice.pick(secrets.keys)
      : dice.pick([
          "",
          "x",
          "null",
          "00000000-0000-4000-8000-000000000000",
          "{}",
          `${dice.pick(secrets.keys)}0`,
        ]);
  if (access === "admin" || access === "producer" ? !dice.chance(0.04) : dice.chance(0.05))
    headers["X-Admin-Secret"] = dice.chance(0.93)
      ? secrets.adminSecret
      : dice.pick(["", "x", "a".repeat(5000)]);
  if (access === "signature" && !dice.chance(0.05))
    headers["x-signature"] = dice.chance(0.9)
      ? signBody(body ?? Buffer.alloc(0), secrets.webhookSecret)
      : dice.pick(["", "00", "zz".repeat(32), "f".repeat(64)]);
  if (dice.chance(0.6)) headers["Content-Type"] = dice.pick(CONTENT_TYPES);
  if (dice.chance(0.05)) headers["If-None-Match"] = dice.pick(["*", '"x"', 'W/"x", "y"', ",,,", '"']);
  if (dice.chance(0.05)) headers["X-Request-Id"] = dice.pick(["fuzz-12345", "x", "a".repeat(900), "<b>"]);
  if (dice.chance(0.03)) headers["Content-Encoding"] = dice.pick(["gzip", "br", "identity", "x, y"]);
  if (dice.chance(0.05)) headers.Origin = dice.pick(["https://elsewhere.example", "null"]);
  // Not with HEAD: the answer to headers that are too long has a body for every method, because the server has not read
  // the method yet.
  if (method !== "HEAD" && dice.chance(0.02))
    headers["X-Padding"] = "p".repeat(dice.pick([8_000, 15_000, 20_000]));
  if (dice.chance(0.02)) headers.Upgrade = "h2c";
  if (headers.Upgrade) headers.Connection = "Upgrade";
  return headers;
}

function makeBody(example: unknown, dice: Dice): Buffer {
  let text = varyNames(JSON.stringify(example), dice);
  for (let n = dice.pick([0, 0, 1, 1, 2, 4]); n > 0; n--) text = mutate(text, dice);
  return dice.chance(0.1) ? mutateBytes(Buffer.from(text), dice) : Buffer.from(text.toWellFormed());
}

/**
 * The example with another invoice and buyer, mostly. A real invoice has few deliveries; each delivery reads the earlier
 * ones of its invoice, so that a run with a single invoice would grow slower and slower.
 */
function varyNames(text: string, dice: Dice): string {
  if (dice.chance(0.02)) return text;
  return text
    .replaceAll("_1001", `_${1002 + dice.below(100_000)}`)
    .replaceAll("ada@", `ada${dice.below(10_000)}@`);
}

/** Makes one change to a JSON text, such as another value, an added field, text before or after it, or a cut. */
function mutate(text: string, dice: Dice): string {
  switch (dice.below(10)) {
    case 0:
      return `${text}${dice.pick(["\0", "\0\0", " \n", text, "}", ","])}`;
    case 1:
      return `${dice.pick(["\ufeff", "  ", "\0", "[", "x"])}${text}`;
    case 2:
      return text.slice(0, dice.below(text.length + 1));
    case 3:
      return text.replace(
        /\}\s*$/,
        `,"${dice.pick(["__proto__", "ticket", "items", "x", ""])}":${dice.pick(HOSTILE_LITERALS)}}`,
      );
    case 4:
      return `${text}${" ".repeat(Math.max(0, 65_536 - Buffer.byteLength(text) + dice.pick([-1, 0, 1])))}`;
    case 5:
      return dice.pick(HOSTILE_LITERALS);
    case 6: {
      // A random ticket or id, so that new rows are created too.
      return text.replaceAll(
        /"(ticket|id)":("?)[^",}]+/g,
        (_, name, quote) => `"${name}":${quote}${1 + dice.below(1e9)}`,
      );
    }
    default: {
      // Replaces one value by a hostile one.
      const values = [...text.matchAll(/:("(?:[^"\\]|\\.)*"|-?[0-9.]+|true|false|null)/g)];
      if (values.length === 0) return text;
      const value = dice.pick(values);
      const other = dice.chance(0.5) ? dice.pick(HOSTILE_LITERALS) : JSON.stringify(dice.pick(HOSTILE_TEXTS));
      return `${text.slice(0, value.index)}:${other}${text.slice(value.index + value[0].length)}`;
    }
  }
}

/** A copy with one to four random changes: a byte replaced, removed or inserted. */
export function mutateBytes(bytes: Buffer, dice: Dice): Buffer {
  const out = [...bytes];
  for (let n = 1 + dice.below(4); n > 0 && out.length > 0; n--) {
    const at = dice.below(out.length);
    const kind = dice.below(3);
    if (kind === 0) out[at] = dice.below(256);
    else if (kind === 1) out.splice(at, 1);
    else out.splice(at, 0, dice.below(256));
  }
  return Buffer.from(out);
}
