import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Arithmetic, which keeps nothing in its modules but caches, and what draws samples for it. */
const ARITHMETIC =
  /^(lib\/(engine|market)\/.*|lib\/(time|signals\/quality\/(calibration-of|slot-calibration))|tests\/lib\/engine\/(synthetic|vectors)|tests\/research\/(perfect-forecasts|pooled-promotions|range-coverage|simulated-walk))\.ts$/;

/**
 * Bundles each module of the arithmetic with those it imports. Vitest reaches an import through an object, with which
 * the tight loops take three to five times the processor time.
 */
export const directCalls = {
  name: "direct-calls",
  enforce: "pre" as const,
  async load(id: string): Promise<string | null> {
    if (!id.startsWith(root) || !ARITHMETIC.test(id.slice(root.length))) return null;
    const { outputFiles } = await build({
      entryPoints: [id],
      bundle: true,
      format: "esm",
      platform: "node",
      plugins: [{ name: "arithmetic alone", setup: takeArithmetic }],
      sourcemap: "inline",
      target: "node20",
      write: false,
    });
    return outputFiles[0]?.text ?? null;
  },
};

/** Other modules are imported as usual, because a second copy would have a state of its own. */
function takeArithmetic({ onResolve }: import("esbuild").PluginBuild): void {
  onResolve({ filter: /^@\// }, ({ path }) => {
    const file = `${path.slice(2)}.ts`;
    return ARITHMETIC.test(file) && existsSync(join(root, file))
      ? { path: join(root, file) }
      : { path, external: true };
  });
  onResolve({ filter: /^[a-z]/ }, ({ kind, path }) =>
    kind === "entry-point" ? null : { path, external: true },
  );
}
