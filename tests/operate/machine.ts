import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { unprivilegedIdentity } from "@/db/embedded/unprivileged-user";
import { childProcessesMb, residentMb } from "@/tests/bench/memory";

type Variables = Record<string, string>;

/**
 * A substitute for the machine of the runbook, with a bare directory in place of `/`. It runs the runbook's commands with
 * other paths, ports and versions, and starts services from their systemd units as an unprivileged user.
 */
export class RunbookMachine {
  readonly #running = new Map<string, Service>();

  /** `replaced` contains texts of the runbook and what replaces them on this machine. */
  constructor(
    readonly root: string,
    readonly replaced: Variables,
    /** PGHOST, PGPORT, PGUSER and PGPASSWORD of the database's superuser. */
    readonly postgres: Variables,
  ) {
    for (const path of ["opt", "etc/systemd/system", "var/lib", "etc/ssl"])
      mkdirSync(this.at(path), { recursive: true });
    own(this.at("var/lib"));
  }

  at(path: string): string {
    return join(this.root, path);
  }

  /** Applies the replacements to a text of the runbook or of an example, and moves its absolute paths into `root`. */
  here(text: string): string {
    const replaced = Object.entries(this.replaced).reduce(
      (told, [from, to]) => told.replaceAll(from, to),
      text,
    );
    return replaced.replaceAll(/(?<![\w./])\/(?=(?:opt|etc|var\/lib|var\/tmp)\/)/g, `${this.root}/`);
  }

  /** Runs a command of the runbook; this class itself does what systemctl and systemd-run do. Returns the output. */
  async run(command: string, input = ""): Promise<string> {
    const [first = "", ...rest] = this.here(command)
      .replace(/^sudo (?!-)/, "")
      .split(" ");
    if (first === "systemctl") return this.#systemctl(rest);
    if (first === "systemd-run") return this.#systemdRun(rest);
    if (first === "until") return execute("sh", ["-c", this.here(command)], {}, "");
    if (first === "sudo" && rest[0] === "-u" && rest[1] === "postgres")
      // Without a terminal the programs read the password from standard input.
      return execute("setsid", ["-w", ...rest.slice(2)], this.postgres, input);
    return execute("sh", ["-c", [first, ...rest].join(" ")], {}, input);
  }

  #systemctl([verb = "", ...rest]: string[]): Promise<string> {
    const names = rest.filter((word) => !word.startsWith("--"));
    const each: Record<string, (name: string) => Promise<void>> = {
      "daemon-reload": async () => undefined,
      enable: (name) => this.#start(name),
      start: (name) => this.#start(name),
      stop: (name) => this.#stop(name),
      restart: async (name) => {
        await this.#stop(name);
        await this.#start(name);
      },
    };
    const act = each[verb];
    if (act === undefined) throw new Error(`systemctl ${verb}`);
    return Promise.all(names.map(act)).then(() => "");
  }

  /** Runs the words after `systemd-run`: options, -p NAME=VALUE, -E NAME=VALUE, then the command. Returns its output. */
  async #systemdRun(words: string[]): Promise<string> {
    const variables: Variables = {};
    let directory = this.root;
    let at = 0;
    for (; words[at]?.startsWith("-"); at++) {
      const word = words[at];
      if (word !== "-p" && word !== "-E") continue;
      const [name = "", ...value] = (words[++at] ?? "").split("=");
      if (word === "-E") variables[name] = value.join("=");
      else if (name === "EnvironmentFile") Object.assign(variables, readVariables(value.join("=")));
      else if (name === "WorkingDirectory") directory = value.join("=");
    }
    const [program = "", ...rest] = words.slice(at);
    return execute(program, rest, { HOME: directory, ...variables }, "", directory);
  }

  async #start(name: string): Promise<void> {
    const [template = "", instance = ""] = name.split("@");
    const file = this.at(`etc/systemd/system/${instance === "" ? template : `${template}@`}.service`);
    const service = new Service(
      this.here(readFileSync(file, "utf8")).replaceAll("%i", instance),
      this.at(`${name}.log`),
      this.root,
    );
    this.#running.set(name, service);
    service.start();
  }

  async #stop(name: string): Promise<void> {
    await this.#running.get(name)?.stop();
  }

  /** Resident memory of a service and its child processes in KB of 1024 bytes. */
  residentKb(name: string): number {
    const pid = this.#running.get(name)?.pid ?? 0;
    return 1024 * (residentMb(pid) + childProcessesMb(pid));
  }

  stopAll(): Promise<unknown> {
    return Promise.all([...this.#running.values()].map((service) => service.stop()));
  }
}

/** Runs a unit as systemd does, including restarts, but without its sandbox. */
class Service {
  #child: ChildProcess | null = null;
  #isWanted = false;

  constructor(
    readonly unit: string,
    readonly log: string,
    readonly root: string,
  ) {}

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  #values(name: string): string[] {
    return [...this.unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value]) => value ?? "");
  }

  #value(name: string): string {
    const [value] = this.#values(name);
    if (value === undefined) throw new Error(`the unit has no ${name}`);
    return value;
  }

  start(): void {
    this.#isWanted = true;
    const state = join(this.root, "var/lib", this.#value("StateDirectory"));
    mkdirSync(state, { recursive: true });
    own(join(this.root, "var/lib/signal-delivery-service"));
    own(state);
    const variables: Variables = {};
    for (const file of this.#values("EnvironmentFile")) Object.assign(variables, readVariables(file));
    for (const line of this.#values("Environment"))
      for (const word of line.split(" "))
        variables[word.slice(0, word.indexOf("="))] = word.slice(word.indexOf("=") + 1);
    const [program = "", ...rest] = this.#value("ExecStart").split(" ");
    const out = openSync(this.log, "a");
    this.#child = spawn(existsSync(program) ? program : process.execPath, rest, {
      cwd: this.#value("WorkingDirectory"),
      env: withPath(variables),
      stdio: ["ignore", out, out],
      ...unprivilegedIdentity(),
    });
    this.#child.once("exit", async () => {
      await pause(1_000 * Number(this.#value("RestartSec")));
      if (this.#isWanted) this.start();
    });
  }

  async stop(): Promise<void> {
    this.#isWanted = false;
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((done) => child.once("exit", done));
    const startedAt = performance.now();
    child.kill("SIGTERM");
    await gone;
    const seconds = (performance.now() - startedAt) / 1_000;
    if (child.exitCode !== 0)
      throw new Error(`a service ended with ${child.exitCode ?? child.signalCode}; see ${this.log}`);
    if (seconds > Number(this.#value("TimeoutStopSec")))
      throw new Error(`a service took ${seconds.toFixed(0)} s to end`);
  }
}

/** The variables of an environment file with lines NAME=VALUE. */
export function readVariables(path: string): Variables {
  const lines = readFileSync(path, "utf8").split("\n");
  return Object.fromEntries(
    lines
      .filter((line) => /^[A-Z_]+=/.test(line))
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
}

export function writeVariables(path: string, variables: Variables): void {
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(path, lines.join(""), { mode: 0o600 });
}

/** Run as root, makes the unprivileged user the owner of a folder and its direct entries. */
function own(path: string): void {
  const identity = unprivilegedIdentity();
  if (!identity) return;
  chownSync(path, identity.uid, identity.gid);
  for (const name of readdirSync(path)) chownSync(join(path, name), identity.uid, identity.gid);
}

/** Adds a default PATH to variables. The cast is needed because Next's types require NODE_ENV in every environment. */
function withPath(variables: Variables): NodeJS.ProcessEnv {
  return {
    PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin",
    ...variables,
  } as Partial<NodeJS.ProcessEnv> as NodeJS.ProcessEnv;
}

/**
 * Runs a program to its end, as the unprivileged user if `variables` is not empty. Returns its standard output. Throws
 * with its output unless it exits with 0.
 */
async function execute(
  program: string,
  words: string[],
  variables: Variables,
  input: string,
  cwd = "/",
): Promise<string> {
  const identity = Object.keys(variables).length > 0 ? unprivilegedIdentity() : undefined;
  const child = spawn(program, words, { cwd, env: withPath(variables), ...identity });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (piece: Buffer) => {
    stdout += piece.toString();
  });
  child.stderr.on("data", (piece: Buffer) => {
    stderr += piece.toString();
  });
  // A program that reads no input may end before it is written.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${[program, ...words].join(" ")} ended with ${code}:\n${stdout}${stderr}`);
  return stdout.trim();
}
