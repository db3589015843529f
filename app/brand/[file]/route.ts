import { db } from "@/db/client";
import { findPicture } from "@/db/queries/site";
import { softTone } from "@/lib/runtime/colours";

const FOREVER = { "Cache-Control": "public, max-age=31536000, immutable" };
const COLOURS = /^([0-9a-f]{6})-([0-9a-f]{6})\.css$/;
const PICTURE = /^([0-9a-f]{64})\.(png|webp)$/;

/**
 * GET /brand/{file}: the operator's logo by the hash of its bytes, or the style sheet of two colours by their values. The
 * content of such an address never changes.
 */
export async function GET(_: Request, context: { params: Promise<{ file: string }> }): Promise<Response> {
  const { file } = await context.params;
  const [, light, dark] = COLOURS.exec(file) ?? [];
  if (light !== undefined && dark !== undefined)
    return new Response(coloursSheet(`#${light}`, `#${dark}`), {
      headers: { ...FOREVER, "Content-Type": "text/css; charset=utf-8" },
    });
  const [, hash, extension] = PICTURE.exec(file) ?? [];
  const picture = hash === undefined ? null : await findPicture(db(), hash);
  if (picture?.mediaType !== `image/${extension}`) return new Response("Not found\n", { status: 404 });
  return new Response(Buffer.from(picture.content, "base64"), {
    headers: { ...FOREVER, "Content-Type": picture.mediaType },
  });
}

function coloursSheet(light: string, dark: string): string {
  const soft = `${softTone("light", light)}, ${softTone("dark", dark)}`;
  return `:root {
  --color-accent: light-dark(${light}, ${dark});
  --color-accent-soft: light-dark(${soft});
}
`;
}
