import { expect } from "vitest";
import { settingFormHandler } from "@/app/admin/(area)/settings/_components/setting-form-handler";
import { POST as signIn } from "@/app/admin/sign-in/enter/route";
import { db } from "@/db/client";
import { authenticateAdminSession } from "@/lib/auth/admin-session";
import { consumeFlash, type Flash } from "@/lib/auth/flash";
import { SETTINGS_BY_NAME, type SettingName } from "@/lib/settings/registry";
import { ADMIN_SECRET } from "./database";

/** A form handler under /admin: a route handler with the signature that Next expects. */
export type AdminFormHandler<P> = (request: Request, context: { params: Promise<P> }) => Promise<Response>;

export interface PostOptions {
  /** Cookie header; without it the request has no session. */
  cookie?: string | null;
  headers?: Record<string, string>;
  address?: string;
}

/** The request that a browser sends when a form of the site itself is posted. */
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

/** Signs in with the administrator secret. Returns the session cookie as `name=value`. */
export async function signInAdmin(secret = ADMIN_SECRET, address?: string): Promise<string> {
  const answer = await signIn(
    formRequest("/admin/sign-in/enter", { secret, next: "/admin" }, { ...(address ? { address } : {}) }),
  );
  const cookie = answer.headers.get("set-cookie")?.split(";")[0];
  if (!cookie) throw new Error(`not signed in: ${answer.status} ${answer.headers.get("location")}`);
  return cookie;
}

/** Calls an administrator's form handler with these fields. Returns its response. */
export function postAdminForm<P>(
  handler: AdminFormHandler<P>,
  params: P,
  fields: Record<string, string>,
  options: PostOptions = {},
): Promise<Response> {
  return handler(formRequest("/admin/form", fields, options), { params: Promise.resolve(params) });
}

/** Removes and returns the session's flash notice, which the administrator's next page would show. */
export async function takeFlash(cookie: string): Promise<Flash | null> {
  const session = await authenticateAdminSession(cookie.split("=")[1] ?? "");
  if (session === null) throw new Error("the session has ended");
  return consumeFlash(db(), session.sessionId);
}

/** The form handler of a setting. */
export const formHandlerOfSetting = (name: SettingName): AdminFormHandler<Record<string, never>> =>
  settingFormHandler(SETTINGS_BY_NAME[name].address);

/** Posts a form, expects a redirect (303), and removes and returns the flash notice that the form left. */
export async function postFormForFlash<P>(
  handler: AdminFormHandler<P>,
  params: P,
  fields: Record<string, string>,
  cookie: string,
): Promise<Flash | null> {
  expect((await postAdminForm(handler, params, fields, { cookie })).status).toBe(303);
  return takeFlash(cookie);
}

/** Previews a setting's form, then confirms it. Returns the preview. */
export async function storeSetting<P>(
  handler: AdminFormHandler<P>,
  params: P,
  fields: Record<string, string>,
  cookie: string,
): Promise<Extract<Flash, { kind: "preview" }>> {
  const preview = await postFormForFlash(handler, params, fields, cookie);
  if (preview?.kind !== "preview") throw new Error(`no preview: ${JSON.stringify(preview)}`);
  expect(await postFormForFlash(handler, params, { ...fields, mark: preview.mark }, cookie)).toMatchObject({
    kind: "done",
  });
  return preview;
}
