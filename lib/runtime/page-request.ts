import { AsyncLocalStorage } from "node:async_hooks";
import { processWide } from "./process-wide";

/** What is learnt of a page or a form while it is answered. */
export interface PageRequest {
  /** The path as the tree has it. */
  template: string;
  /** The page failed because the database did not answer. */
  isUnavailable: boolean;
  /** The page says in its own words that there is nothing at the address: its status is 404. */
  isMissing: boolean;
  /** Who was let in; null: nobody in particular. */
  reader: PageVisitor | null;
  /** Results that were already read for this page, by name. */
  readonly read: Map<string, Promise<unknown>>;
}

/** A new page request. */
export const newPageRequest = (template: string): PageRequest => ({
  template,
  isUnavailable: false,
  isMissing: false,
  reader: null,
  read: new Map(),
});

export type PageVisitor = { subscriptionId: number } | "administrator";

/**
 * The page that the running code makes: for what Next reports only on the console, and for what its own bundle learns of
 * the reader.
 */
export const pageRequest = processWide("page-request", () => new AsyncLocalStorage<PageRequest>());

/** Reads once while a page is rendered, so that its guard and its components share the result. Elsewhere every call reads. */
export function readOncePerPage<T>(name: string, read: () => Promise<T>): Promise<T> {
  const page = pageRequest.getStore();
  if (!page) return read();
  const reading = (page.read.get(name) as Promise<T> | undefined) ?? read();
  page.read.set(name, reading);
  return reading;
}

/** Notes that the address has no page, for the status of the answer. It must run before the page sends its first part. */
export function notePageMissing(): void {
  const page = pageRequest.getStore();
  if (page) page.isMissing = true;
}

/** Notes who was let in, for the request's line in the log. Outside of a page it does nothing. */
export function notePageVisitor(reader: PageVisitor): void {
  const page = pageRequest.getStore();
  if (page) page.reader = reader;
}
