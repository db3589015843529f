/** The code of one named block of a page. */
export interface PageCode {
  name: string;
  code: string;
}

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', "#x27": "'", "#39": "'" };

/** Text of a piece of HTML, as copied by a visitor. */
export function textOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, "")
    .replace(/&(#?\w+);/g, (entity, name: string) => ENTITIES[name] ?? entity);
}

/** Every code block of a page in order, as copied by a visitor. */
export function codeBlocks(html: string): PageCode[] {
  return [
    ...html.matchAll(
      /<figure[^>]*><figcaption[^>]*><span[^>]*>(.*?)<\/span>.*?<pre[^>]*><code>(.*?)<\/code>/gs,
    ),
  ].map((match) => ({ name: textOf(match[1]!), code: textOf(match[2]!) }));
}
