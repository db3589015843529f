/** `npm run doctor`: looks at everything that the service stands on and says what to do. Ends with 1 when something is wrong. */
import { examine, type Finding } from "@/lib/server/upkeep/doctor";
import { operate } from "./operated-database";

const MARKS: Record<Finding["state"], string> = { ok: "ok   ", look: "look ", wrong: "WRONG" };

await operate(async (_, config) => {
  const findings = await examine(config);
  for (const { part, state, text, advice } of findings) {
    process.stdout.write(`${MARKS[state]}  ${part.padEnd(11)}  ${text}\n`);
    if (advice && state !== "ok") process.stdout.write(`${" ".repeat(20)}${advice}\n`);
  }
  const count = (state: Finding["state"]) => findings.filter((finding) => finding.state === state).length;
  process.stdout.write(`\n${count("ok")} ok, ${count("look")} to look at, ${count("wrong")} wrong\n`);
  if (count("wrong") > 0) process.exitCode = 1;
});
