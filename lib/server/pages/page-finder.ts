import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const Manifest = z.object({
  staticRoutes: z.array(z.object({ page: z.string(), regex: z.string() })),
  dynamicRoutes: z.array(z.object({ page: z.string(), regex: z.string() })),
  rewrites: z.object({ afterFiles: z.array(z.object({ regex: z.string(), destination: z.string() })) }),
});

const Sources = z.record(z.string(), z.string());

export interface FoundPage {
  /** The route template, with parameters in brackets. */
  template: string;
  /** A page and a file accept GET and HEAD; a handler accepts forms as well. */
  kind: "page" | "handler" | "file";
}

/** Returns a function that finds the page or handler for a path in the build; null: unknown path. */
export function pageFinder(buildDirectory: string): (path: string) => FoundPage | null {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(buildDirectory, file), "utf8"));
  const manifest = Manifest.parse(read("routes-manifest.json"));
  const sources = Object.entries(Sources.parse(read("app-path-routes-manifest.json")));
  const handlers = new Set(
    sources.filter(([source]) => source.endsWith("/route")).map(([, template]) => template),
  );
  const found = (template: string): FoundPage => ({
    template,
    kind: handlers.has(template) ? "handler" : "page",
  });
  const exact = new Map(manifest.staticRoutes.map(({ page }) => [page, found(page)]));
  const rewritten = manifest.rewrites.afterFiles.map(({ destination, regex }) => ({
    page: destination.replaceAll(/:(\w+)/g, "[$1]"),
    regex,
  }));
  const patterns = [...rewritten, ...manifest.dynamicRoutes].map(({ page, regex }) => ({
    page: found(page),
    regex: new RegExp(regex),
  }));
  return (path) => exact.get(path) ?? patterns.find((pattern) => pattern.regex.test(path))?.page ?? null;
}
