import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emailTag, errorFacts, flushLog, type LogFields, log } from "@/lib/runtime/log";

let directory: string;
let file: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "signal-log-"));
  file = join(directory, "log.ndjson");
  // The test runner sets a BASE_URL that is not an address.
  Object.assign(process.env, {
    BASE_URL: "",
    NODE_ENV: "test",
    DATA_DIR: directory,
    LOG_FILE: file,
    LOG_LEVEL: "info",
  });
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function lastLine(): Promise<Record<string, unknown>> {
  await flushLog();
  return JSON.parse(readFileSync(file, "utf8").trim().split("\n").at(-1) ?? "");
}

describe("log", () => {
  it("log writes one JSON line with time, level, message and known fields", async () => {
    log("warn", "something happened", { requestId: "r-1", status: 503 });
    expect(await lastLine()).toEqual({
      level: "warn",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      requestId: "r-1",
      status: 503,
      msg: "something happened",
    });
  });

  it("log drops every field that is not on the list of known fields, nested or not", async () => {
    const stray: object = { apiKey: "3f2a-secret", password: "p", headers: { "x-api-key": "k" }, body: "b" };
    // A caller that spreads unknown fields into a line, bypassing the compiler.
    log("info", "spread", { ...(stray as LogFields), route: "/api/scan" });
    const line = await lastLine();
    expect(Object.keys(line).sort()).toEqual(["level", "msg", "route", "time"]);
  });

  it("log writes nothing below the configured level", async () => {
    log("info", "heard");
    log("debug", "not heard");
    expect(await lastLine()).toMatchObject({ msg: "heard" });
  });
});

describe("errorFacts", () => {
  it("facts of an error contain class, code, constraint and location, and never a message", () => {
    const cause = Object.assign(new Error("Key (email)=(buyer@example.test) exists"), {
      code: "23505",
      constraint_name: "mail_outbox_dedupe",
    });
    const facts = errorFacts(new TypeError("params: buyer@example.test", { cause }));
    expect(facts).toMatchObject({
      name: "TypeError < Error",
      code: "23505",
      constraint: "mail_outbox_dedupe",
    });
    expect(facts.stack?.[0]).toContain("log.test.ts");
    expect(JSON.stringify(facts)).not.toContain("buyer@example.test");
  });

  it("facts of an error contain no part of a multi-line message in the stack", () => {
    const facts = errorFacts(new Error("first line\n    second line with buyer@example.test"));
    expect(JSON.stringify(facts)).not.toContain("example.test");
  });

  it("facts of an error contain no message, even when a line of it looks like a stack frame", () => {
    const facts = errorFacts(new Error("first line\n    at buyer@example.test"));
    expect(JSON.stringify(facts)).not.toContain("example.test");
  });

  it("facts of a failed system call contain its file", () => {
    const read = () => readFileSync("/no-such-folder/enhance.js");
    expect(read).toThrow(expect.objectContaining({ code: "ENOENT" }));
    try {
      read();
    } catch (error) {
      expect(errorFacts(error)).toMatchObject({ code: "ENOENT", path: "/no-such-folder/enhance.js" });
    }
  });

  it("facts of a thrown value that is no error contain only its type", () => {
    expect(errorFacts("secret text")).toEqual({ name: "string" });
    expect(errorFacts(null)).toEqual({ name: "object" });
  });

  it("facts of a failed file system call name the path", () => {
    const facts = (() => {
      try {
        return readFileSync(join(directory, "missing.js"));
      } catch (error) {
        return errorFacts(error);
      }
    })();
    expect(facts).toMatchObject({ code: "ENOENT", path: join(directory, "missing.js") });
  });

  it("facts of the database driver's errors contain their code", () => {
    const error = Object.assign(new postgres.PostgresError("secret detail"), { code: "23514" });
    const facts = errorFacts(error);
    expect(facts.code).toBe("23514");
    expect(JSON.stringify(facts)).not.toContain("secret");
  });
});

describe("emailTag", () => {
  it("the tag of an e-mail address has the first four hexadecimal digits of its SHA-256", () => {
    // printf 'abc' | sha256sum: ba7816bf..., the test vector of FIPS 180-4
    expect(emailTag("abc")).toBe("email#ba78");
  });
});
