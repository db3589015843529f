/** `npm run licences`: writes docs/licences.md from the lock file. */
import { writeFileSync } from "node:fs";
import { LICENCES_FILE, renderLicences } from "./licences";

writeFileSync(LICENCES_FILE, renderLicences());
