import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

const compress = promisify(gzip);

const FOLDER = join(process.cwd(), "node_modules/@scalar/api-reference/dist/browser");

/** The script and the pieces that it loads; source maps and everything else stay where they are. */
const SERVED = /^(standalone\.esm|chunks\/[\w.-]+)\.js$/;

/** Files as they were read, and compressed. They never change while the process runs. */
const kept = new Map<string, Promise<ServedFile | null>>();

interface ServedFile {
  plain: Buffer<ArrayBuffer>;
  gzipped: Buffer<ArrayBuffer>;
}

/** GET /docs/reference/assets/{version}/...: the browser build of the reference, from this site. */
export async function GET(
  request: Request,
  { params }: { params: Promise<{ file: string[] }> },
): Promise<Response> {
  const [, ...rest] = (await params).file;
  const name = rest.join("/");
  const file = SERVED.test(name) ? await serve(name) : null;
  if (file === null)
    return new Response("There is no such file.\n", {
      status: 404,
      headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" },
    });
  const takesGzip = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
  return new Response(takesGzip ? file.gzipped : file.plain, {
    headers: {
      "Content-Type": "text/javascript; charset=utf-8",
      "Content-Length": String((takesGzip ? file.gzipped : file.plain).length),
      ...(takesGzip ? { "Content-Encoding": "gzip" } : {}),
      Vary: "Accept-Encoding",
      // The address holds the version of the package.
      "Cache-Control": "public, max-age=31536000, immutable",
    },
  });
}

/** The file of this name, read and compressed once; null when there is none. */
function serve(name: string): Promise<ServedFile | null> {
  const found = kept.get(name);
  if (found) return found;
  const reading = read(name);
  kept.set(name, reading);
  // A name that a visitor made up is not remembered, nor is a failure.
  reading.then(
    (file) => file ?? kept.delete(name),
    () => kept.delete(name),
  );
  return reading;
}

async function read(name: string): Promise<ServedFile | null> {
  try {
    const plain = await readFile(join(FOLDER, name));
    return { plain, gzipped: await compress(plain, { level: 9 }) };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
