import { randomBytes } from "node:crypto";
import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { PAGE_ADDRESS_HEADER } from "@/lib/api/page-address";
import { env } from "@/lib/runtime/env";
import { operated } from "@/lib/runtime/operated";
import { type PageRequest, pageRequest } from "@/lib/runtime/page-request";
import { RecentMap } from "@/lib/runtime/recent-map";
import { withDeadline } from "@/lib/runtime/unavailable";
import { SECOND_MS } from "@/lib/time";
import { type GappedDocument, gappedDocument } from "./gapped-document";
import { holdTexts, withTexts } from "./held-texts";
import { holdBack } from "./hold-back";
import { plainHtml } from "./plain-page";
import { NONCE_HEADER, securityHeaders } from "./security-headers";

type NodeListener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** What makes one public page differ from another. Nothing else of a request reaches the page. */
export interface PageVariant {
  /** The path as the tree has it. */
  template: string;
  /** Path and query, of the query only what the page reads. */
  address: string;
  theme: string;
}

/** A public page as Next made it, for any number of answers. */
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

/** Stands in a kept page where each answer has its own nonce. */
const NONCE_MARK = randomBytes(16).toString("base64");

/**
 * Public pages, kept for a moment: each is made once at a time, however many visitors wait for it, and sent as it was
 * while the next one is made. Only what was found is kept, never a failure. Once a setting of the operator changed,
 * none that was made before it is sent.
 */
export class KeptPages {
  readonly #slots = new RecentMap<string, Slot>(MOST_VARIANTS);

  constructor(
    readonly pages: NodeListener,
    readonly now: () => number = () => performance.now(),
  ) {
    holdTexts();
  }

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
    const making = withDeadline(makePage(this.pages, variant), MAKING_LIMIT_MS)
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
}

/** Lets Next make a page for nobody in particular: a request with address and theme, without a caller or a session. */
async function makePage(pages: NodeListener, { template, address, theme }: PageVariant): Promise<MadePage> {
  const request = new IncomingMessage(new Socket());
  request.method = "GET";
  request.url = address;
  request.httpVersion = "1.1";
  request.headers = {
    host: new URL(env().baseUrl).host,
    cookie: `theme=${theme}`,
    accept: "text/html",
    "content-security-policy": securityHeaders({
      nonce: NONCE_MARK,
      https: env().baseUrl.startsWith("https:"),
      // A page has the headers of a page, whatever a name in its address ends in.
      pathname: template,
    })["Content-Security-Policy"],
    [NONCE_HEADER]: NONCE_MARK,
    [PAGE_ADDRESS_HEADER]: address,
  };
  request.push(null);
  const response = new ServerResponse(request);
  const held = holdBack(response);
  const texts: string[] = [];
  const page: PageRequest = { template, isUnavailable: false, reader: null, texts };
  const failed = new Promise<never>((_, fail) => {
    pageRequest.run(page, async () => pages(request, response)).catch(fail);
  });
  const body = await Promise.race([held.body, failed]);
  const headers = response.getHeaders();
  for (const name of ["transfer-encoding", "content-length", "link", "connection", "keep-alive", "date"])
    delete headers[name];
  // Next waits for the end of the response.
  response.emit("finish");
  response.emit("close");
  return {
    status: response.statusCode,
    headers,
    document: await gappedDocument(withTexts(plainHtml(body.toString("utf8")), texts), NONCE_MARK),
    isUnavailable: page.isUnavailable,
  };
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
