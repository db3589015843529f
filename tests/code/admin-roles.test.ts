import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { guardOf } from "@/app/guarded-areas";
import { ACTION_ROLES } from "@/lib/access/people/roles";
import { SETTINGS } from "@/lib/settings/registry";

const area = fileURLToPath(new URL("../../app/admin/(area)", import.meta.url));

/** Handlers that look the form up in the settings registry. */
const isOfRegistry = (path: string) =>
  / = settingFormHandler\(|return settingFormHandler\(/.test(readFileSync(join(area, path), "utf8"));

/** Names of the administration's forms and files, from their handlers. */
function actions(): string[] {
  return readdirSync(area, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith("route.ts"))
    .flatMap((path) => {
      // Settings forms are named after their registry entries.
      if (isOfRegistry(path)) return SETTINGS.map(({ form }) => form);
      const text = readFileSync(join(area, path), "utf8");
      const names = [...text.matchAll(/^(?:const NAME =| {2,4}name:) "([^"]+)"/gm)].map(
        ([, name = ""]) => name,
      );
      return names.length > 0 ? names : [`${path} says no name`];
    });
}

describe("roles of the administration", () => {
  it("every form and file of the administration has a role defined, and no role is defined without one", () => {
    expect(actions().length).toBeGreaterThan(20);
    expect(Object.keys(ACTION_ROLES).toSorted()).toEqual([...new Set(actions())].toSorted());
  });

  it("no administration page has a plain form, and every action that a page's form names has a role defined", () => {
    const pages = readdirSync(area, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".tsx") && path !== "layout.tsx")
      .map((path) => ({ path, text: readFileSync(join(area, path), "utf8") }));
    const bare = pages.filter(({ text }) => /<form[^>]*method="post"|<ConfirmDialog/.test(text));
    expect(bare.map(({ path }) => path)).toEqual([]);
    const needs = pages.flatMap(({ text }) =>
      [...text.matchAll(/needs="([^"]+)"/g)].map(([, name = ""]) => name),
    );
    expect(needs.length).toBeGreaterThan(40);
    expect(needs.filter((name) => !(name in ACTION_ROLES))).toEqual([]);
  });

  it("the sign-in addresses of the administration are open to everyone, and four others have a guard", () => {
    for (const path of ["/admin/sign-in", "/admin/sign-in/link", "/admin/sign-in/oidc"])
      expect(guardOf(path), path).toBeNull();
    for (const path of ["/admin", "/admin/settings/people", "/admin/recovery-codes", "/admin/sign-in/other"])
      expect(guardOf(path), path).not.toBeNull();
  });

  it("every handler of a form or file in the administration has the guard adminOnly", () => {
    const unguarded = readdirSync(area, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith("route.ts"))
      .map((path) => (isOfRegistry(path) ? "settings/_components/setting-form-handler.ts" : path))
      .filter((path) => {
        const guards = readFileSync(join(area, path), "utf8").match(/guard: \w+/g) ?? [];
        return guards.length === 0 || guards.some((guard) => guard !== "guard: adminOnly");
      });
    expect(unguarded).toEqual([]);
  });
});
