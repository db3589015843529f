import { ServerResponse } from "node:http";
import type { PageRequest } from "@/lib/runtime/page-request";

/**
 * Header that reports to the HTTP server that a page failed because a dependency does not answer. Never sent to clients.
 */
export const UNAVAILABLE_HEADER = "x-page-unavailable";

/**
 * Header that reports to the HTTP server that a 404 document has content, so that it is not replaced. Never sent to
 * clients.
 */
export const PAGE_MISSING_HEADER = "x-page-missing";

/**
 * A response of the page process. Its headers and status report to the HTTP server that the page is unavailable or
 * missing.
 */
export class PageResponse extends ServerResponse {
  page: PageRequest | null = null;

  // The overloads of writeHead() cannot be written as one type; the arguments are passed on unchanged.
  override writeHead(status: number, ...rest: never[]): this {
    const isUnavailable = status >= 500 && this.page?.isUnavailable === true;
    if (isUnavailable) this.setHeader(UNAVAILABLE_HEADER, "1");
    const isMissing = status === 200 && this.page?.isMissing === true;
    if (isMissing) this.setHeader(PAGE_MISSING_HEADER, "1");
    // The HTTP server decides whether the client's connection closes. Closing this one would break a body that is
    // still being forwarded.
    this.removeHeader("connection");
    // Next sets 500 or 200 here. The log line has the status that the visitor gets.
    return super.writeHead(isUnavailable ? 503 : isMissing ? 404 : status, ...rest);
  }
}
