import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { GET } from "@/app/(site)/docs/reference/assets/[...file]/route";
import { paths } from "@/lib/paths";

function ask(path: string, encoding?: string): Promise<Response> {
  const request = new Request(`https://signals.example.test${path}`, {
    headers: encoding ? { "accept-encoding": encoding } : {},
  });
  return GET(request, { params: Promise.resolve({ file: path.split("/").slice(4) }) });
}

describe("the script of the API reference", () => {
  it("travels compressed to whom it can, and may be kept for good", async () => {
    const [plain, small] = await Promise.all([
      ask(paths.referenceScript()),
      ask(paths.referenceScript(), "gzip, br"),
    ]);
    expect([plain.status, small.status]).toEqual([200, 200]);
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(small.headers.get("content-encoding")).toBe("gzip");
    for (const answer of [plain, small]) {
      expect(answer.headers.get("vary")).toBe("Accept-Encoding");
      expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    }
    const [text, bytes] = [Buffer.from(await plain.arrayBuffer()), Buffer.from(await small.arrayBuffer())];
    expect(bytes.length).toBeLessThan(text.length / 2);
    expect(gunzipSync(bytes).equals(text)).toBe(true);
  });

  // Next takes an answer only from its own Response class: a clone of one that was made before any request is refused.
  it.each(["unknown.js", "chunks/unknown.js", "standalone.esm.js.map", "..%2f..%2fpackage.json"])(
    "%s is 404, each time with an answer of its own",
    async (file) => {
      for (let n = 0; n < 2; n++) {
        const answer = await ask(`/docs/reference/assets/1/${file}`);
        expect(answer.status).toBe(404);
        expect(answer).toBeInstanceOf(Response);
        expect(await answer.text()).toBe("There is no such file.\n");
      }
    },
  );
});
