/** `npm run generate`: writes the files that are made from others and not kept in git. */
import { writeFileSync } from "node:fs";
import { writeSchema } from "@/lib/api/client/generate";
import { copyPythonClient } from "@/lib/server/start.mjs";
import { LICENCES_FILE, renderLicences } from "./code/licences";
import { renderCoverage } from "./interface/render-coverage";

writeSchema();
copyPythonClient();
writeFileSync(LICENCES_FILE, renderLicences());
writeFileSync(new URL("../docs/interface-coverage.md", import.meta.url), renderCoverage());
