import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { PageRequest } from "@/lib/runtime/page-request";
import type { CutDocument } from "./gapped-document";

/** What makes pages, in this thread or in one of its own. */
export interface PageMaker {
  /** Answers with the page or handler of Next at the request's address. */
  answer(request: IncomingMessage, response: ServerResponse, asked: AskedPage): Promise<void>;
  /** Makes a public page for nobody in particular. */
  make(variant: PageVariant): Promise<CutPage>;
}

export interface AskedPage {
  /** What is learnt while it is answered is noted here. */
  page: PageRequest;
  /** A handler answers failures itself. */
  isHandler: boolean;
  /** It is sent without the framework's scripts. */
  isPlain: boolean;
}

/** What makes one public page differ from another. Nothing else of a request reaches the page. */
export interface PageVariant {
  /** The path as the tree has it. */
  template: string;
  /** Path and query, of the query only what the page reads. */
  address: string;
  theme: string;
}

/** A public page as Next made it, in pieces between which each answer has its own nonce. */
export interface CutPage {
  status: number;
  headers: OutgoingHttpHeaders;
  document: CutDocument;
  /** It failed because the database did not answer. */
  isUnavailable: boolean;
}
