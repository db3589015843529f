import { processWide } from "@/lib/runtime/process-wide";
import { readAllDocsTexts } from "./pages";
import { type Hit, type Section, searchSections, sectionsOf } from "./sections";

/** The sections that hold every word of a query, or a word that begins with it; the best first. */
export async function searchDocs(query: string): Promise<Hit[]> {
  const sections = await index();
  return searchSections(sections, query);
}

/** Made of the pages when it is first needed, and kept: they change with a new version alone. */
function index(): Promise<readonly Section[]> {
  const held = processWide<{ sections: Promise<readonly Section[]> | null }>("docs.search", () => ({
    sections: null,
  }));
  held.sections ??= readAllDocsTexts()
    .then((texts) => texts.flatMap(sectionsOf))
    .catch((error: unknown) => {
      held.sections = null;
      throw error;
    });
  return held.sections;
}
