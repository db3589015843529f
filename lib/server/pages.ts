import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const Manifest = z.object({
  staticRoutes: z.array(z.object({ page: z.string(), regex: z.string() })),
  dynamicRoutes: z.array(z.object({ page: z.string(), regex: z.string() })),
});

/** Finds the page or handler of the finished build that a path belongs to, so that unknown paths can be told apart. */
export function pageFinder(buildDirectory: string): (path: string) => string | null {
  const manifest = Manifest.parse(
    JSON.parse(readFileSync(join(buildDirectory, "routes-manifest.json"), "utf8")),
  );
  const exact = new Map(manifest.staticRoutes.map((route) => [route.page, route.page]));
  const patterns = manifest.dynamicRoutes.map((route) => ({
    page: route.page,
    regex: new RegExp(route.regex),
  }));
  return (path) => exact.get(path) ?? patterns.find((pattern) => pattern.regex.test(path))?.page ?? null;
}
