import type { IncomingMessage, ServerResponse } from "node:http";
import { cleanPastedKey, isKeyShaped, keyHint } from "@/lib/access/keys/key-text";
import { loggedNetwork } from "@/lib/access/limits/client-network";
import { CLIENT_ADDRESS_HEADER } from "@/lib/api/client-address";
import { PAGE_ADDRESS_HEADER } from "@/lib/api/page-address";
import { env } from "@/lib/runtime/env";
import { errorFacts, log } from "@/lib/runtime/log";
import { newPageRequest, type PageRequest, pageRequestStorage } from "@/lib/runtime/page-request";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { isDatabaseUnavailable } from "@/lib/runtime/unavailable";
import { normalizedPath } from "@/lib/server/api-app";
import { guardOf } from "@/lib/server/mounts";
import { securityHeaders } from "@/lib/server/security-headers";
import { SETTINGS_STAMP_HEADER } from "./page-client";
import type { FoundPage } from "./page-finder";
import type { PageResponse } from "./page-response";
import { isPlainPage } from "./plain-page";

export interface PageListenerParts {
  next(request: IncomingMessage, response: ServerResponse): unknown;
  findPage(path: string): FoundPage | null;
}

/** Serves the requests that the HTTP server forwards: first the area's guard, then Next. */
export function pageListener({ next, findPage }: PageListenerParts) {
  return async (request: IncomingMessage, response: PageResponse): Promise<void> => {
    const path = normalizedPath(request.url ?? "/");
    const found = findPage(path);
    const isPlain = isPlainPage(path, found);
    const page = newPageRequest(found?.template ?? "file");
    response.page = page;
    // The HTTP server logs plain pages: many visitors get one rendering.
    if (!isPlain) logWhenClosed(request, response, page);
    try {
      await followSettings(request);
      secure(path, request, response);
      await pageRequestStorage.run(page, async () => {
        const to = found?.kind === "page" ? await redirectOf(path, request) : null;
        if (to === null) await next(request, response);
        else sendAway(to, response);
      });
    } catch (error) {
      page.isUnavailable = isDatabaseUnavailable(error);
      if (!page.isUnavailable)
        log("error", "a page failed", { route: page.template, error: errorFacts(error) });
      if (response.headersSent) response.destroy();
      // The HTTP server sends an error page instead of this response.
      else response.writeHead(500).end();
    }
  };
}

function logWhenClosed(request: IncomingMessage, response: PageResponse, page: PageRequest): void {
  const startedAt = performance.now();
  const network = loggedNetwork(String(request.headers[CLIENT_ADDRESS_HEADER] ?? "unknown"));
  response.once("close", () =>
    log("info", "request", {
      method: request.method ?? "",
      route: page.template,
      status: response.statusCode,
      ms: Math.round((performance.now() - startedAt) * 100) / 100,
      network,
      ...(page.reader === "administrator" ? { reader: page.reader } : page.reader),
    }),
  );
}

/** Refreshes the settings if the HTTP server's differ. If that fails, the page shows the settings of this process. */
async function followSettings(request: IncomingMessage): Promise<void> {
  const stamp = request.headers[SETTINGS_STAMP_HEADER];
  if (stamp === undefined || stamp === settingsCache().now.stamp) return;
  await settingsCache()
    .read()
    .catch(() => undefined);
}

/** Sets the security headers. */
function secure(pathname: string, request: IncomingMessage, response: ServerResponse): void {
  const headers = securityHeaders({ https: env().baseUrl.startsWith("https:"), pathname });
  // Next would read a nonce for its scripts from these headers of a request.
  for (const name of ["content-security-policy-report-only", "content-security-policy"])
    delete request.headers[name];
  request.headers[PAGE_ADDRESS_HEADER] = request.url;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

/**
 * Where a request for a page of an area is redirected: to the same address with a complete key replaced by its hint,
 * or, without a session, to the sign-in; null: the request is allowed.
 */
async function redirectOf(path: string, { url = "/", headers }: IncomingMessage): Promise<string | null> {
  const guard = guardOf(decodeURIComponent(path));
  if (guard === null) return null;
  return withoutKey(url) ?? guard(new Headers({ cookie: headers.cookie ?? "" }), url);
}

/** The address of a search for a complete key, with the key's hint instead; null for any other address. */
function withoutKey(address: string): string | null {
  const [path = "", ...rest] = address.split("?");
  const query = new URLSearchParams(rest.join("?"));
  const key = cleanPastedKey(query.get("q") ?? "");
  if (!isKeyShaped(key)) return null;
  query.set("q", keyHint(key));
  return `${path}?${query}`;
}

function sendAway(to: string, response: ServerResponse): void {
  response.setHeader("Cache-Control", "no-store");
  response.writeHead(307, { Location: to }).end();
}
