/** The code of one block of a page, with its name. */
export interface PageCode {
  name: string;
  code: string;
}

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', "#x27": "'", "#39": "'" };

/** Text of a piece of HTML, as a reader copies it. */
export function textOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, "")
    .replace(/&(#?\w+);/g, (entity, name: string) => ENTITIES[name] ?? entity);
}

/** Every code block of a page in its order, as it would be copied. */
export function codeBlocks(html: string): PageCode[] {
  return [
    ...html.matchAll(
      /<figure[^>]*><figcaption[^>]*><span[^>]*>(.*?)<\/span>.*?<pre[^>]*><code>(.*?)<\/code>/gs,
    ),
  ].map((match) => ({ name: textOf(match[1]!), code: textOf(match[2]!) }));
}
