import { docsTextAsMarkdown, readDocsText } from "@/app/(site)/docs/_text/pages";
import { env } from "@/lib/runtime/env";

export const dynamic = "force-dynamic";

/** GET /docs/{page}.md: a documentation page as Markdown. next.config.mjs rewrites that address to this one. */
export async function GET(_: Request, { params }: { params: Promise<{ page: string }> }): Promise<Response> {
  const text = readDocsText((await params).page);
  if (text === null)
    return new Response("The documentation has no such page.\n", {
      status: 404,
      headers: { "Content-Type": "text/plain; charset=utf-8" },
    });
  return new Response(docsTextAsMarkdown(text, env().baseUrl), {
    headers: { "Content-Type": "text/markdown; charset=utf-8", "Cache-Control": "public, max-age=300" },
  });
}
