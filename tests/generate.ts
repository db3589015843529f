/** `npm run generate`: writes the files that are generated from others and are not kept in git. */
import { writeFileSync } from "node:fs";
import { writeSchema } from "@/lib/api/client/generate";
import { copyPythonClient, root } from "@/lib/server/start.mjs";
import { writeApiModules } from "@/lib/server/write-api-modules.mjs";
import { LICENCES_FILE, renderLicences } from "./code/licences";
import { renderInterfaceCoverage } from "./interface/render-coverage";

writeApiModules(root);
writeSchema((await import("@/app/operations.generated")).OPERATIONS);
copyPythonClient();
writeFileSync(LICENCES_FILE, renderLicences());
writeFileSync(new URL("../docs/interface-coverage.md", import.meta.url), renderInterfaceCoverage());
