import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pickFreePort } from "@/db/embedded/cluster";
import { waitUntil } from "./server";
import { temporaryDirectory } from "./temporary-directory";

const CADDY = "/usr/bin/caddy";
const START_MS = 180_000;
const EXAMPLE = fileURLToPath(new URL("../../deploy/Caddyfile", import.meta.url));

/** Whether Caddy is installed where Debian's package puts it. */
export const hasCaddy = existsSync(CADDY);

/**
 * Starts Caddy on a free port with `deploy/Caddyfile`, proxying to `upstreams`. Without a `name` it serves plain HTTP
 * at 127.0.0.1; with one it serves HTTPS for that name with a certificate of its local authority.
 */
export async function startCaddy(
  upstreams: [string, string],
  name: string | null = null,
): Promise<{ url: string; stop: () => void }> {
  const [port, folder] = [await pickFreePort(), temporaryDirectory("signal-caddy-")];
  const own =
    name === null
      ? ""
      : `\n\tlocal_certs\n\tskip_install_trust\n\thttp_port ${await pickFreePort()}\n\thttps_port ${port}`;
  const config = join(folder, "Caddyfile");
  const example = readFileSync(EXAMPLE, "utf8").replace("web1:3000 web2:3000", upstreams.join(" "));
  writeFileSync(config, example.replace(/^{$/m, `{\n\tadmin off${own}`));
  const child: ChildProcess = spawn(CADDY, ["run", "--config", config, "--adapter", "caddyfile"], {
    stdio: "ignore",
    env: {
      PATH: process.env.PATH ?? "",
      HOME: folder,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
      SITE: name ?? `http://127.0.0.1:${port}`,
    } as Partial<NodeJS.ProcessEnv> as NodeJS.ProcessEnv,
  });
  const url = name === null ? `http://127.0.0.1:${port}` : `https://${name}:${port}`;
  await waitUntil(() => takesConnections(port), START_MS);
  return { url, stop: () => child.kill("SIGKILL") };
}

const takesConnections = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("error", () => done(false));
    socket.once("connect", () => {
      socket.destroy();
      done(true);
    });
  });
