import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { brand } from "@/lib/runtime/brand";
import { DATABASE_RETRY_AFTER_SECONDS } from "@/lib/wire/errors";

/** Replaces the site's content security policy: this document has a style element and perhaps the operator's logo. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'";

/**
 * Sends an error page: 503 if a dependency does not answer, else 500. Next's own document is empty until its scripts
 * have run, and its status is always 500.
 */
export function sendFailure(
  request: IncomingMessage,
  response: ServerResponse,
  isUnavailable: boolean,
): void {
  const isAdministration = /^\/admin(?:[/?]|$)/.test(request.url ?? "");
  const failure = !isUnavailable ? BROKEN : isAdministration ? UNAVAILABLE_TO_ADMIN : UNAVAILABLE;
  const canRepeat = isUnavailable && request.method === "POST";
  sendDocument(response, {
    ...failure,
    text: failure.text + (canRepeat ? SEND_AGAIN : ""),
    actions: canRepeat ? backFrom(request, BACK_EMPTY) : actionsFor(request),
  });
}

/** Sends the error page for status 429, to a visitor whose network has requested too many pages. */
export function sendTooMany(request: IncomingMessage, response: ServerResponse, waitSeconds: number): void {
  sendDocument(response, {
    ...TOO_MANY,
    headers: { "Retry-After": String(waitSeconds) },
    actions: actionsFor(request),
  });
}

/** Sends the text of a refused or failed form as a page with a link back; a browser would show the bare text. */
export function sendFormErrorPage(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, text }: { status: number; headers: IncomingHttpHeaders; text: string },
): void {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    KEPT.has(name) && typeof value === "string" ? [[name, value]] : [],
  );
  sendDocument(response, {
    status,
    headers: { ...Object.fromEntries(kept), ...(status === 413 ? { connection: "close" } : {}) },
    title: "That did not work.",
    text: escaped(text.trim()) + (status === 503 ? SEND_AGAIN : ""),
    actions: status === 503 ? backFrom(request, BACK_EMPTY) : backFrom(request),
  });
}

/** Only the browser still has what the person entered; the link back leads to an empty form. */
const SEND_AGAIN = " To send it again with what you entered, reload this page.";
const BACK_EMPTY = "Back (what you entered is lost)";

/** Headers of a refusal that its page keeps. */
const KEPT = new Set(["retry-after", "x-request-id"]);

/** Address of the page of this site that sent the form. If another site sent it, the front page. */
function pageBefore({ headers: { referer = "", host } }: IncomingMessage): string {
  if (!URL.canParse(referer)) return "/";
  const { host: from, pathname, search } = new URL(referer);
  // A link to `//name` leads to another site.
  return from === host && !pathname.startsWith("//") ? pathname + search : "/";
}

/** Links for the visitor. The address of a form answers no GET, so a failed form links back to its page. */
const actionsFor = (request: IncomingMessage) =>
  request.method === "POST" ? backFrom(request) : `<a href="">Try again</a><a href="/status">Status</a>`;

const backFrom = (request: IncomingMessage, label = "Back to the page") =>
  `<a href="${escaped(pageBefore(request))}">${label}</a><a href="/status">Status</a>`;

interface FailureText {
  status: number;
  headers: Record<string, string>;
  title: string;
  text: string;
}

interface Failure extends FailureText {
  actions: string;
}

const BROKEN: FailureText = {
  status: 500,
  headers: {},
  title: "This page failed to load.",
  text: "The failure is on our side and has been recorded. Signals and trade reports do not depend on this page.",
};

const UNAVAILABLE: FailureText = {
  status: 503,
  headers: { "Retry-After": String(DATABASE_RETRY_AFTER_SECONDS) },
  title: "We cannot load this page right now.",
  text: "Your signals and data are safe. Try again in a minute.",
};

/** Administrators decide by these words, and the cause may be an outage. */
const UNAVAILABLE_TO_ADMIN: FailureText = {
  ...UNAVAILABLE,
  text: "The database or the page renderer did not answer in time. Try again in a minute. If it lasts, run npm run doctor on the server.",
};

const TOO_MANY: FailureText = {
  status: 429,
  headers: {},
  title: "Too many pages in a minute.",
  text: "Your network requested more pages than a person reads. Wait a minute, then try again.",
};

function sendDocument(response: ServerResponse, failure: Failure): void {
  const { status, headers } = failure;
  for (const name of ["content-encoding", "transfer-encoding", "link", "etag", "vary"])
    response.removeHeader(name);
  const html = documentOf(failure);
  response.writeHead(status, {
    ...headers,
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": Buffer.byteLength(html),
    "Cache-Control": "no-store",
    "Content-Security-Policy": POLICY,
  });
  response.end(html);
}

/** The built-in logo, used unless the operator has one. */
const MARK = `<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><path d="M2.5 11 10 2.5 17.5 11Z" fill="var(--up)"/><path d="M6.5 13H21.5L14 21.5Z" fill="var(--down)"/></svg>`;

/** Layout and colours of the site's other error pages: this document cannot load the style sheet. */
const STYLE = `
:root { color-scheme: light dark; --paper: light-dark(#f8f7f4, #0f1012); --ink: light-dark(#17181c, #ecebe7);
  --muted: light-dark(#53565e, #abadb4); --raised: light-dark(#fff, #16171a); --line: light-dark(#e4e1da, #292b30);
  --up: light-dark(#08696a, #4fc7bd); --down: light-dark(#ad420c, #ff9868);
  font: 15px/24px Inter, ui-sans-serif, system-ui, sans-serif; background: var(--paper); color: var(--ink); }
* { box-sizing: border-box; }
body { margin: 0 auto; min-height: 100dvh; max-width: 42rem; padding: 0 1.25rem; display: flex; flex-direction: column; }
a { color: inherit; }
header { height: 64px; display: flex; align-items: center; }
header a { display: flex; align-items: center; gap: 8px; font-weight: 600; text-decoration: none; }
header img { height: 24px; width: auto; max-width: 120px; }
main { flex: 1; display: flex; flex-direction: column; justify-content: center; padding: 32px 0 96px; }
h1 { margin: 8px 0 0; font-size: 36px; line-height: 42px; letter-spacing: -0.025em; font-weight: 600; }
p { margin: 16px 0 0; max-width: 52ch; color: var(--muted); }
.status { margin: 0; font-size: 13px; font-weight: 500; }
.actions { display: flex; flex-wrap: wrap; gap: 12px; margin-top: 32px; }
.actions a { height: 40px; padding: 7px 16px; border: 1px solid var(--line); border-radius: 8px; background: var(--raised);
  font-size: 13px; font-weight: 500; text-decoration: none; }
.actions a:first-child { background: var(--ink); border-color: var(--ink); color: var(--paper); }
`;

/** A complete document without scripts or external files. `text` and `actions` are HTML. */
function documentOf({ status, title, text, actions }: Failure): string {
  const { name, logoPath } = brand();
  const logo = logoPath === null ? MARK : `<img src="${escaped(logoPath)}" alt="">`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} | ${escaped(name)}</title>
<style>${STYLE}</style>
</head>
<body>
<header><a href="/">${logo}<span>${escaped(name)}</span></a></header>
<main>
<p class="status">${status}</p>
<h1>${title}</h1>
<p>${text}</p>
<div class="actions">${actions}</div>
</main>
</body>
</html>
`;
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
