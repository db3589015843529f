/** Part of `npm run check`: prints places that are not plain English, and exits with 1 if there are any. */
import { checkWording } from "./wording";

const found = checkWording();
if (found.length > 0) {
  console.error(found.join("\n"));
  process.exitCode = 1;
}
