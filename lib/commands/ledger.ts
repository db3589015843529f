/**
 * `npm run ledger -- hand-over`: creates the next key of the public ledger. The current key signs it, and the worker
 * enters that into the ledger; from then on the new key signs, and `verify.mjs` accepts it for those who trusted the
 * former one.
 */
import { db } from "@/db/client";
import { recordAudit } from "@/lib/runtime/audit";
import { createNextSigningKey } from "@/lib/signals/ledger/signing";
import { exitWithUsage, readCommandLine } from "./command-line";
import { runOperatorCommand } from "./operator-command";

const USAGE = "npm run ledger -- hand-over";

const { positionals } = readCommandLine(USAGE, { allowPositionals: true, options: {} });
if (positionals.length !== 1 || positionals[0] !== "hand-over") exitWithUsage(USAGE);

await runOperatorCommand(async () => {
  await db().transaction(async (tx) => {
    const id = await createNextSigningKey(tx);
    await recordAudit(tx, {
      actor: { kind: "command" },
      action: "ledger.hand_over",
      target: `ledger-key/${id}`,
      details: {},
    });
  });
  process.stdout.write("The next key was created. It signs once the worker has entered its hand-over.\n");
});
