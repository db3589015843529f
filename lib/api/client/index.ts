import createClient from "openapi-fetch";
import type { paths } from "./schema";

export interface ClientOptions {
  baseUrl: string;
  /** Sent as X-API-Key. */
  apiKey?: string;
  /** Sent as X-Admin-Secret. */
  adminSecret?: string;
  /** Replaces fetch, for example by a handler in this process. */
  fetch?: (request: Request) => Promise<Response>;
}

/** A client of the interface. Paths, parameters and answers are typed by the OpenAPI document. */
export function makeApiClient({ baseUrl, apiKey, adminSecret, fetch }: ClientOptions) {
  return createClient<paths>({
    baseUrl,
    headers: {
      ...(apiKey === undefined ? {} : { "X-API-Key": apiKey }),
      ...(adminSecret === undefined ? {} : { "X-Admin-Secret": adminSecret }),
    },
    ...(fetch ? { fetch } : {}),
  });
}

export {
  FollowError,
  type FollowOptions,
  followScan,
  followStream,
  isPaused,
  type Pauses,
  readPauses,
  type SignalEvent,
} from "./follow";
