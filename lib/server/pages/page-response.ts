import { ServerResponse } from "node:http";
import type { PageRequest } from "@/lib/runtime/page-request";

/** Tells the front that a page failed because something it needs does not answer now. It never leaves the front. */
export const UNAVAILABLE_HEADER = "x-page-unavailable";

/** Tells the front that a document with the status 404 says so in words. It never leaves the front. */
export const MISSING_HEADER = "x-page-missing";

/** A response of the page process: Node's own with what was learnt of the page in its head. */
export class PageResponse extends ServerResponse {
  page: PageRequest | null = null;

  // The overloads of writeHead() cannot be written as one type; the arguments go on as they came.
  override writeHead(status: number, ...rest: never[]): this {
    if (status >= 500 && this.page?.isUnavailable) this.setHeader(UNAVAILABLE_HEADER, "1");
    const isMissing = status === 200 && this.page?.isMissing === true;
    if (isMissing) this.setHeader(MISSING_HEADER, "1");
    // Whether the caller's connection ends is the front's affair: a body still being handed on would break this one.
    this.removeHeader("connection");
    return super.writeHead(isMissing ? 404 : status, ...rest);
  }
}
