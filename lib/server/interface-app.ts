import { type Context, Hono } from "hono";
import { type Answer, errorAnswer } from "@/lib/api/answer";
import { factsOf } from "@/lib/api/facts";
import { type RouteHandler, route } from "@/lib/api/route";
import { AppError } from "@/lib/wire/errors";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** A module of the tree that answers one path: its exported methods. */
export type RouteModule = Readonly<Record<string, unknown>>;

/**
 * The interface as one function from Request to Response. Beside the mounted handlers it answers what belongs to
 * HTTP itself: 405 with the methods that a path knows, OPTIONS, HEAD, and 404, all of them before authentication.
 */
export function interfaceApp(mounts: Readonly<Record<string, RouteModule>>): Hono {
  const app = new Hono({ getPath: (request) => interfacePath(request.url) });
  for (const [template, module] of Object.entries(mounts)) {
    const path = template.replaceAll(/\{(\w+)\}/g, ":$1");
    const allowed: string[] = [];
    for (const method of METHODS) {
      const handler = module[method];
      if (!isHandler(handler)) continue;
      allowed.push(...(method === "GET" ? ["GET", "HEAD"] : [method]));
      app.on(method, path, (context) =>
        handler(context.req.raw, { params: Promise.resolve(context.req.param()), template }),
      );
    }
    allowed.push("OPTIONS");
    const otherMethods = route(otherMethod(allowed));
    app.all(path, (context) => otherMethods(context.req.raw, { params: Promise.resolve({}), template }));
  }
  const unknownPath = route(() => {
    throw new AppError("not_found");
  });
  app.notFound((context: Context) =>
    unknownPath(context.req.raw, { params: Promise.resolve({}), template: "unknown" }),
  );
  return app;
}

function otherMethod(allowed: string[]): (request: Request) => Answer {
  const headers = { Allow: allowed.join(", ") };
  return (request) => {
    if (request.method === "OPTIONS")
      return { status: 204, headers: { ...headers, "Cache-Control": "no-store" }, body: null };
    const error = new AppError("method_not_allowed", { headers });
    factsOf(request).code = error.code;
    return errorAnswer(error, factsOf(request).requestId);
  };
}

// Modules export what Next knows as route handlers, all made by `route`.
function isHandler(value: unknown): value is RouteHandler<Record<string, string>> {
  return typeof value === "function";
}

/** Path of an address with repeated and trailing slashes taken out: trading clients join addresses carelessly. */
export function interfacePath(url: string): string {
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3);
  if (start < 0) return "/";
  const query = url.indexOf("?", start);
  const path = query < 0 ? url.slice(start) : url.slice(start, query);
  const collapsed = path.includes("//") ? path.replaceAll(/\/{2,}/g, "/") : path;
  return collapsed.length > 1 && collapsed.endsWith("/") ? collapsed.slice(0, -1) : collapsed;
}
