/** Every address inside the site, as a function, so that a link cannot be misspelt in one place only. */

/** A query string of the values that are there; empty when none is. */
export const query = (values: Record<string, string | number | undefined>): string => {
  const entries = Object.entries(values).filter(
    (entry): entry is [string, string | number] => entry[1] !== undefined,
  );
  const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
};

/** Pages of the documentation besides its first. */
export type DocsPage =
  | "authentication"
  | "signals"
  | "executions"
  | "metatrader"
  | "limits"
  | "errors"
  | "webhooks"
  | "ea-kit"
  | "reference";

/** Files of the kit for trading clients. */
export type EaKitFile = "SignalDelivery.mqh" | "SignalFollower.mq5" | "signal_delivery.py";

export const paths = {
  home: () => "/",
  status: () => "/status",
  statusFeed: () => "/status/feed.json",
  statusBadge: () => "/status/badge.svg",
  docs: (page?: DocsPage, section?: string) =>
    `/docs${page ? `/${page}` : ""}${section ? `#${section}` : ""}`,
  /** Moves with the version of @scalar/api-reference, so that browsers may keep the file for good. */
  referenceScript: () => "/docs/reference/assets/1.72.1/standalone.esm.js",
  changelog: () => "/changelog",
  security: () => "/security",
  eaKitFile: (file: EaKitFile) => `/ea-kit/${file}`,
  openapi: () => "/openapi.json",
  login: (next?: string) => `/login${query({ next })}`,
  portal: () => "/portal",
  admin: () => "/admin",
} as const;
