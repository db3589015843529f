import { apiApp } from "@/lib/server/api-app";
import { MOUNTS } from "@/lib/server/mounts";
import { ADMIN_SECRET } from "./database";
import { checkAgainstDocument } from "./openapi-check";
import { SERVER_URL } from "./server-under-test";

export interface CallOptions {
  key?: string;
  admin?: boolean | string;
  /** Sent as JSON unless it is text or bytes. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface TestApiAnswer {
  status: number;
  headers: Headers;
  text: string;
  // Answers have many shapes; the contract tests check them against the schemas.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  json: any;
}

const app = apiApp(MOUNTS);

/**
 * Calls the API through the server's route table in this process, or over HTTP when INTERFACE_URL is set. Throws if
 * the answer contradicts the OpenAPI document.
 */
export async function call(method: string, path: string, options: CallOptions = {}): Promise<TestApiAnswer> {
  const headers = new Headers(options.headers);
  if (options.key !== undefined) headers.set("X-API-Key", options.key);
  if (options.admin) headers.set("X-Admin-Secret", options.admin === true ? ADMIN_SECRET : options.admin);
  const raw = typeof options.body === "string" || options.body instanceof Uint8Array;
  const body =
    options.body === undefined ? null : raw ? (options.body as BodyInit) : JSON.stringify(options.body);
  const request = new Request(`${SERVER_URL ?? "http://localhost"}${path}`, { method, headers, body });
  const response = await (SERVER_URL === null ? app.fetch(request) : fetch(request));
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  // An event stream does not end, so only its status and headers are checked against the document.
  if (isStream) await response.body?.cancel();
  const text = isStream ? "" : await response.text();
  const answered = {
    status: response.status,
    headers: response.headers,
    text,
    json:
      response.headers.get("content-type")?.startsWith("application/json") && text !== ""
        ? JSON.parse(text)
        : null,
  };
  checkAgainstDocument(method, path, answered);
  return answered;
}

export interface KeyFields {
  user_name?: string;
  plan_tier?: string;
  expires_at?: string;
  email?: string;
  symbols_allowed?: string[];
  tfs_allowed?: string[];
  rate_limit_per_min?: number;
}

/** Creates a key through the API. */
export async function makeKey(wish: KeyFields = {}): Promise<{ keyId: number; key: string }> {
  const made = await call("POST", "/admin/keys", {
    admin: true,
    body: { user_name: "Tester", plan_tier: "pro", ...wish },
  });
  if (made.status !== 201) throw new Error(`no key: ${made.text}`);
  return { keyId: made.json.key_id, key: made.json.api_key };
}
