import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { operated } from "@/lib/runtime/operated";
import { RecentMap } from "@/lib/runtime/recent-map";
import { withDeadline } from "@/lib/runtime/unavailable";
import { SECOND_MS } from "@/lib/time";
import { type GappedDocument, gappedDocument } from "./gapped-document";
import type { PageMaker, PageVariant } from "./page-maker";

/** A public page for any number of answers. */
export interface MadePage {
  status: number;
  headers: OutgoingHttpHeaders;
  document: GappedDocument;
  /** It failed because the database did not answer. */
  isUnavailable: boolean;
}

/**
 * A page is made again when it is this many times as old as its making took, within bounds: while one is made the process
 * does nothing else, and whoever polls then waits. So each page takes at most a 500th of the time.
 */
const FRESH_TIMES = 500;
const FRESH_LEAST_MS = 3 * SECOND_MS;
const FRESH_MOST_MS = 30 * SECOND_MS;
/** Shows the state of the service, which is no older than the least, whatever its making takes. */
const STATE_PAGE = "/status";
/** Until this age it is sent while the next one is being made; an older one is worth waiting for. */
const STALE_MS = 45 * SECOND_MS;
const MAKING_LIMIT_MS = 10 * SECOND_MS;
/** Variants that are kept: pages with a query are many, and most are asked for once. */
const MOST_VARIANTS = 96;

interface Slot {
  page: MadePage | null;
  madeAtMs: number;
  /** Until then it is sent as it is. */
  freshToMs: number;
  making: Promise<MadePage> | null;
}

function freshFor({ template }: PageVariant, tookMs: number): number {
  if (template === STATE_PAGE) return FRESH_LEAST_MS;
  return Math.min(FRESH_MOST_MS, Math.max(FRESH_LEAST_MS, FRESH_TIMES * tookMs));
}

/**
 * Public pages, kept for a moment: each is made once at a time, however many visitors wait for it, and sent as it was
 * while the next one is made. Only what was found is kept, never a failure. Once a setting of the operator changed,
 * none that was made before it is sent.
 */
export class KeptPages {
  readonly #slots = new RecentMap<string, Slot>(MOST_VARIANTS);

  constructor(
    readonly maker: Pick<PageMaker, "make">,
    readonly now: () => number = () => performance.now(),
  ) {}

  async get(variant: PageVariant): Promise<MadePage> {
    const slot = this.#slot(`${operated().now.stamp} ${variant.theme} ${variant.address}`);
    const now = this.now();
    if (slot.page && now < slot.freshToMs) return slot.page;
    slot.making ??= this.#make(variant, slot);
    return slot.page && now - slot.madeAtMs < STALE_MS ? slot.page : slot.making;
  }

  #slot(key: string): Slot {
    const found = this.#slots.get(key);
    if (found) return found;
    const fresh = { page: null, madeAtMs: 0, freshToMs: 0, making: null };
    this.#slots.set(key, fresh);
    return fresh;
  }

  #make(variant: PageVariant, slot: Slot): Promise<MadePage> {
    const startedMs = this.now();
    const making = withDeadline(this.#makeOnce(variant), MAKING_LIMIT_MS)
      .then((page) => {
        const madeAtMs = this.now();
        const freshMs = freshFor(variant, madeAtMs - startedMs);
        if (page.status === 200) Object.assign(slot, { page, madeAtMs, freshToMs: madeAtMs + freshMs });
        return page;
      })
      .finally(() => {
        slot.making = null;
      });
    // Visitors who wait get the failure themselves; there may be none.
    making.catch(() => undefined);
    return making;
  }

  async #makeOnce(variant: PageVariant): Promise<MadePage> {
    const { document, ...page } = await this.maker.make(variant);
    return { ...page, document: gappedDocument(document) };
  }
}

/** Sends a kept page with the nonce of this answer, compressed when the client takes it. */
export function sendKeptPage(
  page: MadePage,
  nonce: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const takesGzip = /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
  const body = takesGzip ? page.document.fillGzipped(nonce) : page.document.fill(nonce);
  for (const [name, value] of Object.entries(page.headers))
    if (value !== undefined) response.setHeader(name, value);
  response.setHeader("vary", "Accept-Encoding, Cookie");
  if (takesGzip) response.setHeader("content-encoding", "gzip");
  response.setHeader(
    "content-length",
    body.reduce((bytes, piece) => bytes + piece.length, 0),
  );
  // Head and pieces leave in one call of the system.
  response.cork();
  response.writeHead(page.status);
  for (const piece of body) response.write(piece);
  response.end();
  response.uncork();
}
