import "next/dist/server/node-environment";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { preloadPages } from "@/lib/server/pages/preload-pages";

const build = fileURLToPath(new URL("../../../../.next", import.meta.url));
const { cache } = createRequire(import.meta.url);
const loaded = () => Object.keys(cache).filter((file) => file.startsWith(`${build}/server/app/`)).length;

it("loads one page after the other, lets everything else have its turn between, and ends when it is told to", async () => {
  const stop = new AbortController();
  const seen: number[] = [];
  const timer = setInterval(() => {
    seen.push(loaded());
    if (loaded() >= 10) stop.abort();
  }, 5);
  await preloadPages(build, stop.signal);
  clearInterval(timer);
  expect(loaded()).toBe(10);
  for (let n = 1; n <= 10; n++) expect(seen).toContain(n);
});
