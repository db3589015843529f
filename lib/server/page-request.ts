import { AsyncLocalStorage } from "node:async_hooks";

/** What is learnt of a page while Next makes it. */
export interface PageRequest {
  /** The path as the tree has it. */
  template: string;
  /** The page failed because the database did not answer. */
  isUnavailable: boolean;
}

/** The page that the running code makes, for what Next reports only on the console. */
export const pageRequest = new AsyncLocalStorage<PageRequest>();
