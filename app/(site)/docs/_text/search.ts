import { processWide } from "@/lib/runtime/process-wide";
import { readAllDocsTexts } from "./pages";
import { type DocsSearchHit, searchSections, sectionsOf } from "./sections";

/** The best matching sections of all pages, the best first, by the rules of `searchSections`. */
export function searchDocs(query: string): DocsSearchHit[] {
  // The search index is built on first use and kept, because the files change only with a release.
  const sections = processWide("docs.search", () => readAllDocsTexts().flatMap(sectionsOf));
  return searchSections(sections, query);
}
