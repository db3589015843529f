import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pickFreePort } from "@/db/embedded/cluster";
import { createDatabase, testEnvironment } from "@/tests/support/database";
import { waitUntil } from "@/tests/support/server";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Time for installing the archive's packages and packing 230 MB. */
const PACKAGE_MS = 300_000;
const read = (path: string) => readFileSync(join(root, path), "utf8");
const dockerfile = read("deploy/Dockerfile").replaceAll(/\\\n\s*/g, "");

/** Unpacks the archive by the steps of deploy/Dockerfile, with this folder instead of `/`. Returns its WORKDIR. */
function unpackAsImage(archive: string, folder: string): string {
  const here = (text: string) => text.replaceAll(/(?<=^|\s)\/(?=unpacked|app|data)/g, `${folder}/`);
  const [, workdir = ""] = /^WORKDIR (.+)$/m.exec(dockerfile) ?? [];
  mkdirSync(here(workdir));
  for (const [, step = "", text = ""] of dockerfile.matchAll(/^(ADD|RUN) (.+)$/gm)) {
    const [from = "", to = ""] = text.split(" ");
    if (step === "ADD") {
      expect(from.replace(/\$\{VERSION\}/, JSON.parse(read("package.json")).version)).toBe(archive);
      mkdirSync(here(to));
    }
    const command = step === "ADD" ? `tar -xzf ${archive} -C ${here(to)}` : here(text);
    // The image's user `node` does not exist on this machine.
    const ran = spawnSync("sh", ["-ec", command.replace("chown node:node", "true")], {
      cwd: root,
      encoding: "utf8",
    });
    expect([ran.stderr, ran.status], text).toEqual(["", 0]);
  }
  return here(workdir);
}

describe("the unpacked archive", () => {
  let folder: string;
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
    folder = unpackAsImage(String(file), temporaryDirectory("signal-archive-"));

    database = await createDatabase();
    const port = await pickFreePort();
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
    // npm forwards the signal to the server; a server that still ran would answer.
    expect(await fetch(url).catch(() => null)).toBeNull();
    await database.drop();
  }, 60_000);

  it("the unpacked archive serves pages with the settings of next.config.mjs", async () => {
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

  it("the health checks of the image and the compose file pass at the server's port, and fail at a free one", async () => {
    const [, ofImage = "[]"] = /^HEALTHCHECK .*CMD (\[.*\])$/m.exec(dockerfile) ?? [];
    const [, ofCompose = ""] =
      /^ {4}test: \[CMD, node, -e, "(.+)"\]$/m.exec(read("deploy/compose.yaml")) ?? [];
    const [, , image = ""]: string[] = JSON.parse(ofImage);
    const free = String(await pickFreePort());
    for (const script of [image, ofCompose])
      for (const [port, status] of [
        [new URL(url).port, 0],
        [free, 1],
      ] as const) {
        const text = script.replace("127.0.0.1:3000", `127.0.0.1:${port}`);
        const run = spawnSync(process.execPath, ["-e", text], { env: { ...environment, PORT: port } });
        expect(run.status, text).toBe(status);
      }
  });

  it("the unpacked archive has no image optimiser: its address is 404", async () => {
    for (const address of ["%2Fadmin", "%2Fdocs%2Freference", "%2Ficon.svg"]) {
      const image = await fetch(`${url}/_next/image?url=${address}&w=64&q=75`);
      expect(image.status, address).toBe(404);
      await image.arrayBuffer();
    }
  });

  it("the unpacked archive has a list of its components", () => {
    const { bomFormat, components } = JSON.parse(readFileSync(join(folder, "sbom.json"), "utf8"));
    expect(bomFormat).toBe("CycloneDX");
    const names = components.map(({ name }: { name: string }) => name);
    expect(names).toContain("next");
    expect(names).not.toContain("vitest");
  });

  it("the unpacked archive runs the operators' commands", () => {
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
