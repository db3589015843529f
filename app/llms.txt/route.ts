import { listDocs } from "@/app/(site)/docs/_text/files";
import { paths } from "@/lib/paths";
import { brand } from "@/lib/runtime/brand";
import { env } from "@/lib/runtime/env";

export const dynamic = "force-dynamic";

/** GET /llms.txt: an overview of the documentation for language models (llmstxt.org). */
export function GET(): Response {
  const { baseUrl } = env();
  const line = (title: string, path: string, text: string) => `- [${title}](${baseUrl}${path}): ${text}`;
  const text = `# ${brand().name}

> Trading signals over HTTP: for each symbol and timeframe BUY, SELL or NO_TRADE with the probability of each. Clients read them with a key in the header X-API-Key, and report the positions that they open and close.

## Documentation

Each page is also there for people, at the same address without \`.md\`.

${listDocs()
  .map(({ name, label, description }) => line(label, paths.docsMarkdown(name), description))
  .join("\n")}

## For programs

${line("OpenAPI", paths.openapi(), "The description of every path, field and answer, as JSON.")}
${line("Model Context Protocol", paths.mcp(), "Tools for agents, with a key: scan, slot_history, record, calibration, my_executions.")}
${line("Record", "/api/public/record", "Outcomes of all signals, as JSON, without a key.")}
${line("Verifier", paths.verifier(), "Recomputes the record from the ledger with Node alone.")}
`;
  return new Response(text, {
    headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "public, max-age=300" },
  });
}
