import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";

/** Between two pages everything else has its turn, for as long at least as the page took. */
const LEAST_PAUSE_MS = 20;

const Manifest = z.record(z.string(), z.string());

/**
 * Loads the code of every page of the finished build, one after the other, so that the first visitor of one holds up
 * nobody's polls. Next does it in one go, for a second and more: right after a start, when all clients come back, nothing
 * else would be answered in that time.
 */
export async function preloadPages(buildDirectory: string, stop: AbortSignal): Promise<void> {
  // It wants the environment that Next prepares.
  const { loadComponents } = await import("next/dist/server/load-components.js");
  const manifest = readFileSync(join(buildDirectory, "server", "app-paths-manifest.json"), "utf8");
  let tookMs = 0;
  for (const page of Object.keys(Manifest.parse(JSON.parse(manifest)))) {
    await pause(Math.max(LEAST_PAUSE_MS, tookMs));
    if (stop.aborted) return;
    const startedAt = performance.now();
    await loadComponents({
      distDir: buildDirectory,
      page,
      isAppPath: true,
      isDev: false,
      sriEnabled: false,
      needsManifestsForLegacyReasons: false,
    }).catch(() => {
      // Whoever asks for the page meets the failure, and it is noted then.
    });
    tookMs = performance.now() - startedAt;
  }
}
