import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import pLimit, { type LimitFunction } from "p-limit";
import { Pool } from "undici";
import { env } from "@/lib/runtime/env";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { discardRequestBody } from "@/lib/server/too-large";
import { MINUTE_MS, SECOND_MS, withQueueTimeout } from "@/lib/time";
import { sendCachedPage, toCachedPage } from "./cached-page";
import { sendFailure, sendFormErrorPage } from "./failed-page";
import { pageProcessFigures } from "./page-figures";
import { PAGE_MISSING_HEADER, UNAVAILABLE_HEADER } from "./page-response";

/** Header with the revision of the HTTP server's cached settings. The HTTP server overwrites it on every request. */
export const SETTINGS_STAMP_HEADER = "x-settings-stamp";

/** Limit of concurrent renderings: more would share one processor, and all would be late. */
const MAX_IN_FLIGHT = 16;
/** Limit of concurrent renderings per network, so that one visitor cannot use all of them. */
const MAX_OF_NETWORK = 4;
const MAX_WAITING = 256;
const WAIT_MS = 2 * SECOND_MS;
const PAGE_MS = 10 * SECOND_MS;
/** Time limit for the head of a handler's response: handlers send mails and write exports before they answer. */
const HANDLER_HEAD_MS = MINUTE_MS;

/** Headers that are not forwarded: those about one connection (RFC 9110, section 7.6.1), and Expect. */
const OF_CONNECTION = new Set([
  "connection",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

export interface FetchedPage {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Whether the page failed because a dependency does not answer. */
  isUnavailable: boolean;
}

/** Thrown if too many pages wait to be rendered, or a page has waited too long. */
class PagesBusyError extends Error {}

/** HTTP client of the page process, over its local socket. */
export class PageClient {
  readonly #pool: Pool;
  readonly #heads = pLimit(MAX_IN_FLIGHT);
  /** The queue of each network that waits for a page. */
  readonly #ofNetwork = new Map<string, LimitFunction>();

  constructor(
    socketPath: string,
    readonly whenUp: () => Promise<void> = async () => undefined,
  ) {
    // No timeout, because a stream of events may be silent for long.
    this.#pool = new Pool("http://localhost", { socketPath, bodyTimeout: 0 });
  }

  /** Fetches a public page as a visitor without a session. */
  async fetchPage(address: string, theme: string): Promise<FetchedPage> {
    await this.whenUp();
    return this.#inLine(null, async () => {
      const answer = await this.#pool.request({
        path: address,
        method: "GET",
        headers: {
          host: new URL(env().baseUrl).host,
          accept: "text/html",
          cookie: `theme=${theme}`,
          [SETTINGS_STAMP_HEADER]: settingsCache().now.stamp,
        },
        headersTimeout: PAGE_MS,
        bodyTimeout: PAGE_MS,
      });
      const body = Buffer.from(await answer.body.arrayBuffer());
      return {
        status: answer.statusCode,
        headers: withoutConnection(answer.headers),
        body,
        isUnavailable: UNAVAILABLE_HEADER in answer.headers,
      };
    });
  }

  /**
   * Proxies a request to the page process. Never rejects; resolves at the end of the response. `page` is set for
   * pages, which are sent without the framework's scripts; `missing` then sends the document for a missing page.
   */
  async proxy(
    request: IncomingMessage,
    response: ServerResponse,
    page: { network: string; missing: () => Promise<void> } | null,
  ): Promise<void> {
    const gone = new AbortController();
    const leave = () => gone.abort();
    response.once("close", leave);
    try {
      await this.whenUp();
      const options = {
        headersTimeout: page === null ? HANDLER_HEAD_MS : PAGE_MS,
        signal: gone.signal,
        // A response that is rewritten here must arrive uncompressed.
        isRewritten: page !== null,
      };
      const ask = () => this.#ask(request, options);
      const answer = await (page === null ? ask() : this.#inLine(page.network, ask));
      if (page !== null && answer.statusCode >= 500) {
        await answer.body.dump();
        return sendFailure(request, response, UNAVAILABLE_HEADER in answer.headers);
      }
      const isDocument = String(answer.headers["content-type"]).startsWith("text/html");
      // Next's own document is empty until its scripts have run.
      const isEmpty = answer.statusCode === 404 && isDocument && !(PAGE_MISSING_HEADER in answer.headers);
      if (page !== null && isEmpty) {
        await answer.body.dump();
        return await page.missing();
      }
      const {
        date: _,
        [UNAVAILABLE_HEADER]: __,
        [PAGE_MISSING_HEADER]: ___,
        ...headers
      } = withoutConnection(answer.headers);
      if (page !== null && isDocument && request.method === "GET") {
        const body = Buffer.from(await answer.body.arrayBuffer());
        return sendCachedPage(
          await toCachedPage({ status: answer.statusCode, headers, body }),
          request,
          response,
        );
      }
      // Next compresses no text as short as a refusal's.
      const isText =
        String(headers["content-type"]).startsWith("text/plain") && headers["content-encoding"] === undefined;
      if (page === null && answer.statusCode >= 400 && isText && isNavigation(request)) {
        const text = await answer.body.text();
        if (answer.statusCode === 413) await discardRequestBody(request);
        return sendFormErrorPage(request, response, { status: answer.statusCode, headers, text });
      }
      if (answer.statusCode === 413) headers.connection = "close";
      response.writeHead(answer.statusCode, headers);
      if (String(headers["content-type"]).startsWith("text/event-stream")) {
        // Events may come hours after the head of the response.
        response.flushHeaders();
        // A client half-closes its connection to leave a stream, maybe before the head has come.
        if (request.socket.readableEnded) leave();
        request.socket.once("end", leave);
        response.once("close", () => request.socket.off("end", leave));
      }
      await pipeline(answer.body, response, { signal: gone.signal, end: answer.statusCode !== 413 });
      if (answer.statusCode !== 413) return;
      await discardRequestBody(request);
      response.end();
    } catch {
      // A client that has gone needs no answer. If the page process ended, its supervisor logs that.
      if (gone.signal.aborted) return;
      if (response.headersSent) response.destroy();
      else sendFailure(request, response, true);
    }
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  #ask(
    request: IncomingMessage,
    {
      headersTimeout,
      signal,
      isRewritten,
    }: { headersTimeout: number; signal: AbortSignal; isRewritten: boolean },
  ) {
    const method = request.method ?? "GET";
    const { "content-length": length, ...headers } = withoutConnection(request.headers);
    const hasBody = method === "POST";
    return this.#pool.request({
      path: request.url ?? "/",
      method: method as "GET" | "HEAD" | "POST" | "OPTIONS",
      headers: {
        ...headers,
        ...(hasBody && length !== undefined ? { "content-length": length } : {}),
        ...(isRewritten ? { "accept-encoding": "identity" } : {}),
        [SETTINGS_STAMP_HEADER]: settingsCache().now.stamp,
      },
      // Through a PassThrough, because the pool destroys the request stream when the response comes first.
      body: hasBody ? request.pipe(new PassThrough()) : null,
      headersTimeout,
      signal,
    });
  }

  #laneOf(network: string): LimitFunction {
    const lane = this.#ofNetwork.get(network) ?? pLimit(MAX_OF_NETWORK);
    this.#ofNetwork.set(network, lane);
    return lane;
  }

  /**
   * Queues `work` under the limit of all renderings and the one of its network. Rejects if the queue is too long or the
   * wait takes too long.
   */
  #inLine<T>(network: string | null, work: () => Promise<T>): Promise<T> {
    const figures = pageProcessFigures();
    const refuse = () => {
      figures.refused++;
      return new PagesBusyError();
    };
    const lane = network === null ? null : this.#laneOf(network);
    if ((lane ?? this.#heads).pendingCount >= MAX_WAITING) return Promise.reject(refuse());
    const line = (step: () => Promise<void>) => {
      if (network === null || lane === null) return this.#heads(step);
      return lane(async () => {
        await this.#heads(step);
        if (lane.activeCount === 1 && lane.pendingCount === 0) this.#ofNetwork.delete(network);
      });
    };
    return withQueueTimeout(line, WAIT_MS, refuse, () => {
      figures.inFlight++;
      return work().finally(() => figures.inFlight--);
    });
  }
}

/** Whether a browser shows the response as a page. */
const isNavigation = ({ headers }: IncomingMessage): boolean =>
  headers.accept?.includes("text/html") ?? false;

function withoutConnection(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name)));
}
