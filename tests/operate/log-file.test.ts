import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { testEnvironment } from "@/tests/support/database";
import { waitUntil } from "@/tests/support/server";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

const root = fileURLToPath(new URL("../..", import.meta.url));

it("SIGHUP reopens LOG_FILE in the process and its threads, and every line stays whole", async () => {
  const directory = temporaryDirectory("signal-log-");
  const [file, former] = [join(directory, "service.log"), join(directory, "service.log.1")];
  const child = spawn(process.execPath, ["--import", "tsx", "tests/operate/log-file-program.ts"], {
    cwd: root,
    env: { PATH: process.env.PATH ?? "", NODE_ENV: "test", LOG_FILE: file, DATA_DIR: directory },
    stdio: "inherit",
  });
  const has = (path: string, who: string) =>
    existsSync(path) && readFileSync(path, "utf8").includes(`"${who}"`);
  try {
    await waitUntil(async () => has(file, "process") && has(file, "thread"), 20_000);
    renameSync(file, former);
    child.kill("SIGHUP");
    await waitUntil(async () => has(file, "process") && has(file, "thread"), 10_000);
    const size = readFileSync(former, "utf8").length;
    await new Promise((done) => setTimeout(done, 200));
    expect(readFileSync(former, "utf8").length).toBe(size);
    expect(child.exitCode).toBeNull();
    for (const path of [file, former])
      for (const line of readFileSync(path, "utf8").trim().split("\n")) JSON.parse(line);
  } finally {
    child.kill("SIGKILL");
  }
});

it("a process that ends before LOG_FILE is open keeps its exit code and prints no library stack", () => {
  const file = join(temporaryDirectory("signal-log-"), "service.log");
  const program = 'import { log } from "./lib/runtime/log.ts"; log("error", "the end"); process.exit(3);';
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "-e", program],
    {
      cwd: root,
      env: {
        PATH: process.env.PATH ?? "",
        ...testEnvironment("postgres://nobody@127.0.0.1:1/none"),
        NODE_ENV: "production",
        LOG_FILE: file,
      },
      encoding: "utf8",
    },
  );
  expect({ status, stderr }).toEqual({ status: 3, stderr: "" });
});
