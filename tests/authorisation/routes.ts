import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { OPERATIONS } from "@/app/operations.generated";
import { SETTINGS } from "@/lib/settings/registry";

const app = fileURLToPath(new URL("../../app", import.meta.url));

/** One method of one path. */
export interface Route {
  /** `GET /admin/keys/{key_id}` or `POST /portal/settings/act?intent=save`, as in the table. */
  name: string;
  method: string;
  template: string;
  kind: "page" | "handler";
}

/** Every method of every path in the page tree and the OpenAPI document. */
export function listRoutes(): Route[] {
  const routes = new Map<string, Route>();
  const add = (method: string, template: string, kind: Route["kind"]) => {
    const name = `${method} ${template}`;
    routes.set(name, { name, method, template, kind });
  };
  for (const entry of readdirSync(app, { recursive: true, withFileTypes: true })) {
    const template = templateOf(relative(app, entry.parentPath));
    if (entry.name === "page.tsx") add("GET", template, "page");
    if (entry.name !== "route.ts") continue;
    const file = join(entry.parentPath, entry.name);
    const forms = intentsOf(file);
    for (const intent of forms) add("POST", `${template}?intent=${intent}`, "handler");
    if (forms.length > 0) continue;
    // One handler serves the forms of all settings, so each is listed with its own address.
    const templates =
      template === "/admin/settings/{page}/{form}"
        ? SETTINGS.map(({ address }) => `/admin/settings/${address}`)
        : [template];
    for (const method of methodsOf(file)) for (const each of templates) add(method, each, "handler");
  }
  for (const { method, path } of OPERATIONS) add(method.toUpperCase(), path, "handler");
  return [...routes.values()].sort((a, b) => a.name.localeCompare(b.name));
}

/** A folder of the tree as an address: groups in parentheses are dropped, parameters get braces. */
function templateOf(folder: string): string {
  const parts = folder.split("/").filter((part) => part !== "" && !part.startsWith("("));
  return `/${parts.map((part) => part.replace(/^\[(?:\.\.\.)?(\w+)\]$/, "{$1}")).join("/")}`;
}

/** The form intents that a module handles. */
function intentsOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  if (!text.includes("dispatchByIntent({")) return [];
  const found = [...text.matchAll(/^ {2}(?:(\w+)|"([\w-]+)"): formRoute\(/gm)];
  if (found.length !== text.match(/formRoute\(/g)?.length)
    throw new Error(`${file}: a form without an intent`);
  return found.map(([, plain, quoted]) => plain ?? quoted ?? "");
}

/** The HTTP methods that a module exports, directly or renamed. */
function methodsOf(file: string): string[] {
  const exported = readFileSync(file, "utf8").matchAll(
    /^export (?:const|async function|function|\{([^}]*)\})\s?(\w+)?/gm,
  );
  const names = [...exported].flatMap(([, list, name = ""]) =>
    list === undefined ? [name] : list.split(",").map((part) => part.trim().split(" as ").at(-1) ?? ""),
  );
  return names.filter((name) => /^(GET|POST|PUT|PATCH|DELETE)$/.test(name));
}
