import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase, testEnvironment } from "@/tests/support/database";
import { freePort, waitUntil } from "@/tests/support/server";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Installs the packages of the archive and packs 230 MB. */
const PACKAGE_MS = 300_000;

describe("the unpacked archive", () => {
  const folder = temporaryDirectory("signal-archive-");
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let environment: NodeJS.ProcessEnv;
  let server: ChildProcess;
  let url: string;

  beforeAll(async () => {
    const packed = spawnSync(process.execPath, ["lib/server/package.mjs"], { cwd: root, encoding: "utf8" });
    const [file] = /dist\/\S+\.tar\.gz/.exec(packed.stdout) ?? [];
    expect(file, packed.stderr).toBeDefined();
    const checked = spawnSync("sha256sum", ["--check", `${file}.sha256`.replace("dist/", "")], {
      cwd: `${root}dist`,
    });
    expect(checked.status).toBe(0);
    const unpacked = spawnSync("tar", ["-xzf", String(file), "--strip-components=1", "-C", folder], {
      cwd: root,
    });
    expect(unpacked.status).toBe(0);

    database = await createDatabase();
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    environment = {
      PATH: process.env.PATH,
      ...testEnvironment(database.url, {
        MARKET_FEED: "demo",
        HOST: "127.0.0.1",
        PORT: String(port),
        LOG_FILE: "",
      }),
    } as Partial<NodeJS.ProcessEnv> as NodeJS.ProcessEnv;
    server = spawn("npm", ["start"], { cwd: folder, env: environment, stdio: "ignore" });
    await waitUntil(
      async () => (await fetch(`${url}/api/health/ready`).catch(() => null))?.status === 200,
      60_000,
    );
  }, PACKAGE_MS);
  afterAll(async () => {
    const ended = once(server, "exit");
    server.kill("SIGTERM");
    await ended;
    // npm passes the signal on; a server that went on would still answer.
    expect(await fetch(url).catch(() => null)).toBeNull();
    await database.drop();
  }, 60_000);

  it("answers pages with the settings of next.config.mjs", async () => {
    const page = await fetch(`${url}/`);
    const text = await page.text();
    expect(page.status).toBe(200);
    expect(page.headers.get("x-powered-by")).toBeNull();
    const [script] = /\/enhance\.js\?v=[0-9a-f]+/.exec(text) ?? [];
    const file = await fetch(`${url}${script}`);
    expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    const markdown = await fetch(`${url}/docs/signals.md`);
    expect([markdown.status, markdown.headers.get("content-type")]).toEqual([
      200,
      "text/markdown; charset=utf-8",
    ]);
  });

  it("has no image optimiser", async () => {
    for (const address of ["%2Fadmin", "%2Fdocs%2Freference", "%2Ficon.svg"]) {
      const image = await fetch(`${url}/_next/image?url=${address}&w=64&q=75`);
      expect(image.status, address).toBe(404);
      await image.arrayBuffer();
    }
  });

  it("names its parts", () => {
    const { bomFormat, components } = JSON.parse(readFileSync(join(folder, "sbom.json"), "utf8"));
    expect(bomFormat).toBe("CycloneDX");
    const names = components.map(({ name }: { name: string }) => name);
    expect(names).toContain("next");
    expect(names).not.toContain("vitest");
  });

  it("runs the operators' commands", () => {
    const run = (...words: string[]) =>
      spawnSync("npm", ["run", "--silent", ...words], { cwd: folder, env: environment, encoding: "utf8" });
    const exported = run("settings", "--", "export");
    expect(exported.status, exported.stderr).toBe(0);
    expect(JSON.parse(exported.stdout)).toHaveProperty("plans");
    for (const command of ["ingest", "webhook", "ea", "restore"]) {
      const { status, stderr } = run(command, "--", "--wrong");
      expect([status, stderr], command).toEqual([2, expect.stringContaining(`npm run ${command}`)]);
    }
  });
});
