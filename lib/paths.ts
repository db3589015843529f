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
  login: (next?: string, said: { error?: string; notice?: string } = {}) =>
    `/login${query({ next, ...said })}`,
  requestLink: () => "/login/request-link",
  linkSent: (next?: string) => `/login/sent${query({ next })}`,
  confirmLink: (token: string, next?: string) => `/login/confirm${query({ token, next })}`,
  signInByLink: () => "/login/by-link",
  signInByKey: () => "/login/by-key",
  chooseSubscription: (next?: string) => `/login/subscriptions${query({ next })}`,
  pickSubscription: () => "/login/pick",
  signOut: () => "/login/sign-out",
  portal: () => "/portal",
  portalSignals: (filter: Record<string, string | number | undefined> = {}) =>
    `/portal/signals${query(filter)}`,
  portalSignalHistory: (filter: Record<string, string | number | undefined> = {}) =>
    `/portal/signals/history${query(filter)}`,
  portalSlot: (symbol: string, timeframe: string) =>
    `/portal/signals/${encodeURIComponent(symbol)}/${encodeURIComponent(timeframe)}`,
  portalResults: (filter: Record<string, string | number | undefined> = {}) =>
    `/portal/executions${query(filter)}`,
  portalExecutionList: (filter: Record<string, string | number | undefined> = {}) =>
    `/portal/executions/list${query(filter)}`,
  portalExecutionExport: (filter: Record<string, string | number | undefined> = {}) =>
    `/portal/executions/export${query(filter)}`,
  portalKey: () => "/portal/key",
  portalRotateKey: () => "/portal/key/rotate",
  portalNewKey: () => "/portal/key/new",
  portalSetup: () => "/portal/setup",
  portalSettings: (said: { saved?: string; error?: string } = {}) => `/portal/settings${query(said)}`,
  portalSaveSettings: () => "/portal/settings/save",
  portalMyData: () => "/portal/settings/my-data",
  portalSignOutEverywhere: () => "/portal/settings/sign-out-everywhere",
  portalClock: () => "/portal/clock",
  portalLive: () => "/portal/live",
  admin: () => "/admin",
} as const;
