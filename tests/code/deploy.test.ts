import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { VARIABLE_NAMES } from "@/lib/runtime/variables";
import { COMMANDS } from "@/lib/server/start.mjs";
import { runbookCommands, runbookEnvironment } from "@/tests/operate/runbook";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");

describe("the deploy folder", () => {
  it("every alert has one runbook entry", () => {
    const alerts = [...read("deploy/prometheus/alerts.yml").matchAll(/- alert: (\w+)/g)].map(
      ([, name]) => name,
    );
    const entries = [...read("docs/operations/alerts.md").matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
    expect(alerts.length).toBeGreaterThan(5);
    expect(entries).toEqual(alerts);
  });

  it("the alerts and the dashboard use only metrics that the service exports", () => {
    const written = read("lib/health/read-gauges.ts") + read("lib/runtime/metrics.ts");
    const asking = read("deploy/prometheus/alerts.yml") + read("deploy/grafana/dashboard.json");
    const asked = [...asking.matchAll(/\bsds_(\w+?)(?:_bucket|(?<=duration_seconds)_count)?\b/g)].map(
      ([, name]) => name ?? "",
    );
    expect(asked.length).toBeGreaterThan(5);
    expect(
      asked.filter((name) => !written.includes(`"${name}"`) && !written.includes(`"sds_${name}"`)),
    ).toEqual([]);
  });

  // Skipped without systemd.
  it.skipIf(!existsSync("/usr/bin/systemd-analyze"))("systemd-analyze verifies the units", () => {
    const folder = temporaryDirectory("signal-units-");
    const units = ["signal-delivery-service@3001.service", "signal-delivery-worker.service"].map((name) => {
      const file = join(folder, name);
      copyFileSync(
        fileURLToPath(new URL(`../../deploy/systemd/${name.replace("3001", "")}`, import.meta.url)),
        file,
      );
      return file;
    });
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", ...units], {
      encoding: "utf8",
    });
    const about = stderr.split("\n").filter((line) => line.includes("signal-delivery"));
    expect({ status, about }).toEqual({ status: 0, about: [] });
  });

  // Skipped without systemd.
  it.skipIf(!existsSync("/usr/bin/systemd-analyze"))(
    "each systemd unit has an exposure level below 2",
    () => {
      for (const name of ["signal-delivery-service@.service", "signal-delivery-worker.service"]) {
        const file = fileURLToPath(new URL(`../../deploy/systemd/${name}`, import.meta.url));
        const { stdout } = spawnSync("systemd-analyze", ["security", "--offline=true", "--no-pager", file], {
          encoding: "utf8",
        });
        const [, exposure] = /Overall exposure level for \S+ (\d+\.\d)/.exec(stdout) ?? [];
        expect(Number(exposure), stdout).toBeLessThan(2);
      }
    },
  );

  // Skipped without Prometheus; Debian's package is sufficient.
  it.skipIf(!existsSync("/usr/bin/promtool"))(
    "the alert rules pass their promtool tests",
    { timeout: 180_000 },
    () => {
      const folder = fileURLToPath(new URL("../../deploy/prometheus", import.meta.url));
      const { status, stdout, stderr } = spawnSync(
        "promtool",
        ["test", "rules", "tests.yml", "tests-of-days.yml"],
        {
          cwd: folder,
          encoding: "utf8",
        },
      );
      expect(status, stdout + stderr).toBe(0);
    },
  );

  it("every command of the runbook script is in the runbook", () => {
    const script = read("tests/operate/disaster.ts");
    const said = [...script.matchAll(/\brun\(\s*"([^"]+)"/g)].map(([, command]) => command ?? "");
    expect(said.length).toBeGreaterThan(15);
    expect(said.filter((command) => !runbookCommands().includes(command))).toEqual([]);
    expect(Object.keys(runbookEnvironment())).toContain("METRICS_TOKEN");
  });

  it("compose.yaml sets only variables that the service reads", () => {
    const set = [...read("deploy/compose.yaml").matchAll(/^ {4,6}([A-Z][A-Z_]+): /gm)].map(
      ([, name]) => name ?? "",
    );
    const others = /^(POSTGRES_\w+|SITE)$/;
    expect(set.length).toBeGreaterThan(6);
    expect(set.filter((name) => !others.test(name) && !VARIABLE_NAMES.includes(name))).toEqual([]);
  });

  it("documents name only existing npm commands, and each operator's command has its script", () => {
    const { scripts } = JSON.parse(read("package.json"));
    const files = ["README.md", "docs/commands.md", "docs/operations/README.md", "docs/operations/alerts.md"];
    const text = files.map(read).join("\n");
    const named = [...text.matchAll(/\bnpm run ([a-z:]+)/g)].map(([, name]) => name ?? "");
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    for (const name of COMMANDS) expect(scripts[name]).toBe(`tsx lib/commands/${name}.ts`);
  });

  it("package, API, client and changelog have the same version", () => {
    const { version } = JSON.parse(read("package.json"));
    const newest = (path: string, pattern: RegExp) => pattern.exec(read(path))?.[1];
    expect(newest("CHANGELOG.md", /^## \[(\d[^\]]*)\]/m)).toBe(version);
    expect(newest("app/(site)/changelog/entries.ts", /version: "([^"]+)"/)).toBe(version);
    expect(newest("lib/runtime/version.ts", /API_VERSION = "([^"]+)"/)).toBe(version);
    expect(newest("lib/api/openapi/examples.ts", /api_version: "([^"]+)"/)).toBe(version);
    expect(newest("lib/api/client/package.json", /"version": "([^"]+)"/)).toBe(version);
    const lock = JSON.parse(read("package-lock.json"));
    expect([lock.version, lock.packages[""].version, lock.packages["lib/api/client"].version]).toEqual([
      version,
      version,
      version,
    ]);
  });
});
