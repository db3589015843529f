import { writeFileSync } from "node:fs";
import { renderCoverage } from "./render-coverage";

writeFileSync(new URL("../../docs/interface-coverage.md", import.meta.url), renderCoverage());
