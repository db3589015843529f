import type { Answer } from "@/lib/api/answer";
import { readText } from "@/lib/api/request-body";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { McpBody } from "@/lib/wire/contracts/mcp";
import { AppError } from "@/lib/wire/errors";
import { readJson, writeJson } from "@/lib/wire/json";
import { parseValue } from "@/lib/wire/params";
import { createToolServer } from "./tool-server";

/**
 * POST /mcp: one or several messages of the Model Context Protocol, without a session. The key is checked, and each message
 * counts towards the rate limit, before the protocol library runs.
 */
export const POST = route(async (request): Promise<Answer> => {
  const key = await requireApiKey(request, { fromAgent: true });
  const { limit, resetSeconds } = await requireQuota(request, key, "read");
  const text = await readText(request);
  const message = parseValue("body", McpBody, readJson(text));
  if (Array.isArray(message) && message.length > limit)
    throw new AppError("rate_limited", {
      detail: `${message.length} messages at once, and ${limit} requests are allowed in 60 seconds. Send fewer.`,
      headers: { "Retry-After": String(resetSeconds) },
    });
  for (let more = Array.isArray(message) ? message.length : 1; more > 1; more--)
    await requireQuota(request, key, "read");

  const { createMcpHandler } = await import("@modelcontextprotocol/server");
  // No subscriptions, because the tools send no notifications.
  const handler = createMcpHandler(() => createToolServer(request, key), { maxSubscriptions: 0 });
  const answered = await handler.fetch(asProtocol(request), { parsedBody: message });
  const headers = { "Cache-Control": "no-store", ...Object.fromEntries(answered.headers) };
  const body = await answered.text();
  if (body === "") return { status: answered.status, headers, body: null };
  const isStream = answered.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  const answers = (isStream ? eventsOf(body) : [body]).map((answer) => withExactId(JSON.parse(answer), text));
  return {
    status: answered.status,
    headers: { ...headers, "content-type": "application/json" },
    body: writeJson(Array.isArray(message) && isStream ? answers : answers[0]),
  };
});

/** The JSON messages in the library's event stream. We respond with JSON, which every client accepts. */
function eventsOf(stream: string): string[] {
  return stream.split("\n\n").flatMap((event) => /^data: (.+)$/m.exec(event)?.[1] ?? []);
}

/** Restores a large integer id: it was parsed as text, but the response must repeat it as the number that was sent. */
function withExactId(answer: { id?: unknown }, sent: string): object {
  const { id } = answer;
  if (typeof id !== "string" || !/^-?[0-9]{16,}$/.test(id)) return answer;
  return new RegExp(`"id"\\s*:\\s*${id}\\s*[,}]`).test(sent) ? { ...answer, id: BigInt(id) } : answer;
}

/** A request for the protocol library: with the headers that it requires and agents may omit, and without other headers. */
function asProtocol(request: Request): Request {
  const headers = new Headers({
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
  });
  for (const name of ["mcp-protocol-version", "mcp-method", "mcp-name"]) {
    const sent = request.headers.get(name);
    if (sent !== null) headers.set(name, sent);
  }
  return new Request("http://localhost/mcp", { method: "POST", headers });
}
