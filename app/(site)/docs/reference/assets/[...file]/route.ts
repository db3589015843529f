import { readFile } from "node:fs/promises";
import { join } from "node:path";

const FOLDER = join(process.cwd(), "node_modules/@scalar/api-reference/dist/browser");

/** The script and the pieces that it loads; source maps and everything else stay where they are. */
const SERVED = /^(standalone\.esm|chunks\/[\w.-]+)\.js$/;

const NOT_FOUND = new Response("There is no such file.\n", {
  status: 404,
  headers: { "Content-Type": "text/plain; charset=utf-8" },
});

/** GET /docs/reference/assets/{version}/...: the browser build of the reference, from this site. */
export async function GET(
  _request: Request,
  { params }: { params: Promise<{ file: string[] }> },
): Promise<Response> {
  const [, ...rest] = (await params).file;
  const file = rest.join("/");
  if (!SERVED.test(file)) return NOT_FOUND.clone();
  try {
    return new Response(await readFile(join(FOLDER, file)), {
      headers: {
        "Content-Type": "text/javascript; charset=utf-8",
        // The address holds the version of the package.
        "Cache-Control": "public, max-age=31536000, immutable",
      },
    });
  } catch {
    return NOT_FOUND.clone();
  }
}
