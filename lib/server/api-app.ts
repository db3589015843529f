import { type Answer, errorAnswer } from "@/lib/api/answer";
import { requestFactsOf } from "@/lib/api/request-facts";
import { type RouteHandler, route } from "@/lib/api/route";
import { AppError } from "@/lib/wire/errors";
import { decodedPath } from "./request-target";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** A route module: the handlers that it exports for one path. */
export type RouteModule = Readonly<Record<string, unknown>>;

/** One path of the API: a handler per method, and one for all other methods. */
interface Endpoint {
  template: string;
  handlers: ReadonlyMap<string, RouteHandler<Record<string, string>>>;
  otherMethods: RouteHandler;
}

/** The endpoint of a path, with the parameters of the path. */
export interface PathMatch {
  endpoint: Endpoint;
  params: Record<string, string>;
}

export interface ApiApp {
  /** The endpoint of a path without query; null: not a path of the API. */
  match(path: string): PathMatch | null;
  /** Answers a request; 404 if no endpoint matches. */
  fetch(request: Request): Promise<Response>;
}

/**
 * The API as a function from Request to Response. It mounts the handlers and answers HTTP basics before authentication: 405
 * with the allowed methods, OPTIONS, HEAD and 404.
 */
export function apiApp(mounts: Readonly<Record<string, RouteModule>>): ApiApp {
  const match = pathMatcher(Object.entries(mounts).map(([template, module]) => endpoint(template, module)));
  const fetch = (request: Request): Promise<Response> => {
    const found = match(normalizedPath(request.url));
    return request.method === "HEAD"
      ? answerAs("GET", request, found).then(withoutBody)
      : answerAs(request.method, request, found);
  };
  return { match, fetch };
}

function endpoint(template: string, module: RouteModule): Endpoint {
  const handlers = new Map(
    METHODS.flatMap((method) => {
      const handler = module[method];
      return isHandler(handler) ? [[method, handler] as const] : [];
    }),
  );
  const allowed = [...handlers.keys()].flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return { template, handlers, otherMethods: route(otherMethod([...allowed, "OPTIONS"])) };
}

function pathMatcher(endpoints: Endpoint[]): (path: string) => PathMatch | null {
  const exact = new Map(
    endpoints.filter(({ template }) => !template.includes("{")).map((found) => [found.template, found]),
  );
  const patterns = endpoints
    .filter(({ template }) => template.includes("{"))
    .map((found) => ({
      found,
      pattern: new RegExp(`^${found.template.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`),
    }));
  return (path) => {
    const found = exact.get(path);
    if (found) return { endpoint: found, params: {} };
    for (const { found, pattern } of patterns) {
      const groups = pattern.exec(path)?.groups;
      if (groups) return { endpoint: found, params: mapValues(groups, (part) => decodedPath(part) ?? part) };
    }
    return null;
  };
}

const mapValues = (values: Record<string, string>, change: (value: string) => string) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));

const unknownPath = route(() => {
  throw new AppError("not_found");
});

function answerAs(method: string, request: Request, match: PathMatch | null): Promise<Response> {
  if (match === null) return unknownPath(request, { params: Promise.resolve({}), template: "unknown" });
  const { endpoint, params } = match;
  const handler = endpoint.handlers.get(method) ?? endpoint.otherMethods;
  return handler(request, { params: Promise.resolve(params), template: endpoint.template });
}

/** The response without its body, for HEAD. The body is cancelled, because an unread stream would continue. */
async function withoutBody({ status, headers, body }: Response): Promise<Response> {
  await body?.cancel();
  return new Response(null, { status, headers });
}

function otherMethod(allowed: string[]): (request: Request) => Answer {
  const headers = { Allow: allowed.join(", ") };
  return (request) => {
    if (request.method === "OPTIONS")
      return { status: 204, headers: { ...headers, "Cache-Control": "no-store" }, body: null };
    const error = new AppError("method_not_allowed", { headers });
    requestFactsOf(request).code = error.code;
    return errorAnswer(error, requestFactsOf(request).requestId);
  };
}

// Being a function is enough: route modules export only handlers of `route`, named by method.
function isHandler(value: unknown): value is RouteHandler<Record<string, string>> {
  return typeof value === "function";
}

/** The path with repeated and trailing slashes removed, because trading clients join addresses carelessly. */
export function normalizedPath(url: string): string {
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3);
  if (start < 0) return "/";
  const query = url.indexOf("?", start);
  const path = query < 0 ? url.slice(start) : url.slice(start, query);
  const collapsed = path.includes("//") ? path.replaceAll(/\/{2,}/g, "/") : path;
  return collapsed.length > 1 && collapsed.endsWith("/") ? collapsed.slice(0, -1) : collapsed;
}
