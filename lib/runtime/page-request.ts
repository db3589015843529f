import { AsyncLocalStorage } from "node:async_hooks";
import { processWide } from "./process-wide";

/** State of one page or form request. */
export interface PageRequest {
  /** The route template of the page. */
  template: string;
  /** The page failed because the database did not answer. */
  isUnavailable: boolean;
  /** The page found nothing at its address: the status is 404. */
  isMissing: boolean;
  /** The signed-in visitor; null: none. */
  reader: PageVisitor | null;
  /** Results already read for this page, by name. */
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
 * The page or form request that the current asynchronous call belongs to. The log reads it for errors that Next only
 * prints, and Next's bundle stores the visitor in it.
 */
export const pageRequest = processWide("page-request", () => new AsyncLocalStorage<PageRequest>());

/**
 * Calls `read` once per name and rendered page, so that the page's guard and its components share the result. Outside of
 * a page it calls `read` every time.
 */
export function readOncePerPage<T>(name: string, read: () => Promise<T>): Promise<T> {
  const page = pageRequest.getStore();
  if (!page) return read();
  const reading = (page.read.get(name) as Promise<T> | undefined) ?? read();
  page.read.set(name, reading);
  return reading;
}

/** Marks the page as missing, for the status code. Call it before the page sends its first bytes. */
export function notePageMissing(): void {
  const page = pageRequest.getStore();
  if (page) page.isMissing = true;
}

/** Records the visitor for the request's log line. Does nothing outside of a page. */
export function notePageVisitor(reader: PageVisitor): void {
  const page = pageRequest.getStore();
  if (page) page.reader = reader;
}
