import type { McpServer } from "@modelcontextprotocol/server";
import type { ApiKey } from "@/lib/access/api-key";
import { brand } from "@/lib/runtime/brand";
import { env } from "@/lib/runtime/env";
import { errorFacts, log } from "@/lib/runtime/log";
import { isDatabaseUnavailable } from "@/lib/runtime/unavailable";
import { API_VERSION } from "@/lib/runtime/version";
import { AppError } from "@/lib/wire/errors";
import { writeJson } from "@/lib/wire/json";
import { TOOLS } from "./tools";

const ABOUT =
  "Trading signals per slot (a symbol and a timeframe), their history, how they turned out, how well their probabilities fit, and what this subscriber's trading client did. Everything is read only and within the plan of the key. Times are UTC. Past results say nothing certain about future ones.";
const SIMULATED = "The market is simulated: no price, signal or result is of a real one.";

/** Creates an MCP server with the tools, for one request and its key. */
export async function createToolServer(request: Request, key: ApiKey): Promise<McpServer> {
  const { McpServer } = await import("@modelcontextprotocol/server");
  const simulated = env().marketFeed === "demo";
  const server = new McpServer(
    { name: "signal-delivery-service", title: brand().name, version: API_VERSION },
    { capabilities: { tools: {} }, instructions: simulated ? `${ABOUT} ${SIMULATED}` : ABOUT },
  );
  for (const { name, title, description, input, run } of TOOLS) {
    server.registerTool(
      name,
      {
        title,
        description,
        inputSchema: input,
        annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
      },
      async (sent) => {
        try {
          const data = await run({ request, key }, sent);
          return { content: [{ type: "text", text: writeJson({ simulated, ...data }) }] };
        } catch (error) {
          return { isError: true, content: [{ type: "text", text: writeJson(problemOf(error)) }] };
        }
      },
    );
  }
  return server;
}

/** The error as the HTTP API states it: code, detail and field errors. */
function problemOf(error: unknown): object {
  const known = error instanceof AppError ? error : new AppError(codeOf(error));
  const { code, detail, errors } = known;
  return { code, detail, ...(errors ? { errors } : {}) };
}

function codeOf(error: unknown): "unavailable" | "internal_error" {
  if (isDatabaseUnavailable(error)) return "unavailable";
  log("error", "a tool failed", { error: errorFacts(error) });
  return "internal_error";
}
