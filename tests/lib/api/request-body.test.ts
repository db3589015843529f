import { afterEach, describe, expect, it, vi } from "vitest";
import { MAX_BODY_BYTES, MAX_INGEST_BYTES, readBytes, readText } from "@/lib/api/request-body";
import { AppError } from "@/lib/wire/errors";
import { KB, MB } from "@/lib/wire/size";

function post(body: BodyInit | ReadableStream, headers: Record<string, string> = {}): Request {
  // `duplex` is required for streams but missing in this platform's types.
  const init: RequestInit & { duplex: "half" } = { method: "POST", body, headers, duplex: "half" };
  return new Request("http://localhost/api/executions", init);
}

/** A streamed body; reports how many chunks were requested. */
function pieces(count: number, bytesEach: number) {
  let sent = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent === count) return controller.close();
      sent++;
      controller.enqueue(new Uint8Array(bytesEach));
    },
  });
  return { stream, sent: () => sent };
}

async function refusal(promise: Promise<unknown>): Promise<AppError> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof AppError) return error;
  throw new Error("the body was accepted");
}

afterEach(() => {
  vi.useRealTimers();
});

describe("readBytes", () => {
  it("a request body of exactly 64 kB is read", async () => {
    expect((await readBytes(post(new Uint8Array(MAX_BODY_BYTES)))).byteLength).toBe(64 * KB);
    expect((await readBytes(post(pieces(64, KB).stream))).byteLength).toBe(64 * KB);
  });

  it("a request body over the limit by its declared length gets 413", async () => {
    const body = pieces(1, 10);
    const error = await refusal(readBytes(post(body.stream, { "content-length": String(64 * KB + 1) })));
    expect(error).toMatchObject({ status: 413, code: "body_too_large", headers: { Connection: "close" } });
  });

  it("a streamed request body is read only up to the limit and gets 413", async () => {
    const body = pieces(10_000, KB);
    const error = await refusal(readBytes(post(body.stream)));
    expect(error.status).toBe(413);
    expect(body.sent()).toBeLessThan(70);
  });

  it("a body over another given limit is refused, and the error names that limit in kB or MB", async () => {
    expect((await refusal(readBytes(post(pieces(3, KB).stream), 2 * KB))).detail).toContain("2 kB");
    const upload = readBytes(post("", { "content-length": String(9 * MB) }), MAX_INGEST_BYTES + 4 * KB);
    expect((await refusal(upload)).detail).toContain("the 8 MB that");
  });

  it("a request body that does not arrive within ten seconds gets 408", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const never = new ReadableStream<Uint8Array>({ pull: () => new Promise<void>(() => undefined) });
    const outcome = refusal(readBytes(post(never)));
    await vi.advanceTimersByTimeAsync(9_999);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await outcome).toMatchObject({ status: 408, code: "body_timeout" });
  });

  it("a truncated request body gets 400", async () => {
    const broken = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.error(new Error("aborted"));
      },
    });
    expect(await refusal(readBytes(post(broken)))).toMatchObject({ status: 400, code: "bad_request" });
  });

  it.each(["gzip", "GZIP", "br", "deflate", "gzip, identity"])(
    "a request body with Content-Encoding %s gets 415",
    async (encoding) => {
      expect((await refusal(readBytes(post("{}", { "content-encoding": encoding })))).status).toBe(415);
    },
  );

  it("a request body with Content-Encoding identity is read, and a missing body is empty text", async () => {
    expect(await readText(post("{}", { "content-encoding": " Identity " }))).toBe("{}");
    expect(await readText(new Request("http://localhost/", { method: "POST" }))).toBe("");
  });
});

describe("readText", () => {
  it("readText decodes a body that is not UTF-8 as Windows-1252", async () => {
    // "Größe" in Windows-1252
    expect(await readText(post(new Uint8Array([0x47, 0x72, 0xf6, 0xdf, 0x65])))).toBe("Größe");
  });
});
