import { AsyncLocalStorage } from "node:async_hooks";
import { processWide } from "./process-wide";

/** State of one page or form request. */
export interface PageRequest {
  /** The route template of the page, such as `/models/[id]`. */
  template: string;
  /** Whether the page failed because the database is unavailable: the status is then 503. */
  isUnavailable: boolean;
  /** Whether the page found nothing at its address: the status is then 404. */
  isMissing: boolean;
  /** The signed-in visitor, for the log; null: not signed in. */
  reader: PageVisitor | null;
  /** Results of `readOncePerPage`, by name. */
  readonly read: Map<string, Promise<unknown>>;
}

export const newPageRequest = (template: string): PageRequest => ({
  template,
  isUnavailable: false,
  isMissing: false,
  reader: null,
  read: new Map(),
});

export type PageVisitor = { subscriptionId: number } | "administrator";

/**
 * The page or form request that the current asynchronous call belongs to. It connects code in Next's bundle, which
 * notes the visitor and failures, with the server's log and status code.
 */
export const pageRequestStorage = processWide("page-request", () => new AsyncLocalStorage<PageRequest>());

/**
 * Calls `read` once per name and page request, so that the page's guard and its components share the result. Outside of
 * a page request it calls `read` every time.
 */
export function readOncePerPage<T>(name: string, read: () => Promise<T>): Promise<T> {
  const page = pageRequestStorage.getStore();
  if (!page) return read();
  const reading = (page.read.get(name) as Promise<T> | undefined) ?? read();
  page.read.set(name, reading);
  return reading;
}

/**
 * Gives the current page the status 404. Call it before the page sends its first bytes. Does nothing outside of a page
 * request.
 */
export function markPageNotFound(): void {
  const page = pageRequestStorage.getStore();
  if (page) page.isMissing = true;
}

/** Records the visitor for the page's log line. Does nothing outside of a page request. */
export function notePageVisitor(reader: PageVisitor): void {
  const page = pageRequestStorage.getStore();
  if (page) page.reader = reader;
}
