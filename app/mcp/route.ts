import type { Answer } from "@/lib/api/answer";
import { parseBody } from "@/lib/api/parse";
import { requireApiKey } from "@/lib/api/require-api-key";
import { requireQuota } from "@/lib/api/require-quota";
import { route } from "@/lib/api/route";
import { McpMessage } from "@/lib/wire/contracts/mcp";
import { toolServer } from "./tool-server";

/**
 * POST /mcp: one message of the Model Context Protocol, answered without a session. Key and limit are judged for each
 * message before the protocol begins.
 */
export const POST = route(async (request): Promise<Answer> => {
  const key = await requireApiKey(request, { fromAgent: true });
  await requireQuota(request, key, "read");
  const message = await parseBody(request, McpMessage);

  const { createMcpHandler } = await import("@modelcontextprotocol/server");
  // Nothing of what the tools read is told of by itself, so that nobody may listen.
  const handler = createMcpHandler(() => toolServer(request, key), { maxSubscriptions: 0 });
  const answered = await handler.fetch(asProtocol(request), { parsedBody: message });
  return {
    status: answered.status,
    headers: { "Cache-Control": "no-store", ...Object.fromEntries(answered.headers) },
    body: answered.body,
  };
});

/** What agents leave out of their headers is what every message of this address is. */
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
