import { POST as signIn } from "@/app/admin/sign-in/enter/route";
import { ADMIN_SECRET } from "./database";

/** A handler of the administrator's area as Next calls it. */
export type AreaHandler<P> = (request: Request, context: { params: Promise<P> }) => Promise<Response>;

export interface PostOptions {
  /** Cookie header; without it the request is signed out. */
  cookie?: string | null;
  headers?: Record<string, string>;
  address?: string;
}

/** A form post as a browser sends it from a page of this site. */
export function formRequest(
  path: string,
  fields: Record<string, string>,
  options: PostOptions = {},
): Request {
  const headers = new Headers({
    "Content-Type": "application/x-www-form-urlencoded",
    "Sec-Fetch-Site": "same-origin",
    Origin: "https://signals.example.test",
    "User-Agent": "a browser",
    "x-client-address": options.address ?? "198.51.100.7",
    ...options.headers,
  });
  if (options.cookie) headers.set("Cookie", options.cookie);
  return new Request(`https://signals.example.test${path}`, {
    method: "POST",
    headers,
    body: new URLSearchParams(fields).toString(),
  });
}

/** Signs in as the administrator. Returns the cookie to send along. */
export async function signInAdmin(secret = ADMIN_SECRET, address?: string): Promise<string> {
  const answer = await signIn(
    formRequest("/admin/sign-in/enter", { secret, next: "/admin" }, { ...(address ? { address } : {}) }),
  );
  const cookie = answer.headers.get("set-cookie")?.split(";")[0];
  if (!cookie) throw new Error(`not signed in: ${answer.status} ${answer.headers.get("location")}`);
  return cookie;
}

/** Posts a form to a handler of the area. */
export function post<P>(
  handler: AreaHandler<P>,
  params: P,
  fields: Record<string, string>,
  options: PostOptions = {},
): Promise<Response> {
  return handler(formRequest("/admin/form", fields, options), { params: Promise.resolve(params) });
}
