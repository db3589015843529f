import type { Snippet } from "./snippets";

const json = (value: object) => JSON.stringify(value, null, 2);

/** How programs that speak the Model Context Protocol are told of this service. `baseUrl` has no trailing slash. */
export const agentSnippets = (baseUrl: string) => {
  const url = `${baseUrl}/mcp`;
  const headers = { "X-API-Key": "paste-your-key-here" };
  return {
    command: {
      name: "Claude Code, on the command line",
      code: `claude mcp add --transport http signals ${url} \\\n  --header "X-API-Key: paste-your-key-here"`,
    },
    claude: {
      name: ".mcp.json of a project, for Claude Code",
      code: json({ mcpServers: { signals: { type: "http", url, headers } } }),
    },
    cursor: {
      name: ".cursor/mcp.json, for Cursor",
      code: json({ mcpServers: { signals: { url, headers } } }),
    },
    vscode: {
      name: ".vscode/mcp.json, for VS Code, which asks for the key",
      code: json({
        servers: { signals: { type: "http", url, headers: { "X-API-Key": `$${"{input:signal-key}"}` } } },
        inputs: [{ type: "promptString", id: "signal-key", description: "API key", password: true }],
      }),
    },
    curl: {
      name: "curl",
      code: `curl -sS "${url}" \\
  -H "X-API-Key: paste-your-key-here" -H "Content-Type: application/json" \\
  -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
       "params": {"name": "scan", "arguments": {"min_confidence": 0.5}}}'`,
    },
  } satisfies Record<string, Snippet>;
};
