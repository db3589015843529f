/** Part of `npm run check`: prints the places that plain English does without, and ends with 1 when there are any. */
import { checkWording } from "./wording";

const found = checkWording();
if (found.length > 0) {
  console.error(found.join("\n"));
  process.exitCode = 1;
}
