import { formatSigned } from "@/app/_components/figures";
import { db } from "@/db/client";
import { computeReceiverAccess } from "@/lib/access/compute-receiver-access";
import { requireAnonymousQuota } from "@/lib/api/require-quota";
import { documentRoute } from "@/lib/auth/document-route";
import { allowAnyone } from "@/lib/auth/guards";
import { microRToR } from "@/lib/executions/own-record/decompose";
import { findSharedRecordOf, SHARED_DAYS } from "@/lib/executions/own-record/share-record";
import { env } from "@/lib/runtime/env";
import { isRecordPublic } from "@/lib/signals/record/is-public";
import { AppError } from "@/lib/wire/errors";

export const dynamic = "force-dynamic";

const LABEL = "own record";
/** Average width of a character in pixels, Verdana 11 px, rounded up. */
const CHARACTER_WIDTH = 6.7;
const PADDING = 12;

/**
 * GET /r/{token}/badge.svg: a subscriber's shared record in one line, for other sites. Uses the colours of the light
 * theme.
 */
export const GET = documentRoute<Awaited<ReturnType<typeof allowAnyone>>, { token: string }>({
  name: "record.badge",
  guard: allowAnyone,
  make: async ({ request, params }) => {
    await requireAnonymousQuota(request);
    const record = (await isRecordPublic())
      ? await findSharedRecordOf(db("heavy"), params.token, computeReceiverAccess, new Date())
      : null;
    if (record === null) throw new AppError("not_found", { detail: "There is no such badge." });
    const { own } = record.decomposition;
    const market = env().marketFeed === "demo" ? ", simulated" : "";
    const result =
      own.n === 0 ? "no closed position" : `${formatSigned(microRToR(own.microR))} R, n = ${own.n}`;
    return new Response(badge(`${result}, ${SHARED_DAYS} days${market}`), {
      headers: {
        "Content-Type": "image/svg+xml; charset=utf-8",
        // Browsers revalidate every time, so that a withdrawn badge disappears at once.
        "Cache-Control": "no-cache",
        "X-Robots-Tag": "noindex",
      },
    });
  },
});

function badge(words: string): string {
  const [left, right] = [LABEL, words].map((text) => Math.ceil(text.length * CHARACTER_WIDTH) + PADDING) as [
    number,
    number,
  ];
  const total = left + right;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${total}" height="20" role="img" aria-label="${LABEL}: ${words}"><title>${LABEL}: ${words}</title><rect width="${total}" height="20" rx="4" fill="#17181c"/><path d="M${left} 0h${right - 4}a4 4 0 0 1 4 4v12a4 4 0 0 1-4 4h-${right - 4}z" fill="#08696a"/><g fill="#fff" font-family="Verdana,Geneva,sans-serif" font-size="11" text-anchor="middle"><text x="${left / 2}" y="14">${LABEL}</text><text x="${left + right / 2}" y="14">${words}</text></g></svg>`;
}
