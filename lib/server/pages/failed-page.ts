import type { ServerResponse } from "node:http";
import { brand } from "@/lib/runtime/brand";
import { RECOVERY_SECONDS } from "@/lib/wire/errors";

/** Replaces the policy of the site: this document has a style element and nothing else. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

/**
 * Answers that a page could not be made: 503 when something it needs does not answer now, else 500. Next's own document is
 * empty until its scripts have run, and always says 500.
 */
export function sendFailure(response: ServerResponse, isUnavailable: boolean): void {
  sendDocument(response, isUnavailable ? UNAVAILABLE : BROKEN);
}

/** Answers that an address asked for too many pages. */
export function sendTooMany(response: ServerResponse, waitSeconds: number): void {
  sendDocument(response, { ...TOO_MANY, headers: { "Retry-After": String(waitSeconds) } });
}

interface Failure {
  status: number;
  headers: Record<string, string>;
  title: string;
  text: string;
}

const BROKEN: Failure = {
  status: 500,
  headers: {},
  title: "This page could not be made.",
  text: "The failure is on our side and has been recorded. Signals and reports go on independently of this page.",
};

const UNAVAILABLE: Failure = {
  status: 503,
  headers: { "Retry-After": String(RECOVERY_SECONDS) },
  title: "This page cannot be made just now.",
  text: "What it shows could not be read in time. Nothing is lost: load the page again in a moment.",
};

const TOO_MANY: Failure = {
  status: 429,
  headers: {},
  title: "Too many pages in a minute.",
  text: "Your address asked for more pages than a person reads. Wait a minute, then load the page again.",
};

function sendDocument(response: ServerResponse, { status, headers, title, text }: Failure): void {
  for (const name of ["content-encoding", "transfer-encoding", "link", "etag", "vary"])
    response.removeHeader(name);
  const html = documentOf(status, title, text);
  response.writeHead(status, {
    ...headers,
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": Buffer.byteLength(html),
    "Cache-Control": "no-store",
    "Content-Security-Policy": POLICY,
  });
  response.end(html);
}

/** A whole page without a script or a file of its own. Every text but the name is a constant of the source. */
function documentOf(status: number, title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} | ${escaped(brand().name)}</title>
<style>
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5; }
main { max-width: 40rem; margin: 20vh auto 0; padding: 0 1.5rem; }
a { color: inherit; }
</style>
</head>
<body>
<main>
<p>${status}</p>
<h1>${title}</h1>
<p>${text}</p>
<p><a href="">Try again</a> or see the <a href="/status">status page</a>.</p>
</main>
</body>
</html>
`;
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
