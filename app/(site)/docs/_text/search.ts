import { processWide } from "@/lib/runtime/process-wide";
import { readAllDocsTexts } from "./pages";
import { type Hit, searchSections, sectionsOf } from "./sections";

/** The sections that hold every word of a query, or a word that begins with it; the best first. */
export function searchDocs(query: string): Hit[] {
  // Made when it is first needed and kept: the files change with a new version alone.
  const sections = processWide("docs.search", () => readAllDocsTexts().flatMap(sectionsOf));
  return searchSections(sections, query);
}
