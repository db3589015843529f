import { readHealth } from "@/lib/health/read-health";

export const dynamic = "force-dynamic";

const STYLES = {
  ok: { word: "operational", colour: "#08696a", width: 78 },
  degraded: { word: "degraded", colour: "#7a5300", width: 64 },
  down: { word: "down", colour: "#ab1a45", width: 42 },
} as const;

const LABEL_WIDTH = 52;

/** GET /status/badge.svg: the state in one word, for other sites. Uses the colours of the light theme. */
export async function GET(): Promise<Response> {
  const { status } = await readHealth();
  const { word, colour, width } = STYLES[status];
  const total = LABEL_WIDTH + width;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${total}" height="20" role="img" aria-label="signals: ${word}"><title>signals: ${word}</title><rect width="${total}" height="20" rx="4" fill="#17181c"/><path d="M${LABEL_WIDTH} 0h${width - 4}a4 4 0 0 1 4 4v12a4 4 0 0 1-4 4h-${width - 4}z" fill="${colour}"/><g fill="#fff" font-family="Verdana,Geneva,sans-serif" font-size="11" text-anchor="middle"><text x="${LABEL_WIDTH / 2}" y="14">signals</text><text x="${LABEL_WIDTH + width / 2}" y="14">${word}</text></g></svg>`;
  return new Response(svg, {
    headers: { "Content-Type": "image/svg+xml; charset=utf-8", "Cache-Control": "public, max-age=5" },
  });
}
