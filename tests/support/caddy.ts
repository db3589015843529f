import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort, waitUntil } from "./server";
import { temporaryDirectory } from "./temporary-directory";

const CADDY = "/usr/bin/caddy";
const START_MS = 180_000;
const EXAMPLE = fileURLToPath(new URL("../../deploy/Caddyfile", import.meta.url));

/** Debian's package is enough. */
export const hasCaddy = existsSync(CADDY);

/** Caddy with the example as it is, but for its replicas, and for plain HTTP in the place of a public name. */
export async function startCaddy(upstreams: [string, string]): Promise<{ url: string; stop: () => void }> {
  const [port, folder] = [await freePort(), temporaryDirectory("signal-caddy-")];
  const config = join(folder, "Caddyfile");
  const example = readFileSync(EXAMPLE, "utf8").replace("web1:3000 web2:3000", upstreams.join(" "));
  writeFileSync(config, example.replace(/^{$/m, "{\n\tadmin off"));
  const child: ChildProcess = spawn(CADDY, ["run", "--config", config, "--adapter", "caddyfile"], {
    stdio: "ignore",
    env: {
      PATH: process.env.PATH ?? "",
      HOME: folder,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
      SITE: `http://127.0.0.1:${port}`,
    } as Partial<NodeJS.ProcessEnv> as NodeJS.ProcessEnv,
  });
  const url = `http://127.0.0.1:${port}`;
  await waitUntil(async () => (await fetch(`${url}/api/health/live`).catch(() => null)) !== null, START_MS);
  return { url, stop: () => child.kill("SIGKILL") };
}
