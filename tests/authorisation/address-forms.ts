import type { Route } from "./routes";

export interface RequestSpelling {
  method: string;
  path: string;
  headers: Record<string, string>;
}

/** A spelling of a route's address. */
export interface AddressForm {
  name: string;
  /**
   * `same`: the answer has the status that the table gives for the plain address. `no-way-in`: the answer may differ, but
   * does not admit a caller whom the plain address refuses.
   */
  expects: "same" | "no-way-in";
  applies: (route: Route) => boolean;
  spell: (plain: RequestSpelling) => RequestSpelling;
}

const all = () => true;
const isRead = ({ method }: Route) => method === "GET";
/** Next serves pages, and has further spellings of their addresses. */
const isPage = ({ kind }: Route) => kind === "page";
/** Changes the spelling of the path and keeps the query, which names the intent of an HTML form. */
const path = (change: (path: string) => string) => (plain: RequestSpelling) => ({
  ...plain,
  path: plain.path.replace(/^[^?]+/, change),
});
const headers = (more: Record<string, string>) => (plain: RequestSpelling) => ({
  ...plain,
  headers: { ...plain.headers, ...more },
});
const encoded = (letter: string) => `%${letter.charCodeAt(0).toString(16)}`;

export const ADDRESS_FORMS: readonly AddressForm[] = [
  { name: "as it is", expects: "same", applies: all, spell: (plain) => plain },
  { name: "by HEAD", expects: "same", applies: isRead, spell: (plain) => ({ ...plain, method: "HEAD" }) },
  { name: "by a browser", expects: "same", applies: all, spell: headers({ Accept: "text/html" }) },
  {
    name: "with headers that speak of other addresses and methods",
    expects: "same",
    applies: all,
    spell: headers({
      "X-Original-URL": "/",
      "X-Rewrite-URL": "/",
      "X-Forwarded-Host": "localhost",
      "X-HTTP-Method-Override": "OPTIONS",
      "X-Client-Address": "127.0.0.1",
      "X-Middleware-Subrequest": "middleware:middleware:middleware:middleware:middleware",
      "X-Matched-Path": "/",
      "X-Nextjs-Data": "1",
    }),
  },
  {
    name: "with a slash at its end",
    expects: "no-way-in",
    applies: all,
    spell: path((plain) => `${plain}/`),
  },
  {
    name: "with doubled slashes",
    expects: "no-way-in",
    applies: all,
    spell: path((plain) => plain.replaceAll("/", "//")),
  },
  { name: "by way of dots", expects: "no-way-in", applies: all, spell: path((plain) => `/docs/..${plain}`) },
  {
    name: "with a letter percent-encoded",
    expects: "no-way-in",
    applies: all,
    spell: path((plain) => plain.replace(/[a-z]/, encoded)),
  },
  {
    name: "with its last letter percent-encoded",
    expects: "no-way-in",
    applies: all,
    spell: path((plain) => plain.replace(/[a-z](?=[^a-z]*$)/, encoded)),
  },
  { name: "in capitals", expects: "no-way-in", applies: all, spell: path((plain) => plain.toUpperCase()) },
  {
    name: "with a path parameter",
    expects: "no-way-in",
    applies: all,
    spell: path((plain) => `${plain};a=1`),
  },
  { name: "with a zero byte", expects: "no-way-in", applies: all, spell: path((plain) => `${plain}%00`) },
  {
    name: "with backslashes",
    expects: "no-way-in",
    applies: all,
    spell: path((plain) => `/${plain.slice(1).replaceAll("/", "\\")}`),
  },
  {
    name: "as data by its ending",
    expects: "no-way-in",
    applies: all,
    spell: path((plain) => `${plain}.rsc`),
  },
  {
    name: "as a segment by its ending",
    expects: "no-way-in",
    applies: isPage,
    spell: path((plain) => `${plain}.segments/_tree.segment.rsc`),
  },
  {
    name: "as the router's data",
    expects: "no-way-in",
    applies: isRead,
    spell: (plain) => headers({ RSC: "1" })(path((at) => `${at}?_rsc=abc`)(plain)),
  },
  {
    name: "as a segment fetched ahead",
    expects: "no-way-in",
    applies: isPage,
    spell: (plain) =>
      headers({ RSC: "1", "Next-Router-Prefetch": "1", "Next-Router-Segment-Prefetch": "/_tree" })(
        path((at) => `${at}?_rsc=abc`)(plain),
      ),
  },
];
